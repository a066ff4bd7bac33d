"""Building an issue: read it from the published generation, make its parts, keep them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

from reports.issue.archive import (
    Archived,
    archive,
    hashes_of,
    place_of,
    read_manifest,
    vintages,
    week_folder,
    write_parts,
)
from reports.issue.clock import IssueWeek, issue_week
from reports.issue.model import Issue
from reports.issue.read import read_issue
from reports.issue.revision import revise, told_before
from reports.render.parts import build_parts
from reports.render.shelf import write_shelf
from reports.render.view import View
from reports.render.words import LANGS
from reports.site.build import site_files, write_site
from reports.site.read import read_market
from warehouse.calendar import week_label
from warehouse.errors import Refused
from warehouse.locks import held
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
        _refuse_newer(con, generation, asked, home)
        issue = read_issue(con, asked, rebuilt, _told_until(home, asked))
        market = None if site is None else read_market(con, asked)
        if asked.running:
            parts, views = build_parts(issue)
            folder, vintage = week_folder(home, asked.label) / "preview", None
            write_parts(folder, parts)
        else:
            with held(home / "locks" / "report.lock", "a report"):
                issue, parts, views, kept = _keep(con, home, issue)
            folder, vintage = kept.folder, kept.vintage
    finally:
        con.close()
    if site is not None and market is not None:
        write_site(site, site_files(home, issue, views, parts, market))
    if out is not None:
        folder = out
        write_parts(out, {name: data for name, data in parts.items() if _wanted(name, langs)})
    return Done(issue, views, folder, vintage, tuple(name for name in parts if _wanted(name, langs)))


def _keep(
    con: duckdb.DuckDBPyConnection, home: Path, issue: Issue
) -> tuple[Issue, Mapping[str, bytes], Mapping[str, View], Archived]:
    """The issue as it is kept: one that takes another's place says so, and why."""
    parts, views = build_parts(issue)
    plain = hashes_of(parts)
    place = place_of(home, issue.week.label, plain)
    if place.supersedes is not None:
        revision = (
            revise(con, issue, place.supersedes, place.vintage)
            if place.again is None
            else told_before(place.again)
        )
        issue = replace(issue, revision=revision)
        parts, views = build_parts(issue)
    built_at = con.execute("SELECT built_at FROM generation").fetchall()[0][0].astimezone(UTC)
    told = {**_made_from(issue, views), "generation_built_at": built_at.isoformat(), "plain": plain}
    kept = place.again or archive(home, issue.week.label, place.vintage, parts, told)
    write_shelf(home)
    return issue, parts, views, kept


def _told_until(home: Path, asked: IssueWeek) -> datetime | None:
    """Up to when corrections stood in the first issue of the week before, which everybody was sent."""
    before = vintages(home, week_label(asked.monday - timedelta(days=7)))
    told = read_manifest(before[0]).get("generation_built_at") if before else None
    return None if told is None else datetime.fromisoformat(told)


def _refuse_older(con: duckdb.DuckDBPyConnection, generation: str, asked: IssueWeek) -> None:
    """A generation from before the week knows nothing of it: last week's numbers are not this one's."""
    built_in = con.execute("SELECT week FROM generation").fetchall()[0][0]
    if built_in < asked.monday:
        raise Refused(f"{generation} was built before {asked.label}: run `suanjia publish`")


def _refuse_newer(con: duckdb.DuckDBPyConnection, generation: str, asked: IssueWeek, home: Path) -> None:
    """A generation has the fits of its own week and of the one before: an older issue made from it would be
    an empty one in the place of a full one. What was corrected since is told in the next issue."""
    built_at = con.execute("SELECT built_at FROM generation").fetchall()[0][0]
    kept = vintages(home, asked.label)
    if kept and asked.monday < issue_week(None, built_at).monday:
        raise Refused(
            f"{generation} has no fits of {asked.label} any more: its issue stands in {kept[-1].folder}; "
            "later corrections are told in the next issue"
        )


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
