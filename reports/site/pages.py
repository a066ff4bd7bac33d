"""The pages of the site in both languages."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping, Sequence
from datetime import timedelta
from functools import cache
from importlib.resources import files
from typing import Any

import jinja2
from markupsafe import Markup

from reports.issue.clock import freeze_of
from reports.issue.model import Issue
from reports.marks import WORDS
from reports.numbers import half_up
from reports.render import figures
from reports.render.html import unbroken
from reports.render.links import link
from reports.render.names import Names
from reports.render.shelf import FEED
from reports.render.view import Section, View
from reports.render.words import LANGS, Words, _table
from reports.site.data import MARKS
from reports.site.past import Past, past_rows
from reports.site.read import Market, Row
from warehouse.index.method import load_method

PAGES = ("index", "cells", "offers", "providers", "method")
ARCHIVE = "archive"


@cache
def _environment() -> jinja2.Environment:
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("reports", "site/templates"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=False,
        keep_trailing_newline=True,
    )
    environment.filters["unbroken"] = unbroken
    return environment


def pages(
    issue: Issue, views: Mapping[str, View], market: Market, cells: int, downloads: Sequence[str]
) -> dict[str, bytes]:
    """Path → bytes of every page: Chinese at the top, English under `en/`."""
    found: dict[str, bytes] = {}
    for lang in LANGS:
        s, names = Words(lang, "reports.site"), Names(issue, lang)
        own: dict[str, dict[str, Any]] = {
            "index": {"title": views[lang].title, "page": "issue", "downloads": downloads},
            "cells": {"title": s("cells.title"), "rows": cells},
            "offers": {"title": s("offers.title")},
            "providers": {
                "title": s("providers.title"),
                "rows": [_seller(r, names, s) for r in market.providers],
            },
            "method": {"title": s("method.title"), "sections": method_sections(issue, lang)},
        }
        for name in PAGES:
            found |= _page(name, issue, views[lang], own[name])
    return found


def past_pages(issue: Issue, views: Mapping[str, View], past: Sequence[Past]) -> dict[str, bytes]:
    """The page of past issues in both languages."""
    found: dict[str, bytes] = {}
    for lang in LANGS:
        title = Words(lang, "reports.site")("archive.title")
        found |= _page(ARCHIVE, issue, views[lang], {"title": title, "rows": past_rows(past, lang)})
    return found


def _page(name: str, issue: Issue, view: View, own: Mapping[str, Any]) -> dict[str, bytes]:
    chinese = view.lang == "zh"
    told = {
        "page": name,
        "other": f"en/{name}.html" if chinese else f"../{name}.html",
        "lang": view.lang,
        "s": Words(view.lang, "reports.site"),
        "v": view,
        "up": "" if chinese else "../",
        "label": issue.week.label,
        "when": figures.full_moment(issue.week.as_of),
        "rebuilt": view.rebuilt,
        "words": Markup(_words(view.lang)),
        "feed": FEED,
        **own,
    }
    page = _environment().get_template(f"{name}.html.j2").render(told).encode()
    return {f"{name}.html" if chinese else f"en/{name}.html": page}


def _words(lang: str) -> str:
    """The words that the script needs, as JSON that cannot end its element."""
    place = LANGS.index(lang)
    told: dict[str, Any] = {
        f"{section}.{key}": pair[place]
        for section, words in _table("reports.site").items()
        if section in {"cells", "offers", "table"}
        for key, pair in words.items()
    }
    render = _table("reports.render")
    told["word.flat"] = render["word"]["flat"][place]
    site = Words(lang, "reports.site")
    told["offers.marks_list"] = [
        WORDS[code][place].replace("{days}", "{days}") if code in WORDS else site(f"offers.{code}")
        for code in MARKS
    ]
    return json.dumps(told, ensure_ascii=False, sort_keys=True).replace("<", "\\u003c")


# Facts of the meter: words for a number, and for nought (None: nought says nothing).
_METER = (("granularity_s", "providers.per", None), ("min_charge_s", "providers.least", None))
_EXTRAS = (
    ("free_disk_gb", "providers.disk_free", None),
    ("disk_cny_per_gb_day", "providers.disk", "providers.disk_none"),
    ("traffic_cny_per_gb", "providers.traffic", "providers.traffic_none"),
    ("deposit_cny", "providers.deposit", "providers.deposit_none"),
)


def _facts(row: Row, facts: Sequence[tuple[str, str, str | None]], s: Words) -> str:
    told = []
    for column, some, nought in facts:
        value = row[column]
        key = None if value is None else some if value else nought
        if key is not None:
            told.append(s(key, n=figures.count(value)))
    return " · ".join(told)


def _seller(row: Row, names: Names, s: Words) -> dict[str, Any]:
    verdict = str(row["robots_verdict"] or "unknown")
    robots = s(f"providers.robots_{verdict}") if s.has(f"providers.robots_{verdict}") else verdict
    return {
        "slug": row["provider"],
        "name": names.provider(row["provider"]),
        "href": link(row["homepage"]),
        "kind": s(f"providers.{row['class']}") if s.has(f"providers.{row['class']}") else row["class"] or "",
        "health": _health(row, s),
        "offers": row["live_offers"] or 0,
        "meter": _facts(row, _METER, s),
        "extras": _facts(row, _EXTRAS, s),
        "robots": robots,
        "terms": link(row["terms_url"]),
    }


def _health(row: Row, s: Words) -> str:
    """How the crawls have been doing; where there is none, the newest sheet."""
    if row["crawled_at"] is None:
        seen = row["seen_at"]
        return s("providers.never") if seen is None else s("providers.sheet", when=figures.iso_day(seen))
    outcome = Words(s.lang).outcome(row["crawl_outcome"])
    if row["crawl_ok_at"] is None:
        return s("providers.failed", outcome=outcome)
    when = figures.iso_day(row["crawl_ok_at"])
    if row["crawled_at"] > row["crawl_ok_at"]:
        return s("providers.stale", when=when, outcome=outcome)
    return s("providers.good", when=when)


def method_sections(issue: Issue, lang: str) -> list[Section]:
    """The method in words, with the numbers of the version that made the issue."""
    method = load_method(issue.method_version)
    gate, missing = method.gate, method.missing
    filling = {
        "max_weeks": missing.max_weeks,
        "gone": missing.gone_after_runs,
        "min_keys": gate.min_keys,
        **{f"{name}_keys": bar.keys for name, bar in (("a", gate.a), ("b", gate.b))},
        **{f"{name}_sellers": bar.providers for name, bar in (("a", gate.a), ("b", gate.b))},
        **{
            f"{name}_imputed": f"{half_up_percent(bar.imputed)}%"
            for name, bar in (("a", gate.a), ("b", gate.b))
        },
    }
    assert freeze_of(issue.week.monday) - issue.week.start == timedelta(
        days=7, hours=method.week.freeze_hours
    )
    place = LANGS.index(lang)
    table = tomllib.loads((files("reports.site") / "method.toml").read_text(encoding="utf-8"))
    return [
        Section(part["title"][place], tuple(line[place].format_map(filling) for line in part["lines"]))
        for part in table["section"]
    ]


def half_up_percent(share: float) -> str:
    """`10` of 0.1."""
    from decimal import Decimal

    return figures.count(half_up(Decimal(str(share)) * 100, 1))
