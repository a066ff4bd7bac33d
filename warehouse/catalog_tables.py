"""Rows of the catalog as the published tables hold them (warehouse/sql/catalog.sql names the columns)."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Iterator, Mapping
from datetime import date
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa

from catalog import table as catalog_table
from catalog.provider_model import Provider
from warehouse.errors import BadRequest

Row = Mapping[str, Any]
_PAIR = re.compile(r"[A-Z]{3,5}/CNY")


def insert(con: duckdb.DuckDBPyConnection, table: str, rows: Iterable[Row]) -> None:
    """Insert rows by column name (None and "" = unknown); keys that are no column are left out."""
    found = con.execute("SELECT column_name FROM duckdb_columns() WHERE table_name = ?", [table]).fetchall()
    names = [str(name) for (name,) in found]
    texts = [{name: _text(row.get(name)) for name in names} for row in rows]
    incoming = pa.Table.from_pylist(texts, schema=pa.schema([(name, pa.string()) for name in names]))
    con.register("incoming_rows", incoming)
    con.execute(f"INSERT INTO {table} SELECT * FROM incoming_rows")
    con.unregister("incoming_rows")


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


# Codes that stand beside GB/T 2260: scope of the whole nation, macro-regions.
MACROS = {
    "华北": "CN-N",
    "东北": "CN-NE",
    "华东": "CN-E",
    "华中": "CN-C",
    "华南": "CN-S",
    "西南": "CN-SW",
    "西北": "CN-NW",
}


def regions() -> Iterator[Row]:
    """Nation, macro-regions and every place of the catalog with the macro-region it lies in."""
    yield {"code": "CN", "name": "全国", "short": "全国", "level": "nation"}
    for macro, code in MACROS.items():
        yield {
            "code": code,
            "name": macro,
            "short": macro,
            "level": "macro",
            "macro": macro,
            "macro_code": code,
        }
    for row in catalog_table.rows("regions.csv"):
        yield {**row, "macro_code": MACROS.get(row["macro"])}


def region_aliases() -> Iterator[Row]:
    """Short names, pinyin and English names that mean one place alone; a province goes before its city."""
    rank = {"nation": 0, "macro": 1, "province": 2, "city": 3, "county": 4}
    meant: dict[str, list[Row]] = {}
    for row in regions():
        for key in ("name", "short", "pinyin", "english"):
            if row.get(key):
                meant.setdefault(str(row[key]).lower(), []).append(row)
    for alias, places in sorted(meant.items()):
        highest = min(rank[place["level"]] for place in places)
        codes = sorted({place["code"] for place in places if rank[place["level"]] == highest})
        if len(codes) == 1:
            yield {"alias": alias, "code": codes[0]}


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
    rows = []
    with path.open(encoding="utf-8-sig", newline="") as file:
        reader = csv.DictReader(file)
        if not {"date", "pair", "rate"} <= set(reader.fieldnames or ()):
            raise BadRequest(f"{path.name}: the header must be date,pair,rate,source")
        for row in reader:
            try:
                rows.append(_fx_row(row))
            except (ValueError, InvalidOperation, TypeError) as error:
                raise BadRequest(f"{path.name} line {reader.line_num}: {error}") from None
    seen: dict[tuple[str, str], str] = {}
    for given in rows:
        key = (given["date"], given["pair"])
        if seen.setdefault(key, given["rate"]) != given["rate"]:
            raise BadRequest(f"{path.name}: two rates for {given['pair']} on {given['date']}")
    return [row for i, row in enumerate(rows) if row not in rows[:i]]


def _fx_row(row: Mapping[str, str]) -> Row:
    pair, rate = row["pair"].strip(), Decimal(row["rate"].strip())
    if not _PAIR.fullmatch(pair):
        raise ValueError(f"{pair!r} is no pair such as USD/CNY")
    if not rate.is_finite() or not 0 < rate < 10_000 or round(rate, 6) != rate:
        raise ValueError(f"{row['rate']!r} is no rate with at most six decimals")
    return {
        "date": date.fromisoformat(row["date"].strip()).isoformat(),
        "pair": pair,
        "rate": str(rate),
        "source": (row.get("source") or "").strip(),
    }
