"""From an index cell back to its keys and observations: cell:SERIES/REGION/CARD/MODE/WEEK."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import duckdb

from warehouse.errors import BadRequest, NothingToDo
from warehouse.explain import Step
from warehouse.textout import cell as text_of

_ID = re.compile(r"cell:([^/]+)/([^/]+)/([^/]+)/([^/]+)/([^/]+)")
_WEEK = re.compile(r"(\d{4})-W(\d{2})")
_WORDS = {
    "kept": "kept 采用",
    "imputed": "imputed 填补",
    "quarantined": "quarantined 隔离",
    "dropped": "dropped 移出",
}


def parse_week(text: str) -> date:
    """The Monday of `2026-W48` or of any date in that week. BadRequest for anything else."""
    match = _WEEK.fullmatch(text)
    try:
        day = date.fromisocalendar(int(match[1]), int(match[2]), 1) if match else date.fromisoformat(text)
    except ValueError:
        raise BadRequest(f"{text!r} is no week; write 2026-W48 or a date") from None
    return day - timedelta(days=day.weekday())


def explain(home: Path, con: duckdb.DuckDBPyConnection, generation: str, name: str) -> list[Step]:
    """The steps behind a cell. BadRequest for what is no cell id, NothingToDo for one that is not there."""
    match = _ID.fullmatch(name)
    if not match:
        raise BadRequest(f"{name!r} is no cell; write cell:SERIES/REGION/CARD/MODE/WEEK")
    series, region, card, mode, week_text = match.groups()
    week = parse_week(week_text)
    rows = _rows(
        con,
        """ SELECT * FROM price_index WHERE series = $1 AND (region_code = $2 OR region = $2) AND card =
        $3 AND billing_mode = $4 AND week = $5 """,
        [series, region, card, mode, week],
    )
    if not rows:
        raise NothingToDo(f"{name} is not in {generation}")
    return [step for row in rows for step in _steps(con, generation, row)]


def _steps(con: duckdb.DuckDBPyConnection, generation: str, row: dict[str, Any]) -> Iterator[Step]:
    source = f"{generation}: price_index"
    yield Step(
        "value 指数", f"{_or(row['value'], 'no value')}, {row['state']}, grade {row['grade'] or '–'}", source
    )
    yield Step(
        "link 环比",
        f"{_or(row['link'], '–')}, interval {_or(row['ci_low'], '–')} to {_or(row['ci_high'], '–')};"
        f" {row['n_offers']} keys of {row['n_providers']} providers, {row['n_imputed']} imputed,"
        f" {row['n_quarantined']} quarantined",
        source,
    )
    before = _before(con, row)
    if before and row["link"] is not None:
        yield Step(
            "chain 连乘",
            f"{text_of(before[1])} × {text_of(row['link'])}",
            f"{generation}: price_index, week {before[0]}",
        )
    yield Step(
        "method 方法",
        f"{row['method_version']}, vintage {row['vintage']}, {row['status']},"
        f" coverage {_or(row['coverage'], '–')},"
        f" flags {row['flags'] or 'none'}",
        source,
    )
    for revision in _revisions(con, row):
        yield Step(
            "correction 更正",
            f"vintage {revision['old_vintage']}: {_or(revision['old_value'], 'no value')}, published"
            f" {text_of(revision['published_at'])}; {revision['reason']}",
            f"{generation}: index_revisions",
        )
    for key in _keys(con, row):
        yield from _key_steps(con, generation, row["week"], key)


def _before(con: duckdb.DuckDBPyConnection, row: dict[str, Any]) -> tuple[Any, ...] | None:
    """(week, value) that the link starts from."""
    found = con.execute(
        """
        SELECT week, value FROM price_index
        WHERE series = $1 AND region_code = $2 AND card = $3 AND billing_mode = $4 AND price_kind = $5
          AND week < $6 AND value IS NOT NULL
        ORDER BY week DESC LIMIT 1
        """,
        [*_cell(row), row["week"]],
    ).fetchall()
    return found[0] if found else None


def _revisions(con: duckdb.DuckDBPyConnection, row: dict[str, Any]) -> list[dict[str, Any]]:
    return _rows(
        con,
        """ SELECT * FROM index_revisions WHERE series = $1 AND region_code = $2 AND card = $3 AND
        billing_mode = $4 AND price_kind = $5 AND week = $6 ORDER BY old_vintage """,
        [*_cell(row), row["week"]],
    )


def _keys(con: duckdb.DuckDBPyConnection, row: dict[str, Any]) -> list[dict[str, Any]]:
    """What became of every key of the cell this week: kept ones first, then by name."""
    return _rows(
        con,
        """
        SELECT w.*, k.key_name
        FROM index_key_weeks AS w
        JOIN index_keys AS k ON k.key_no = w.key_no
        WHERE w.series = $1 AND list_contains(string_split(k.region_codes, ','), $2) AND k.card = $3
          AND k.billing_mode = $4 AND k.price_kind = $5 AND w.week = $6
        ORDER BY list_position(['kept', 'imputed', 'quarantined', 'dropped'], w.state), k.key_name
        """,
        [*_cell(row), row["week"]],
    )


def _key_steps(
    con: duckdb.DuckDBPyConnection, generation: str, week: date, key: dict[str, Any]
) -> Iterator[Step]:
    rung = f" from its {key['rung']}" if key["rung"] else ""
    yield Step(
        f"{_WORDS[key['state']]}",
        f"{key['key_name']}: {key['reason']}{rung},"
        f" {_or(key['previous'], '–')} → {_or(key['price'], '–')} CNY/h",
        f"{generation}: index_key_weeks",
    )
    for seen in _observations(con, week, key["key_no"]):
        word = f" [{seen['quarantine']}]" if seen["quarantine"] else ""
        yield Step(
            "  observation 观测",
            f"{text_of(seen['price_cny_per_card_hour'])} CNY/h at {text_of(seen['observed_at'])},"
            f" {seen['provider']}{word}",
            seen["obs_id"],
        )


def _observations(con: duckdb.DuckDBPyConnection, week: date, key_no: int) -> list[dict[str, Any]]:
    return _rows(
        con,
        """
        SELECT o.obs_id, o.provider, o.observed_at, o.price_cny_per_card_hour, o.quarantine
        FROM index_key_offers AS k
        JOIN observations AS o ON o.offer_id = k.offer_id
        WHERE k.key_no = $1
          AND o.observed_at >= ($2::DATE)::TIMESTAMP AT TIME ZONE 'Asia/Shanghai'
          AND o.observed_at < ($2::DATE + 7)::TIMESTAMP AT TIME ZONE 'Asia/Shanghai'
          AND o.date_precision = 'day'
        ORDER BY o.observed_at, o.obs_id
        """,
        [key_no, week],
    )


def _cell(row: dict[str, Any]) -> list[Any]:
    return [row[name] for name in ("series", "region_code", "card", "billing_mode", "price_kind")]


def _or(value: Any, unknown: str) -> str:
    return unknown if value is None else text_of(value)


def _rows(con: duckdb.DuckDBPyConnection, query: str, values: list[Any]) -> list[dict[str, Any]]:
    result = con.execute(query, values)
    names = [str(column[0]) for column in result.description or ()]
    return [dict(zip(names, row, strict=True)) for row in result.fetchall()]
