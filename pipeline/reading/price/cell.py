"""What one decision knows: the cell with its surroundings, and its main amount."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal

from pipeline.reading.price import terms, verify
from pipeline.reading.price.amounts import Amount
from pipeline.reading.price.found import Scan
from pipeline.reading.price.goods import Basis
from pipeline.reading.price.model import Money
from pipeline.reading.price.unit import Unit


@dataclass(slots=True)
class Cell:
    """All that one decision knows."""

    text: Scan
    context: Scan
    siblings: Scan
    provider: str | None
    currency_hint: str | None
    mode_hint: str | None
    struck: bool
    image: bool


@dataclass(slots=True)
class Quote:
    """The main amount with its period and currency, before the card is known."""

    low: Decimal | None
    high: Decimal | None
    currency: str | None
    period: terms.Period
    unit: Unit
    amount: Amount

    @property
    def money(self) -> Money:
        """The amount alone, as a reject may carry it."""
        per, count = printed(self.period.per, self.period.count)
        return Money(self.low, self.high, self.currency or "CNY", per, count)

    def per_card(self, value: Decimal | None, bought: Basis) -> Decimal | None:
        """`value` per card-hour in the quote's currency."""
        if value is None or self.period.per is None:
            return None
        hourly = verify.hourly(value, self.period.per, self.period.count)
        return hourly / bought.cards if bought.basis == "server" else hourly


def printed(per: str | None, count: int) -> tuple[str | None, int]:
    """Half a year is six months."""
    return ("month", count * 6) if per == "half_year" else (per, count)
