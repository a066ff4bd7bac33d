"""The weeks that the recursion runs over, from the daily prices; and what each source did in them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import duckdb
import numpy as np

from warehouse.index.calendar import DAY_US, monday_of
from warehouse.index.fixed import Bools, Floats, Ints, divide, ln_fixed
from warehouse.index.groups import by_number
from warehouse.index.panel import Shape, Week
from warehouse.index.prepare import columns

_NO_STOCK = -1
SHEET_LIFE_US = 30 * DAY_US  # a seller known only by sheets is expected this long after its last one


@dataclass(frozen=True, slots=True)
class Prices:
    """Weekly prices of keys, one row a key-week, sorted by week and key; logs in fixed point."""

    week: Ints
    key: Ints
    price: Ints
    last: Ints
    sold_out: Bools
    shows_stock: Bools
    in_stock: Bools


@dataclass(frozen=True, slots=True)
class Source:
    """One provider in the weeks of the index: planned, and answered; indexed by week − first week."""

    planned: Bools
    answered: Bools


def weekly_prices(con: duckdb.DuckDBPyConnection) -> tuple[Prices, Prices]:
    """(list, rentable): geometric mean of the observed days of the week; rentable from days in stock."""
    day = columns(
        con,
        f"""
        SELECT key_no, day, twice, coalesce(twice_in_stock, {_NO_STOCK}) AS twice_in_stock, t,
               may_be_bought::TINYINT AS may_be_bought, shows_stock::TINYINT AS shows_stock,
               in_stock::TINYINT AS in_stock
        FROM ix_day
        ORDER BY key_no, day
        """,
    )
    log = ln_fixed(day["twice"], 2e6)
    stocked = day["twice_in_stock"] != _NO_STOCK
    stock_log = log.copy()
    other = stocked & (day["twice_in_stock"] != day["twice"])  # most often the two are the same
    stock_log[other] = ln_fixed(day["twice_in_stock"][other], 2e6)
    everything = np.ones(len(log), dtype=bool)
    return _weeks(day, log, everything), _weeks(day, stock_log, stocked)


def _weeks(day: Mapping[str, Ints], log: Ints, use: Bools) -> Prices:
    """Days (sorted by key and day) to key-weeks."""
    if not use.all():
        day, log = {name: column[use] for name, column in day.items()}, log[use]
    key, t = day["key_no"].astype(np.int64, copy=False), day["t"].astype(np.int64, copy=False)
    week = (day["day"].astype(np.int64) + 3) // 7
    starts = np.flatnonzero(np.r_[True, (np.diff(key) != 0) | (np.diff(week) != 0)]) if len(key) else key
    counts = np.diff(np.r_[starts, len(key)])

    def over(values: Ints, how: np.ufunc) -> Ints:
        return how.reduceat(values, starts) if len(starts) else values

    def ever(name: str) -> Bools:
        return over(day[name], np.maximum)[order] > 0

    oldest, newest = (int(week.min()), int(week.max())) if len(week) else (0, 0)
    order = by_number(week[starts] - oldest, newest - oldest + 1)  # days come by key
    price = over(log, np.add)
    several = counts > 1
    price[several] = divide(price[several], counts[several])
    return Prices(
        week=week[starts][order],
        key=key[starts][order],
        price=price[order],
        last=over(t, np.maximum)[order],
        sold_out=~ever("may_be_bought"),
        shows_stock=ever("shows_stock"),
        in_stock=ever("in_stock"),
    )


def weeks_of(
    con: duckdb.DuckDBPyConnection, shape: Shape, prices: tuple[Prices, Prices], span: range, now: int
) -> Iterator[Week]:
    """Every week of `span`, in order. Needs the temp tables of `index_weekly.sql`."""
    seen = columns(
        con,
        """
        SELECT key_no, week, t, held::TINYINT AS held, coalesce(vcpu, 'nan'::DOUBLE) AS vcpu,
               coalesce(ram_gb, 'nan'::DOUBLE) AS ram_gb
        FROM ix_seen
        ORDER BY week, key_no
        """,
    )
    source = columns(con, "SELECT provider, week FROM ix_source WHERE seen ORDER BY week, provider")
    provider_no = {name: i for i, name in enumerate(shape.providers)}
    listed, rentable = prices
    twin_of = np.full(int(shape.key_no.max(initial=-1)) + 1, -1, dtype=np.int64)
    first_of, place_of = twin_of.copy(), twin_of.copy()
    rentals = np.flatnonzero(shape.twin >= 0)
    twin_of[shape.key_no[rentals]] = rentals
    others = np.flatnonzero(shape.twin < 0)
    first_of[shape.key_no[others]] = others
    bundle: tuple[Floats, Floats] = (seen["vcpu"], seen["ram_gb"])
    edges = {
        name: np.searchsorted(column, np.arange(span.start, span.stop + 1))
        for name, column in (
            ("seen", seen["week"]),
            ("list", listed.week),
            ("rent", rentable.week),
            ("source", source["week"]),
        )
    }
    for i, number in enumerate(span):
        s, p, r, o = (slice(*edges[name][i : i + 2]) for name in ("seen", "list", "rent", "source"))
        rows, key = seen["key_no"][s], listed.key[p]
        both_rows = np.concatenate((first_of[rows], twin_of[rows]))
        twice = both_rows >= 0
        sold, buy = listed.sold_out[p], ~listed.sold_out[p]
        rented = twin_of[rentable.key[r]]
        kept = rented >= 0
        out_twins = twin_of[key[sold]]
        out = np.concatenate((first_of[key[sold]], out_twins))
        place_of[rows] = np.arange(len(rows))
        where = place_of[np.concatenate((key[buy], rentable.key[r][kept]))]
        shown, held = listed.shows_stock[p], seen["held"][s] > 0
        held_rows = np.concatenate((first_of[rows[held]], twin_of[rows[held]]))
        shown_keys = np.concatenate((first_of[key[shown]], twin_of[key[shown]]))
        yield Week(
            number=number,
            end=min(monday_of(number + 1) - 1, now),
            priced=np.concatenate((first_of[key[buy]], rented[kept])),
            price=np.concatenate((listed.price[p][buy], rentable.price[r][kept])),
            last=np.concatenate((listed.last[p][buy], rentable.last[r][kept])),
            vcpu=bundle[0][s][where],
            ram=bundle[1][s][where],
            sold_out=out[out >= 0],
            sold_out_price=np.tile(listed.price[p][sold], 2)[out >= 0],
            seen=both_rows[twice],
            seen_last=np.tile(seen["t"][s], 2)[twice],
            held=held_rows[held_rows >= 0],
            stock_shown=shown_keys[shown_keys >= 0],
            in_stock=np.tile(listed.in_stock[p][shown], 2)[shown_keys >= 0],
            providers=np.array(
                [provider_no[name] for name in source["provider"][o] if name in provider_no], dtype=np.int64
            ),
        )


def coverage(
    con: duckdb.DuckDBPyConnection, statuses: Mapping[str, str], span: range
) -> tuple[Floats, dict[str, Source]]:
    """Share of the planned sources that answered, week by week (NaN where none was planned), and each source.

    Planned: active, asked at least once up to that week; one known only by sheets until its
    `valid_until`, else thirty days after its last sheet.
    """
    rows = con.execute(
        "SELECT provider, week, answered, crawled, sheet_t, valid_until FROM ix_source"
        " ORDER BY provider, week"
    ).fetchall()
    sources: dict[str, Source] = {}
    for provider in sorted({row[0] for row in rows}):
        if statuses.get(provider, "active") != "active":
            continue
        mine = {row[1]: row[2:] for row in rows if row[0] == provider}
        sources[provider] = _source(mine, span)
    planned = sum((s.planned.astype(np.int64) for s in sources.values()), np.zeros(len(span), dtype=np.int64))
    answered = sum(
        ((s.planned & s.answered).astype(np.int64) for s in sources.values()),
        np.zeros(len(span), dtype=np.int64),
    )
    return np.where(planned > 0, answered / np.maximum(planned, 1), np.nan), sources


def _source(mine: Mapping[int, tuple[bool, bool, int | None, int | None]], span: range) -> Source:
    planned, answered = np.zeros(len(span), dtype=bool), np.zeros(len(span), dtype=bool)
    crawled, until = False, -1
    for week in range(min(span.start, *mine), span.stop):
        replied, by_crawl, sheet, valid = mine.get(week, (False, False, None, None))
        crawled |= by_crawl
        if sheet is not None:
            until = valid if valid is not None else sheet + SHEET_LIFE_US
        if week >= span.start:
            planned[week - span.start] = crawled or until >= monday_of(week)
            answered[week - span.start] = replied
    return Source(planned, answered)
