"""Evidence: what goes by age and by size, and what never does."""

from __future__ import annotations

import os
from datetime import datetime, timedelta
from pathlib import Path

from hypothesis import HealthCheck, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from spiders.evidence import EvidenceStore
from suanjia.keeping.retention import Budget, Tidied, tidy_evidence
from suanjia.ledger import Ledger
from tests.warehouse.warehouse_world import T0, World, offer

NOW = T0 + timedelta(days=1000)


def put(home: Path, body: bytes, at: datetime) -> str:
    store = EvidenceStore(home / "evidence")
    digest = store.put(body)
    os.utime(store.path(digest), (at.timestamp(), at.timestamp()))
    return digest


def left(home: Path) -> set[str]:
    return {path.stem for path in (home / "evidence").rglob("*.zst")}


def segment(home: Path, digest: str, at: datetime, run: str, **given) -> None:
    World(home).run([offer(run, at, evidence=digest)], **given)


def test_age_and_what_is_held(tmp_path: Path) -> None:
    named, old, young = (put(tmp_path, text, T0) for text in (b"named", b"old", b"young"))
    os.utime(EvidenceStore(tmp_path / "evidence").path(young), (NOW.timestamp() - 86_400 * 5,) * 2)
    segment(tmp_path, named, NOW - timedelta(days=30), "r1")
    segment(tmp_path, old, NOW - timedelta(days=200), "r2")
    bulk = put(tmp_path, b"bulk", T0)
    with Ledger(tmp_path) as ledger:
        ledger.remember_files("aws_cn", {"u": {"version": "1", "evidence": bulk}}, T0)
    budget = Budget(days=730, keep_days=90, size_gb=20)
    assert tidy_evidence(tmp_path, NOW, budget, dry_run=True).removed_files == 1
    assert len(left(tmp_path)) == 4
    done = tidy_evidence(tmp_path, NOW, budget)
    assert (done.removed_files, done.over_budget_bytes) == (1, 0)
    assert left(tmp_path) == {named, young, bulk}


def test_over_the_budget_the_oldest_goes_and_the_held_stays(tmp_path: Path) -> None:
    digests = [put(tmp_path, os.urandom(4000), NOW - timedelta(days=50 - n)) for n in range(10)]
    segment(tmp_path, digests[0], NOW - timedelta(days=50), "r1")
    done = tidy_evidence(tmp_path, NOW, Budget(730, 90, 20e-6))
    assert left(tmp_path) == {digests[0], *digests[-3:]}, done
    tight = tidy_evidence(tmp_path, NOW, Budget(730, 90, 0.0))
    assert left(tmp_path) == {digests[0]} and tight.over_budget_bytes > 0


def test_what_was_written_just_now_stays(tmp_path: Path) -> None:
    fresh = put(tmp_path, b"fresh", NOW - timedelta(hours=2))
    tidy_evidence(tmp_path, NOW, Budget(0, 0, 0))
    assert left(tmp_path) == {fresh}


def test_nothing_goes_while_a_segment_cannot_be_read(tmp_path: Path) -> None:
    digest = put(tmp_path, b"old", T0)
    segment(tmp_path, digest, T0, "r1")
    next(tmp_path.glob("segments/*/*/manifest.json")).write_text("torn")
    done = tidy_evidence(tmp_path, NOW, Budget(1, 1, 0))
    assert done.problems and left(tmp_path) == {digest}


ages = st.lists(st.tuples(st.integers(2, 1000), st.booleans()), min_size=1, max_size=8)


@hypothesis_settings(
    max_examples=15, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None
)
@given(ages, st.integers(0, 1000), st.integers(0, 1000), st.floats(0, 1e-5))
def test_held_is_never_removed(tmp_path_factory, files, days: int, keep: int, size: float) -> None:
    home = tmp_path_factory.mktemp("home")
    held = set()
    for number, (age, named) in enumerate(files):
        at = NOW - timedelta(days=age)
        digest = put(home, os.urandom(900), at)
        if named:
            segment(home, digest, at, f"r{number}")
            if age <= keep:
                held.add(digest)
    done: Tidied = tidy_evidence(home, NOW, Budget(days, keep, size))
    assert held <= left(home)
    assert len(left(home)) == done.files - done.removed_files
    assert tidy_evidence(home, NOW, Budget(days, keep, size)).removed_files == 0
