"""Exchange rates: dated, the user's own, and nothing to do with CNY."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.warehouse.warehouse_world import World, offer
from warehouse.catalog_tables import fx_rates
from warehouse.errors import BadRequest

Ask = Callable[..., list[tuple[Any, ...]]]
SQL = (
    "SELECT sku, price_cny_per_card_hour, price_cny_per_card_hour_gross, fx FROM observations"
    " ORDER BY sku, observed_at"
)


def rates(world: World, *lines: str) -> None:
    world.home.mkdir(parents=True, exist_ok=True)
    (world.home / "fx_rates.csv").write_text(
        "date,pair,rate,source\n" + "\n".join(lines) + "\n", encoding="utf-8"
    )


def sell(world: World, **goods: dict[str, Any]) -> None:
    rows = [offer("i0", sku=sku, locator=f"row {sku}", **changes) for sku, changes in goods.items()]
    world.run(rows, kind="import", complete=False)


def test_dated_rate_of_the_last_seven_days(world: World, ask: Ask) -> None:
    # Observed 2026-11-24 12:00 in Shanghai.
    rates(world, "2026-11-16,USD/CNY,9.9,old", "2026-11-17,USD/CNY,7.10,bank", "2026-11-25,USD/CNY,8.8,later")
    sell(world, usd={"currency": "USD", "price": Decimal("300")}, hkd={"currency": "HKD"}, cny={})
    world.go()
    assert ask(SQL) == [
        ("cny", Decimal("2.18"), Decimal("2.18"), None),
        ("hkd", None, None, "no HKD/CNY rate within seven days"),
        ("usd", Decimal("2130"), Decimal("2130"), "USD/CNY 7.1 of 2026-11-17"),
    ]


def test_the_newest_rate_up_to_the_day_counts(world: World, ask: Ask) -> None:
    rates(world, "2026-11-20,USD/CNY,7.0,a", "2026-11-24,USD/CNY,7.2,b", "2026-11-23,USD/CNY,7.1,c")
    sell(world, usd={"currency": "USD", "price": Decimal("0.15")})
    world.go()
    assert ask(SQL)[0][1] == Decimal("1.08")


def test_arithmetic_is_exact_and_rounded_once_half_up(world: World, ask: Ask) -> None:
    rates(world, "2026-11-24,USD/CNY,7.123457,x")
    month = {"per_hours": Decimal(730), "billing_mode": "monthly", "gpu_count": Decimal(8), "basis": "server"}
    sell(
        world,
        a={"currency": "USD", "price": Decimal("12345.678901"), **month},
        b={"currency": "USD", "price": Decimal("1"), "tax": "excluded"},
        c={"currency": "USD", "price": Decimal("1"), "upfront": Decimal("876"), "term_hours": Decimal(8760)},
    )
    world.go()
    # 12345.678901 x 7.123457 / 730 / 8 = 15.058797 4098…; 7.123457 x 1.06 = 7.550864 42
    # 7.123457 + 876 x 7.123457 / 8760 = 7.123457 + 0.712346 (0.7123457)
    exact = Decimal("12345.678901") * Decimal("7.123457") / 730 / 8
    found = ask(SQL)
    assert found[0][1] == exact.quantize(Decimal("0.000001"), "ROUND_HALF_UP")
    assert found[1][1:3] == (Decimal("7.123457"), Decimal("7.550864"))
    assert found[2][1] == Decimal("7.835803")


def test_what_is_too_low_in_cny_is_in_any_currency(world: World, ask: Ask, checked: None) -> None:
    """A price that rounds to nothing, or that no column holds, stops no publish and is cheapest nowhere."""
    rates(world, "2026-11-24,USD/CNY,7.1,x")
    year = {"per_hours": Decimal(8760), "gpu_count": Decimal(8), "basis": "server", "billing_mode": "yearly"}
    prices = {"a": "0.000001", "b": "0.007", "c": "0.008", "d": "300", "e": "999999999999.999999"}
    goods = {sku: {"currency": "USD", "price": Decimal(price)} for sku, price in prices.items()}
    sell(world, **goods, f={"currency": "USD", "price": Decimal("0.0001"), **year})
    world.go()
    yes = "USD/CNY 7.1 of 2026-11-24"
    no = f"{yes} gives no plausible price"
    assert ask("SELECT sku, price_cny_per_card_hour, fx FROM offers ORDER BY sku") == [
        ("a", None, no),
        ("b", None, no),
        ("c", Decimal("0.0568"), yes),
        ("d", Decimal("2130"), yes),
        ("e", None, no),
        ("f", None, no),
    ]


def test_no_rate_moves_a_cny_value(world: World, ask: Ask, tmp_path: Path) -> None:
    """Invariant 8."""
    other = World(tmp_path / "other")
    for part, rate in ((world, "7.1"), (other, "9.9")):
        rates(part, f"2026-11-24,USD/CNY,{rate},x")
        sell(part, a={}, b={"price": Decimal(3)}, usd={"currency": "USD"})
        part.go()
    cny = "SELECT * FROM offers WHERE currency = 'CNY' ORDER BY offer_id"
    first = ask(cny)
    world.home = other.home
    assert ask(cny) == first


@pytest.mark.parametrize(
    ("line", "word"),
    [
        ("2026-13-01,USD/CNY,7.1,x", "line 2"),
        ("2026-11-24,USD,7.1,x", "no pair"),
        ("2026-11-24,CNY/USD,7.1,x", "no pair"),
        ("2026-11-24,USD/CNY,0,x", "no rate"),
        ("2026-11-24,USD/CNY,-7,x", "no rate"),
        ("2026-11-24,USD/CNY,NaN,x", "no rate"),
        ("2026-11-24,USD/CNY,abc,x", "no rate"),
        ("2026-11-24,USD/CNY,,x", "no rate"),
        ("2026-11-24,USD/CNY,inf,x", "no rate"),
        ("2026-11-24,USD/CNY,7.1234567,x", "no rate"),
        ("2026-11-24,USD/CNY,seven,x", "line 2"),
        ("2026-11-24,USD/CNY", "line 2"),
        ("2026-11-24,USD/CNY,7.1,x\n2026-11-24,USD/CNY,7.2,y", "two rates"),
    ],
)
def test_a_rate_that_is_none_is_named_with_its_line(tmp_path: Path, line: str, word: str) -> None:
    path = tmp_path / "fx_rates.csv"
    path.write_text("date,pair,rate,source\n" + line + "\n", encoding="utf-8")
    with pytest.raises(BadRequest, match=word):
        fx_rates(path)


def test_the_same_rate_twice_is_one(tmp_path: Path) -> None:
    path = tmp_path / "fx_rates.csv"
    path.write_text("﻿date,pair,rate\n2026-11-24,USD/CNY,7.1\n2026-11-24,USD/CNY,7.1\n", encoding="utf-8")
    assert len(fx_rates(path)) == 1


def test_no_file_is_no_rates(tmp_path: Path) -> None:
    assert fx_rates(tmp_path / "fx_rates.csv") == []


def test_a_bad_file_stops_publish_with_one_sentence(world: World) -> None:
    rates(world, "yesterday,USD/CNY,7.1,x")
    sell(world, a={})
    world.load()
    with pytest.raises(BadRequest, match=r"fx_rates\.csv line 2"):
        world.publish()
    assert not (world.home / "published" / "LATEST").exists()


@given(st.one_of(st.binary(max_size=80), st.text(max_size=80).map(lambda text: text.encode())))
def test_any_bytes_are_rates_or_one_clear_error(body: bytes) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "fx_rates.csv"
        path.write_bytes(b"date,pair,rate,source\n" + body)
        try:
            fx_rates(path)
        except BadRequest as error:
            assert str(error).startswith("fx_rates.csv")
