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


def archive(home: Path, week: str, parts: Mapping[str, bytes], made_from: Mapping[str, Any]) -> Archived:
    """Keep an issue. The last vintage again when nothing differs; else the next one, in one rename."""
    hashes = {name: hashlib.sha256(data).hexdigest() for name, data in sorted(parts.items())}
    before = vintages(home, week)
    if before and read_manifest(before[-1])["parts"] == hashes:
        return before[-1]
    number = (before[-1].vintage if before else 0) + 1
    target = week_folder(home, week) / f"v{number}"
    draft = target.with_name(f".v{number}.{os.getpid()}")
    shutil.rmtree(draft, ignore_errors=True)
    draft.mkdir(parents=True)
    write_parts(draft, parts)
    manifest = {"week": week, "vintage": number, **made_from, "parts": hashes}
    (draft / MANIFEST).write_text(json.dumps(manifest, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    draft.rename(target)
    return Archived(target, week, number, new=True)


def write_parts(folder: Path, parts: Mapping[str, bytes]) -> None:
    """Write the files into the folder, each whole or not at all."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, data in parts.items():
        draft = folder / f".{name}.{os.getpid()}"
        draft.write_bytes(data)
        draft.replace(folder / name)
