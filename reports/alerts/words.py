"""The words of an alert."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from reports.alerts.rules import Rule
from reports.alerts.watch import Sight
from reports.issue.read import place_names, workloads
from reports.numbers import half_up
from reports.render import figures
from reports.render.names import latin_or_han
from reports.render.words import LANGS, Words

if TYPE_CHECKING:
    import duckdb


@dataclass(frozen=True, slots=True)
class Book:
    """Names of a generation: sellers, places (Chinese, English), jobs (Chinese, English)."""

    providers: Mapping[str, str]
    places: Mapping[str, tuple[str, str]]
    jobs: Mapping[str, tuple[str, str]]

    @classmethod
    def of(cls, con: duckdb.DuckDBPyConnection) -> Book:
        return cls(
            dict(con.execute("SELECT provider, name FROM providers").fetchall()),
            place_names(con),
            {job.name: (job.title_zh, job.title_en) for job in workloads(con)},
        )


def message(rule: Rule, sight: Sight, book: Book) -> tuple[str, str]:
    """(title, body) in the rule's language, with the price's age."""
    w, told = Words(rule.lang), sight.words
    filling = {
        "name": rule.name,
        "card": told.get("card") or "",
        "mode": _mode(told.get("mode"), w),
        "place": _place(told.get("region") or rule.region, book, w),
        "provider": latin_or_han(
            book.providers.get(str(told.get("provider")), ""), str(told.get("provider")), w.lang
        ),
        "price": _money(told.get("price")),
        "limit": _money(told.get("limit")),
        "weeks": told.get("weeks", ""),
        "workload": book.jobs.get(str(told.get("workload")), ("", ""))[LANGS.index(w.lang)],
        "cards": f"{told.get('card')} × {figures.count(told.get('count') or 1)}",
        "stock": "?" if told.get("stock") is None else figures.count(told["stock"]),
        "runs": told.get("runs", ""),
        "outcome": w.outcome(told.get("outcome")),
        "since": figures.full_moment(told["since"]) if told.get("since") else "?",
        "age": w("alert.age", n=figures.count(half_up(Decimal(str(told.get("age") or 0)), 0))),
    }
    return w("alert.title", **filling), w(f"alert.{rule.kind}", **filling)


def _money(value: Any) -> str:
    return "?" if value is None else figures.money(Decimal(value))


def _mode(code: Any, w: Words) -> str:
    return w(f"mode.{code}") if code and w.has(f"mode.{code}") else str(code or "")


def _place(code: str | None, book: Book, w: Words) -> str:
    if code is None or code == "CN":
        return w("word.nation")
    return book.places.get(code, (code, code))[LANGS.index(w.lang)]
