"""`suanjia review`: the list of held observations and what a person decides about them."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

import duckdb

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
    made = [
        checked(Review(name, action, by or "", reason or "", now))
        for action, names in (("release", released), ("refuse", refused))
        for name in names
    ]
    if len({review.id for review in made}) != len(made):
        raise BadRequest("an observation is named twice")
    for review in made:
        offer = "offer:" + review.id.removeprefix("obs:").split("/")[0]
        known = con.execute(
            "SELECT 1 FROM observations WHERE offer_id = $1 AND obs_id = $2 LIMIT 1", [offer, review.id]
        ).fetchall()
        if not known:
            raise BadRequest(f"{review.id} is not in the published generation")
    for review in made:
        append_review(Layout(home).reviews, review)
    return made
