"""`suanjia tidy`: remove evidence and run folders past their keep and size budget."""

from __future__ import annotations

import json
from dataclasses import asdict

import click

from suanjia.cli import OK, PARTIAL
from suanjia.settings import Settings


@click.command()
@click.option("--dry-run", is_flag=True, help="Count, remove nothing. 只统计")
@click.option("--json", "as_json", is_flag=True, help="One JSON document.")
@click.pass_obj
def command(settings: Settings, dry_run: bool, as_json: bool) -> int:
    """Remove what is past its time 清理: evidence by age and size budget, old run folders, old job rows.

    Evidence that a segment of the last SUANJIA_EVIDENCE_KEEP_DAYS names, or a quote sheet, is never removed.
    3: a segment cannot be read (then no evidence is removed), or the budget is exceeded by what is held.
    """
    from suanjia.crawl_plan import tidy
    from suanjia.keeping.retention import Budget, tidy_evidence

    budget = Budget(
        settings.number("evidence_days"),
        settings.number("evidence_keep_days"),
        settings.number("evidence_gb"),
    )
    done = tidy_evidence(settings.home, settings.now(), budget, dry_run)
    if not dry_run:
        tidy(settings)
        _rows(settings)
    if as_json:
        click.echo(json.dumps(asdict(done), ensure_ascii=False))
    else:
        verb = "would go" if dry_run else "removed"
        click.echo(
            f"evidence 证据: {done.files} files, {done.bytes / 1e6:.1f} MB; {verb} {done.removed_files},"
            f" {done.removed_bytes / 1e6:.1f} MB; held 保留 {done.held_files}"
        )
    for problem in done.problems:
        click.echo(f"suanjia: cannot be read, no evidence removed: {problem}", err=True)
    if done.over_budget_bytes:
        click.echo(
            f"suanjia: {done.over_budget_bytes / 1e6:.1f} MB over SUANJIA_EVIDENCE_GB, held by segments",
            err=True,
        )
    return PARTIAL if done.problems or done.over_budget_bytes else OK


def _rows(settings: Settings) -> None:
    from suanjia.serve.joblog import JobLog

    if (settings.home / "ledger.sqlite").is_file():
        joblog = JobLog(settings.home)
        joblog.prune()
        joblog.close()
