"""Fixtures: the exchanges of a crawl with their bodies as plain files, for golden tests and for `probe
--record`.

    <folder>/meta.json         who, when (frozen time), how made (rebuilt | recorded), what was redacted
    <folder>/exchanges.jsonl   one line a request, in order; `file` names the body
    <folder>/01-robots.txt …   the bodies

This module imports no Scrapy.
"""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from spiders.evidence import EvidenceStore
from spiders.replay_rows import EXCHANGES, read_rows

META = "meta.json"
HOW = ("rebuilt", "recorded")
_SUFFIXES = {
    "application/json": ".json",
    "text/html": ".html",
    "text/plain": ".txt",
    "text/csv": ".csv",
    "text/javascript": ".js",
    "application/javascript": ".js",
}


def save(
    run_dir: Path,
    evidence: EvidenceStore,
    folder: Path,
    *,
    provider: str,
    frozen_time: datetime,
    how_made: str,
    more: Mapping[str, Any] | None = None,
) -> Path:
    """Write the exchanges of `run_dir` as a fixture; an older one in `folder` is replaced whole.

    `how_made` is `recorded` only for what a real site answered. Bodies come from the evidence store, where
    secrets never were; `meta.json` names those that had to be redacted.
    """
    if how_made not in HOW:
        raise ValueError(f"how_made is one of {HOW}, not {how_made!r}")
    rows = read_rows(run_dir)
    building = folder.with_name(f".{folder.name}.part")
    shutil.rmtree(building, ignore_errors=True)
    building.mkdir(parents=True)
    lines, redacted = [], []
    for number, row in enumerate(rows, 1):
        name = _file_name(number, row)
        (building / name).write_bytes(evidence.read(row["evidence"]))
        if row.get("redacted"):
            redacted.append(name)
        lines.append(json.dumps({**row, "file": name}, ensure_ascii=False, sort_keys=True))
    (building / EXCHANGES).write_text("\n".join(lines) + "\n", encoding="utf-8")
    meta = {
        "provider": provider,
        "frozen_time": frozen_time.isoformat(),
        "how_made": how_made,
        "requests": [{"method": row["method"], "url": row["url"], "status": row["status"]} for row in rows],
        "redacted": redacted,
        **(more or {}),
    }
    text = json.dumps(meta, ensure_ascii=False, sort_keys=True, indent=1)
    (building / META).write_text(text + "\n", encoding="utf-8")
    shutil.rmtree(folder, ignore_errors=True)
    building.replace(folder)
    return folder


def read_meta(folder: Path) -> dict[str, Any]:
    """The `meta.json` of a fixture. FileNotFoundError if there is none."""
    found: dict[str, Any] = json.loads((folder / META).read_text(encoding="utf-8"))
    return found


def _file_name(number: int, row: Mapping[str, Any]) -> str:
    base = (
        re.sub(r"[^A-Za-z0-9._-]+", "-", urlsplit(row["url"]).path.rsplit("/", 1)[-1]).strip("-.") or "index"
    )
    kind = row["headers"].get("content-type", "").partition(";")[0].strip().lower()
    suffix = _SUFFIXES.get(kind, "")
    if suffix and not base.endswith(suffix):
        base += suffix
    return f"{number:02d}-{base[:60]}"
