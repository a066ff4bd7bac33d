"""Every cloud under the faults of the issue: the right outcome, and nothing of it published."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.spiders.clouds import crawl_cloud

CLOUDS = ("aws_cn", "azure_cn", "tencent", "huawei", "aliyun", "volcengine", "baidu", "ctyun", "jdcloud")
OUTCOMES = {
    "login_page": {"auth_needed"},
    "captcha": {"blocked"},
    "rate_limited": {"blocked"},
    "server_error": {"failed"},
    "changed_field": {"layout_changed"},
    "half_body": {"failed"},
    "half_text": {"failed", "layout_changed", "partial"},
    "empty_list": {"empty", "layout_changed", "failed", "partial"},
    "garbage": {"layout_changed", "failed"},
    "gone": {"gone"},
    "robots_disallow": {"robots"},
}
QUICK = ("login_page", "changed_field", "half_body")


@pytest.mark.parametrize("slug", CLOUDS)
@pytest.mark.parametrize(
    "fault", [kind if kind in QUICK else pytest.param(kind, marks=pytest.mark.slow) for kind in OUTCOMES]
)
def test_outcome(tmp_path: Path, slug: str, fault: Any) -> None:
    cloud = crawl_cloud(slug, tmp_path, fault=fault)
    if (slug, fault) == ("ctyun", "changed_field"):  # the document's new header still names the card
        assert (cloud.judged.outcome, cloud.judged.dropped) == ("ok", ("price",))
        return
    assert cloud.judged.outcome in OUTCOMES[fault], (cloud.judged, cloud.stats["problems"][:3])


@pytest.mark.parametrize("slug", CLOUDS)
def test_every_listing_says_what_it_rests_on(tmp_path: Path, slug: str) -> None:
    cloud = crawl_cloud(slug, tmp_path)
    assert cloud.judged.outcome == "ok", cloud.judged
    assert cloud.offers
    assert {listing.evidence_kind for listing in cloud.listings} <= {"realtime", "catalog", "pricing"}
    assert None not in {listing.status for listing in cloud.listings if listing.price_kind != "promo"}
    assert all(len(listing.evidence) == 64 and listing.locator for listing in cloud.listings)
    assert not any("127.0.0.1" in listing.source_url for listing in cloud.listings)
    assert cloud.made.parsed == sum(offer.listings for offer in cloud.made.offers) + len(
        cloud.made.rejections
    )
