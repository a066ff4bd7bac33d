"""Many listings of one good, and two prices that cannot both be right (cases 18, rule 14b)."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from decimal import Decimal
from random import Random

from hypothesis import given
from hypothesis import strategies as st

from pipeline.collapse import collapse
from pipeline.offer import Offer, offer_id

AT = datetime(2026, 10, 4, 4, tzinfo=UTC)


def offer(price: str, scope: str = "host", locator: str = "", **changes: object) -> Offer:
    made = Offer(
        offer_id="", provider="autodl", provider_class="marketplace", site="mainland", region_code=None,
        region_label="西北B区", zone=None, precision="none", sku=None, card="RTX4090", vram_gb=Decimal(24),
        form=None, interconnect=None, gpu_count=Decimal(1), share=Decimal(1), min_cards=None, max_cards=8,
        basis="card", vcpu=None, ram_gb=None, billing_mode="on_demand", term_hours=None, price_kind="list",
        tier=None, price=Decimal(price), price_high=Decimal(price), upfront=None, currency="CNY",
        per_hours=Decimal(1), price_cny_per_card_hour=Decimal(price),
        price_cny_per_card_hour_gross=Decimal(price), is_floor=False, tax="unknown", listings=1,
        price_min=Decimal(price), price_max=Decimal(price), stock_idle=None, stock_total=None, in_stock=None,
        scope=scope, evidence_kind="realtime", os=None, valid_until=None, observed_at=AT,
        date_precision="day", trust="seller", run_id="r1", evidence="e", locator=locator or price,
        source_url="https://www.autodl.com/",
    )  # fmt: skip
    made = replace(made, **changes)  # type: ignore[arg-type]
    return replace(made, offer_id=offer_id(made))


def test_hosts_are_one_offer_at_their_median() -> None:
    # 1.88, 1.98, 2.05 → 1.98; four hosts → mean of the two in the middle: (1.98 + 2.05) / 2 = 2.015
    three = collapse([offer("2.05"), offer("1.88"), offer("1.98")])
    assert [(o.price, o.listings, o.price_min, o.price_max) for o in three] == [
        (Decimal("1.98"), 3, Decimal("1.88"), Decimal("2.05"))
    ]
    four = collapse([offer("2.05"), offer("1.88"), offer("1.98"), offer("2.50")])
    assert four[0].price == Decimal("2.015")
    assert four[0].price_cny_per_card_hour == Decimal("2.015")


def test_the_same_price_twice_is_one_offer() -> None:
    (one,) = collapse([offer("9.27", "national", "a"), offer("9.27", "national", "b")])
    assert (one.listings, one.quarantine, one.locator) == (2, None, "a")


def test_two_prices_of_one_good_are_a_conflict() -> None:
    pair = collapse([offer("0.178", "national"), offer("0.086", "national")])
    assert [(o.price, o.quarantine) for o in pair] == [
        (Decimal("0.086"), "conflict"),
        (Decimal("0.178"), "conflict"),
    ]


def test_one_percent_apart_is_no_conflict() -> None:
    assert len(collapse([offer("1.00", "region"), offer("1.01", "region")])) == 1
    assert len(collapse([offer("1.00", "region"), offer("1.011", "region")])) == 2


def test_stock_adds_up_and_the_largest_machine_counts() -> None:
    (one,) = collapse(
        [
            offer("1.98", locator="a", stock_idle=3, stock_total=8, in_stock=True, max_cards=3),
            offer("1.98", locator="b", stock_idle=0, stock_total=8, in_stock=False, max_cards=8),
        ]
    )
    assert (one.stock_idle, one.stock_total, one.in_stock, one.max_cards) == (3, 16, True, 3)


def test_unknown_stock_stays_unknown() -> None:
    (one,) = collapse([offer("1.98", locator="a"), offer("1.98", locator="b")])
    assert (one.stock_idle, one.in_stock) == (None, None)


def test_tiers_and_currencies_are_goods_of_their_own() -> None:
    tiers = [offer("0.98", tier="community"), offer("1.52", tier="secure")]
    made = collapse([*tiers, offer("1.0", currency="USD")])
    assert len(made) == 3


@given(st.lists(st.sampled_from(["1.88", "1.98", "2.05", "9"]), min_size=1, max_size=9), st.randoms())
def test_order_changes_nothing(prices: list[str], random: Random) -> None:
    for scope in ("host", "national"):
        offers = [offer(price, scope, f"{number}") for number, price in enumerate(prices)]
        shuffled = offers.copy()
        random.shuffle(shuffled)
        assert collapse(offers) == collapse(shuffled)
        assert sum(o.listings for o in collapse(offers)) == len(offers)
