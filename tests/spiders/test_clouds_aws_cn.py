"""AWS China: dated prices to the last digit, what is left out, reserved instances, versions, faults."""

from __future__ import annotations

import json
from collections.abc import Callable
from decimal import Decimal
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any
from urllib.request import urlopen

import pytest

from market.server import running
from spiders.evidence import EvidenceStore
from tests.spiders.clouds import NOW, Cloud, crawl_cloud, facts_of
from tests.spiders.site import Answer, serving

SITE = "https://pricing.cn-north-1.amazonaws.com.cn"
EC2 = "/offers/v1.0/cn/AmazonEC2"


@pytest.fixture(scope="module")
def cloud(tmp_path_factory: pytest.TempPathFactory) -> Cloud:
    return crawl_cloud("aws_cn", tmp_path_factory.mktemp("aws"))


def test_the_dated_prices_come_out_to_the_last_digit(cloud: Cloud) -> None:
    facts = facts_of("aws_cn")
    assert len(facts) == 24
    for (sku, region, mode), amount in facts.items():
        offer = cloud.one(sku=sku, region_label=region, billing_mode=mode)
        assert offer.price == amount
        assert offer.price_cny_per_card_hour == (amount / offer.gpu_count).quantize(Decimal("0.000001"))
        assert (offer.per_hours, offer.evidence_kind, offer.price_kind) == (1, "pricing", "list")


def test_what_the_facts_say_of_cards(cloud: Cloud) -> None:
    """Documented cards and prices per card of 2024-11-06."""
    for sku, card, count, per_card in (
        ("g4dn.12xlarge", "T4", 4, "9.712250"), ("g5.48xlarge", "A10G", 8, "19.254744"),
        ("p3.16xlarge", "V100-16G", 8, "36.078375"), ("p2.16xlarge", "K80", 16, "10.612000"),
        ("g3s.xlarge", "M60", 1, "11.282000"),
    ):  # fmt: skip
        offer = cloud.one(sku=sku, region_label="cn-north-1", billing_mode="on_demand")
        assert (offer.card, offer.gpu_count) == (card, count)
        assert offer.price_cny_per_card_hour == Decimal(per_card)
        assert offer.vcpu and offer.ram_gb and offer.os == "linux"


def test_only_plain_linux_gpu_instances_of_the_two_regions(cloud: Cloud) -> None:
    assert {offer.region_code for offer in cloud.offers} == {"110000", "640000"}
    assert cloud.stats["skipped"] == {
        "no GPU": 5, "other system or software": 3, "other tenancy or use": 3,
    }  # fmt: skip
    assert not any(offer.sku == "inf1.xlarge" for offer in cloud.offers)
    assert all("aws-cn-other" not in offer.source_url for offer in cloud.offers)
    assert cloud.judged.outcome == "ok"


def test_reserved_instances_keep_and_spread_what_is_paid_first(cloud: Cloud) -> None:
    wanted = {"sku": "g4dn.12xlarge", "region_label": "cn-north-1", "billing_mode": "reserved"}
    partial = cloud.one(**wanted, tier="partial_upfront")
    assert partial.upfront is not None and partial.upfront > 0
    assert (partial.per_hours, partial.term_hours, partial.gpu_count) == (1, 8760, 4)
    spread = (partial.price + partial.upfront / 8760) / 4
    assert partial.price_cny_per_card_hour == spread.quantize(Decimal("0.000001"))
    for tier, term in (("all_upfront", 8760), ("all_upfront", 26280)):
        whole = cloud.one(**wanted, tier=tier, term_hours=term)
        assert (whole.per_hours, whole.upfront) == (term, None)
        assert whole.price_cny_per_card_hour == (whole.price / term / 4).quantize(Decimal("0.000001"))
    assert cloud.one(**wanted, tier="no_upfront", term_hours=26280).upfront is None


def test_savings_plans_are_reserved_with_their_tier(cloud: Cloud) -> None:
    for term in (8760, 26280):
        plan = cloud.one(sku="g5.xlarge", tier="savings_plan", term_hours=term)
        assert (plan.billing_mode, plan.per_hours, plan.price_kind) == ("reserved", 1, "list")
    assert len(cloud.find(tier="savings_plan")) == 2 * 26  # every plain GPU type of both regions, both terms


def file_of(products: dict[str, Any], demand: dict[str, Any], reserved: dict[str, Any]) -> dict[str, Any]:
    return {"offerCode": "AmazonEC2", "version": "20261101", "products": products,
            "terms": {"OnDemand": demand, "Reserved": reserved}}  # fmt: skip


def product(sku: str, kind: str, **more: str) -> dict[str, Any]:
    about = {"instanceType": kind, "location": "China (Beijing)", "regionCode": "cn-north-1",
             "operatingSystem": "Linux", "preInstalledSw": "NA", "tenancy": "Shared",
             "usagetype": f"CNN1-BoxUsage:{kind}", "vcpu": "4", "memory": "16 GiB", "gpu": "1"}  # fmt: skip
    return {sku: {"sku": sku, "productFamily": "Compute Instance", "attributes": about | more}}


def term(sku: str, code: str, *prices: tuple[str, str], **about: str) -> dict[str, Any]:
    dimensions = {f"{sku}.{code}.{n}": {"unit": unit, "pricePerUnit": {"CNY": amount}}
                  for n, (unit, amount) in enumerate(prices)}  # fmt: skip
    return {f"{sku}.{code}": {"priceDimensions": dimensions, "termAttributes": about}}


def small(regions: dict[str, Any], odd: bool = True) -> dict[str, Answer]:
    """A site with one small file a region, and no savings plans."""

    def body(value: Any) -> Answer:
        return Answer(json.dumps(value), type="application/json")

    listed = {r: {"regionCode": r, "currentVersionUrl": f"{EC2}/20261101/{r}/index.json"} for r in regions}
    if odd:
        address = f"{EC2}/20261101/aws-cn-other/index.json"
        listed["aws-cn-other"] = {"regionCode": "aws-cn-other", "currentVersionUrl": address}
    index = {"offers": {"AmazonEC2": {"currentRegionIndexUrl": f"{EC2}/current/region_index.json"}}}
    files = {f"{EC2}/20261101/{region}/index.json": body(file) for region, file in regions.items()}
    return {"/offers/v1.0/cn/index.json": body(index),
            f"{EC2}/current/region_index.json": body({"regions": listed}), **files}  # fmt: skip


CUT = file_of(
    product("AAA", "g4dn.xlarge") | product("BBB", "g4dn.2xlarge") | product("CCC", "c5.large", gpu=""),
    {"AAA": term("AAA", "JRTC", ("Hrs", "5.2230000000")), "BBB": term("BBB", "JRTC", ("Hrs", "0.0000000000")),
     "CCC": term("CCC", "JRTC", ("Hrs", "0.7550000000"))},
    {"AAA": term("AAA", "HU7G", ("Quantity", "14412"), ("Hrs", "1.6450000000"), LeaseContractLength="1yr",
                 PurchaseOption="Partial Upfront", OfferingClass="convertible")},
)  # fmt: skip
NOTHING = file_of({}, {}, {})


def test_a_cut_file_gives_one_price_one_reservation_and_no_zero(tmp_path: Path) -> None:
    with serving(small({"cn-north-1": CUT, "cn-northwest-1": NOTHING})) as site:
        cloud = crawl_cloud("aws_cn", tmp_path, origins={SITE: site.origin})
    assert cloud.judged.outcome == "ok", cloud.judged
    assert [path for path in site.paths() if "aws-cn-other" in path] == []
    hourly, reserved = sorted(cloud.offers, key=lambda offer: offer.billing_mode)
    assert (hourly.price, hourly.billing_mode, hourly.price_cny_per_card_hour) == (
        Decimal("5.223"), "on_demand", Decimal("5.223"))  # fmt: skip
    assert (reserved.upfront, reserved.tier, reserved.term_hours) == (
        14412,
        "partial_upfront_convertible",
        8760,
    )
    assert reserved.price_cny_per_card_hour == Decimal("3.290205")  # 1.645 + 14412 / 8760
    assert dict(cloud.made.reasons) == {"price_zero": 1}


def test_a_region_that_is_missing_from_the_index_is_a_gap(tmp_path: Path) -> None:
    with serving(small({"cn-north-1": CUT})) as site:
        cloud = crawl_cloud("aws_cn", tmp_path, origins={SITE: site.origin})
    assert (cloud.judged.outcome, "cn-northwest-1" in cloud.judged.message) == ("partial", True)


def test_an_unchanged_version_is_read_from_what_was_kept(tmp_path: Path) -> None:
    with running(NOW, ["aws_cn"], samples=True) as origins:
        first = crawl_cloud("aws_cn", tmp_path, origins=origins)
        asked = len(origins.log)
        second = crawl_cloud("aws_cn", tmp_path, origins=origins, known_files=first.stats["files"])
        again = [entry["path"] for entry in origins.log][asked:]
    assert [path for path in again if path.endswith("/cn-north-1/index.json")] == []
    assert second.stats["skipped"]["unchanged file"] == 4
    assert [o.offer_id for o in second.offers] == [o.offer_id for o in first.offers]
    assert [o.price for o in second.offers] == [o.price for o in first.offers]


def test_a_savings_plan_that_does_not_come_costs_only_itself(tmp_path: Path) -> None:
    fault = {"kind": "server_error", "path": "savingsPlan"}
    cloud = crawl_cloud("aws_cn", tmp_path, fault=fault)
    assert (cloud.judged.outcome, cloud.judged.dropped) == ("ok", ("savings_plan",))
    assert "savings_plan left out: failed: HTTP 503" in cloud.judged.message
    assert cloud.find(tier="savings_plan") == []
    assert len(cloud.find(billing_mode="on_demand")) == 26


def test_half_a_savings_plan_is_none(tmp_path: Path) -> None:
    cloud = crawl_cloud("aws_cn", tmp_path, fault={"kind": "half_text", "path": "savingsPlan.*/2024"})
    assert (cloud.judged.outcome, cloud.judged.dropped) == ("ok", ("savings_plan",))
    assert cloud.find(tier="savings_plan") == []


@pytest.mark.parametrize(
    ("name", "new"), [("operatingSystem", "os"), ("usagetype", "usageType"), ("instanceType", "type")]
)
def test_a_field_that_has_moved_is_named(tmp_path: Path, name: str, new: str) -> None:
    text = json.dumps(CUT).replace(f'"{name}"', f'"{new}"')
    with serving(small({"cn-north-1": json.loads(text), "cn-northwest-1": NOTHING})) as site:
        cloud = crawl_cloud("aws_cn", tmp_path, origins={SITE: site.origin})
    assert (cloud.judged.outcome, name in cloud.judged.message) == ("layout_changed", True), cloud.judged


class Relayed(dict[str, Any]):
    """Every path has the same answer."""

    def __init__(self, answer: Any) -> None:
        super().__init__()
        self.answer = answer

    def get(self, key: str, default: Any = None) -> Any:
        return self.answer


def csv_market(folder: Path, change: Callable[[bytes], bytes] = lambda body: body) -> Cloud:
    """The stand-in with an index that names CSV files; `change` works on each of them."""
    with running(NOW, ["aws_cn"], samples=True) as origins, serving({}) as site:
        real = origins[SITE]

        def relayed(handler: BaseHTTPRequestHandler) -> Answer:
            with urlopen(real + handler.path) as answer:
                body, kind = answer.read(), answer.headers["Content-Type"]
            if "AmazonEC2/current/region_index" in handler.path:
                body = body.replace(b"index.json", b"index.csv")
            return Answer(change(body) if handler.path.endswith(".csv") else body, type=kind)

        site.routes = Relayed(relayed)
        return crawl_cloud("aws_cn", folder, origins={SITE: site.origin})


def told(cloud: Cloud) -> dict[str, tuple[Any, ...]]:
    facts = ("price", "upfront", "per_hours", "tier", "price_cny_per_card_hour")
    return {o.offer_id: tuple(getattr(o, name) for name in facts) for o in cloud.offers}


def test_the_csv_form_gives_the_same_offers(tmp_path: Path) -> None:
    """JSON or CSV: whatever the index names is read, metadata lines and all, to the last digit."""
    as_json = crawl_cloud("aws_cn", tmp_path / "json")
    as_csv = csv_market(tmp_path / "csv")
    assert as_csv.judged.outcome == "ok", as_csv.judged
    assert told(as_csv) == told(as_json)
    assert {o.locator.partition("=")[0] for o in as_csv.find(billing_mode="on_demand")} == {"line"}
    hourly = as_csv.one(sku="g4dn.xlarge", billing_mode="on_demand", region_code="110000")
    assert hourly.price == Decimal("5.223")
    line = int(hourly.locator.partition("=")[2].partition("/")[0])
    text = EvidenceStore(as_csv.config.evidence_dir).read(hourly.evidence).decode()
    assert '"5.2230000000"' in text.splitlines()[line - 1]


@pytest.mark.parametrize(
    ("old", "new", "outcome", "word"),
    [
        (b'"PricePerUnit"', b'"Price Per Unit"', "layout_changed", "column PricePerUnit"),
        (b'"SKU",', b'"Key",', "layout_changed", "header that begins with SKU"),
        (b'"Hrs"', b'"Days"', "layout_changed", "unit Days"),
        (None, b"", "failed", "cells"),
    ],
)
def test_a_csv_that_has_moved_or_ends_early(
    tmp_path: Path, old: bytes | None, new: bytes, outcome: str, word: str
) -> None:
    cloud = csv_market(tmp_path, lambda body: body.replace(old, new) if old else body[: len(body) // 2 - 5])
    assert cloud.judged.outcome in (outcome, "partial"), cloud.judged
    assert word in cloud.judged.message, cloud.judged
