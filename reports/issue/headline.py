"""What the issue leads with: one index cell that may be a headline, and one job."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from reports.issue.model import Cell, Fit, Issue


@dataclass(frozen=True, slots=True)
class Headline:
    """None where nothing qualifies: grade C and thinner never lead."""

    cell: Cell | None
    fit: Fit | None


def headline(issue: Issue, wanted: Mapping[str, Any]) -> Headline:
    """The first card and the first job of `wanted` (`choices.toml`) that may lead."""
    return Headline(_cell(issue, wanted), _fit(issue, wanted))


def _cell(issue: Issue, wanted: Mapping[str, Any]) -> Cell | None:
    may = {
        cell.card: cell
        for cell in issue.cells
        if cell.region_code == "CN"
        and cell.billing_mode == wanted["headline_mode"]
        and cell.state == "published"
        and cell.grade in {"A", "B"}
        and cell.link is not None
        and cell.direction is not None
    }
    return next((may[card] for card in wanted["headline_cards"] if card in may), None)


def _fit(issue: Issue, wanted: Mapping[str, Any]) -> Fit | None:
    best = {fit.workload: fit for fit in issue.fits if fit.region_code == "CN" and fit.rank == 1}
    order = [*wanted["headline_jobs"], *(job.name for job in issue.workloads)]
    return next((best[name] for name in order if name in best), None)
