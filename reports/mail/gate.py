"""The gate before sending: an issue that does not agree with itself or with the database stays here."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from decimal import Decimal
from pathlib import Path
from typing import Any

from reports.issue.archive import Archived, read_manifest, read_part
from reports.numbers import loads
from reports.render.agree import disagreements
from reports.render.words import LANGS
from warehouse.database import reading
from warehouse.layout import Layout, wal_of

_TOTALS = """
SELECT workload, region_code, rank, offer_id, total_cny_p50, total_cny_p90, price_cny_per_card_hour
FROM cheapest_fit
WHERE week = $1::DATE
ORDER BY workload, region_code, rank
"""


def refusals(home: Path, issue: Archived) -> list[str]:
    """Why the issue must not be sent; empty when it may. ArchiveError when a part was changed."""
    data = loads(read_part(issue, "report.json").decode())
    found: list[str] = []
    for lang in LANGS:
        html = read_part(issue, f"report.{lang}.html").decode()
        text = read_part(issue, f"report.{lang}.txt").decode()
        found += disagreements(lang, html, text, data)
    for name in ("report.csv", "report.xlsx"):
        read_part(issue, name)
    return [*found, *_against_database(home, issue, data)]


def _against_database(home: Path, issue: Archived, data: Mapping[str, Any]) -> Iterator[str]:
    """The fits against the generation that they were made from, while it is still kept."""
    path = Layout(home).published / str(read_manifest(issue)["generation"])
    if not path.is_file() or wal_of(path).exists():
        return
    con = reading(path)
    try:
        rows = con.execute(_TOTALS, [data["monday"]]).fetchall()
    finally:
        con.close()
    printed = [
        (
            fit["workload"],
            fit["region_code"],
            fit["rank"],
            fit["offer_id"],
            *(Decimal(fit[n]) for n in ("total_cny_p50", "total_cny_p90", "price_cny_per_card_hour")),
        )
        for fit in data["fits"]
    ]
    if printed != rows:
        odd = next((new or old for new, old in zip(printed, rows, strict=False) if new != old), None)
        yield f"the fits are not those of {path.name}" + (f": {odd[0]} {odd[1]} rank {odd[2]}" if odd else "")
