"""From a number back to the bytes: every step there, and what is missing said."""

from __future__ import annotations

import json
import shutil
from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest

from spiders.evidence import EvidenceStore
from tests.warehouse.warehouse_world import T0, World, offer, rejection
from warehouse.conversion import conversion
from warehouse.errors import BadRequest, NothingToDo
from warehouse.excerpt import excerpt
from warehouse.explain import explain
from warehouse.reader import open_latest

PAGE = json.dumps({"data": {"list": [{"name": "RTX 4090", "price": "2.18"}, {"price": "0.99"}]}}).encode()


def told(world: World, name: str) -> list[dict[str, str]]:
    con, generation = open_latest(world.home)
    try:
        return [step.as_dict() for step in explain(world.home, con, generation, name)]
    finally:
        con.close()


def value_of(steps: list[dict[str, str]], word: str) -> str:
    return next(step["value"] for step in steps if step["what"].startswith(word))


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> World:
    """One month's price of an 8-card machine and one rejection, with their page in the evidence."""
    world = World(tmp_path_factory.mktemp("explain") / "home")
    digest = EvidenceStore(world.home / "evidence").put(PAGE)
    rows = offer(
        "r0",
        evidence=digest,
        locator="/data/list/0/price",
        price=Decimal("12775"),
        per_hours=Decimal(730),
        gpu_count=Decimal(8),
        basis="server",
        billing_mode="monthly",
        term_hours=Decimal(730),
        tax="excluded",
    )
    world.run([rows], [rejection("r0", evidence=digest, locator="/data/list/1/price", price_text="0.99")])
    world.go()
    return world


def test_an_offer_leads_to_the_page(shop: World) -> None:
    con, _ = open_latest(shop.home)
    name = con.execute("SELECT offer_id FROM offers").fetchall()[0][0]
    con.close()
    steps = told(shop, name)
    # 12775 CNY a month / 730 h = 17.5 an hour / 8 cards = 2.1875, + 6 % = 2.31875
    assert value_of(steps, "per hour") == "12775 ÷ 730 = 17.5 CNY"
    assert value_of(steps, "per card-hour") == "÷ 8 = 2.1875 CNY"
    assert value_of(steps, "price_cny_per_card_hour") == "2.1875 CNY"
    assert value_of(steps, "with tax") == "2.1875 × 1.06 = 2.31875 CNY"
    assert value_of(steps, "run").startswith("r0/alpha: crawl of 2026-11-24")
    assert value_of(steps, "page") == "https://www.example.com/prices"
    assert value_of(steps, "place") == '/data/list/0/price: "2.18"'
    assert value_of(steps, "as read").startswith("price_text '12775'")
    sources = {step["what"].split()[0]: step["from"] for step in steps}
    assert sources["run"] == "segments/run=r0/provider=alpha/manifest.json"
    assert sources["as"] == "segments/run=r0/provider=alpha/listings.parquet"
    assert sources["evidence"].startswith("evidence/")
    assert sources["place"].endswith("JSON /data/list/0/price")
    # From the number to the page, in that order.
    order = [step["what"].split()[0] for step in steps]
    assert (
        order.index("price_cny_per_card_hour") < order.index("per") < order.index("price") < order.index("as")
    )


def test_a_rejection_leads_to_the_page(shop: World) -> None:
    con, _ = open_latest(shop.home)
    name = con.execute("SELECT rejection_id FROM rejections").fetchall()[0][0]
    con.close()
    steps = told(shop, name)
    assert value_of(steps, "rejection") == f"{name} unknown_card"
    assert value_of(steps, "as printed") == "RTX 9999 | 北京A区 | 0.99"
    assert value_of(steps, "place") == '/data/list/1/price: "0.99"'


def test_an_observation_says_why_it_is_held(world: World) -> None:
    # Ten sightings at 2.18, then 9.99: more than three times the median of the month before.
    for i in range(10):
        world.run([offer(f"r{i}", T0 + timedelta(hours=6 * i))])
    world.run([offer("r10", T0 + timedelta(hours=60), price=Decimal("9.99"))])
    world.go()
    con, _ = open_latest(world.home)
    rows = con.execute("SELECT obs_id, quarantine FROM observations WHERE quarantine IS NOT NULL").fetchall()
    shown = con.execute("SELECT price, observed_at FROM offers").fetchall()
    con.close()
    assert [word for _, word in rows] == ["level_hold"]
    assert shown == [(Decimal("2.18"), T0 + timedelta(hours=54))]
    steps = told(world, rows[0][0])
    assert value_of(steps, "held back") == "level_hold"
    assert value_of(steps, "price_cny_per_card_hour") == "9.99 CNY"


@pytest.mark.parametrize(
    "name", ["offer:" + "0" * 16, "rej:" + "0" * 16, "obs:" + "0" * 16 + "/20261124T040000.000000Z/1.000000"]
)
def test_an_id_that_is_not_there(shop: World, name: str) -> None:
    with pytest.raises(NothingToDo, match="is not in index-2026-W48-v0001"):
        told(shop, name)


@pytest.mark.parametrize(
    "name", ["", "offer", "offer:", "offer:XYZ", "offer:' OR 1=1 --", "obs:0/0/0", "x:1", "rej:0"]
)
def test_what_is_no_id(shop: World, name: str) -> None:
    with pytest.raises(BadRequest, match="is no id"):
        told(shop, name)


def test_missing_evidence_and_segments_are_said(shop: World, world: World) -> None:
    shutil.copytree(shop.home, world.home)
    shop = world
    for path in sorted((shop.home / "evidence").rglob("*.zst")):
        path.unlink()
    (shop.home / "segments" / "run=r0" / "provider=alpha" / "listings.parquet").unlink()
    con, _ = open_latest(shop.home)
    name = con.execute("SELECT offer_id FROM offers").fetchall()[0][0]
    con.close()
    steps = told(shop, name)
    assert next(s for s in steps if s["what"].startswith("evidence"))["from"].startswith("not readable")
    assert value_of(steps, "listing") == "the segment is not in this data directory"


def row(**changes: Any) -> dict[str, Any]:
    made = offer(**changes)
    return {**{name: getattr(made, name) for name in type(made).__slots__}, "fx": None}


def test_conversion_with_upfront_and_rate() -> None:
    steps = dict(conversion(row(price=Decimal("1"), upfront=Decimal("876"), term_hours=Decimal(8760),
                                price_cny_per_card_hour=Decimal("1.1"))))  # fmt: skip
    assert steps["with upfront 加预付"] == "+ 876 ÷ 8760 = 1.1 CNY"
    steps = dict(conversion({**row(currency="USD"), "fx": "USD/CNY 7.1 of 2026-11-24"}))
    assert steps["exchange rate 汇率"] == "USD/CNY 7.1 of 2026-11-24"


@pytest.mark.parametrize(
    ("cards", "price", "stored", "told"),
    [
        # 3.066634 · 6, not 3.066634 ÷ 0.166667
        ("0.166667", "3.066634", "18.399804", "÷ 1/6 = 18.399804 CNY"),
        ("0.333333", "1", "3", "÷ 1/3 = 3 CNY"),
        ("0.666667", "1", "1.5", "÷ 2/3 = 1.5 CNY"),
        ("0.125", "0.5", "4", "÷ 0.125 = 4 CNY"),
        ("8", "10", "1.25", "÷ 8 = 1.25 CNY"),
    ],
)
def test_a_part_of_a_card_is_divided_by_as_it_was(cards: str, price: str, stored: str, told: str) -> None:
    steps = dict(
        conversion(
            row(gpu_count=Decimal(cards), price=Decimal(price), price_cny_per_card_hour=Decimal(stored))
        )
    )
    assert steps["per card-hour 每卡时"] == told


def test_conversion_says_where_the_row_differs() -> None:
    steps = dict(conversion(row(price_cny_per_card_hour=Decimal("3"))))
    assert steps["price_cny_per_card_hour"] == "3 CNY (the arithmetic gives 2.18)"


@pytest.mark.parametrize(
    ("body", "locator", "printed", "text", "where"),
    [
        (PAGE, "/data/list/1", "0.99", '{"price": "0.99"}', "JSON /data/list/1"),
        (PAGE, "/data/list/1/gone", "0.99", '{"price": "0.99"}', "JSON /data/list/1"),
        (PAGE, "/data/list/0#member", None, '{"name": "RTX 4090", "price": "2.18"}', "JSON /data/list/0"),
        (b"a,b\n1,2\n3,4\n", "row 2", "4", "3,4", "line 3"),
        (b"x\ny 7\nz", "#line=2", "7", "y 7", "line 2"),
        (
            b"<td>RTX</td> <td>2.18</td>",
            "table[0]/r1/cell=1",
            "2.18",
            "<td>RTX</td> <td>2.18</td>",
            "characters 17–21, first of 1",
        ),
        (
            "<td>价格 2.18 元</td>".encode("gbk"),
            "t",
            "2.18",
            "<td>价格 2.18 元</td>",
            "characters 7–11, first of 1",
        ),
    ],
)
def test_excerpts(body: bytes, locator: str, printed: str | None, text: str, where: str) -> None:
    found = excerpt(body, locator, printed)
    assert found is not None
    assert (found.text, found.where) == (text, where)


@pytest.mark.parametrize("body", [b"", b"\x00\xff", b"{", b"[1,2]", b"null"])
def test_nothing_is_found_in_nothing(body: bytes) -> None:
    assert excerpt(body, "/a/b", "2.18") is None
    assert excerpt(body, "row 900", None) is None
