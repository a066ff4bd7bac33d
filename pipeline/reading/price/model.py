"""What the price reader returns. Money is Decimal, unknown is None."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal


@dataclass(frozen=True, slots=True)
class Money:
    """An amount alone: `price_low` None = a ceiling, `price_high` None = a floor, `per` None = no period."""

    price_low: Decimal | None
    price_high: Decimal | None
    currency: str
    per: str | None
    per_count: int = 1


@dataclass(frozen=True, slots=True)
class PriceReading:
    """One offer. Amounts are as printed, for `per_count` periods `per`.

    `basis`: `server` = the amount covers all `cards`, `card` = it is for one of them. `per`: a period word of
    `catalog.periods`, half a year being six months. `mode`, `price_kind`, `tax`: words of the data dictionary.
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

    @property
    def price_cny_per_card_hour_low(self) -> Decimal | None:
        """Exact up to the Decimal context; None for a ceiling and for other currencies."""
        return self.native_low if self.currency == "CNY" else None

    @property
    def price_cny_per_card_hour_high(self) -> Decimal | None:
        """Exact up to the Decimal context; None for a floor and for other currencies."""
        return self.native_high if self.currency == "CNY" else None


@dataclass(frozen=True, slots=True)
class PriceReject:
    """Why a text is no offer (a code of `catalog.reasons`), and the amount that it holds nevertheless."""

    reject: str
    money: Money | None = None
