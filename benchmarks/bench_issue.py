"""How long the issue and the site take from a published generation: 5,000 offers, two years of history.

python -m benchmarks.bench_issue
"""

from __future__ import annotations

import json
import shutil
import tempfile
import time
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from functools import partial
from pathlib import Path

from benchmarks import synthetic
from catalog.providers import load_providers
from reports.fit import weekly
from reports.issue.archive import MANIFEST, all_issues
from reports.issue.build import build_issue
from warehouse.calendar import week_label
from warehouse.layout import Layout
from warehouse.publish import publish

OFFERS, WEEKS = 5000, 104
# The synthetic store crawls every six hours; here it is to crawl once a week.
EVERY, WEEKLY = "INTERVAL 6 HOUR", "INTERVAL 168 HOUR"


def market(home: Path) -> datetime:
    """Fill and publish a data directory; the moment at which its issue is due."""
    layout = Layout(home)
    layout.warehouse.mkdir(parents=True)
    sql = synthetic._SQL
    assert EVERY in sql
    try:
        synthetic._SQL = sql.replace(EVERY, WEEKLY)
        synthetic.fill(layout.work, layout.spill, crawls=WEEKS, offers=OFFERS)
    finally:
        synthetic._SQL = sql
    # The first crawl is on Wednesday, 1 January 2025; the issue is that of the last one's week.
    last = datetime(2024, 12, 31, 16, tzinfo=UTC) + timedelta(weeks=WEEKS - 1)
    now = last + timedelta(days=5, hours=10)
    providers = dict(load_providers(home))
    tables = partial(weekly.extra_tables, now=now, providers=providers, home=home)
    publish(home, now, providers, "bench", extra_tables=tables)
    return now


def two_years_of_issues(home: Path) -> None:
    """The issue once more for each of the weeks before it, as an archive that has grown."""
    (newest,) = all_issues(home)
    monday = date.fromisocalendar(int(newest.week[:4]), int(newest.week[6:]), 1)
    for back in range(1, WEEKS):
        week = week_label(monday - timedelta(weeks=back))
        folder = home / "reports" / week / "v1"
        shutil.copytree(newest.folder, folder)
        manifest = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
        (folder / MANIFEST).write_text(json.dumps({**manifest, "week": week}), encoding="utf-8")


def timed(work: Callable[[], object]) -> tuple[float, float]:
    """(seconds on the wall, seconds of processor) of one call."""
    wall, cpu = time.perf_counter(), time.process_time()
    work()
    return time.perf_counter() - wall, time.process_time() - cpu


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder) / "home"
        now = market(home)
        site = Path(folder) / "site"
        issue = timed(lambda: build_issue(home, now, None, rebuilt=False))
        two_years_of_issues(home)
        both = timed(lambda: build_issue(home, now, None, rebuilt=False, site=site))
        size = sum(path.stat().st_size for path in site.rglob("*") if path.is_file())
        carried = len(list(site.glob("issues/*/*")))
        first = sum(
            (site / n).stat().st_size for n in ("index.html", "assets/site.css", "files/chart.zh.png")
        )
    print(f"issue            {issue[0]:6.2f} s wall  {issue[1]:6.2f} s cpu  (at most 5 s)")
    print(f"issue with site  {both[0]:6.2f} s wall  {both[1]:6.2f} s cpu  (at most 10 s)")
    print(f"site {size / 1e6:.2f} MB with {carried} past issues (at most 5)")
    print(f"first page {first / 1e3:.0f} KB (at most 200)")


if __name__ == "__main__":
    main()
