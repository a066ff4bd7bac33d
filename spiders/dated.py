"""The date that a page gives itself, and what becomes of one that is old by its own word. No Scrapy here."""

from __future__ import annotations

import re
from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

_UPDATED = re.compile(r"(?:更新|发布)[^\d]{0,8}(20\d\d)(?:[年./-](\d{1,2}))?(?:[月./-](\d{1,2}))?")
_OLD_DAYS = 90
_CHINA = ZoneInfo("Asia/Shanghai")


def old_page(text: str, now: datetime) -> dict[str, Any]:
    """Listing fields of a page that was updated more than 90 days before `now`: its prices are quoted as of
    that day, as exactly as the page says it (day, month, year). {} for a page of today or without a date."""
    found = _UPDATED.search(text)
    if found is None:
        return {}
    try:
        told = datetime(int(found[1]), int(found[2] or 1), int(found[3] or 1), 12, tzinfo=_CHINA)
    except ValueError:
        return {}
    if (now - told).days <= _OLD_DAYS:
        return {}
    exact = "day" if found[3] else "month" if found[2] else "year"
    return {"observed_at": told, "date_precision": exact, "extra": {"page_updated": found[0]}}
