"""UCloud and KSyun: off until the user's own keys are set, signed as documented, keys kept nowhere."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path

import pytest

from market.server import running
from market.sites._compshare_api import TEST_PRIVATE_KEY, TEST_PUBLIC_KEY
from tests.spiders.clouds import NOW, crawl_cloud


def set_keys(slug: str, monkeypatch: pytest.MonkeyPatch, secret: str = TEST_PRIVATE_KEY) -> None:
    monkeypatch.setenv(f"SUANJIA_{slug.upper()}_PUBLIC_KEY", TEST_PUBLIC_KEY)
    monkeypatch.setenv(f"SUANJIA_{slug.upper()}_PRIVATE_KEY", secret)


@pytest.mark.parametrize("slug", ["ucloud", "ksyun"])
def test_without_keys_nobody_is_asked(tmp_path: Path, slug: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(f"SUANJIA_{slug.upper()}_PUBLIC_KEY", raising=False)
    monkeypatch.delenv(f"SUANJIA_{slug.upper()}_PRIVATE_KEY", raising=False)
    with running(NOW, [slug]) as origins:
        cloud = crawl_cloud(slug, tmp_path, origins=origins)
        assert origins.log == []
    assert cloud.judged.outcome == "auth_needed"
    assert f"SUANJIA_{slug.upper()}_PRIVATE_KEY" in cloud.judged.message


def test_ucloud_prices_the_machine_without_disks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    set_keys("ucloud", monkeypatch)
    cloud = crawl_cloud("ucloud", tmp_path)
    assert cloud.judged.outcome == "ok", cloud.judged
    wanted = {"card": "T4", "gpu_count": 2, "zone": "cn-gd-02"}
    assert cloud.one(**wanted, billing_mode="on_demand").price == Decimal("14.4")
    years = {o.price_kind: o.price for o in cloud.find(**wanted, billing_mode="yearly")}
    assert years == {"list": Decimal("69120"), "member": Decimal("58752")}
    quarter = next(o for o in cloud.find(card="T4") if o.share < 1)
    assert (quarter.share, quarter.vram_gb, quarter.ram_gb) == (Decimal("0.25"), 4, 32)
    assert {o.in_stock for o in cloud.find(card="RTX4090")} == {False}
    kept = b"".join(path.read_bytes() for path in cloud.config.run_dir.iterdir())
    assert TEST_PRIVATE_KEY.encode() not in kept and TEST_PUBLIC_KEY.encode() not in kept


def test_ksyun_waits_for_the_reviewed_table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    set_keys("ksyun", monkeypatch)
    cloud = crawl_cloud("ksyun", tmp_path)
    assert cloud.judged.outcome == "ok", cloud.judged
    assert {(listing.mode, listing.unit) for listing in cloud.listings} == {("spot", "CNY/instance/hour")}
    assert cloud.made.remark == "unknown families: 2 (GN6I.4A, P3I.8A)"


@pytest.mark.parametrize("slug", ["ucloud", "ksyun"])
def test_a_wrong_key_is_no_layout_change(tmp_path: Path, slug: str, monkeypatch: pytest.MonkeyPatch) -> None:
    set_keys(slug, monkeypatch, "not-the-key-at-all")
    cloud = crawl_cloud(slug, tmp_path)
    assert cloud.judged.outcome in ("failed", "auth_needed", "blocked"), cloud.judged
    assert cloud.listings == []
