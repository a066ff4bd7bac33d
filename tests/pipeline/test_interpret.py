"""Listing → offers and rejections: what the four kinds of sources print, by hand."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from decimal import Decimal
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from catalog.providers import load_providers
from pipeline.interpret import Context, interpret
from pipeline.offer import Offer, Rejection
from pipeline.run import process
from spiders.listing import Listing

AT = datetime(2026, 10, 4, 12, tzinfo=UTC)
PROVIDERS = load_providers(None)
CONTEXT = Context("run", AT, PROVIDERS)
BASE = Listing(
    provider="matpool", route="market", observed_at=AT, evidence="e" * 64, locator="/pools/0",
    source_url="https://matgo.cn/api/machine_pools", evidence_kind="realtime", scope="pool",
    price_text="220000", unit="1e-5 CNY/unit/hour", mode="on_demand", card_text="NVIDIA GeForce RTX 4090",
    count_text="1",
)  # fmt: skip


def read(**changes: object) -> Offer:
    (made,) = interpret(replace(BASE, **changes), CONTEXT)  # type: ignore[arg-type]
    assert isinstance(made, Offer), made
    return made


def refused(**changes: object) -> str:
    (made,) = interpret(replace(BASE, **changes), CONTEXT)  # type: ignore[arg-type]
    assert isinstance(made, Rejection), made
    return made.reason


def test_a_unit_of_one_card_is_a_card() -> None:
    # 220000 / 100000 = 2.20 yuan an hour
    got = read()
    assert (got.card, got.basis, got.gpu_count, got.price, got.per_hours) == (
        "RTX4090", "card", Decimal(1), Decimal("2.2"), Decimal(1),
    )  # fmt: skip
    assert got.price_cny_per_card_hour == Decimal("2.200000")


def test_a_unit_of_two_cards_is_a_machine() -> None:
    # 4.40 for two cards = 2.20 a card
    got = read(price_text="440000", count_text="2")
    assert (got.basis, got.gpu_count, got.price_cny_per_card_hour) == ("server", Decimal(2), Decimal("2.2"))


def test_memory_in_the_sources_unit_decides_the_size() -> None:
    assert read(card_text="NVIDIA A100", vram_text="81251", vram_unit="MB").card == "A100-80G"
    assert read(card_text="NVIDIA A100", vram_text="40960", vram_unit="MB").card == "A100-40G"
    assert read(card_text="A100").card == "A100"
    assert read(card_text="RTX 4090", vram_text="25769803776", vram_unit="bytes").card == "RTX4090"
    assert refused(card_text="RTX 3090", vram_text="48", vram_unit="GB") == "card_vram_conflict"


def test_memory_of_all_cards_is_divided() -> None:
    got = read(card_text="H20", vram_text="786432", vram_unit="MB", vram_total=True, count_text="8",
               unit="1e-6 CNY/device/second", price_text="16416", provider="gongji")  # fmt: skip
    # 16416 x 3600 / 1e6 = 59.0976 for 8 cards = 7.3872
    assert (got.card, got.gpu_count, got.price_cny_per_card_hour) == (
        "H20-96G",
        Decimal(8),
        Decimal("7.387200"),
    )


def test_an_instance_family_gives_card_and_count() -> None:
    got = read(provider="aliyun", sku="ecs.gn7i-c8g1.2xlarge", card_text=None, unit="CNY/instance/hour",
               price_text="9.503", region_text="cn-zhangjiakou", scope="region")  # fmt: skip
    assert (got.card, got.gpu_count, got.region_code) == ("A10", Decimal(1), "130700")


def test_an_unknown_family_is_a_rejection_to_review() -> None:
    assert refused(provider="aliyun", sku="ecs.gn99z-c8g1.2xlarge", card_text=None, unit="CNY/instance/hour",
                   price_text="9.5") == "unknown_family"  # fmt: skip


def test_a_slice_keeps_its_fraction_and_its_price_is_per_full_card() -> None:
    # a quarter of an A10 at 4.24: 4.24 / 0.25 = 16.96
    got = read(
        provider="ctyun", card_text="A10", share_text="1/4", unit="CNY/instance/hour", price_text="4.24"
    )
    assert (got.gpu_count, got.share, got.price_cny_per_card_hour) == (
        Decimal("0.25"), Decimal("0.25"), Decimal("16.96"),
    )  # fmt: skip


def test_free_text_is_read_with_its_headers() -> None:
    got = read(provider="ctyun", unit=None, price_text="10229.09", context="价格（元/月）", mode=None,
               card_text="A100", vram_text="40", vram_unit="GB", count_text="1")  # fmt: skip
    # 10229.09 / 730 = 14.012452
    assert (got.card, got.billing_mode, got.price_cny_per_card_hour) == (
        "A100-40G", "monthly", Decimal("14.012452"),
    )  # fmt: skip


def test_one_cell_with_list_and_member_price_gives_two_offers() -> None:
    made = interpret(
        replace(BASE, provider="autodl", unit=None, price_text="￥2.18/时 会员￥2.08/时", context="RTX 4090"),
        CONTEXT,
    )
    assert [(o.price_kind, o.price) for o in made if isinstance(o, Offer)] == [
        ("list", Decimal("2.18")),
        ("member", Decimal("2.08")),
    ]


def test_upfront_is_spread_over_the_term() -> None:
    # case 40: 300 upfront + 0.50/h over 730 h: 300 / 730 + 0.50 = 0.910959
    got = read(
        unit="CNY/card/hour", price_text="0.50", upfront_text="300", mode="reserved", term_text="1 month"
    )
    assert (got.upfront, got.price, got.price_cny_per_card_hour) == (
        Decimal(300), Decimal("0.50"), Decimal("0.910959"),
    )  # fmt: skip


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"price_text": "0"}, "price_zero"),
        ({"price_text": "NA"}, "price_missing"),
        ({"unit": "points"}, "unit_unknown"),
        ({"unit": None, "price_text": "面议", "context": "4090"}, "quote_required"),
        ({"card_text": "CPU"}, "not_gpu"),
        ({"card_text": None}, "unknown_card"),
        ({"mode": None}, "mode_unknown"),
        ({"price_text": "99999999"}, "implausible"),
        ({"unit": "CNY/server/month", "mode": "monthly", "count_text": None}, "count_unknown"),
        ({"count_text": None}, "count_unknown"),
    ],
)
def test_rejections(changes: dict[str, object], reason: str) -> None:
    assert refused(**changes) == reason


def test_a_pool_that_is_no_place_has_no_region() -> None:
    got = read(provider="autodl", region_text="L20专区")
    assert (got.region_code, got.region_label, got.precision) == (None, "L20专区", "none")


def test_national_scope_is_cn() -> None:
    assert read(scope="national").region_code == "CN"


@given(st.randoms())
def test_nothing_is_lost_and_order_changes_nothing(random: Random) -> None:
    listings = [
        replace(BASE, price_text=p, card_text=c, locator=str(n))
        for n, (p, c) in enumerate(
            (p, c) for p in ("220000", "0", "x", "230000") for c in ("RTX 4090", "what", "A10")
        )
    ]
    shuffled = listings.copy()
    random.shuffle(shuffled)
    one, two = (process(rows, "run", AT, PROVIDERS) for rows in (listings, shuffled))
    assert one.offers == two.offers
    assert one.rejections == two.rejections
    assert sum(o.listings for o in one.offers) + len(one.rejections) == one.parsed == len(listings)


@pytest.mark.parametrize(
    ("header", "text", "made"),
    [
        ("价格（元/小时）", "1.98\n1052元/月", [("1.98", 1), ("1052", 730)]),
        ("价格（元）", "3.5\n1052/月", ["missing_period", ("1052", 730)]),  # neither is lost
        ("价格", "1.98元/时\n1052元/月", [("1.98", 1), ("1052", 730)]),
    ],
)
def test_two_prices_in_the_lines_of_one_cell(header: str, text: str, made: list[object]) -> None:
    changes: dict[str, object] = {
        "unit": None, "mode": None, "price_text": text, "context": f"RTX 4090 | {header}",
        "scope": "national",
    }  # fmt: skip
    found = interpret(replace(BASE, **changes), CONTEXT)  # type: ignore[arg-type]
    assert [
        one.reason if isinstance(one, Rejection) else (str(one.price), int(one.per_hours)) for one in found
    ] == made


DECLARED = {
    "unit": "CNY/card/hour", "card_text": "RTX 4090", "count_text": "8", "context": "GPU | RTX 4090 | 价格"
}  # fmt: skip


@pytest.mark.parametrize(
    ("text", "price", "kind"),
    [
        ("2.00", "2", "list"),
        ("2.00元", "2", "list"),
        ("￥2.00", "2", "list"),
        ("¥ 2.00", "2", "list"),
        ("２.００ 元", "2", "list"),
        ("RMB 2", "2", "list"),
        ("2-3", "2", "list"),
        ("2.00起", "2", "floor"),
        ("约2", "2", "list"),
        ("2元/小时", "2", "list"),
        ("16元/台/小时", "2", "list"),  # a cell's own basis goes before the column's
        ("16元/整机/小时", "2", "list"),
    ],
)
def test_the_declared_basis_holds_for_every_cell_of_a_column(text: str, price: str, kind: str) -> None:
    got = read(price_text=text, **DECLARED)
    assert got.price_cny_per_card_hour == Decimal(price), got
    assert (got.per_hours, got.billing_mode, got.price_kind) == (1, "on_demand", kind)
    assert got.basis == ("server" if "台" in text or "整机" in text else "card")


@pytest.mark.parametrize(
    ("unit", "text", "price", "basis", "hours"),
    [
        ("CNY/server/hour", "16.00元", "16", "server", 1),
        ("CNY/instance/hour", "16-24", "16", "server", 1),
        ("CNY/device/hour", "16元起", "16", "device", 1),
        ("CNY/server/month", "￥9,600", "9600", "server", 730),
        ("CNY/server/month", "9600-9800元", "9600", "server", 730),
        ("CNY/server/hour", "9600元/月", "9600", "server", 730),  # the cell's own period
        ("CNY/server/month", "1200元/卡", "1200", "card", 730),
        ("CNY/card/day", "约40", "40", "card", 24),
        ("CNY/server/3 month", "27000-28000", "27000", "server", 2190),
        ("CNY/server/year", "9.6万", "96000", "server", 8760),
        ("万元/台/月", "0.96-1.0", "9600", "server", 730),
        ("元/卡/时", "2.00元", "2", "card", 1),
        ("CNY/card/minute", "0.05元", "3", "card", 1),
    ],
)
def test_a_text_under_a_declared_unit(unit: str, text: str, price: str, basis: str, hours: int) -> None:
    got = read(**DECLARED | {"price_text": text, "unit": unit})
    assert (got.price, got.basis, got.per_hours) == (Decimal(price), basis, hours)
    assert got.gpu_count == (1 if basis == "card" else 8)


def test_the_currency_of_a_cell_goes_before_the_columns() -> None:
    got = read(**DECLARED | {"price_text": "$0.35"})
    assert (got.currency, got.basis, got.price_cny_per_card_hour) == ("USD", "card", None)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("面议", "quote_required"),
        ("请咨询客服", "quote_required"),
        ("电询", "quote_required"),
        ("已售罄", "sold_out"),
        ("缺货", "sold_out"),
        ("已下架", "delisted"),
        ("暂无报价", "no_public_price"),
        ("登录后可见", "login_required"),
        ("-", "price_missing"),
        ("0", "price_zero"),
        ("abc", "price_not_a_number"),
    ],
)
@pytest.mark.parametrize("unit", ["CNY/card/hour", "CNY/instance/month", "1e-5 CNY/unit/hour"])
def test_words_in_place_of_a_number_say_why(text: str, reason: str, unit: str) -> None:
    assert refused(price_text=text, unit=unit) == reason


@pytest.mark.parametrize("text", ["2.00元", "2-3", "2起"])
def test_a_text_under_a_scaled_unit_is_not_scaled_by_guess(text: str) -> None:
    assert refused(price_text=text) == "price_not_a_number"


@given(
    st.text(max_size=40),
    st.sampled_from(["CNY/card/hour", "1e-5 CNY/unit/hour", "万元/台/月", "USD/card/day"]),
)
def test_nothing_under_a_unit_raises(text: str, unit: str) -> None:
    assert interpret(replace(BASE, price_text=text, unit=unit), CONTEXT)


def test_the_frequent_reasons_of_rejections_are_told_with_counts() -> None:
    hourly = [replace(BASE, locator=f"/{n}", mode=None) for n in range(24)]
    more = [replace(BASE, card_text="RTX 9999"), replace(BASE, price_text="abc"), BASE]
    made = process([*hourly, *more], "run", AT, PROVIDERS)
    assert made.refused.startswith("rejected: 24 × mode_unknown (")
    assert "1 × price_not_a_number (" in made.refused
    assert "unknown_card" not in made.refused, "told by name already"
    assert made.remark == "unknown cards: 1 (RTX 9999)"
    assert process([BASE], "run", AT, PROVIDERS).refused == ""


def test_a_second_price_of_a_cell_has_the_mode_it_names() -> None:
    # 1.98（抢占 1.19）under a heading of elastic services: the bracket is another mode.
    cell = replace(BASE, price_text="1.98（抢占 1.19）元/卡时", unit=None, mode="on_demand", mode_fixed=True)
    first, second = interpret(cell, CONTEXT)
    assert isinstance(first, Offer)
    assert isinstance(second, Offer)
    assert (first.billing_mode, first.price) == ("on_demand", Decimal("1.98"))
    assert (second.billing_mode, second.price) == ("spot", Decimal("1.19"))


def test_cards_that_only_the_price_counts() -> None:
    # 8314.10 / 8 / 720
    whole = {"unit": None, "mode": None, "count_text": None, "card_text": "RTX 4090", "basis": "server"}
    got = read(price_text="8314.10 元/30天(8卡)", **whole)
    assert (got.gpu_count, got.billing_mode, got.per_hours) == (8, "pack", 720)
    assert got.price_cny_per_card_hour == Decimal("1.443420")
    assert refused(price_text="8314.10 元/30天", **whole) == "count_unknown"
    # What the good itself says goes before it.
    assert read(price_text="8314.10 元/30天(8卡)", **{**whole, "count_text": "4"}).gpu_count == 4


@pytest.mark.parametrize(
    ("card", "count", "cards", "share", "per_card_hour"),
    # 2 yuan for a quarter is 8 a card; for two quarters 4
    [
        ("T4 1/4", "1", "0.25", "0.25", "8"),
        ("T4 1/4", None, "0.25", "0.25", "8"),
        ("T4 1/4", "2", "0.5", "0.25", "4"),
    ],
)
def test_slices_are_counted_as_slices(
    card: str, count: str | None, cards: str, share: str, per_card_hour: str
) -> None:
    got = read(card_text=card, count_text=count, price_text="2", unit="CNY/server/hour")
    assert (got.gpu_count, got.share) == (Decimal(cards), Decimal(share))
    assert got.price_cny_per_card_hour == Decimal(per_card_hour)


def test_three_prices_of_one_cell() -> None:
    # A thousands comma stands in the last alone.
    cell = replace(BASE, price_text="¥3.20/小时、¥70.53/日、¥1,923.60/月", unit=None, mode=None)
    made = [one for one in interpret(cell, CONTEXT) if isinstance(one, Offer)]
    assert [(one.billing_mode, one.price) for one in made] == [
        ("on_demand", Decimal("3.20")), ("daily", Decimal("70.53")), ("monthly", Decimal("1923.60")),
    ]  # fmt: skip
