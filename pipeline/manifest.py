"""The manifest of a segment: what is known of one run of one provider besides its rows.

A segment without a readable manifest does not exist for anybody: the manifest is written last.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

SCHEMA_VERSION = 1
MANIFEST = "manifest.json"
KINDS = ("crawl", "import")
OUTCOMES = (
    "ok",
    "partial",
    "empty",
    "blocked",
    "auth_needed",
    "robots",
    "layout_changed",
    "gone",
    "failed",
)
FILES = ("offers.parquet", "rejections.parquet", "listings.parquet")
COUNTS = ("listings", "parsed", "offers", "rejections", "kept", "held")


class SegmentError(ValueError):
    """A segment that cannot be written or trusted; the message says which and why."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunMeta:
    """One run of one provider. Times are aware.

    `complete`: the run saw everything the provider offers (a crawl that read all its routes and passed its
    gates, an import given with `--complete`); only complete runs make offers missing or delisted.
    `readings`: how many prices were parsed where that is not the number of listings (one listing with a list
    and a member price holds two); kept + rejected + held must add up to it.
    """

    run_id: str
    provider: str
    kind: str  # one of KINDS
    started_at: datetime
    ended_at: datetime
    outcome: str  # one of OUTCOMES
    complete: bool
    parser_version: str
    provider_class: str | None = None
    declared_total: int | None = None
    distinct_keys: int | None = None
    requests: int | None = None
    robots_verdict: str | None = None
    message: str | None = None
    readings: int | None = None
    verdicts: tuple[dict[str, Any], ...] = ()  # `pipeline.gates.Verdict` as dicts, the failed ones at least


@dataclass(frozen=True, slots=True, kw_only=True)
class Manifest:
    """A run with the counts, hashes and profile of its rows.

    `levels`: `card|form|billing_mode|price_kind` → [number of offers, median CNY per card-hour as text], for
    the gates of later runs. `fingerprint`: hash of goods, prices and stock; equal means that nothing moved.
    """

    run: RunMeta
    counts: dict[str, int]
    sha256: dict[str, str]
    schema_version: int = SCHEMA_VERSION
    levels: dict[str, tuple[int, str]] = field(default_factory=dict)
    fingerprint: str = ""

    @property
    def segment_hash(self) -> str:
        """SHA-256 over run, provider and file hashes: the same content has the same hash."""
        parts = [self.run.run_id, self.run.provider, *(f"{k}={v}" for k, v in sorted(self.sha256.items()))]
        return hashlib.sha256("\n".join(parts).encode()).hexdigest()

    def to_json(self) -> str:
        """The text of `manifest.json`: sorted keys, UTC times, one trailing newline."""
        row = asdict(self)
        for key in ("started_at", "ended_at"):
            row["run"][key] = getattr(self.run, key).astimezone(UTC).isoformat()
        return json.dumps(row, ensure_ascii=False, sort_keys=True, indent=1) + "\n"

    @classmethod
    def from_json(cls, text: str) -> Manifest:
        """The inverse of `to_json`; SegmentError for text that is no manifest of this schema version."""
        try:
            row = json.loads(text)
            if row["schema_version"] != SCHEMA_VERSION:
                raise SegmentError(f"schema version {row['schema_version']}, not {SCHEMA_VERSION}")
            run = row.pop("run")
            for key in ("started_at", "ended_at"):
                run[key] = datetime.fromisoformat(run[key])
            run["verdicts"] = tuple(run["verdicts"])
            row["levels"] = {k: (int(n), str(m)) for k, (n, m) in row["levels"].items()}
            return _sound(cls(run=RunMeta(**run), **row))
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise SegmentError(f"not a manifest: {error}") from None


def _sound(manifest: Manifest) -> Manifest:
    """The manifest itself; SegmentError where it is none that `write_segment` can have written."""
    run, counts = manifest.run, manifest.counts
    if run.kind not in KINDS or run.outcome not in OUTCOMES:
        raise SegmentError(f"kind {run.kind!r}, outcome {run.outcome!r}")
    if run.started_at.tzinfo is None or run.ended_at.tzinfo is None:
        raise SegmentError("a time without zone")
    if not all(isinstance(verdict["gate"], str) and "ok" in verdict for verdict in run.verdicts):
        raise SegmentError("a verdict that names no gate")
    if sorted(manifest.sha256) != sorted(FILES):
        raise SegmentError(f"hashes of {', '.join(sorted(manifest.sha256)) or 'no file'}")
    if sorted(counts) != sorted(COUNTS) or not all(type(n) is int and n >= 0 for n in counts.values()):
        raise SegmentError(f"counts {counts}")
    if counts["kept"] + counts["rejections"] + counts["held"] != counts["parsed"]:
        raise SegmentError(
            f"{counts['kept']} kept + {counts['rejections']} rejected + {counts['held']} held"
            f" is not {counts['parsed']} parsed"
        )
    return manifest


def segment_dir(home: Path, run_id: str, provider: str) -> Path:
    """Where the segment of this run and provider stands."""
    return home / "segments" / f"run={run_id}" / f"provider={provider}"


def segment_dirs(home: Path) -> Iterator[tuple[str, str, Path]]:
    """Every (run_id, provider, folder) that carries a manifest, in name order."""
    root = home / "segments"
    if not root.is_dir():
        return
    for run in sorted(root.glob("run=*")):
        for folder in sorted(run.glob("provider=*")):
            if (folder / MANIFEST).is_file():
                yield run.name.removeprefix("run="), folder.name.removeprefix("provider="), folder


def read_manifest(folder: Path) -> Manifest:
    """The manifest in a segment folder; SegmentError when it is missing, torn or of another version."""
    try:
        return Manifest.from_json((folder / MANIFEST).read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, SegmentError) as error:
        raise SegmentError(f"{folder.parent.name}/{folder.name}: {error}") from None


def file_sha256(path: Path) -> str:
    """SHA-256 of a file, hex."""
    with path.open("rb") as body:
        return hashlib.file_digest(body, "sha256").hexdigest()
