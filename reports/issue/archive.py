"""The archive of issues: `reports/<week>/v<vintage>/`, each written once and never changed.

An issue that comes out the same, byte for byte, is the same vintage; one that differs is the next.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

MANIFEST = "manifest.json"
_VINTAGE = re.compile(r"v(\d+)")


class ArchiveError(RuntimeError):
    """An archived issue is not what was written; the message names the file."""


@dataclass(frozen=True, slots=True)
class Archived:
    """One archived issue. `new`: written now."""

    folder: Path
    week: str
    vintage: int
    new: bool = False


def week_folder(home: Path, week: str) -> Path:
    """Where the issues of a week stand."""
    return home / "reports" / week


def vintages(home: Path, week: str) -> list[Archived]:
    """The issues of a week, oldest first. One without its manifest was never finished and does not count."""
    folder = week_folder(home, week)
    found = [(_VINTAGE.fullmatch(path.name), path) for path in folder.glob("v*")] if folder.is_dir() else []
    issues = [
        Archived(path, week, int(match[1])) for match, path in found if match and (path / MANIFEST).is_file()
    ]
    return sorted(issues, key=lambda issue: issue.vintage)


def all_issues(home: Path) -> list[Archived]:
    """Every finished issue, by week and vintage."""
    root = home / "reports"
    weeks = sorted(path.name for path in root.glob("*-W*")) if root.is_dir() else []
    return [issue for week in weeks for issue in vintages(home, week)]


def read_manifest(issue: Archived) -> dict[str, Any]:
    """What the issue was made from, and the hash of every part."""
    manifest: dict[str, Any] = json.loads((issue.folder / MANIFEST).read_text(encoding="utf-8"))
    return manifest


def read_part(issue: Archived, name: str) -> bytes:
    """A part as it was written; ArchiveError when it has changed since."""
    path = issue.folder / name
    data = path.read_bytes() if path.is_file() else b""
    if hashlib.sha256(data).hexdigest() != read_manifest(issue)["parts"].get(name):
        raise ArchiveError(f"{path} is not what was written: build the issue again")
    return data


def hashes_of(parts: Mapping[str, bytes]) -> dict[str, str]:
    """Part → its hash, by name."""
    return {name: hashlib.sha256(data).hexdigest() for name, data in sorted(parts.items())}


def intact(issue: Archived) -> bool:
    """Is every part still what was written?"""
    try:
        return all(read_part(issue, name) for name in read_manifest(issue)["parts"])
    except ArchiveError:
        return False


def _plain(issue: Archived) -> Mapping[str, str]:
    manifest = read_manifest(issue)
    hashes: Mapping[str, str] = manifest.get("plain") or manifest["parts"]
    return hashes


@dataclass(frozen=True, slots=True)
class Place:
    """Where an issue goes: its vintage, the issue whose place it takes (None for the first that can be read),
    and the one that it is again where nothing changed."""

    vintage: int
    supersedes: Archived | None
    again: Archived | None


def place_of(home: Path, week: str, plain: Mapping[str, str]) -> Place:
    """The place of an issue by the hashes of its parts before a word of correction was put in.

    One that comes out as the newest did is that one again; a damaged one is replaced, never mended.
    """
    before = vintages(home, week)
    last = before[-1].vintage if before else 0
    good = [issue for issue in before if intact(issue)]
    if good and good[-1].vintage == last and _plain(good[-1]) == plain:
        return Place(last, good[-2] if len(good) > 1 else None, good[-1])
    while good and _plain(good[-1]) == plain:
        good.pop()
    return Place(last + 1, good[-1] if good else None, None)


def archive(
    home: Path, week: str, vintage: int, parts: Mapping[str, bytes], made_from: Mapping[str, Any]
) -> Archived:
    """Keep an issue, in one rename. ArchiveError where that vintage is there already."""
    target = week_folder(home, week) / f"v{vintage}"
    draft = target.with_name(f".v{vintage}.{os.getpid()}")
    shutil.rmtree(draft, ignore_errors=True)
    draft.mkdir(parents=True)
    write_parts(draft, parts)
    manifest = {"week": week, "vintage": vintage, **made_from, "parts": hashes_of(parts)}
    (draft / MANIFEST).write_text(json.dumps(manifest, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    try:
        draft.rename(target)
    except OSError as error:
        shutil.rmtree(draft, ignore_errors=True)
        raise ArchiveError(f"{target} cannot be written: {error.strerror}") from None
    return Archived(target, week, vintage, new=True)


def write_parts(folder: Path, parts: Mapping[str, bytes]) -> None:
    """Write the files into the folder, each whole or not at all."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, data in parts.items():
        draft = folder / f".{name}.{os.getpid()}"
        draft.write_bytes(data)
        draft.replace(folder / name)
