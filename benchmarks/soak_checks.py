"""What must be true after a soak: nothing lost, nothing doubled, no issue missed or sent twice, memory and
files flat.
"""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Iterator
from datetime import timedelta
from email import message_from_bytes, policy
from pathlib import Path
from typing import Any

from benchmarks.soak_diary import START, Soak
from pipeline.manifest import read_manifest, segment_dirs
from reports.issue.archive import vintages
from reports.issue.clock import freeze_of
from warehouse.calendar import monday_of, week_label

MEMORY_MB = 24.0
SILENCE = "没有新一期"
SETTLED = 65
KEPT_FOR_GOOD = ("segments", "reports", "site")
FILES_PER_SEGMENT = 4


def broken(soak: Soak, mails: list[Any], reader: str) -> Iterator[str]:
    """The invariants that do not hold."""
    weeks = owed(soak)
    yield from _store(soak.home)
    yield from _ledger(soak.home)
    yield from (f"no issue of {week}" for week in weeks if not vintages(soak.home, week))
    yield from posted(soak.home, weeks, [raw for raw, to in mails if reader in to])
    told = [str(message_from_bytes(raw, policy=policy.default)["Subject"]) for raw, _ in mails]
    yield from (f"the dead man spoke too soon: {words}" for words in told if SILENCE in words)
    yield from _memory(soak.diary)
    yield from _files(soak)
    if soak.diary and soak.diary[-1]["health"] != 200:
        yield f"unhealthy after two quiet days: {soak.diary[-1]['problems']}"


def owed(soak: Soak) -> list[str]:
    """The weeks whose issue was due while the soak lasted."""
    first, number = monday_of(START), (soak.reached - START) // timedelta(weeks=1) + 1
    weeks = (first + timedelta(weeks=n) for n in range(number))
    return [week_label(week) for week in weeks if freeze_of(week) + timedelta(hours=6) <= soak.reached]


def _store(home: Path) -> Iterator[str]:
    """Every segment once in the published generation, its rows all there, every listing accounted for."""
    import duckdb
    import pyarrow.parquet as pq

    expected: Counter[tuple[str, str]] = Counter()
    for run, slug, folder in segment_dirs(home):
        rows = {n: pq.read_metadata(folder / f"{n}.parquet").num_rows for n in ("offers", "rejections")}
        expected[run, slug] = rows["offers"]
        told = read_manifest(folder).run
        if told.outcome == "ok" and not rows["offers"]:
            yield f"{run} {slug}: ok without offers"
    name = (home / "published" / "LATEST").read_text(encoding="utf-8").strip()
    with duckdb.connect(str(home / "published" / name), read_only=True) as con:
        rows = con.execute("SELECT run_id, provider, count(*) FROM runs GROUP BY ALL").fetchall()
        kept = con.execute("SELECT run_id, provider, count(*) FROM observations GROUP BY ALL").fetchall()
    if missing := set(expected) - {(run, slug) for run, slug, _ in rows}:
        yield f"{len(missing)} segments lost: {sorted(missing)[:3]}"
    if doubled := [row for row in rows if row[2] != 1]:
        yield f"runs doubled: {doubled[:3]}"
    there = {(run, slug): number for run, slug, number in kept}
    for key, number in expected.items():
        if there.get(key, 0) != number:
            yield f"{key}: {number} offers in the segment, {there.get(key, 0)} in the generation"
    with sqlite3.connect(home / "ledger.sqlite") as db:
        good = db.execute("SELECT run_id, provider, offers FROM runs WHERE outcome = 'ok'").fetchall()
    for run, slug, offers in good:
        if expected.get((run, slug)) != offers:
            yield f"{run} {slug}: {offers} offers in the ledger, {expected.get((run, slug))} in a segment"


def _ledger(home: Path) -> Iterator[str]:
    with sqlite3.connect(home / "ledger.sqlite") as db:
        if (check := db.execute("PRAGMA integrity_check").fetchone()[0]) != "ok":
            yield f"ledger: {check}"
        for table in ("runs", "jobs"):
            if left := db.execute(f"SELECT count(*) FROM {table} WHERE state = 'running'").fetchone()[0]:
                yield f"{left} rows of {table} run for ever"


def posted(home: Path, weeks: list[str], raws: list[bytes]) -> Iterator[str]:
    """One mail a week to the reader. A mail whose answer was lost in a kill stays `unknown`, never resent."""
    heads = [message_from_bytes(raw, policy=policy.default) for raw in raws]
    issues = [head for head in heads if ".v" in str(head["Message-ID"])]
    yield from (f"a mail nobody should get: {h['Subject']}" for h in heads if h not in issues)
    ids = Counter(str(head["Message-ID"]) for head in issues)
    yield from (f"sent twice: {name}" for name, number in ids.items() if number > 1)
    with sqlite3.connect(home / "ledger.sqlite") as db:
        rows = db.execute("SELECT week, state, message_id FROM mail_outbox WHERE list = 'weekly'").fetchall()
    done = {week: (state, name) for week, state, name in rows if state in ("sent", "unknown")}
    for week in weeks:
        state, name = done.get(week, (None, None))
        if state is None:
            yield f"no mail of {week}: {[row for row in rows if row[0] == week]}"
        elif state == "sent" and not ids.get(name):
            yield f"{week} counts as sent, nothing arrived"
    number = Counter(week for week, state, _ in rows if state in ("sent", "unknown"))
    yield from (f"{week} was sent {n} times" for week, n in number.items() if n > 1)
    if len(issues) > len(done):
        yield f"{len(issues)} mails of {len(done)} weeks"


def longest(diary: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The days of the life of the service that lasted longest."""
    lives = Counter(line["pid"] for line in diary)
    pid = lives.most_common(1)[0][0] if lives else 0
    return [line for line in diary if line["pid"] == pid]


def _memory(diary: list[dict[str, Any]]) -> Iterator[str]:
    """The second half of the longest life against its first, from when everything was loaded."""
    days = longest(diary)
    days = [day for day in days if day.get("modules") == days[-1].get("modules")]
    early, late = days[len(days) // 5 : len(days) // 2], days[len(days) // 2 :]
    if not early:
        return
    for name, more in (("rss_mb", MEMORY_MB), ("fds", 2), ("threads", 2)):
        before, after = max(d[name] for d in early), max(d[name] for d in late)
        if after > before + more:
            yield f"{name} grows: {before:.0f} in the first half of its life, then {after:.0f}"


def _files(soak: Soak) -> Iterator[str]:
    """Nothing left over; counts within what is kept."""
    home = soak.home
    yield from (f"left behind: {path}" for path in home.rglob(".*") if ".build-" in path.name)
    yield from (f"left in the temporary folder: {path.name}" for path in soak.tmp.iterdir())
    segments = list(segment_dirs(home))
    files = sum(1 for path in (home / "segments").rglob("*") if path.is_file())
    if files != FILES_PER_SEGMENT * len(segments):
        yield f"{files} files of {len(segments)} segments"
    generations = [path for path in (home / "published").iterdir() if path.suffix == ".duckdb"]
    if len(generations) > 6 + 1:
        yield f"{len(generations)} generations, 6 to be kept"
    for name, days in counts(soak).items():
        days = days[SETTLED:]  # until then less is there than is kept
        half = len(days) // 2
        if half <= 10:
            continue
        if name in KEPT_FOR_GOOD:  # as much in the second half as in the first
            before, after = days[half] - days[0], days[-1] - days[half]
        else:
            before, after = max(days[half // 2 : half]), max(days[half:])
        if after > before * 1.25 + 8:
            yield f"files of {name}: {before} in the first half, then {after}"


def counts(soak: Soak) -> dict[str, list[int]]:
    """Room of the home → its files on each day."""
    names = {name for line in soak.diary for name in line["files"]}
    return {name: [line["files"].get(name, 0) for line in soak.diary] for name in sorted(names)}


def figures(soak: Soak, mails: list[Any]) -> Iterator[str]:
    """What a reader of the printout wants to know."""
    days = longest(soak.diary)
    bad = sum(line["health"] != 200 for line in soak.diary)
    yield f"steps and codes: {dict(sorted(soak.total('codes').items()))}"
    yield f"faults that a job met: {dict(sorted(soak.total('met').items()))}"
    yield f"faults drawn: {sum(soak.total('drawn').values())} in {len(soak.diary) * 24} hours"
    yield f"the service was killed: {'; '.join(soak.deaths) or 'never'}"
    yield f"processes: {dict(soak.total('started'))}; skipped by sampling: {dict(soak.total('skipped'))}"
    seconds = {step: round(n / 1000) for step, n in soak.total("cpu").most_common()}
    yield f"CPU seconds of the jobs: {seconds}"
    yield f"issues owed: {len(owed(soak))}; mails taken: {len(mails)}; days with /healthz 503: {bad}"
    if days:
        told = [f"{days[n]['rss_mb']:.0f}" for n in range(0, len(days), max(1, len(days) // 8))]
        yield f"memory of the longest life ({len(days)} days), MiB: {' '.join(told)}"
        yield f"descriptors: {days[0]['fds']} first, {days[-1]['fds']} last"
    for name, numbers in counts(soak).items():
        step = max(1, len(numbers) // 8)
        yield f"files of {name}: {' '.join(map(str, numbers[::step]))}"
