"""The weekly cheapest-fit table: every workload × region, the best few fits of each."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any

from reports.fit.answer import margin, mark
from reports.fit.job import Job, job_of, weekly_jobs
from reports.fit.market import Market
from reports.fit.planner import SizingPlanner
from reports.fit.proof import Sources, label
from reports.fit.regions import NATION, admits, names
from reports.fit.search import Asked, Result, search
from reports.fit.store import Grades, grades, market_of
from reports.fit.terms import Terms, terms_of
from reports.issue.clock import issue_week
from reports.numbers import half_up, plain
from warehouse.calendar import monday_of, week_label

if TYPE_CHECKING:
    import duckdb
    import pyarrow as pa

    from catalog.providers import Provider

RANKS = 3
# Always in the table; `CN` is the whole mainland, whatever the scope of the offer.
ALWAYS = (NATION, "110000", "440000", "130700", "150000")


def fit_rows(
    market: Market,
    jobs: Sequence[Job],
    sources: Sources,
    week: date,
    graded: Grades | None = None,
    ranks: int = RANKS,
) -> list[dict[str, Any]]:
    """Rows of `cheapest_fit` by workload, region, rank. A workload that nothing fits has no row there."""
    rows: list[dict[str, Any]] = []
    for job in jobs:
        planner = SizingPlanner.of(job)
        for region in regions_of(market):
            found = search(market, asked_in(job, region), planner, Asked(limit=ranks + 1))
            rows += _rows(market, found, region, sources, week, graded or {}, ranks)
    return rows


def regions_of(market: Market) -> list[str]:
    """The regions of the table: the fixed ones, and each province and city that has offers."""
    found = set(ALWAYS)
    for region, _, _, _ in market.kinds:
        if region is not None and len(region) == 6 and region.isdigit():
            found.add(region[:2] + "0000")
            if not region.endswith("0000") and region[:2] not in {"11", "12", "31", "50"}:
                found.add(region[:4] + "00")
    return [NATION, *sorted(found - {NATION})]


def asked_in(job: Job, region: str) -> Job:
    """The job as the table asks it in a region; `CN` is the whole mainland there."""
    return replace(job, regions=() if region == NATION else (region,))


def _rows(
    market: Market,
    found: Result,
    region: str,
    sources: Sources,
    week: date,
    graded: Grades,
    ranks: int,
) -> Iterable[dict[str, Any]]:
    for rank, fit in enumerate(found.fits[:ranks], 1):
        offer = fit.entry.offer
        codes = [code for code in (mark(fit), _one_seller(market, region, offer.card)) if code]
        yield {
            "week": week,
            "workload": found.job.name,
            "region_code": region,
            "region": names().get(region, region),
            "rank": rank,
            "offer_id": offer.offer_id,
            "provider": offer.provider,
            "card": offer.card,
            "gpu_count": fit.bought,
            "cards_used": fit.use.cards,
            "nodes": fit.use.nodes,
            "billing_mode": offer.billing_mode,
            "strategy": fit.strategy,
            "hours_p50": half_up(Decimal(fit.seconds_p50) / 3600, 4),
            "hours_p90": half_up(Decimal(fit.seconds_p90) / 3600, 4),
            "total_cny_p50": half_up(fit.total_p50),
            "total_cny_p90": half_up(fit.total_p90),
            "price_cny_per_card_hour": offer.price_cny_per_card_hour,
            "observed_at": offer.observed_at,
            "age_hours": half_up(fit.entry.age_hours, 2),
            "grade": graded.get((region, offer.card, offer.billing_mode)),
            "mark": ",".join(codes) or None,
            "proof": label(sources, rank, found.checked),
            "margin_to_next_pct": margin(fit, found.fits[rank]) if rank < len(found.fits) else None,
            "source_url": offer.source_url or None,
        }


def _one_seller(market: Market, region: str, card: str) -> str | None:
    """`one_seller` where a single provider has the card there."""
    admit = admits([] if region == NATION else [region])
    sellers = {kind[3] for kind, cards in market.kinds.items() if cards[card] and admit(kind[0], kind[1])}
    return "one_seller" if len(sellers) == 1 else None


def workload_rows(jobs: Sequence[Job]) -> list[dict[str, str]]:
    """Rows of `workloads`: name, and the whole workload as JSON."""
    return [{"name": job.name, "spec": _spec(job)} for job in jobs]


def _spec(job: Job) -> str:
    told = {name: getattr(job, name) for name in job.__dataclass_fields__ if name not in {"name", "task"}}
    spec = {**job.task, **{name: value for name, value in told.items() if value not in (None, (), False)}}
    return json.dumps(plain(spec), ensure_ascii=False, sort_keys=True)


def extra_inputs(home: Path | None = None) -> dict[str, str]:
    """What the tables depend on beside the offers: a hash of the workloads, by name, for the builder."""
    text = json.dumps(workload_rows(weekly_jobs(home)), ensure_ascii=False, sort_keys=True)
    return {"workloads": hashlib.sha256(text.encode()).hexdigest()}


def market_of_week(
    con: duckdb.DuckDBPyConnection, terms: Mapping[str, Terms], week: date, built_at: datetime
) -> tuple[Market, Sources]:
    """The market that the table of a week speaks of: at its freeze, or at the build while it runs."""
    asked = issue_week(week_label(week), built_at)
    if asked.running:
        return market_of(con, terms, built_at)
    return market_of(con, terms, asked.as_of, seen_until=asked.end)


def extra_tables(
    con: duckdb.DuckDBPyConnection,
    now: datetime,
    providers: Mapping[str, Provider],
    home: Path | None = None,
    jobs: Sequence[Job] | None = None,
) -> dict[str, pa.Table]:
    """`cheapest_fit` and `workloads` as the builder takes them: the last frozen week and the running one.

    `jobs` stand for the built-in ones and the user's. JobError for a workloads file that cannot be read.
    """
    jobs = weekly_jobs(home) if jobs is None else jobs
    rows: list[dict[str, Any]] = []
    for week in (issue_week(None, now).monday, monday_of(now)):
        market, sources = market_of_week(con, terms_of(providers), week, now)
        rows += fit_rows(market, jobs, sources, week, grades(con, week))
    return {"cheapest_fit": _arrow(rows), "workloads": _arrow_workloads(workload_rows(jobs))}


def tables_again(
    published: duckdb.DuckDBPyConnection, providers: Mapping[str, Provider]
) -> Callable[[duckdb.DuckDBPyConnection], dict[str, pa.Table]]:
    """The same tables for a replay of a published generation, at its clock and for the workloads it tells."""
    (now,) = published.execute("SELECT built_at FROM generation").fetchall()[0]
    told = published.execute("SELECT name, spec FROM workloads ORDER BY rowid").fetchall()
    jobs = [job_of(json.loads(spec, parse_float=Decimal) | {"name": name}) for name, spec in told]
    return lambda con: extra_tables(con, now, providers, jobs=jobs)


def _arrow(rows: list[dict[str, Any]]) -> pa.Table:
    import pyarrow as pa

    money, text, whole = pa.decimal128(18, 6), pa.string(), pa.int64()
    schema = pa.schema(
        [
            ("week", pa.date32()),
            *((name, text) for name in ("workload", "region_code", "region")),
            ("rank", whole),
            *((name, text) for name in ("offer_id", "provider", "card")),
            *((name, whole) for name in ("gpu_count", "cards_used", "nodes")),
            *((name, text) for name in ("billing_mode", "strategy")),
            *((name, money) for name in ("hours_p50", "hours_p90", "total_cny_p50", "total_cny_p90")),
            ("price_cny_per_card_hour", money),
            ("observed_at", pa.timestamp("us", tz="UTC")),
            ("age_hours", money),
            *((name, text) for name in ("grade", "mark", "proof")),
            ("margin_to_next_pct", money),
            ("source_url", text),
        ]
    )
    return pa.Table.from_pylist(rows, schema=schema)


def _arrow_workloads(rows: list[dict[str, str]]) -> pa.Table:
    import pyarrow as pa

    return pa.Table.from_pylist(rows, schema=pa.schema([("name", pa.string()), ("spec", pa.string())]))
