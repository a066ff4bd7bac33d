"""Building an issue: read it from the published generation, make its parts, keep them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from reports.issue.archive import archive, week_folder, write_parts
from reports.issue.clock import IssueWeek, issue_week
from reports.issue.model import Issue
from reports.issue.read import read_issue
from reports.render.parts import build_parts
from reports.render.shelf import write_shelf
from reports.render.view import View
from reports.render.words import LANGS
from reports.site.build import site_files, write_site
from reports.site.read import read_market
from warehouse.errors import Refused
from warehouse.reader import open_latest

if TYPE_CHECKING:
    import duckdb


@dataclass(frozen=True, slots=True)
class Done:
    """A built issue. `vintage` is None for the preview of a running week, which is not kept."""

    issue: Issue
    views: Mapping[str, View]
    folder: Path
    vintage: int | None
    files: tuple[str, ...]

    def as_dict(self) -> dict[str, Any]:
        """The shape of `report --json`."""
        cover = self.issue.coverage
        return {
            "week": self.issue.week.label,
            "vintage": self.vintage,
            "running": self.issue.week.running,
            "generation": self.issue.generation,
            "coverage": cover.share,
            "missing": list(cover.missing),
            "fits": len(self.issue.fits),
            "cells": len(self.issue.cells),
            "dir": str(self.folder),
            "files": list(self.files),
        }


def build_issue(
    home: Path,
    now: datetime,
    week: str | None,
    *,
    rebuilt: bool,
    out: Path | None = None,
    langs: Sequence[str] = LANGS,
    site: Path | None = None,
) -> Done:
    """Build the issue of a week (None: the last frozen one), keep it, and copy what is wanted to `out`.

    With `site` also the static site is written there.
    """
    asked = issue_week(week, now)
    con, generation = open_latest(home)
    try:
        _refuse_older(con, generation, asked)
        issue = read_issue(con, asked, rebuilt)
        market = None if site is None else read_market(con, asked)
    finally:
        con.close()
    parts, views = build_parts(issue)
    if asked.running:
        folder, vintage = week_folder(home, asked.label) / "preview", None
        write_parts(folder, parts)
    else:
        kept = archive(home, asked.label, parts, _made_from(issue, views))
        folder, vintage = kept.folder, kept.vintage
        write_shelf(home)
    if site is not None and market is not None:
        write_site(site, site_files(issue, views, parts, market))
    if out is not None:
        folder = out
        write_parts(out, {name: data for name, data in parts.items() if _wanted(name, langs)})
    return Done(issue, views, folder, vintage, tuple(name for name in parts if _wanted(name, langs)))


def _refuse_older(con: duckdb.DuckDBPyConnection, generation: str, asked: IssueWeek) -> None:
    """A generation from before the week knows nothing of it: last week's numbers are not this one's."""
    built_in = con.execute("SELECT week FROM generation").fetchall()[0][0]
    if built_in < asked.monday:
        raise Refused(f"{generation} was built before {asked.label}: run `suanjia publish`")


def _wanted(name: str, langs: Sequence[str]) -> bool:
    middle = name.split(".")[1]
    return middle not in LANGS or middle in langs


def _made_from(issue: Issue, views: Mapping[str, View]) -> dict[str, Any]:
    return {
        "as_of": issue.week.as_of.isoformat(),
        "subject": {lang: view.subject for lang, view in views.items()},
        "sentences": {lang: list(view.sentences) for lang, view in views.items()},
        "generation": issue.generation,
        "input_hash": issue.input_hash,
        "code_version": issue.code_version,
    }
