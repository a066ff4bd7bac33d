"""Azure China: totals of a term, rows that do not count, and a link that is followed and kept nowhere."""

from __future__ import annotations

import csv
import io
from decimal import Decimal
from pathlib import Path

import pytest

from market.server import running
from market.sites import azure_cn as sheet
from spiders.config import CrawlConfig
from spiders.evidence import EvidenceStore
from tests.spiders.clouds import NOW, Cloud, crawl_cloud
from tests.spiders.conftest import run_child
from tests.spiders.site import Answer, serving

API = "https://prices.azure.cn"
BLOB = "https://other-name.blob.core.chinacloudapi.cn"
DOWNLOAD = "/api/retail/pricesheet/download"


@pytest.fixture(scope="module")
def cloud(tmp_path_factory: pytest.TempPathFactory) -> Cloud:
    return crawl_cloud("azure_cn", tmp_path_factory.mktemp("azure"))


def test_a_reservation_is_the_total_of_its_term(cloud: Cloud) -> None:
    wanted = {"sku": "Standard_NC48ads_A100_v4", "region_label": "chinanorth3"}
    for term, total in ((8760, "448000"), (26280, "816000")):
        offer = cloud.one(**wanted, billing_mode="reserved", term_hours=term, tier=None)
        assert (offer.price, offer.per_hours) == (Decimal(total), term)
        hourly = (Decimal(total) / term / 2).quantize(Decimal("0.000001"))
        assert offer.price_cny_per_card_hour == hourly
        gross = (hourly * Decimal("1.06")).quantize(Decimal("0.000001"))
        assert (offer.tax, offer.price_cny_per_card_hour_gross) == ("excluded", gross)
    plan = cloud.one(**wanted, tier="savings_plan")
    assert (plan.billing_mode, plan.per_hours, plan.term_hours) == ("reserved", 1, 8760)
    hour = cloud.one(**wanted, billing_mode="on_demand")
    assert (hour.price, hour.card, hour.form, hour.gpu_count) == (80, "A100-80G", "PCIE", 2)
    assert (hour.vcpu, hour.ram_gb, hour.region_code) == (48, 440, "130000")


def test_rows_that_do_not_count_are_counted(cloud: Cloud) -> None:
    assert cloud.stats["skipped"] == {
        "dev_test": 15, "duplicate": 1, "future_price": 1, "no GPU": 6, "not_linux": 3, "secondary region": 1,
        "tier above 0": 1,
    }  # fmt: skip
    assert (
        cloud.one(sku="Standard_NC4as_T4_v3", region_label="chinanorth3", billing_mode="on_demand").price == 5
    )


def test_a_series_that_nobody_has_mapped_is_reported(cloud: Cloud) -> None:
    assert cloud.made.reasons == {"unknown_family": 4}
    assert cloud.made.remark == "unknown families: 1 (Standard_NX12zz_v9)"


def everything_kept(folder: Path, config: CrawlConfig) -> bytes:
    """All bytes that a crawl left behind, evidence unpacked."""
    store = EvidenceStore(config.evidence_dir)
    evidence = [store.read(path.stem) for path in config.evidence_dir.rglob("*.zst")]
    plain = [path.read_bytes() for path in folder.rglob("*") if path.is_file() and path.suffix != ".zst"]
    assert evidence and plain
    return b"\n".join(evidence + plain)


@pytest.mark.parametrize(
    "fault", [None, "changed_field", "half_text", {"kind": "server_error", "path": "csv"},
              {"kind": "half_body", "path": "csv"}, {"kind": "rate_limited", "path": "csv"}]
)  # fmt: skip
def test_the_signed_link_is_kept_nowhere(tmp_path: Path, fault: object) -> None:
    with running(NOW, ["azure_cn"], {"azure_cn": fault} if fault else None, samples=True) as origins:  # type: ignore[dict-item]
        config = CrawlConfig(
            provider="azure_cn", run_id="run", run_dir=tmp_path / "run", evidence_dir=tmp_path / "evidence",
            now=NOW, origins=dict(origins), only_mapped=True, delay=0.0, timeout=5.0,
        )  # fmt: skip
        done = run_child(config, {})
        asked = [entry["path"] for entry in origins.log if "csv" in entry["path"]]
    kept = everything_kept(tmp_path, config) + done.log.encode()
    assert bool(asked) == (fault not in ("changed_field", "half_text"))
    for path in asked:
        query = path.partition("?")[2]
        assert "sig=" in query
        assert query.encode() not in kept
    for word in (b"sig=", b"sv=2021", b"se=2026", b"sp=r", b"sv%3D"):
        assert word not in kept, word
    if fault is None:
        assert b"AzureRetailPrices.csv" in kept
        assert (len(done.listings), done.kinds()) == (60, [])


def csv_of(lines: list[sheet.Line], head: str = sheet.HEAD) -> bytes:
    text = io.StringIO()
    csv.writer(text).writerows([head.split(","), *(line.cells() for line in lines)])
    return text.getvalue().encode()


LINE = sheet.Line("Standard_NC6s_v3", "Virtual Machines NCSv3 Series", "chinaeast2", Decimal("25"))


def served(tmp_path: Path, body: bytes, link: str = f"{BLOB}/a.csv?strange-signature=s3cr3t-v4lue") -> Cloud:
    """A site whose link has another signature and another host."""
    answer = Answer(f'{{"DownloadUrl": "{link}", "LastRefreshedAt": "2026-10-01"}}', type="application/json")
    with serving({DOWNLOAD: answer, "/a.csv": Answer(body, type="text/csv")}) as site:
        return crawl_cloud("azure_cn", tmp_path, origins={API: site.origin, BLOB: site.origin})


def test_the_term_column_has_two_names(tmp_path: Path) -> None:
    lines = [LINE._replace(kind="Reservation", term="3 Years", price=Decimal(255000))]
    for name in ("term", "reservationTerm"):
        cloud = served(tmp_path, csv_of(lines, sheet.HEAD.replace(",term", f",{name}")))
        assert cloud.one(term_hours=26280).price_cny_per_card_hour == Decimal("9.703196")
    assert b"s3cr3t" not in everything_kept(tmp_path, cloud.config)


@pytest.mark.parametrize(
    ("body", "kind", "words"),
    [
        (csv_of([LINE, LINE])[:-20], "cut", "cells"),
        (b"", "cut", "empty"),
        (csv_of([LINE], sheet.HEAD.replace("armSkuName", "skuCode")), "layout_changed", "armSkuName"),
        (csv_of([LINE._replace(kind="Reservation")]), "layout_changed", "term"),
        ("<html><body>请先登录</body></html>".encode(), "auth_needed", "请先登录"),
    ],
)  # fmt: skip
def test_a_file_that_is_not_the_sheet(tmp_path: Path, body: bytes, kind: str, words: str) -> None:
    cloud = served(tmp_path, body)
    assert [p["kind"] for p in cloud.stats["problems"]] == [kind]
    assert words in cloud.judged.message
    assert cloud.judged.outcome != "ok"


@pytest.mark.parametrize(
    "link", ["http://169.254.169.254/latest?sig=aaaaaaaa", "file:///etc/passwd", "nonsense"]
)
def test_a_link_to_somewhere_else_is_not_followed(tmp_path: Path, link: str) -> None:
    cloud = served(tmp_path, b"", link)
    assert cloud.judged.outcome in ("failed", "layout_changed")
    assert cloud.listings == []
