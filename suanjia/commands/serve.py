"""`suanjia serve`: the scheduler with /healthz, /metrics and the last issue's site."""

from __future__ import annotations

import json
import logging
import signal
import threading
from typing import Any

import click

from suanjia.cli import OK, REFUSED, Failure
from suanjia.settings import Settings

_LOOPBACK = {"127.0.0.1", "::1", "localhost"}


@click.command()
@click.option("--jobs", is_flag=True, help="Print the timetable and end. 只列出任务")
@click.option("--no-catch-up", is_flag=True, help="Do not run at start what was missed. 不补跑")
@click.option("--json", "as_json", is_flag=True, help="With --jobs: one JSON document.")
@click.pass_obj
def command(settings: Settings, jobs: bool, no_catch_up: bool, as_json: bool) -> int:
    """Run for years 常驻: crawl, load, publish, Monday issue, mail, alerts, clean-up; TERM ends it in order.

    Listens on SUANJIA_HTTP_HOST:SUANJIA_HTTP_PORT for /healthz, /metrics and the site of the last issue.
    """
    from filelock import FileLock, Timeout

    from suanjia.provider_files import providers_of
    from suanjia.serve.logs import set_up
    from suanjia.serve.plan import NO_MAIL, mails
    from suanjia.serve.service import Service

    providers = providers_of(settings)
    settings.origins()
    (settings.home / "locks").mkdir(parents=True, exist_ok=True)
    service = Service(settings, providers, catch_up=not no_catch_up)
    if jobs:
        service.joblog.close()
        if not mails(settings):
            click.echo(f"suanjia: {NO_MAIL}", err=True)
        return _timetable(service, as_json)
    try:
        with FileLock(settings.home / "locks" / "serve.lock", timeout=0):
            set_up(settings)
            if settings.text("http_host") not in _LOOPBACK:
                logging.getLogger("suanjia.serve").warning("listening on more than loopback, without TLS")
            return _serve(service)
    except Timeout:
        raise Failure(f"another `suanjia serve` runs on {settings.home}", REFUSED) from None


def _serve(service: Any) -> int:
    ended = threading.Event()
    before = {n: signal.signal(n, lambda *_: ended.set()) for n in (signal.SIGTERM, signal.SIGINT)}
    try:
        try:
            service.start()
        except OSError as error:
            raise Failure(f"cannot listen: {error}; set SUANJIA_HTTP_PORT") from None
        ended.wait()
        logging.getLogger("suanjia.serve").info("stopping")
    finally:
        service.stop()
        for number, handler in before.items():
            signal.signal(number, handler)
    return OK


def _timetable(service: Any, as_json: bool) -> int:
    from suanjia.serve.clock import cron

    now = service.clock.now()
    rows = [
        {
            "id": job.id,
            "lane": job.lane,
            "next": cron(job.when).get_next_fire_time(None, now).isoformat(timespec="minutes"),
            "steps": [" ".join(step.args) for step in job.steps],
        }
        for job in service.jobs
    ]
    rows.sort(key=lambda row: (row["next"], row["id"]))
    if as_json:
        click.echo(json.dumps(rows, ensure_ascii=False))
    else:
        width = max(len(row["id"]) for row in rows)
        for row in rows:
            click.echo(f"{row['next']}  {row['id']:<{width}}  {row['lane']:<7}  {' → '.join(row['steps'])}")
    return OK
