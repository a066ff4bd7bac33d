"""The twelve archetypes against the stand-in pages: every row that a right reader gets, and nothing else."""

from __future__ import annotations

import csv
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from catalog.periods import period_hours
from catalog.providers import read_provider
from market.server import running
from pipeline.reading import card as card_reader
from pipeline.run import process
from spiders.config import CrawlConfig
from tests.spiders.conftest import ROOT, run_child
from tests.spiders.idc_runs import FILES, FROZEN, Idc, crawl_market

GOLDEN = ROOT / "tests" / "golden" / "idc"
# Reasons of one family: the truth table says what is on the page, a reader may say it more exactly.
FAMILY = {
    "no_number": {"no_number", "sold_out", "delisted", "no_public_price", "js_calculator", "not_gpu"},
}
PLAIN = (
    "idc_div_table", "idc_table_columns", "idc_table_rows", "idc_script_price", "idc_cards", "idc_mobile",
    "idc_select_period", "idc_text", "idc_per_sku", "idc_no_price", "idc_sold_out",
)  # fmt: skip
SHOPS = ("shop_yunsuan_a", "shop_yunsuan_b")


def truth() -> list[dict[str, str]]:
    with (ROOT / "market" / "data" / "idc_truth.csv").open(encoding="utf-8", newline="") as lines:
        return list(csv.DictReader(lines))


def wanted_offers(rows: list[dict[str, str]]) -> set[tuple[object, ...]]:
    """(card, cards, mode, hours, low, high, kind): a page twice over counts once."""
    found = set()
    for row in rows:
        if row["reject"]:
            continue
        card = card_reader.read(row["card_text"] + (f" {row['vram']}" if row.get("vram") else ""))
        assert isinstance(card, card_reader.CardReading), row
        hours = period_hours(row["per"], int(row["per_count"]))
        high = Decimal(row["amount_high"]) if row["amount_high"] else None
        name = (card.card or "").partition("-")[0]
        found.add(
            (name, int(row["cards"]), row["mode"], hours, Decimal(row["amount_low"]), high, row["price_kind"])
        )
    return found


def made_offers(idc: Idc) -> set[tuple[object, ...]]:
    return {
        (
            o.card.partition("-")[0], int(o.gpu_count), o.billing_mode, int(o.per_hours), o.price,
            o.price_high, o.price_kind,
        )
        for o in idc.offers
    }  # fmt: skip


@pytest.mark.parametrize("slug", PLAIN)
def test_every_row_of_the_truth_table(slug: str, tmp_path: Path) -> None:
    idc = crawl_market(slug, tmp_path)
    assert idc.kinds == []
    pages = {listing.source_url for listing in idc.listings}
    rows = [row for row in truth() if row["url"] in pages]
    assert rows
    assert made_offers(idc) == wanted_offers(rows)
    refused = sorted((r.source_url, r.reason) for r in idc.rejections)
    for row in rows:
        if row["reject"]:
            fits = [one for one in refused if one[0] == row["url"] and one[1] in family(row["reject"])]
            assert fits, row
            refused.remove(fits[0])
    # What is left names no offer: an empty choice of a page that has others.
    assert all(reason == "no_number" for _, reason in refused), refused
    assert len(refused) <= (1 if slug == "idc_select_period" else 0)


def family(reason: str) -> set[str]:
    return FAMILY.get(reason, {reason})


@pytest.mark.parametrize("slug", [*PLAIN, *SHOPS])
def test_golden(slug: str, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    """What the spider quotes, word by word, reviewed by a person."""
    idc = crawl_market(slug, tmp_path)
    made = "".join(sorted(listing.to_json() + "\n" for listing in idc.listings))
    golden = GOLDEN / f"{slug}.jsonl"
    if request.config.getoption("--golden-write"):
        GOLDEN.mkdir(parents=True, exist_ok=True)
        if not golden.is_file() or golden.read_text(encoding="utf-8") != made:
            golden.write_text(made, encoding="utf-8")
            pytest.fail(f"{golden.name} written: review it, commit it")
    assert made.splitlines() == golden.read_text(encoding="utf-8").splitlines()


def test_every_file_beside_the_tests_is_used() -> None:
    assert {file.stem for file in FILES.glob("*.toml")} == {
        *PLAIN,
        *SHOPS,
        "idc_market_cards",
        "idc_market_hosts",
    }


def test_places_are_those_of_the_page_and_never_of_its_prose(tmp_path: Path) -> None:
    idc = crawl_market("idc_table_columns", tmp_path)
    assert {offer.region_code for offer in idc.offers} == {"522301"}  # the prose below praises 陕西


def test_the_same_goods_on_two_pages_are_one_offer(tmp_path: Path) -> None:
    idc = crawl_market("idc_div_table", tmp_path)
    twice = [o for o in idc.offers if o.region_code == "441300" and o.card == "RTX4090"]
    assert [(o.billing_mode, o.listings) for o in twice] == [("yearly", 2), ("monthly", 2)]


# Fault of the market → what the run must say.
FAULTS = {
    "idc_div_table": ("changed_field", "changed_header"),
    "idc_table_rows": ("changed_field", "changed_header"),
    "idc_script_price": ("changed_field", "changed_unit"),
    "idc_cards": ("changed_field",),
    "idc_mobile": ("changed_field", "changed_unit"),
    "idc_select_period": ("changed_field",),
    "idc_text": ("changed_field",),
    "idc_per_sku": ("changed_field",),
    "shop_yunsuan_a": ("changed_field", "changed_unit"),
    "shop_yunsuan_b": ("changed_field",),
}


@pytest.mark.parametrize(
    ("slug", "fault"), [(slug, fault) for slug, all_ in FAULTS.items() for fault in all_]
)
def test_a_changed_page_is_a_named_layout_change(slug: str, fault: str, tmp_path: Path) -> None:
    idc = crawl_market(slug, tmp_path, fault)
    assert "layout_changed" in idc.kinds, (idc.kinds, idc.prices())


def rendered(slug: str, where: Path, **more: Any) -> Idc:
    """Crawl one of the files beside the tests in a child process, with a browser."""
    with running(FROZEN, ["idc_market_cards"], samples=True) as origins:
        config = CrawlConfig(
            provider=slug, run_id="r", run_dir=where / "run", evidence_dir=where / "e", now=FROZEN,
            origins=dict(origins), delay=0.0, provider_file=str(FILES / f"{slug}.toml"), **more,
        )  # fmt: skip
        done = run_child(config, {})
    file = read_provider(FILES / f"{slug}.toml")
    return Idc(done.listings, done.stats, process(done.listings, "r", FROZEN, {file.slug: file}))


@pytest.mark.browser
@pytest.mark.slow
def test_rows_that_are_drawn_when_their_table_is_scrolled(tmp_path: Path) -> None:
    """Ten of 23 hosts are rendered until the table is scrolled to its end; a cell holds the price and a
    struck one; the totals of the order below the table are no prices."""
    idc = rendered("idc_market_hosts", tmp_path)
    assert idc.kinds == []
    assert len(idc.listings) == 23
    rows = [row for row in truth() if row["url"] == "https://www.suanliju.example/hosts"]
    assert len(rows) == 23
    assert made_offers(idc) == wanted_offers(rows)
    assert idc.reasons() == sorted(row["reject"] for row in rows if row["reject"])
    assert not any("1.03" in x.price_text or "17.44" in x.price_text for x in idc.listings)


@pytest.mark.browser
@pytest.mark.slow
def test_cards_that_a_script_draws_are_rendered_first(tmp_path: Path) -> None:
    idc = rendered("idc_market_cards", tmp_path)
    assert idc.kinds == []
    rows = [row for row in truth() if row["url"] == "https://www.suanliju.example/market"]
    assert made_offers(idc) == wanted_offers(rows)
    assert {(o.card, o.in_stock, o.stock_idle) for o in idc.offers} == {
        ("RTX4090D", True, 1), ("RTX4090", True, 3), ("RTX5090", False, 0),
    }  # fmt: skip
