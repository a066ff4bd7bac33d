"""A reading as one readable line, for tables of expectations."""

from __future__ import annotations

from decimal import Decimal

from pipeline.reading.price import PriceReading, PriceReject


def line(got: PriceReading | PriceReject) -> str:
    """`RTX4090/24 x8 server 6800..8800 CNY/month monthly list ~ included` or `reject not_gpu`."""
    if isinstance(got, PriceReject):
        return f"reject {got.reject}"
    vram = "?" if got.vram_gb is None else plain(got.vram_gb)
    per = got.per if got.per_count == 1 else f"{got.per}*{got.per_count}"
    words = [
        f"{got.card}/{vram}",
        f"x{got.cards}",
        got.basis,
        f"{plain(got.price_low)}..{plain(got.price_high)}"
        if got.price_low != got.price_high
        else plain(got.price_low),
        f"{got.currency}/{per}",
        got.mode,
        got.price_kind,
        *(["~"] if got.approx else []),
        *([got.tax] if got.tax != "unknown" else []),
        *(f"+{other.mode}:{other.price_kind}:{plain(other.price_low)}" for other in got.also),
    ]
    return " ".join(words)


def plain(value: Decimal | None) -> str:
    """A Decimal without trailing zeros; `` for an open end."""
    return "" if value is None else format(value.normalize(), "f")
