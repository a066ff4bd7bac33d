"""The JSON part: the whole issue, for programs."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from reports.issue.model import Issue
from reports.render.make_view import make_view
from warehouse.jsonout import dumps


def json_part(issue: Issue) -> bytes:
    """One document: the facts as they stand in the database, and the sentences made of them."""
    return (dumps(document(issue)) + "\n").encode()


def document(issue: Issue) -> dict[str, Any]:
    """The shape of report.json."""
    views = {lang: make_view(issue, lang) for lang in ("zh", "en")}
    cover = issue.coverage
    return {
        "week": issue.week.label,
        "monday": issue.week.monday,
        "as_of": issue.week.as_of,
        "running": issue.week.running,
        "rebuilt": issue.rebuilt,
        "code_version": issue.code_version,
        "method_version": issue.method_version,
        "subject": {lang: view.subject for lang, view in views.items()},
        "sentences": {lang: list(view.sentences) for lang, view in views.items()},
        "coverage_line": {lang: view.coverage for lang, view in views.items()},
        "brief": {lang: list(view.brief) for lang, view in views.items()},
        "coverage": {
            "planned": list(cover.planned),
            "complete": list(cover.complete),
            "missing": list(cover.missing),
            "never_asked": list(cover.never),
            "share": cover.share,
            "low": cover.low,
            "offers": cover.offers,
            "sellers": cover.sellers,
        },
        "workloads": [asdict(job) for job in issue.workloads],
        "fits": [asdict(fit) for fit in issue.fits],
        "cells": [asdict(cell) for cell in issue.cells],
        "parity": [asdict(row) for row in issue.parity],
        "break_even": [asdict(row) for row in issue.break_even],
        "counts": [asdict(count) for count in issue.counts],
        "held": [asdict(row) for row in issue.held],
        "corrections": [asdict(row) for row in issue.corrections],
        "revision": None if issue.revision is None else asdict(issue.revision),
    }
