"""The cheapest live offers: the question of `suanjia cheapest`, on the macros of the published file."""

from __future__ import annotations

import difflib
import re
from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import duckdb

from catalog.billing import BILLING_MODES
from catalog.cards import cards
from pipeline.reading import card as card_reader
from warehouse.database import sql_text
from warehouse.errors import BadRequest

RANK_HOURS = 168
OLD_HOURS = 72
# Where an offer must be, with a place asked for and without: planning the first costs as long as the answer.
PLACES = {
    True: "in_region(a.region_code, $region::VARCHAR)",
    False: "a.site = 'mainland' AND in_mainland(a.region_code)",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """What is wanted; None = no matter. `max_price` is CNY per card-hour with tax, `min_vram` GB per card."""

    card: str | None = None
    form: str | None = None
    count: int | None = None
    min_vram: Decimal | None = None
    region: str | None = None
    mode: str | None = "on_demand"
    max_price: Decimal | None = None
    max_age_hours: Decimal | None = None
    limit: int = 20


def cheapest(con: duckdb.DuckDBPyConnection, question: Question, now: datetime) -> list[dict[str, Any]]:
    """Ranked purchases, cheapest first; ages count to `now`. BadRequest for a card or region nobody knows."""
    values: dict[str, Any] = {
        "card": question.card,
        "form": question.form,
        "count": question.count,
        "min_vram": question.min_vram,
        "mode": question.mode,
        "max_price": question.max_price,
        "max_age": question.max_age_hours,
        "rank_hours": RANK_HOURS,
        "old_hours": OLD_HOURS,
        "now": now.astimezone(UTC),
        "limit": question.limit,
    }
    if question.region is not None:
        values["region"] = _region(con, question.region)
    sql = sql_text("cheapest").replace("{place}", PLACES["region" in values])
    result = con.execute(sql, values)
    names = ["rank", *(str(column[0]) for column in result.description or ())]
    return [
        dict(zip(names, (rank, *row), strict=True)) for rank, row in enumerate(result.fetchall(), start=1)
    ]


def question(
    *,
    card: str | None,
    count: int | None,
    min_vram: Decimal | None,
    region: str | None,
    mode: str,
    max_price: Decimal | None,
    max_age: Decimal | None,
    limit: int,
) -> Question:
    """A question from words; BadRequest for a card or a billing mode that does not exist."""
    if mode != "any" and mode not in BILLING_MODES:
        raise BadRequest(f"no billing mode is called {mode!r}; one of {', '.join(BILLING_MODES)}, any")
    name, form = (None, None) if card is None else _card(card)
    return Question(
        card=name,
        form=form,
        count=count,
        min_vram=min_vram,
        region=region,
        mode=None if mode == "any" else mode,
        max_price=max_price,
        max_age_hours=max_age,
        limit=limit,
    )


def _card(text: str) -> tuple[str, str | None]:
    """(card, form) of a name as people write it: names are literals, nothing is matched by likeness."""
    reading = card_reader.read(text)
    if isinstance(reading, card_reader.CardReading) and reading.card is not None and _is_name(text, reading):
        return reading.card, reading.form
    stem = text.split("-")[0].split()[0].lower() if text.strip() else "?"
    near = [name for name in cards() if name.lower().startswith(stem)]
    hint = f"; there are {', '.join(near[:8])}" if near else ""
    raise BadRequest(f"no card is called {text!r}{hint}")


def _is_name(text: str, reading: card_reader.CardReading) -> bool:
    """Whether the text is a name and no more: `A100-8` is neither a size nor a name."""
    if reading.count_stated:
        return False
    if reading.card is None or reading.vram_gb is not None or reading.form is not None:
        return True
    return re.sub(r"\W", "", text).lower().endswith(re.sub(r"\W", "", reading.card).lower())


def why_none(con: duckdb.DuckDBPyConnection, question: Question) -> str:
    """A sentence for an empty answer: what of the same family is sold."""
    others = [] if question.card is None else sized_goods(con, question.card)
    family = "同族在售，不限地区和计费 of its family, in any place and mode"
    hint = f"; {family}: {', '.join(others)}" if others else ""
    return f"nothing fits 没有符合条件的报价{hint}"


def sized_goods(con: duckdb.DuckDBPyConnection, card: str) -> list[str]:
    """Other goods of the same family that have live offers: `A100` → `A100-40G`, `A100-80G`."""
    rows = con.execute(
        "SELECT DISTINCT o.card FROM offers AS o JOIN cards AS c ON c.card = o.card"
        " WHERE c.family = (SELECT family FROM cards WHERE card = $1) AND o.card <> $1 ORDER BY 1",
        [card],
    ).fetchall()
    return [str(name) for (name,) in rows]


def _region(con: duckdb.DuckDBPyConnection, text: str) -> str:
    code = con.execute("SELECT region_of($1)", [text.strip()]).fetchall()[0][0]
    if code is None and con.execute("SELECT 1 FROM offers WHERE region_code = $1 LIMIT 1", [text]).fetchall():
        return text
    if code is None:
        known = [name for (name,) in con.execute("SELECT DISTINCT region FROM offers ORDER BY 1").fetchall()]
        near = difflib.get_close_matches(text, [str(k) for k in known if k], n=3)
        hint = f"; did you mean {', '.join(near)}?" if near else ""
        raise BadRequest(f"no region is called {text!r}{hint}")
    return str(code)
