"""Volcengine: templates found, never pinned; JSON inside JSON; regions in charge codes; types to review."""

from __future__ import annotations

import json
from decimal import Decimal
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from market.server import running
from spiders.volcengine_parts import configurations, is_gpu, region_of, sku_of, template_of
from tests.spiders.clouds import NOW, Cloud, crawl_cloud
from tests.spiders.site import Answer, serving

SITE = "https://www.volcengine.com"


@pytest.fixture(scope="module")
def cloud(tmp_path_factory: pytest.TempPathFactory) -> Cloud:
    return crawl_cloud("volcengine", tmp_path_factory.mktemp("volcengine"))


def test_prices_of_the_one_type_whose_cards_are_documented(cloud: Cloud) -> None:
    found = {(o.region_code, o.billing_mode): (o.price, o.per_hours) for o in cloud.offers}
    assert found == {
        (region, mode): price
        for region in ("110000", "310000", "440100")
        for mode, price in (
            ("on_demand", (Decimal("12.60"), 1)), ("monthly", (Decimal("6048.00"), 730)),
            ("yearly", (Decimal("45722.88"), 8760)),
        )
    }  # fmt: skip
    assert {(o.sku, o.card, o.gpu_count, o.vcpu, o.ram_gb, o.evidence_kind) for o in cloud.offers} == {
        ("ecs.gni2.3xlarge", "A10", 1, 14, 56, "catalog")
    }


def test_types_whose_cards_nobody_counted_wait_for_review(cloud: Cloud) -> None:
    assert cloud.made.remark == (
        "unknown families: 4 (ecs.g1ie.4xlarge, ecs.hpcpni2.28xlarge, ecs.pni2.3xlarge, ecs.vgn2i.xlarge)"
    )
    assert dict(cloud.made.reasons) == {"unknown_family": 15}
    assert cloud.stats["skipped"] == {"no GPU": 5, "product without a price table": 1}


def test_templates_are_discovered(tmp_path: Path) -> None:
    with running(NOW, ["volcengine"], samples=True) as origins:
        crawl_cloud("volcengine", tmp_path, origins=origins)
        asked = [
            parse_qs(urlsplit(entry["path"]).query) for entry in origins.log if "/pricing" in entry["path"]
        ]
    assert {query["product"][0] for query in asked} == {"GPU_Server", "HPC_GPU", "ECS", "ECS_BareMetal"}
    for query in asked:
        assert query["__loader"] == ["__ssr_without_user/pricing/page"]
        assert query["__ssrDirect"] == ["true"]


@pytest.mark.parametrize(
    ("code", "region"),
    [("ecs.g3i_large_cn-beijing", "cn-beijing"), ("ecs.gni2_3xlarge_cn-beijing2", "cn-beijing2"), ("x", "x")],
)
def test_the_region_follows_the_last_underscore(code: str, region: str) -> None:
    assert region_of(code) == region


def test_the_name_without_its_term() -> None:
    assert [sku_of(f"ecs.g3i.large{end}") for end in (".month", ".hour", "")] == ["ecs.g3i.large"] * 3


LEAF = {
    "ConfigurationCode": "ecs.gni2.3xlarge.hour",
    "AvailableZone": json.dumps([{"ZoneCode": "cn-beijing-a"}]),
    "AbilityAttrs": [
        {"Ability": "vcpu", "Value": "14"},
        {"Ability": "processor", "Value": "NVIDIA-A10"},
    ],
}


@pytest.mark.parametrize(
    "tree",
    [
        {"Product": "ECS", "Children": [{"Region": "cn-beijing", "Children": [LEAF]}]},
        [{"Region": "cn-beijing", "Nodes": {"a": {"b": [LEAF]}}}],
        {**LEAF, "Region": "cn-beijing"},
    ],
)
def test_a_tree_in_a_string_with_zones_in_a_string(tree: Any) -> None:
    (found,) = configurations(json.dumps(tree))
    assert (found.code, found.region, found.zones) == (
        "ecs.gni2.3xlarge.hour",
        "cn-beijing",
        ("cn-beijing-a",),
    )
    assert found.abilities == {"vcpu": "14", "processor": "NVIDIA-A10"}


NAMES = st.sampled_from(["ConfigurationCode", "AvailableZone", "AbilityAttrs", "activeProductInfo", "x"])
TREES = st.recursive(
    st.none() | st.text(max_size=5) | st.integers(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=4),
    max_leaves=12,
)


@given(TREES)
def test_no_tree_raises(tree: Any) -> None:
    configurations(json.dumps(tree))
    template_of(tree)


@pytest.mark.parametrize(
    ("answer", "found"),
    [
        ({"activeProductInfo": {"TemplateInfoList": [
            {"Type": 2, "TemplateCode": "CLT1", "TableCodeList": ["T"]},
            {"Type": 1, "TemplateCode": "CLT2", "TableCodeList": []},
            {"Type": 1, "TemplateCode": "CLT3", "TableCodeList": ["T"]}]}}, (True, "CLT3")),
        ({"data": {"props": {"activeProductInfo": {"TemplateInfoList": []}}}}, (True, "")),
        ({"activeProductInfo": {"Templates": []}}, (False, "")),
        (None, (False, "")),
    ],
)  # fmt: skip
def test_which_template_has_the_prices(answer: Any, found: tuple[bool, str]) -> None:
    assert template_of(answer) == found


@pytest.mark.parametrize(
    ("code", "product", "abilities", "gpu"),
    [
        ("ecs.pni2.3xlarge.hour", "ECS", {}, True), ("ecs.hpcg3ib.x", "ECS", {}, True),
        ("ecs.g1ie.4xlarge", "ECS", {}, True), ("ecs.g3i.large", "ECS", {"processor": "Intel Xeon"}, False),
        ("ecs.new9.large", "ECS", {"processor": "NVIDIA-H20"}, True),
        ("ecs.new9.large", "GPU_Server", {}, True),
    ],
)  # fmt: skip
def test_what_has_gpus(code: str, product: str, abilities: dict[str, str], gpu: bool) -> None:
    assert is_gpu(code, product, abilities) == gpu


def crawl_rows(tmp_path: Path, rows: list[Any], tree: str, only: str = "GPU_Server") -> Cloud:
    """A site that sells `rows` under one product and has no table for the others."""

    def answer(handler: BaseHTTPRequestHandler) -> Answer:
        query = parse_qs(urlsplit(handler.path).query)
        if "product" in query:
            listed = (
                [{"Type": 1, "TemplateCode": "CLT5", "TableCodeList": ["T"]}]
                if query["product"] == [only]
                else []
            )
            found: Any = {"activeProductInfo": {"TemplateInfoList": listed}}
        elif query["Action"] == ["ListTemplate"]:
            found = {"Result": {"List": [{"TemplateCode": "CLT5", "Template": tree}]}}
        else:
            found = {"Result": {"TableList": [{"Rows": rows}]}}
        return Answer(json.dumps(found), type="application/json")

    with serving({"/pricing": answer, "/anonymous-api/trade/price": answer}) as site:
        return crawl_cloud("volcengine", tmp_path, origins={SITE: site.origin})


def row(**more: Any) -> dict[str, Any]:
    return {"Product": "ECS", "ConfigurationCode": "ecs.gni2.3xlarge.hour",
            "ChargeItemCode": "ecs.gni2_3xlarge_cn-beijing",
            "PriceInfoList": [{"Period": "hourly", "Times": 1, "Price": "12.60"}]} | more  # fmt: skip


def test_prices_without_a_bundle_are_prices(tmp_path: Path) -> None:
    cloud = crawl_rows(tmp_path, [row()], "[]")
    offer = cloud.one(sku="ecs.gni2.3xlarge")
    assert (offer.vcpu, offer.price) == (14, Decimal("12.60"))  # the reviewed table has the bundle


@pytest.mark.parametrize(
    ("rows", "tree", "named"),
    [
        ([row(PriceInfoList=[{"Period": "minutely", "Times": 1, "Price": "1"}])], "[]", "Period"),
        (
            [row(PriceInfoList=[{"Period": "hourly", "Times": 1, "Amount": "1"}])],
            "[]",
            "PriceInfoList/0/Price",
        ),
        ([row(PriceInfoList=None, Prices=[])], "[]", "PriceInfoList"),
        ([row()], "{not json", "Result/List/0/Template"),
    ],
)
def test_a_field_that_has_moved_is_named(tmp_path: Path, rows: list[Any], tree: str, named: str) -> None:
    cloud = crawl_rows(tmp_path, rows, tree)
    assert cloud.judged.outcome == "layout_changed", cloud.judged
    assert named in [drift["field"] for drift in cloud.stats["drift"]]


def test_a_table_that_lacks_half_of_its_configurations_is_cut(tmp_path: Path) -> None:
    tree = json.dumps([{"ConfigurationCode": f"ecs.gni2.{n}xlarge.hour"} for n in (3, 7, 14)])
    cloud = crawl_rows(tmp_path, [row()], tree)
    assert (cloud.judged.outcome, "1 of 3 configurations" in cloud.judged.message) == ("partial", True)
