"""All parts of an issue, as the files that `suanjia report` writes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from reports.issue.model import Issue
from reports.render.data import json_part
from reports.render.html import html_part
from reports.render.make_view import make_view
from reports.render.pick_chart import chart_of
from reports.render.sheets import csv_part, xlsx_part
from reports.render.text import text_part
from reports.render.view import View
from reports.render.words import LANGS, choices

# Left for the line with the way out, which a mail gets when it is sent.
FOOTER_BYTES = 1_500


def build_parts(issue: Issue, langs: Sequence[str] = LANGS) -> tuple[Mapping[str, bytes], Mapping[str, View]]:
    """(file name → bytes, language → texts)."""
    charts = {lang: chart_of(issue, lang) for lang in langs}
    views, pages = _that_fit(issue, {lang: alt for lang, (alt, _) in charts.items()})
    parts: dict[str, bytes] = {}
    for lang in langs:
        parts[f"report.{lang}.html"] = pages[lang]
        parts[f"report.{lang}.txt"] = text_part(views[lang]).encode()
        parts[f"chart.{lang}.png"] = charts[lang][1]
    parts["report.csv"] = csv_part(issue)
    parts["report.xlsx"] = xlsx_part(issue)
    parts["report.json"] = json_part(issue)
    return parts, views


def _that_fit(issue: Issue, alts: Mapping[str, str]) -> tuple[dict[str, View], dict[str, bytes]]:
    """Texts and mails of all languages with as many rows as a mail's bytes allow, the same in each."""
    for rows in choices()["rows"]:
        views = {lang: replace(make_view(issue, lang, rows), chart_alt=alt) for lang, alt in alts.items()}
        pages = {lang: html_part(view, f"chart.{lang}.png").encode() for lang, view in views.items()}
        if max(map(len, pages.values())) <= choices()["html_bytes"] - FOOTER_BYTES:
            break
    return views, pages
