"""Spiders over the exchanges they kept: does the evidence still give the same listings?

Every crawl of a generation whose run directory is still there runs again, answered from its own evidence, two
children at a time. What its spider reads now must be what it read then.
"""

from __future__ import annotations

import json
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb

from catalog.providers import BUILT_IN, Provider
from pipeline.manifest import SegmentError, read_manifest, segment_dir
from spiders.config import CrawlConfig
from spiders.replay_rows import EXCHANGES
from suanjia.childproc import Children, run_child

WORKERS = 2
LIMIT_SECONDS = 900.0
LISTINGS = "listings.jsonl"
KnownFiles = dict[str, dict[str, str]]


@dataclass(frozen=True, slots=True)
class _Crawl:
    """One crawl that can be replayed: where it ran, when it began, and the versions it knew of bulk files."""

    run_id: str
    provider: Provider
    folder: Path
    config: CrawlConfig


def crawls_apart(
    home: Path, con: duckdb.DuckDBPyConnection, providers: Mapping[str, Provider], environ: Mapping[str, str]
) -> Iterator[str]:
    """One sentence for each crawl whose evidence gives other listings, and each listing that differs."""
    crawls = list(_crawls(home, con, providers))
    children = Children()
    with (
        tempfile.TemporaryDirectory(prefix="suanjia-replay-") as folder,
        ThreadPoolExecutor(max_workers=WORKERS) as pool,
    ):
        try:
            yield from _flat(pool.map(lambda c: _apart(c, Path(folder), environ, children), crawls))
        finally:
            children.stop()


def _flat(found: Iterator[list[str]]) -> Iterator[str]:
    for lines in found:
        yield from lines


def _crawls(
    home: Path, con: duckdb.DuckDBPyConnection, providers: Mapping[str, Provider]
) -> Iterator[_Crawl]:
    rows = con.execute(
        "SELECT run_id, provider FROM store.run WHERE kind = 'crawl' ORDER BY started_at, run_id, provider"
    ).fetchall()
    known: dict[str, KnownFiles] = {}
    for run_id, slug in rows:
        where, provider = home / "runs" / run_id / slug, providers.get(slug)
        if provider is None or not (where / EXCHANGES).is_file() or not (where / LISTINGS).is_file():
            continue
        try:
            run = read_manifest(segment_dir(home, run_id, slug)).run
        except SegmentError:
            continue  # said by the check of files
        files = known.setdefault(slug, {})
        config = CrawlConfig(
            provider=slug,
            run_id=run_id,
            run_dir=where.absolute(),
            evidence_dir=(home / "evidence").absolute(),
            now=run.started_at,
            spider=provider.source.spider or slug,
            provider_file=str(_file(home, provider)) if provider.source.archetype else "",
            delay=0.0,
            known_files=json.loads(json.dumps(files)),
            replay=str(where.absolute()),
        )
        yield _Crawl(run_id, provider, where, config)
        if run.outcome == "ok":
            files.update(_stats(where).get("files") or {})


def _file(home: Path, provider: Provider) -> Path:
    folder = BUILT_IN if provider.builtin else (home / "providers").absolute()
    return folder / f"{provider.slug}.toml"


def _stats(folder: Path) -> dict[str, Any]:
    try:
        found: dict[str, Any] = json.loads((folder / "stats.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return found


def _apart(crawl: _Crawl, folder: Path, environ: Mapping[str, str], children: Children) -> list[str]:
    target = folder / crawl.run_id / crawl.config.provider
    config = _moved(crawl.config, target)
    ending = run_child(config, environ, children, LIMIT_SECONDS)
    name = f"runs/{crawl.run_id}/{crawl.config.provider}/{LISTINGS}"
    if not (target / LISTINGS).is_file():
        tail = ending.log_tail.strip().splitlines()[-1:] or ["nothing was read"]
        return [f"{name}: the spider did not run again: {tail[0]}"]
    old, new = _lines(crawl.folder), _lines(target)
    return [
        *(f"{name}: read then, not now: {_short(line)}" for line in sorted((old - new).elements())),
        *(f"{name}: read now, not then: {_short(line)}" for line in sorted((new - old).elements())),
    ]


def _moved(config: CrawlConfig, target: Path) -> CrawlConfig:
    row = json.loads(config.to_json()) | {"run_dir": str(target)}
    return CrawlConfig.from_json(json.dumps(row))


def _lines(folder: Path) -> Counter[str]:
    """Lines of a run's listings; their order depends on which answer came first."""
    # Not splitlines: a text may hold what Unicode calls a line break.
    return Counter((folder / LISTINGS).read_text(encoding="utf-8").removesuffix("\n").split("\n"))


def _short(line: str) -> str:
    row: dict[str, Any] = json.loads(line)
    return " ".join(str(row[k]) for k in ("locator", "card_text", "region_text", "price_text") if row.get(k))
