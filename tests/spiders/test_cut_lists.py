"""Lists that stop half way and say nothing of their length: shown by the last good run, never published."""

from __future__ import annotations

from datetime import datetime, timedelta
from pathlib import Path

import pytest

from catalog.provider_model import Expect
from catalog.providers import load_providers
from pipeline.gates import settle
from pipeline.manifest import RunMeta
from pipeline.segment import write_segment
from tests.spiders.clouds import NOW, Cloud, crawl_cloud

CLOUDS = ("aws_cn", "azure_cn", "tencent", "huawei", "aliyun", "volcengine", "baidu", "ctyun", "jdcloud")
PLATFORMS = ("gongji", "compshare", "omniyq", "wangsu", "gitee_ai", "matpool")
SHORT = ("wangsu", "huawei", "azure_cn", "gongji")


def settled(home: Path, cloud: Cloud, slug: str, now: datetime) -> RunMeta:
    """What becomes of a crawl, as `suanjia crawl` does it: gates, then a segment."""
    meta = RunMeta(
        run_id="run", provider=slug, kind="crawl", started_at=now, ended_at=now,
        outcome=cloud.judged.outcome, complete=cloud.judged.outcome == "ok", parser_version="1",
        provider_class=load_providers()[slug].class_,
    )  # fmt: skip
    listings = [listing for listing in cloud.listings if listing.route not in cloud.judged.dropped]
    made = cloud.made
    if made.offers:
        meta = settle(home, meta, made.offers, made.rejections, listings, Expect())
    if meta.outcome == "ok":
        write_segment(home, meta, made.offers, made.rejections, listings)
    return meta


@pytest.mark.parametrize(
    "slug",
    [s if s in SHORT else pytest.param(s, marks=pytest.mark.slow) for s in (*CLOUDS, *PLATFORMS)],
)
def test_half_a_list_is_never_the_whole_one(slug: str, tmp_path: Path) -> None:
    """Whether the source says how long it is or not: no outcome `ok`, so that nothing of it is published."""
    good = settled(tmp_path, crawl_cloud(slug, tmp_path), slug, NOW)
    assert (good.outcome, good.complete) == ("ok", True), good.message
    later = NOW + timedelta(hours=12)
    half = settled(tmp_path, crawl_cloud(slug, tmp_path, now=later, fault="truncated_list"), slug, later)
    assert half.outcome in ("partial", "empty", "failed", "layout_changed"), half.message
    assert not half.complete
