"""What the price reader returns, as named tuples: cheap to make. Money is Decimal, unknown is None."""

from __future__ import annotations

from decimal import ROUND_HALF_UP, Decimal
from typing import Final, NamedTuple

from catalog.periods import MINUTES_PER_HOUR, SECONDS_PER_HOUR

_SUB_HOUR: Final = {"second": SECONDS_PER_HOUR, "minute": MINUTES_PER_HOUR}
_FOUR: Final = Decimal("0.0001")


class Money(NamedTuple):
    """An amount alone: `price_low` None = a ceiling, `price_high` None = a floor, `per` None = no period."""

    price_low: Decimal | None
    price_high: Decimal | None
    currency: str
    per: str | None
    per_count: int = 1

    def row(self) -> dict[str, object]:
        """The `money` object of `suanjia parse price`; `per_count` only where it is not 1."""
        row: dict[str, object] = {
            "price_low": plain(self.price_low),
            "price_high": plain(self.price_high),
            "currency": self.currency,
            "per": self.per,
        }
        if self.per_count != 1:
            row["per_count"] = self.per_count
        return row


class PriceReading(NamedTuple):
    """One offer. Amounts are as printed, for `per_count` periods `per`.

    `basis`: `server` = the amount covers all `cards`, `card` = it is for one of them. `per`: a period word of
    `catalog.periods`, half a year being six months. `mode`, `price_kind`, `tax` as in the data dictionary.
    `native_*` is per card-hour in `currency`, `cny_*` the same where the currency is CNY, else None.
    `also`: further prices of the same good in the same cell (a member's price beside the list price).
    """

    cards: int
    card: str
    vram_gb: Decimal | None
    price_low: Decimal | None
    price_high: Decimal | None
    currency: str
    per: str
    per_count: int
    basis: str
    mode: str
    price_kind: str
    approx: bool
    tax: str
    native_low: Decimal | None
    native_high: Decimal | None
    also: tuple[PriceReading, ...] = ()

    def row(self) -> dict[str, object]:
        """The fields that `suanjia parse price` prints beside the id; per card-hour to four decimals."""
        row: dict[str, object] = {
            "cards": self.cards,
            "card": self.card,
            "vram_gb": plain(self.vram_gb),
            "price_low": plain(self.price_low),
            "price_high": plain(self.price_high),
            "currency": self.currency,
            "per": self.per,
            "per_count": self.per_count,
            "basis": self.basis,
            "mode": self.mode,
            "price_kind": self.price_kind,
            "approx": self.approx,
            "tax": self.tax,
            "price_cny_per_card_hour_low": four(self.price_cny_per_card_hour_low),
            "price_cny_per_card_hour_high": four(self.price_cny_per_card_hour_high),
        }
        if self.currency != "CNY":
            row["price_native_per_card_hour_low"] = four(self.native_low)
            row["price_native_per_card_hour_high"] = four(self.native_high)
        if self.also:
            row["also"] = [other.row() for other in self.also]
        return row

    def in_hours(self) -> PriceReading:
        """The same offer with a price per minute or second as one per hour; any other as it is. Exact."""
        steps = _SUB_HOUR.get(self.per)
        if steps is None:
            return self
        low, high = (
            None if v is None else v * steps / self.per_count for v in (self.price_low, self.price_high)
        )
        return self._replace(price_low=low, price_high=high, per="hour", per_count=1)

    @property
    def price_cny_per_card_hour_low(self) -> Decimal | None:
        """Exact up to the Decimal context; None for a ceiling and for other currencies."""
        return self.native_low if self.currency == "CNY" else None

    @property
    def price_cny_per_card_hour_high(self) -> Decimal | None:
        """Exact up to the Decimal context; None for a floor and for other currencies."""
        return self.native_high if self.currency == "CNY" else None


class PriceReject(NamedTuple):
    """Why a text is no offer (a code of `catalog.reasons`), and the amount that it holds nevertheless."""

    reject: str
    money: Money | None = None

    def row(self) -> dict[str, object]:
        """The fields that `suanjia parse price` prints beside the id."""
        return {"reject": self.reject, "money": self.money.row() if self.money is not None else None}


def plain(value: Decimal | None) -> int | float | None:
    """A Decimal as a JSON number without float noise: its shortest text, an int where it is whole."""
    if value is None:
        return None
    return int(value) if value == value.to_integral_value() else float(value)


def four(value: Decimal | None) -> int | float | None:
    """`value` rounded half-up to four decimals, as a JSON number."""
    return None if value is None else plain(value.quantize(_FOUR, ROUND_HALF_UP))
