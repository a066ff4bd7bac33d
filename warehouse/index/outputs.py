"""What is published, and its smaller tables: levels, keys, parity, administered prices, what is held."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import duckdb
import numpy as np
import pyarrow as pa

from warehouse.database import sql_text
from warehouse.index.administered import detect
from warehouse.index.calendar import date_of
from warehouse.index.emit import Columns
from warehouse.index.holding import Held
from warehouse.index.method import Method
from warehouse.index.panel import KeyRow, Shape
from warehouse.index.parity import country_product_dummy
from warehouse.index.places import cells_of
from warehouse.index.prepare import script, temp
from warehouse.index.state import KEPT


@dataclass(frozen=True, slots=True)
class IndexResult:
    """Arrow tables named and shaped as in `warehouse/sql/index_schema.sql`.

    `held` (obs, quarantine, review) is for the store's notes.
    """

    price_index: pa.Table
    price_level: pa.Table
    held: pa.Table
    index_keys: pa.Table
    index_key_offers: pa.Table
    index_key_weeks: pa.Table
    price_parity: pa.Table
    administered_prices: pa.Table
    index_revisions: pa.Table
    index_alarms: pa.Table


_LEVELS = ("nation", "province", "city")


def levels(
    con: duckdb.DuckDBPyConnection,
    shape: Shape,
    rows: Sequence[KeyRow],
    told: Columns,
    names: Mapping[str, str],
    method: Method,
) -> pa.Table:
    """price_level, from the key-weeks by key (`emit.by_key`); leaves ix_parity_price for `parity`."""
    own = (told["state"] == KEPT) & (shape.twin[told["key"]] < 0) if told else np.empty(0, dtype=bool)
    kept = pa.table(
        {
            "key_no": shape.key_no[told["key"][own]] if told else np.empty(0, dtype=np.int64),
            "week": told["week"][own] if told else np.empty(0, dtype=np.int64),
            "micro": told["micro"][own] if told else np.empty(0),
        }
    )
    places = [
        (number, place, _level(nth, place))
        for number, row in enumerate(rows)
        for nth, place in enumerate(cells_of(row.region_code, row.scope))
    ]
    place = pa.table(
        {
            "key_no": pa.array([p[0] for p in places], pa.int64()),
            "region_code": pa.array([p[1] for p in places], pa.string()),
            "level": pa.array([p[2] for p in places], pa.string()),
        }
    )
    con.execute("SET VARIABLE ix_parity_modes = $1", [list(method.parity.billing_modes)])
    temp(con, "ix_kept", kept)
    temp(con, "ix_place", place)
    temp(con, "ix_name", _name_table(names))
    script(con, "index_level")
    return con.sql(
        """
        SELECT l.region_code, coalesce(n.name, l.region_code) AS region, l.card, l.billing_mode, l.price_kind,
               l.provider_class, DATE '1969-12-29' + (7 * l.week)::INTEGER AS week, l.min, l.p25, l.median,
               l.p75, l.n_offers, l.n_providers, l.composition_changed
        FROM ix_level AS l
        LEFT JOIN ix_name AS n ON n.code = l.region_code
        ORDER BY l.level_no, l.week
        """
    ).to_arrow_table()


def _level(nth: int, place: str) -> str:
    """Whether a cell is compared with provinces; a place outside the mainland stands beside them."""
    return _LEVELS[nth] if nth or place == "CN" else "outside"


def _name_table(names: Mapping[str, str]) -> pa.Table:
    pairs = sorted(names.items())
    return pa.table(
        {
            "code": pa.array([p[0] for p in pairs], pa.string()),
            "name": pa.array([p[1] for p in pairs], pa.string()),
        }
    )


def parity(con: duckdb.DuckDBPyConnection, names: Mapping[str, str], method: Method) -> pa.Table:
    """price_parity: one regression a week and mode."""
    found: dict[tuple[int, str], dict[tuple[str, str], float]] = {}
    query = "SELECT week, billing_mode, region_code, card, micro FROM ix_parity_price"
    for week, mode, region, card, micro in con.execute(query).fetchall():
        found.setdefault((week, mode), {})[region, card] = micro
    out: list[tuple[object, ...]] = []
    for (week, mode), prices in sorted(found.items()):
        for region, value in country_product_dummy(prices, method.parity.reference).items():
            cards = sum(1 for place, _ in prices if place == region)
            out.append((date_of(week), mode, region, names.get(region, region), value, cards))
    schema = pa.schema(
        [
            ("week", pa.date32()),
            ("billing_mode", pa.string()),
            ("region_code", pa.string()),
            ("region", pa.string()),
            ("value", pa.float64()),
            ("n_cards", pa.int32()),
        ]
    )
    return _table(out, schema)


def administered(con: duckdb.DuckDBPyConnection, method: Method) -> pa.Table:
    """administered_prices: every seller's modes against its hourly price."""
    con.execute(sql_text("index_administered"))
    ratios: dict[tuple[str, str], list[float]] = {}
    query = "SELECT provider, billing_mode, ratio FROM ix_ratio"
    for provider, mode, ratio in con.execute(query).fetchall():
        ratios.setdefault((provider, mode), []).append(ratio)
    rows: list[tuple[object, ...]] = []
    for (provider, mode), values in sorted(ratios.items()):
        rule = detect(values, method.administered)
        rows.append(
            (
                provider,
                mode,
                "on_demand",
                rule.n,
                round(rule.ratio, 8),
                round(rule.spread, 8),
                rule.administered,
            )
        )
    schema = pa.schema(
        [
            ("provider", pa.string()),
            ("billing_mode", pa.string()),
            ("base_mode", pa.string()),
            ("n_goods", pa.int32()),
            ("ratio", pa.float64()),
            ("spread", pa.float64()),
            ("administered", pa.bool_()),
        ]
    )
    return _table(rows, schema)


def key_table(rows: Sequence[KeyRow]) -> pa.Table:
    """index_keys."""
    return pa.table(
        {
            "key_no": pa.array(range(len(rows)), pa.int32()),
            "key_name": pa.array([row.name for row in rows], pa.string()),
            "provider": pa.array([row.provider for row in rows], pa.string()),
            "card": pa.array([row.card for row in rows], pa.string()),
            "billing_mode": pa.array([row.billing_mode for row in rows], pa.string()),
            "price_kind": pa.array([row.price_kind for row in rows], pa.string()),
            "region_codes": pa.array(
                [",".join(cells_of(row.region_code, row.scope)) for row in rows], pa.string()
            ),
        }
    )


def held_table(held: Held, outliers: Sequence[int]) -> pa.Table:
    """(obs, quarantine, review) of every observation that has either, sorted by obs."""
    words = dict(zip(held.obs.tolist(), held.word, strict=True))
    marked = set(held.obs[held.review].tolist())
    for obs in outliers:
        words[obs] = words.get(obs) or "outlier"
    told = sorted(obs for obs in words.keys() | marked if words.get(obs) or obs in marked)
    return pa.table(
        {
            "obs": pa.array(told, pa.int64()),
            "quarantine": pa.array([words.get(obs) for obs in told], pa.string()),
            "review": pa.array(["level_review" if obs in marked else None for obs in told], pa.string()),
        }
    )


def _table(rows: Sequence[tuple[object, ...]], schema: pa.Schema) -> pa.Table:
    columns = list(zip(*rows, strict=True)) or [()] * len(schema)
    return pa.table(
        [pa.array(column, field.type) for column, field in zip(columns, schema, strict=True)], schema=schema
    )
