"""From an offer, an observation or a rejection back to the bytes on the page, step by step.

Index cells and fits are explained by their own rooms; `suanjia explain` tells the ids apart.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import duckdb

from pipeline.manifest import SegmentError, segment_dir
from pipeline.segment import read_listing
from spiders.evidence import EvidenceStore
from warehouse.conversion import conversion
from warehouse.errors import BadRequest, NothingToDo
from warehouse.excerpt import excerpt
from warehouse.jsonout import number
from warehouse.layout import Layout
from warehouse.textout import cell

_ID = re.compile(r"offer:[0-9a-f]{16}|obs:[0-9a-f]{16}/\d{8}T\d{6}\.\d{6}Z/\d+\.\d{6}|rej:[0-9a-f]{16}")
_PRINTED = (
    *("price_text", "unit", "context", "card_text", "vram_text", "count_text", "region_text", "zone_text"),
    *("mode", "term_text", "price_kind", "tier", "tax", "listing_id"),
)
_GOOD = (
    "provider",
    "region",
    "region_label",
    "zone",
    "sku",
    "card",
    "form",
    "billing_mode",
    "price_kind",
    "tier",
)


@dataclass(frozen=True, slots=True)
class Step:
    """One step back: what it is, its value as text, and where that stands."""

    what: str
    value: str
    source: str

    def as_dict(self) -> dict[str, str]:
        """The shape of `explain --json`."""
        row = asdict(self)
        return {"what": row["what"], "value": row["value"], "from": row["source"]}


def explain(home: Path, con: duckdb.DuckDBPyConnection, generation: str, name: str) -> list[Step]:
    """The steps behind an id. BadRequest for what is no id, NothingToDo for one that is not there."""
    if not _ID.fullmatch(name):
        raise BadRequest(f"{name!r} is no id; offer:…, obs:…, rej:…, cell:… or fit:…")
    kind = name.split(":", 1)[0]
    steps = list(_EXPLAINERS[kind](home, con, generation, name))
    if not steps:
        raise NothingToDo(f"{name} is not in {generation}")
    return steps


def _offer(home: Path, con: duckdb.DuckDBPyConnection, generation: str, name: str) -> Iterator[Step]:
    rows = _rows(
        con,
        "SELECT *, 'offers' AS found_in FROM offers WHERE offer_id = $1"
        " UNION ALL SELECT *, 'offers_past' FROM offers_past WHERE offer_id = $1",
        [name],
    )
    for row in rows:
        yield Step("offer 报价", f"{name} {_words(row)}", f"{generation}: {row['found_in']}")
        yield Step(
            "state 状态", f"{row['state']}, {row['age_hours']:g} h old at the build", f"{generation}: offers"
        )
        yield from _price(home, con, generation, row)
    seen = _rows(
        con,
        "SELECT count(*) AS n, min(observed_at) AS first, count(quarantine) AS held FROM observations"
        " WHERE offer_id = $1",
        [name],
    )[0]
    if seen["n"]:
        value = f"{seen['n']} observations since {cell(seen['first'])}, {seen['held']} of them held back"
        yield Step("history 历史", value, f"{generation}: observations")


def _observation(home: Path, con: duckdb.DuckDBPyConnection, generation: str, name: str) -> Iterator[Step]:
    offer, at, _ = name.removeprefix("obs:").split("/")
    rows = _rows(
        con,
        "SELECT * FROM observations WHERE offer_id = $1 AND observed_at = strptime($2, '%Y%m%dT%H%M%S.%fZ')"
        " AT TIME ZONE 'UTC' AND obs_id = $3",
        [f"offer:{offer}", at, name],
    )
    for row in rows:
        yield Step("observation 观测", f"{name} {_words(row)}", f"{generation}: observations")
        held = row["quarantine"] or ("review: " + row["review"] if row["review"] else "none: it counts")
        yield Step("held back 隔离", str(held), f"{generation}: observations.quarantine")
        if not row["usable"]:
            yield Step("counts 计入", "no: its run did not pass its gates", f"{generation}: runs")
        for review in _rows(con, "SELECT * FROM reviews WHERE id = $1 ORDER BY decided_at", [name]):
            by = f"{review['action']} by {review['reviewer']}, {cell(review['decided_at'])}"
            value = f"{by}: {review['reason']}"
            yield Step("decision 复核", value, "reviews.jsonl")
        yield from _price(home, con, generation, row)


def _rejection(home: Path, con: duckdb.DuckDBPyConnection, generation: str, name: str) -> Iterator[Step]:
    for row in _rows(
        con, "SELECT * FROM rejections WHERE rejection_id = $1 ORDER BY run_id, locator", [name]
    ):
        yield Step("rejection 拒绝", f"{name} {row['reason']}", f"{generation}: rejections")
        yield Step("rule 规则", f"{row['reason']}, version {row['rule_version']}", "catalog/reasons.csv")
        printed = " | ".join(str(row[k]) for k in ("card_text", "region_text", "price_text") if row[k])
        yield Step("as printed 原文", printed, f"{generation}: rejections")
        yield from _provenance(home, con, row, row["price_text"])


_EXPLAINERS = {"offer": _offer, "obs": _observation, "rej": _rejection}


def _price(
    home: Path, con: duckdb.DuckDBPyConnection, generation: str, row: Mapping[str, Any]
) -> Iterator[Step]:
    """The price back to the page: conversion, the listing as the spider read it, the evidence."""
    for what, value in reversed(list(conversion(row))):
        yield Step(what, value, "arithmetic")
    printed = None
    folder = segment_dir(home, row["run_id"], row["provider"])
    try:
        listings = read_listing(folder, row["evidence"], row["locator"])
    except (OSError, SegmentError):
        listings = []
        yield Step("listing 挂牌", "the segment is not in this data directory", _shown(home, folder))
    for listing in listings:
        printed = printed or listing["price_text"]
        value = "; ".join(f"{key} {listing[key]!r}" for key in _PRINTED if listing[key])
        yield Step("as read 原文", value, f"{_shown(home, folder)}/listings.parquet")
    yield from _provenance(home, con, row, printed)


def _provenance(
    home: Path, con: duckdb.DuckDBPyConnection, row: Mapping[str, Any], printed: str | None
) -> Iterator[Step]:
    run = _rows(
        con, "SELECT * FROM runs WHERE run_id = $1 AND provider = $2", [row["run_id"], row["provider"]]
    )
    for found in run:
        name = f"{row['run_id']}/{row['provider']}"
        value = f"{name}: {found['kind']} of {cell(found['started_at'])}, {found['outcome']}"
        manifest = segment_dir(home, row["run_id"], row["provider"]) / "manifest.json"
        yield Step("run 批次", value, _shown(home, manifest))
    yield Step("page 来源", str(row["source_url"]), "the address that was asked")
    store = EvidenceStore(Layout(home).evidence)
    try:
        body = store.read(row["evidence"])
    except (OSError, ValueError) as error:
        yield Step("evidence 证据", f"{row['evidence']} at {row['locator']}", f"not readable: {error}")
        return
    where = _shown(home, store.path(row["evidence"]))
    yield Step("evidence 证据", f"{row['evidence']}, {len(body)} bytes", where)
    found_there = excerpt(body, row["locator"], printed)
    if found_there is None:
        yield Step("place 位置", row["locator"], where)
    else:
        yield Step("place 位置", f"{row['locator']}: {found_there.text}", f"{where}, {found_there.where}")


def _words(row: Mapping[str, Any]) -> str:
    parts = [str(row[key]) for key in _GOOD if row.get(key)]
    period = f"{number(row['per_hours'])} h / {number(row['gpu_count'])} card"
    price = f"{number(row['price'])} {row['currency']} / {period}"
    return " · ".join([*parts, price, cell(row["observed_at"])])


def _rows(con: duckdb.DuckDBPyConnection, sql: str, values: list[Any]) -> list[dict[str, Any]]:
    result = con.execute(sql, values)
    names = [str(column[0]) for column in result.description or ()]
    return [dict(zip(names, row, strict=True)) for row in result.fetchall()]


def _shown(home: Path, path: Path) -> str:
    """A path inside the data directory, without the directory itself."""
    return path.relative_to(home).as_posix()
