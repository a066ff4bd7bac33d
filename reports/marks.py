"""Marks beside a price: codes at rest, words for readers."""

from __future__ import annotations

from decimal import Decimal

WORDS: dict[str, tuple[str, str]] = {
    "old": ("旧 {days} 天", "{days} d old"),
    "missing": ("最近未见", "not in last crawl"),
    "sold_out": ("售罄", "sold out"),
    "interruptible": ("可能被回收", "interruptible"),
    "one_seller": ("仅 1 家", "one seller"),
    "under_review": ("待核", "under review"),
    "new": ("新", "new"),
}


def words(codes: str | None, age_hours: Decimal | float | None, lang: str) -> list[str]:
    """The words of a comma list of codes in `zh` or `en`; KeyError for an unknown code."""
    days = int((age_hours or 0) // 24)
    place = 0 if lang == "zh" else 1
    return [WORDS[code][place].format(days=days) for code in (codes or "").split(",") if code]
