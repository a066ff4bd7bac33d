"""`suanjia review`: the list of held observations and what a person decides about them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any, Literal

import duckdb

from warehouse.database import enough_space
from warehouse.errors import BadRequest
from warehouse.layout import Layout
from warehouse.reviews import Review, append_review, checked

_HELD = """
SELECT o.obs_id AS id, coalesce(o.quarantine, o.review) AS held, o.observed_at, o.provider, o.card, o.form,
       o.billing_mode, o.price_kind, coalesce(r.short, o.region_code, o.region_label) AS region, o.price,
       o.currency, o.price_cny_per_card_hour, o.source_url
FROM observations AS o
LEFT JOIN regions AS r ON r.code = o.region_code
WHERE o.quarantine IS NOT NULL OR ($only_held = false AND o.review IS NOT NULL)
ORDER BY o.observed_at DESC, o.provider, o.obs_id
LIMIT $limit
"""


def held_back(con: duckdb.DuckDBPyConnection, limit: int, only_held: bool = True) -> list[dict[str, Any]]:
    """Held observations, newest first, at most `limit`; with `only_held` False also those under review."""
    result = con.execute(_HELD, {"limit": limit, "only_held": only_held})
    names = [str(column[0]) for column in result.description or ()]
    return [dict(zip(names, row, strict=True)) for row in result.fetchall()]


def decide(
    home: Path,
    con: duckdb.DuckDBPyConnection,
    now: datetime,
    released: Sequence[str],
    refused: Sequence[str],
    by: str | None,
    reason: str | None,
) -> list[Review]:
    """Write the decisions down; all are looked at before the first is written.

    BadRequest without name or reason, for an id that this generation does not know, or one named twice.
    """
    asked: list[tuple[Literal["release", "refuse"], str]] = [
        *(("release", name) for name in released),
        *(("refuse", name) for name in refused),
    ]
    made = [checked(Review(name, action, by or "", reason or "", now)) for action, name in asked]
    if len({review.id for review in made}) != len(made):
        raise BadRequest("an observation is named twice")
    told = [replace(review, held=_held_for(con, review.id) or review.held) for review in made]
    with enough_space("review"):
        for review in told:
            append_review(Layout(home).reviews, review)
    return told


def _held_for(con: duckdb.DuckDBPyConnection, name: str) -> str | None:
    """Why the observation is held now (None = it is not); BadRequest for one that is not there."""
    offer = "offer:" + name.removeprefix("obs:").split("/")[0]
    rows = con.execute(
        "SELECT quarantine FROM observations WHERE offer_id = $1 AND obs_id = $2 LIMIT 1", [offer, name]
    ).fetchall()
    if not rows:
        raise BadRequest(f"{name} is not in the published generation")
    return None if rows[0][0] is None else str(rows[0][0])
