"""Rows of the catalog as the published tables hold them (warehouse/sql/catalog.sql names the columns)."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Iterator, Mapping
from datetime import date
from decimal import Decimal, InvalidOperation
from functools import cache
from pathlib import Path
from typing import Any

import duckdb

from catalog import table as catalog_table
from catalog.provider_model import Provider
from catalog.regions import MACRO_CODES, MACRO_ENGLISH
from warehouse.database import insert_columns
from warehouse.errors import BadRequest

Row = Mapping[str, Any]
_PAIR = re.compile(r"[A-Z]{3,5}/CNY")


def insert(con: duckdb.DuckDBPyConnection, table: str, rows: Iterable[Row]) -> None:
    """Insert rows by column name (None and "" = unknown); keys that are no column are left out."""
    found = con.execute("SELECT column_name FROM duckdb_columns() WHERE table_name = ?", [table]).fetchall()
    names = [str(name) for (name,) in found]
    told = list(rows)
    insert_columns(con, table, {name: [_text(row.get(name)) for row in told] for name in names})


def _text(value: Any) -> str | None:
    if value is None or value == "":
        return None
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value)


def cards() -> Iterator[Row]:
    """Every good of the catalog."""
    return iter(catalog_table.rows("cards.csv"))


def card_aliases() -> Iterator[Row]:
    """Every spelling that means a card wherever it is read."""
    plain = {
        (row["alias"], row["card"])
        for row in catalog_table.rows("card_aliases.csv")
        if row["card"] and not row["provider"] and not row["when_gb"]
    }
    return ({"alias": alias, "card": card} for alias, card in sorted(plain))


@cache
def regions() -> tuple[Row, ...]:
    """Nation, macro-regions and every place of the catalog with the macro-region it lies in."""
    nation = {"code": "CN", "name": "全国", "short": "全国", "level": "nation", "english": "China"}
    macros = [
        {"code": code, "name": name, "short": name, "level": "macro", "macro": name, "macro_code": code,
         "english": MACRO_ENGLISH[code]}
        for name, code in MACRO_CODES.items()
    ]  # fmt: skip
    places = [
        {**row, "macro_code": MACRO_CODES.get(row["macro"])} for row in catalog_table.rows("regions.csv")
    ]
    return (nation, *macros, *places)


@cache
def region_aliases() -> tuple[Row, ...]:
    """Short names, pinyin and English names that mean one place alone; a province goes before its city."""
    rank = {"nation": 0, "macro": 1, "province": 2, "city": 3, "county": 4}
    meant: dict[str, list[Row]] = {}
    for row in regions():
        for key in ("name", "short", "pinyin", "english"):
            if row.get(key):
                meant.setdefault(str(row[key]).lower(), []).append(row)
    found = []
    for alias, places in sorted(meant.items()):
        highest = min(rank[place["level"]] for place in places)
        codes = {place["code"] for place in places if rank[place["level"]] == highest}
        if len(codes) == 1:
            found.append({"alias": alias, "code": codes.pop()})
    return tuple(found)


def providers(known: Mapping[str, Provider]) -> Iterator[Row]:
    """What the catalog says of a provider; when it was last seen is added in SQL (providers.sql)."""
    for slug, provider in sorted(known.items()):
        billing = provider.billing
        facts = {
            name: None if (fact := getattr(billing, name)) is None else fact.value
            for name in (
                "granularity_s",
                "min_charge_s",
                "free_disk_gb",
                "disk_cny_per_gb_day",
                "free_traffic_gb",
                "traffic_cny_per_gb",
                "deposit_cny",
                "retention_days",
            )
        }
        yield {
            "provider": slug,
            "name": provider.name,
            "class": provider.class_,
            "status": provider.status,
            "homepage": provider.homepage,
            "reason": provider.reason,
            "known_as": "; ".join(f"{route.name}: {route.known_as}" for route in provider.routes),
            "robots_verdict": provider.terms.robots.verdict,
            "robots_as_of": provider.terms.robots.as_of,
            "terms_url": provider.terms.terms_url.value if provider.terms.terms_url else None,
            **facts,
        }


def fx_rates(path: Path) -> list[Row]:
    """The user's dated exchange rates, `date,pair,rate,source`; none where the file is missing.

    BadRequest names file and line of a row that cannot be one.
    """
    if not path.is_file():
        return []
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError:
        raise BadRequest(f"{path.name}: not UTF-8") from None
    found: dict[tuple[str, str], Row] = {}
    reader = csv.DictReader(io.StringIO(text, newline=""))
    try:
        if not {"date", "pair", "rate"} <= set(reader.fieldnames or ()):
            raise BadRequest(f"{path.name}: the header must be date,pair,rate,source")
        for cells in reader:
            row = _fx_row(cells)
            if found.setdefault((row["date"], row["pair"]), row)["rate"] != row["rate"]:
                raise ValueError(f"two rates for {row['pair']} on {row['date']}")
    except (ValueError, csv.Error) as error:
        raise BadRequest(f"{path.name} line {reader.line_num}: {error}") from None
    return list(found.values())


def _fx_row(cells: Mapping[str, str | None]) -> Row:
    pair, told = (cells.get("pair") or "").strip(), (cells.get("rate") or "").strip()
    if not _PAIR.fullmatch(pair):
        raise ValueError(f"{pair!r} is no pair such as USD/CNY")
    try:
        rate = Decimal(told)
    except InvalidOperation:
        rate = Decimal("NaN")
    if not rate.is_finite() or not 0 < rate < 10_000 or round(rate, 6) != rate:
        raise ValueError(f"{told!r} is no rate with at most six decimals")
    return {
        "date": date.fromisoformat((cells.get("date") or "").strip()).isoformat(),
        "pair": pair,
        "rate": str(rate),
        "source": (cells.get("source") or "").strip(),
    }
