"""What earlier runs say, read from their manifests: the gates' memory. No database is opened."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from decimal import Decimal
from pathlib import Path
from statistics import median

from pipeline.manifest import MANIFEST, Manifest, SegmentError, read_manifest

# A last good run older than this is no measure any more.
MEMORY = timedelta(days=30)
# Sellers whose prices make a level.
_SELLERS = 2
# Manifests of one provider that are read at most, newest first.
_DEPTH = 150


@dataclass(frozen=True, slots=True)
class Past:
    """`last_good`: the last run that counted. `counts_since_good`: offers of the runs after it, oldest first.

    `class_levels`: level key → medians of other providers of the class, one each, from their last good runs.
    `fingerprints`: (started_at, fingerprint) of the runs, newest first.
    """

    last_good: Manifest | None = None
    counts_since_good: tuple[int, ...] = ()
    class_levels: dict[str, list[Decimal]] = field(default_factory=dict)
    fingerprints: tuple[tuple[datetime, str], ...] = ()

    def same_as(self, fingerprint: str) -> tuple[datetime, ...]:
        """When the runs directly before started that saw exactly the same, oldest first."""
        times = []
        for started_at, seen in self.fingerprints:
            if seen != fingerprint:
                break
            times.append(started_at)
        return tuple(reversed(times))


def load_past(home: Path, provider: str, provider_class: str | None, now: datetime) -> Past:
    """Read the memory for a run of `provider` that started at `now`; manifests that are torn are left out."""
    found = _runs(home, provider, now)
    own = found.get(provider, [])
    good = next((i for i, manifest in enumerate(own) if manifest.run.outcome == "ok"), None)
    levels: dict[str, list[Decimal]] = {}
    for other, manifests in sorted(found.items()):
        last = next((m for m in manifests if m.run.outcome == "ok"), None)
        if other == provider or last is None or last.run.provider_class != provider_class:
            continue
        for key, (_, middle) in last.levels.items():
            levels.setdefault(key, []).append(Decimal(middle))
    return Past(
        last_good=None if good is None else own[good],
        counts_since_good=() if good is None else tuple(m.counts["offers"] for m in reversed(own[:good])),
        class_levels=levels,
        fingerprints=tuple((m.run.started_at, m.fingerprint) for m in own),
    )


def medians(class_levels: Mapping[str, Sequence[Decimal]], mode: str | None = None) -> dict[str, Decimal]:
    """Card → median list price of the other sellers of the class, CNY per card-hour.

    Of one billing mode where asked. Cards that fewer than two of them sell alike have none.
    """
    found: dict[str, list[Decimal]] = {}
    alike: set[str] = set()
    for key, values in class_levels.items():
        card, _, billing, kind = key.split("|")
        if kind == "list" and mode in {None, billing}:
            found.setdefault(card, []).extend(values)
            if len(values) >= _SELLERS:
                alike.add(card)
    return {card: median(values) for card, values in sorted(found.items()) if card in alike}


def _runs(home: Path, provider: str, now: datetime) -> dict[str, list[Manifest]]:
    """Crawls within the memory, newest first: all of `provider`, of every other one down to its last good.

    Run folders are visited newest first by the time they were made.
    """
    root = home / "segments"
    if not root.is_dir():
        return {}
    folders = sorted(root.glob("run=*"), key=lambda path: (path.stat().st_mtime_ns, path.name), reverse=True)
    found: dict[str, list[Manifest]] = {}
    enough: set[str] = set()
    for folder in folders[: 4 * _DEPTH]:
        for segment in sorted(folder.glob("provider=*")):
            slug = segment.name.removeprefix("provider=")
            if slug in enough or not (segment / MANIFEST).is_file():
                continue
            try:
                manifest = read_manifest(segment)
            except SegmentError:
                continue  # the loader names it; a gate must not stop for it
            if manifest.run.kind != "crawl" or not now - MEMORY <= manifest.run.started_at < now:
                continue
            found.setdefault(slug, []).append(manifest)
            if len(found[slug]) >= _DEPTH or (slug != provider and manifest.run.outcome == "ok"):
                enough.add(slug)
    for manifests in found.values():
        manifests.sort(key=lambda m: (m.run.started_at, m.run.run_id), reverse=True)
    return found
