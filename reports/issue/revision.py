"""What a corrected issue says differently from the one it takes the place of, and why.

No market move is in here: both sides speak of the same week.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from reports.issue.archive import Archived, read_manifest, read_part
from reports.issue.model import CellChange, FitChange, Issue, Revision
from reports.numbers import loads

if TYPE_CHECKING:
    import duckdb

# Why a week may be told anew: data of it or of the past that was loaded, or a person's decision, since then.
_SINCE = """
SELECT EXISTS (SELECT 1 FROM observations WHERE loaded_at > $since AND observed_at < $until),
       EXISTS (SELECT 1 FROM reviews WHERE decided_at > $since)
"""


def revise(con: duckdb.DuckDBPyConnection, issue: Issue, before: Archived, vintage: int) -> Revision:
    """The issue against an archived one of the same week. ArchiveError when that was changed since."""
    told = read_manifest(before)
    data = loads(read_part(before, "report.json").decode())
    return Revision(
        vintage=vintage,
        supersedes=before.vintage,
        reasons=tuple(_reasons(con, issue, told, data)),
        cells=tuple(_cells(issue, data)),
        fits=tuple(_fits(issue, data)),
    )


def told_before(issue: Archived) -> Revision | None:
    """The revision that an archived issue tells of."""
    data = loads(read_part(issue, "report.json").decode())["revision"]
    if data is None:
        return None
    cells = [
        CellChange(
            *_key(row), *(_exact(row[name]) for name in ("old_value", "old_link", "new_value", "new_link"))
        )
        for row in data["cells"]
    ]
    fits = [FitChange(row["workload"], _exact(row["old"]), _exact(row["new"])) for row in data["fits"]]
    vintages = data["vintage"], data["supersedes"]
    return Revision(*vintages, tuple(data["reasons"]), tuple(cells), tuple(fits))


def _reasons(
    con: duckdb.DuckDBPyConnection, issue: Issue, told: Mapping[str, Any], data: Mapping[str, Any]
) -> Iterator[str]:
    if told.get("generation_built_at"):
        since = datetime.fromisoformat(told["generation_built_at"])
        late, review = con.execute(_SINCE, {"since": since, "until": issue.week.end}).fetchall()[0]
        if late:
            yield "late_history"
        if review:
            yield "review"
    if data["method_version"] != issue.method_version:
        yield "method"
    if data["code_version"] != issue.code_version:
        yield "code"


def _cells(issue: Issue, data: Mapping[str, Any]) -> Iterator[CellChange]:
    """National and provincial cells whose value or link is another, biggest samples first."""
    old = {_key(row): (_exact(row["value"]), _exact(row["link"])) for row in data["cells"] if _shown(row)}
    new = {
        (cell.region_code, cell.card, cell.billing_mode): (cell.value, cell.link)
        for cell in issue.cells
        if _shown({"state": cell.state})
    }
    changed = [key for key in {*old, *new} if old.get(key) != new.get(key)]
    nothing = (None, None)
    for key in sorted(changed, key=lambda key: (key[0] != "CN", key)):
        yield CellChange(*key, *old.get(key, nothing), *new.get(key, nothing))


def _shown(row: Mapping[str, Any]) -> bool:
    return row["state"] in {"base", "published", "indicative"}


def _key(row: Mapping[str, Any]) -> tuple[str, str, str]:
    return row["region_code"], row["card"], row["billing_mode"]


def _exact(value: Any) -> Decimal | None:
    return None if value is None else Decimal(value)


def _fits(issue: Issue, data: Mapping[str, Any]) -> Iterator[FitChange]:
    old = {
        row["workload"]: Decimal(row["total_cny_p50"])
        for row in data["fits"]
        if (row["region_code"], row["rank"]) == ("CN", 1)
    }
    new = {fit.workload: fit.total_cny_p50 for fit in issue.fits if (fit.region_code, fit.rank) == ("CN", 1)}
    order = [job.name for job in issue.workloads]
    for name in [*order, *sorted({*old, *new} - set(order))]:
        if old.get(name) != new.get(name):
            yield FitChange(name, old.get(name), new.get(name))
