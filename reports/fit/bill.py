"""What an offer costs for a length of time: whole periods where it is prepaid, else the meter's rules."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from math import ceil

from reports.fit.sellable import Sellable

METERED = frozenset({"on_demand", "spot", "serverless"})
HOUR = 3600


@dataclass(frozen=True, slots=True)
class Tariff:
    """How one purchase is billed. `price`: CNY, tax in, per period (per hour for the meter)."""

    price: Decimal
    period_s: int
    metered: bool
    granularity_s: int
    min_s: int
    min_periods: int
    upfront: Decimal
    rate: float  # the price, to decide what to skip

    def least(self, seconds: float, units: int) -> float:
        """A bound from below on `cost` for at least so many seconds, in floats: to decide what to skip."""
        if self.metered:
            return self.rate * units * seconds / HOUR
        return self.rate * units * max(self.min_periods, ceil(seconds / self.period_s))

    def parts(self, seconds: int, units: int) -> Decimal:
        """CNY × 3600 for `seconds` of `units` purchases: exact, where CNY of a metered second may not be."""
        if self.metered:
            billed = max(self.min_s, -(-seconds // self.granularity_s) * self.granularity_s)
            return self.price * units * billed
        periods = max(self.min_periods, -(-seconds // self.period_s))
        return (self.price * periods + self.upfront) * units * HOUR


def tariff(offer: Sellable, granularity_s: int | None, min_charge_s: int | None) -> Tariff:
    """The tariff of an offer that has a price; unknown granularity is a second, unknown minimum none.

    An on-demand price for more than an hour (a machine-day) is billed in whole periods, as sellers do.
    """
    price = offer.gross()
    assert price is not None
    per_hours = offer.per_hours
    upfront = (offer.upfront or Decimal(0)) * (price / offer.price if offer.price else 1)
    periods = 1
    if offer.term_hours and offer.term_hours > per_hours:
        periods = ceil(offer.term_hours / per_hours)
    return Tariff(
        price=price,
        period_s=int(per_hours * HOUR),
        metered=offer.billing_mode in METERED and per_hours == 1,
        granularity_s=granularity_s or 1,
        min_s=min_charge_s or 0,
        min_periods=periods,
        upfront=upfront,
        rate=float(price),
    )
