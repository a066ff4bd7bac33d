"""Generated markets: sellers with sticky prices, gaps, stock, relaunches, glitches."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from tests.warehouse.index.market import Record, at

CENTS = st.integers(min_value=100, max_value=400).map(lambda cents: cents / 100)
REGIONS = ("110000", "440300", "440100", "130700", None)
MOVES = st.sampled_from([1.0, 1.0, 1.0, 1.0, 0.95, 1.04, 0.8, 0.6, 1.5])


@st.composite
def key_histories(draw: st.DrawFn, weeks: int) -> list[dict[str, Any]]:
    """Keys with a price or None for every week."""
    keys = []
    for number in range(draw(st.integers(min_value=1, max_value=9))):
        price = draw(CENTS)
        prices: list[float | None] = []
        for _ in range(weeks):
            price = round(price * draw(MOVES), 2)
            prices.append(price if draw(st.integers(0, 5)) else None)
        keys.append(
            {
                "provider": f"p{draw(st.integers(0, 3))}",
                "zone": f"z{number}",
                "region_code": draw(st.sampled_from(REGIONS)),
                "stock": draw(st.sampled_from([None, True, False])),
                "prices": prices,
            }
        )
    return keys


def as_records(keys: list[dict[str, Any]], days: tuple[int, ...] = (0,)) -> list[Record]:
    """Observations of those histories; each week and day is a run of each provider."""
    return [
        {
            "provider": key["provider"],
            "zone": key["zone"],
            "region_code": key["region_code"],
            "in_stock": key["stock"],
            "price": price,
            "observed_at": at(week, day),
            "run": f"{week}.{day}",
        }
        for key in keys
        for week, price in enumerate(key["prices"])
        for day in days
        if price is not None
    ]
