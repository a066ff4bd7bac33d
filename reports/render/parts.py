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
from reports.render.words import LANGS


def build_parts(issue: Issue, langs: Sequence[str] = LANGS) -> tuple[Mapping[str, bytes], Mapping[str, View]]:
    """(file name → bytes, language → texts)."""
    parts: dict[str, bytes] = {}
    views: dict[str, View] = {}
    for lang in langs:
        alt, png = chart_of(issue, lang)
        view = replace(make_view(issue, lang), chart_alt=alt)
        views[lang] = view
        parts[f"report.{lang}.html"] = html_part(view, f"chart.{lang}.png").encode()
        parts[f"report.{lang}.txt"] = text_part(view).encode()
        parts[f"chart.{lang}.png"] = png
    parts["report.csv"] = csv_part(issue)
    parts["report.xlsx"] = xlsx_part(issue)
    parts["report.json"] = json_part(issue)
    return parts, views
