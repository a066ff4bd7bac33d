"""What each rule sees in the published generation: confirmed prices alone.

`offers` holds no price that is held back; one that waits for a review is left out here too.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from reports.alerts.rules import Rule, RulesError
from warehouse.calendar import monday_of
from warehouse.cheapest import Question, cheapest, question
from warehouse.errors import BadRequest

if TYPE_CHECKING:
    import duckdb


@dataclass(frozen=True, slots=True)
class Sick:
    """How a source has been doing, from the run ledger. `bad`: bad runs in a row, of the `kind`."""

    bad: int
    kind: str
    since: datetime | None


@dataclass(frozen=True, slots=True)
class Sight:
    """What a rule sees. `over`: is the condition met; `clear`: has it been left far enough to cross it again.

    `first_is_news`: whether a condition that is met when the rule is new is worth telling.
    """

    subject: str
    value: str
    over: bool
    clear: bool
    words: Mapping[str, Any]
    first_is_news: bool = True


def look(
    con: duckdb.DuckDBPyConnection, rule: Rule, now: datetime, sick: Mapping[str, Sick]
) -> Iterator[Sight]:
    """What the rule sees now; nothing where there is no price to compare. RulesError for unknown names."""
    try:
        if rule.kind in {"below", "above"}:
            yield from _price(con, rule, now)
        elif rule.kind == "lowest":
            yield from _lowest(con, rule, now)
        elif rule.kind == "fit_below":
            yield from _fit(con, rule)
        elif rule.kind == "back_in_stock":
            yield from _stock(con, rule)
        else:
            yield from _sources(rule, sick)
    except BadRequest as error:
        raise RulesError(f"alert {rule.name}: {error}") from None


def _asked(rule: Rule) -> Question:
    return question(
        card=rule.card, count=None, min_vram=None, region=rule.region, mode=rule.mode, max_price=None,
        max_age=None, limit=50,
    )  # fmt: skip


def _best(con: duckdb.DuckDBPyConnection, rule: Rule, now: datetime) -> dict[str, Any] | None:
    rows = cheapest(con, _asked(rule), now)
    return next((row for row in rows if row["review"] is None), None)


def _price(con: duckdb.DuckDBPyConnection, rule: Rule, now: datetime) -> Iterator[Sight]:
    best = _best(con, rule, now)
    if best is None or rule.limit is None:
        return
    price: Decimal = best["price_cny_per_card_hour_gross"]
    if rule.kind == "below":
        over, clear = price < rule.limit, price >= rule.limit * (1 + rule.hysteresis)
    else:
        over, clear = price > rule.limit, price <= rule.limit * (1 - rule.hysteresis)
    yield Sight("", str(price), over, clear, {**_told(best), "price": price, "limit": rule.limit})


def _lowest(con: duckdb.DuckDBPyConnection, rule: Rule, now: datetime) -> Iterator[Sight]:
    """Against the lowest weekly price of the weeks before, of which there must be as many as asked for."""
    best = _best(con, rule, now)
    if best is None:
        return
    this = monday_of(now)
    rows = con.execute(
        "SELECT min(week), min(min) FROM price_level WHERE region_code = coalesce(region_of($1), 'CN')"
        " AND card = $2 AND billing_mode = $3 AND price_kind IN ('list', 'public_discount')"
        " AND week < $4 AND week >= $5",
        [rule.region, best["card"], rule.mode, this, this - timedelta(weeks=rule.weeks)],
    ).fetchall()
    first, low = rows[0]
    if first is None or first > this - timedelta(weeks=rule.weeks):
        return
    price: Decimal = best["price_cny_per_card_hour_gross"]
    clear = price >= low * (1 + rule.hysteresis)
    yield Sight(
        "", str(price), price < low, clear, {**_told(best), "price": price, "limit": low, "weeks": rule.weeks}
    )


def _fit(con: duckdb.DuckDBPyConnection, rule: Rule) -> Iterator[Sight]:
    known = {name for (name,) in con.execute("SELECT name FROM workloads").fetchall()}
    if rule.workload not in known:
        raise RulesError(f"alert {rule.name}: no workload is called {rule.workload!r}")
    rows = con.execute(
        "SELECT f.total_cny_p50, f.provider, f.card, f.gpu_count, f.billing_mode, f.region_code, f.age_hours"
        " FROM cheapest_fit AS f WHERE f.workload = $1 AND f.rank = 1"
        " AND f.region_code = coalesce(region_of($2), 'CN') AND f.week = (SELECT max(week) FROM cheapest_fit)"
        " AND NOT coalesce(contains(f.mark, 'under_review'), false)",
        [rule.workload, rule.region],
    ).fetchall()
    if not rows or rule.limit is None:
        return
    total, provider, card, count, mode, region, age = rows[0]
    words = {
        "workload": rule.workload, "price": total, "limit": rule.limit, "provider": provider, "card": card,
        "count": count, "mode": mode, "region": region, "age": age,
    }  # fmt: skip
    yield Sight("", str(total), total < rule.limit, total >= rule.limit * (1 + rule.hysteresis), words)


def _stock(con: duckdb.DuckDBPyConnection, rule: Rule) -> Iterator[Sight]:
    """Offers that say whether they are in stock. In stock from the start is no return."""
    card = _asked(rule).card
    rows = con.execute(
        "SELECT bool_or(in_stock), sum(stock_idle) FILTER (WHERE in_stock),"
        " arg_min(provider, price_cny_per_card_hour_gross) FILTER (WHERE in_stock),"
        " min(price_cny_per_card_hour_gross) FILTER (WHERE in_stock), max(age_hours) FROM offers"
        " WHERE card = $1 AND billing_mode = $2 AND in_stock IS NOT NULL AND review IS NULL"
        " AND age_hours <= 168 AND ($3 IS NULL OR in_region(region_code, region_of($3)))"
        " AND ($4 IS NULL OR provider = $4)",
        [card, rule.mode, rule.region, rule.provider],
    ).fetchall()
    there, idle, provider, price, age = rows[0]
    if there is None:
        return
    words = {
        "card": card, "mode": rule.mode, "region": rule.region, "provider": provider, "price": price,
        "stock": idle, "age": age,
    }  # fmt: skip
    yield Sight("", "in stock" if there else "sold out", bool(there), not there, words, first_is_news=False)


def _sources(rule: Rule, sick: Mapping[str, Sick]) -> Iterator[Sight]:
    wanted = [rule.provider] if rule.provider is not None else sorted(sick)
    for slug in wanted:
        found = sick.get(slug)
        if found is not None:
            words = {"provider": slug, "runs": found.bad, "outcome": found.kind, "since": found.since}
            yield Sight(slug, str(found.bad), found.bad >= rule.runs, found.bad == 0, words)


def _told(row: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "card": row["card"], "mode": row["billing_mode"], "region": row["region_code"],
        "provider": row["provider"], "age": row["age_hours"], "source_url": row["source_url"],
    }  # fmt: skip
