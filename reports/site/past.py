"""The past issues that a site carries: each as it was written, newest first, while there is room for it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from reports.issue.archive import Archived, ArchiveError, all_issues, read_manifest, read_part
from reports.render import figures
from reports.render.shelf import FEED, feed

FOLDER = "issues"
PARTS = ("report.zh.html", "report.en.html", "chart.zh.png", "chart.en.png")
# A site has five megabytes; this is left for everything that it carries.
SITE_BYTES = 4_700_000


@dataclass(frozen=True, slots=True)
class Past:
    """One archived issue. `files` is empty where it is not carried; `damaged`: it is not what was written."""

    issue: Archived
    manifest: Mapping[str, Any]
    files: Mapping[str, bytes]
    damaged: bool = False

    @property
    def base(self) -> str:
        """Its folder in the archive."""
        return f"{self.issue.week}/v{self.issue.vintage}"


def past_issues(home: Path, room: int) -> list[Past]:
    """Every issue, newest first; the first ones with their files, as long as they fit into `room` bytes."""
    found = []
    for issue in reversed(all_issues(home)):
        manifest, files, damaged = read_manifest(issue), {}, False
        if room > 0:
            try:
                files = {name: read_part(issue, name) for name in PARTS}
            except ArchiveError:
                damaged = True
        room -= sum(len(data) for data in files.values())
        found.append(Past(issue, manifest, files if room >= 0 else {}, damaged))
    return found


def past_files(past: Sequence[Past]) -> dict[str, bytes]:
    """Path → bytes of the carried issues and of the feed of them."""
    carried = [one for one in past if one.files]
    found = {f"{FOLDER}/{one.base}/{name}": data for one in carried for name, data in one.files.items()}
    return {**found, FEED: feed([(one.issue, one.manifest) for one in carried], f"{FOLDER}/")}


def past_rows(past: Sequence[Past], lang: str) -> list[dict[str, Any]]:
    """What the page of past issues tells of each."""
    newest = {one.issue.week: one.issue.vintage for one in reversed(past)}
    return [
        {
            "week": one.issue.week,
            "vintage": one.issue.vintage,
            "superseded": one.issue.vintage < newest[one.issue.week],
            "subject": one.manifest["subject"][lang],
            "sentences": one.manifest["sentences"][lang],
            "when": figures.full_moment(datetime.fromisoformat(one.manifest["as_of"])),
            "base": f"{FOLDER}/{one.base}/" if one.files else None,
            "kept": f"reports/{one.base}",
            "damaged": one.damaged,
        }
        for one in past
    ]


def prune(site: Path, files: Mapping[str, bytes]) -> None:
    """Take issues off an older site that `files` have not; only what a site writes is touched."""
    carried = {tuple(path.split("/")[1:3]) for path in files if path.startswith(f"{FOLDER}/")}
    for folder in sorted((site / FOLDER).glob("*-W*/v*")):
        names = {path.name for path in folder.iterdir()} if folder.is_dir() else set()
        if (folder.parent.name, folder.name) in carried or not names or not names <= set(PARTS):
            continue
        for name in names:
            (folder / name).unlink()
        folder.rmdir()
        if not any(folder.parent.iterdir()):
            folder.parent.rmdir()
