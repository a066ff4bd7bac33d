"""`suanjia explain fit:WEEK/WORKLOAD/REGION/RANK`: the fit, computed again, and back to the page."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from datetime import UTC
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any

from catalog.providers import load_providers
from reports.fit.job import Job, job_of
from reports.fit.planner import SizingPlanner
from reports.fit.regions import RegionError, code_of
from reports.fit.search import Asked, search
from reports.fit.terms import terms_of
from reports.fit.totals import Fit
from reports.fit.weekly import asked_in, market_of_week
from reports.numbers import half_up, loads
from warehouse.errors import BadRequest, NothingToDo
from warehouse.explain import Step
from warehouse.explain import explain as explain_observation

if TYPE_CHECKING:
    import duckdb

_ID = re.compile(r"fit:(\d{4}-W\d{2})/(.+)/([^/]+)/(\d{1,6})")
Row = Mapping[str, Any]


def explain(home: Path, con: duckdb.DuckDBPyConnection, generation: str, name: str) -> list[Step]:
    """The steps behind a row of `cheapest_fit`. BadRequest for no such id, NothingToDo for no such row."""
    match = _ID.fullmatch(name)
    if match is None:
        raise BadRequest(f"{name!r} is no id of a fit; fit:2026-W48/lora-7b/CN/1")
    week, workload, region, rank = match.groups()
    try:
        code = code_of(region)
    except RegionError as error:
        raise BadRequest(str(error)) from None
    found = _rows(
        con,
        "SELECT * FROM cheapest_fit"
        " WHERE strftime(week, '%G-W%V') = $1 AND workload = $2 AND region_code = $3 AND rank = $4",
        [week, workload, code, int(rank)],
    )
    if not found:
        raise NothingToDo(f"{name} is not in {generation}")
    row = found[0]
    job = _job(con, workload)
    again = _again(home, con, row, job)
    return [
        *_told(row, generation),
        *_asked(row, job, generation),
        *_computed(row, again),
        *_price(home, con, generation, row),
    ]


def _rows(con: duckdb.DuckDBPyConnection, sql: str, values: list[Any]) -> list[Row]:
    result = con.execute(sql, values)
    names = [str(column[0]) for column in result.description or ()]
    return [dict(zip(names, row, strict=True)) for row in result.fetchall()]


def _job(con: duckdb.DuckDBPyConnection, workload: str) -> Job:
    [row] = _rows(con, "SELECT name, spec FROM workloads WHERE name = $1", [workload])
    return job_of({**loads(row["spec"]), "name": row["name"]})


def _again(home: Path, con: duckdb.DuckDBPyConnection, row: Row, job: Job) -> Fit | None:
    """The fit of that rank, searched for again with what the generation holds."""
    built_at = con.execute("SELECT built_at FROM generation").fetchall()[0][0].astimezone(UTC)
    terms = terms_of(load_providers(home))
    market, _ = market_of_week(con, terms, row["week"], built_at)
    asked = asked_in(job, row["region_code"])
    fits = search(market, asked, SizingPlanner.of(asked), Asked(limit=row["rank"])).fits
    return fits[row["rank"] - 1] if len(fits) >= row["rank"] else None


def _told(row: Row, generation: str) -> Iterator[Step]:
    value = (
        f"{half_up(row['total_cny_p50'])} CNY (p90 {half_up(row['total_cny_p90'])}): "
        f"{row['gpu_count'].normalize():f} × {row['card']}, {row['provider']}, {row['billing_mode']}, "
        f"{row['hours_p50'].normalize():f} h"
    )
    yield Step("fit 跑法", value, f"{generation}: cheapest_fit")
    yield Step("proof 依据", row["proof"] or "none", f"{generation}: runs, providers")


def _asked(row: Row, job: Job, generation: str) -> Iterator[Step]:
    spec = ", ".join(f"{key} {value}" for key, value in job.task.items())
    yield Step("workload 任务", f"{job.name}: {spec}", f"{generation}: workloads")
    machines = "one machine" if row["nodes"] == 1 else f"{row['nodes']} machines"
    cards = "one card" if row["cards_used"] == 1 else f"{row['cards_used']} cards"
    yield Step("plan 策略", f"{row['strategy']}; on {cards}, {machines}", "sizing")


def _computed(row: Row, fit: Fit | None) -> Iterator[Step]:
    if fit is None or fit.entry.offer.offer_id != row["offer_id"]:
        yield Step("again 复算", "another offer comes out: provider files or sizing have changed", "search")
        return
    bill, extras = fit.entry.tariff, fit.extras
    unit = "h" if bill.metered else f"{bill.period_s // 3600} h prepaid"
    yield Step(
        "compute 算力",
        f"{bill.price.normalize():f} CNY per {unit} × {fit.purchases} for {fit.seconds_p50} s"
        f" = {half_up(fit.compute_p50)}",
        f"{fit.entry.offer.offer_id}, tax in",
    )
    yield Step(
        "beside 其他",
        f"storage {half_up(fit.storage_p50)}, traffic {half_up(extras.traffic or Decimal(0))}"
        + (f"; not known: {', '.join(extras.unknown)}" if extras.unknown else ""),
        f"provider file {fit.entry.offer.provider}",
    )
    same = half_up(fit.total_p50) == row["total_cny_p50"]
    yield Step(
        "again 复算", f"{half_up(fit.total_p50)} CNY: " + ("the same" if same else "it differs"), "search"
    )


def _price(home: Path, con: duckdb.DuckDBPyConnection, generation: str, row: Row) -> Iterator[Step]:
    """The observation that was priced, and what `explain obs:` says of it."""
    seen = _rows(
        con,
        "SELECT obs_id FROM observations WHERE offer_id = $1 AND observed_at = $2 ORDER BY obs_id LIMIT 1",
        [row["offer_id"], row["observed_at"]],
    )
    for observation in seen:
        yield from explain_observation(home, con, generation, observation["obs_id"])
