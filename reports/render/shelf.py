"""The shelf of issues: an index page and an Atom feed over the archive, made anew from its manifests."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

import jinja2

from reports.issue.archive import Archived, all_issues, read_manifest, write_parts
from reports.render import figures
from reports.render.words import Words

ATOM = "http://www.w3.org/2005/Atom"
FEED, PAGE = "feed.xml", "index.html"
# A tag URI names a thing without saying where it is: the folder may be served from anywhere.
_TAG = "tag:suanjia,2026:weekly"
_XML = "{http://www.w3.org/XML/1998/namespace}"
_FILES = ("report.zh.html", "report.en.html", "report.csv", "report.xlsx", "report.json")


def write_shelf(home: Path) -> None:
    """Write `reports/index.html` and `reports/feed.xml`: every issue, newest first."""
    rows = [(issue, read_manifest(issue)) for issue in reversed(all_issues(home))]
    write_parts(home / "reports", {PAGE: _page(rows), FEED: feed(rows)})


def _page(rows: list[tuple[Archived, dict[str, Any]]]) -> bytes:
    latest = {issue.week: issue.vintage for issue, _ in reversed(rows)}
    told = [
        {
            "week": issue.week,
            "vintage": issue.vintage,
            "base": f"{issue.week}/v{issue.vintage}/",
            "subject": manifest["subject"],
            "when": figures.full_moment(datetime.fromisoformat(manifest["as_of"])),
            "corrected": issue.vintage < latest[issue.week],
        }
        for issue, manifest in rows
    ]
    loader = jinja2.PackageLoader("reports", "render/templates")
    environment = jinja2.Environment(loader=loader, autoescape=True, undefined=jinja2.StrictUndefined)
    page = environment.get_template("shelf.html.j2").render(
        rows=told, files=_FILES, zh=Words("zh"), en=Words("en"), feed=FEED
    )
    return (page + "\n").encode()


def feed(rows: Sequence[tuple[Archived, Mapping[str, Any]]], folder: str = "") -> bytes:
    """An Atom feed of issues and their manifests; `folder` is where they stand, seen from the feed."""
    ET.register_namespace("", ATOM)
    feed = ET.Element(f"{{{ATOM}}}feed", {f"{_XML}lang": "zh-CN"})
    _text(feed, "id", _TAG)
    _text(feed, "title", Words("zh")("head.title"))
    _text(feed, "updated", max((str(m["as_of"]) for _, m in rows), default="1970-01-01T00:00:00+00:00"))
    _text(ET.SubElement(feed, f"{{{ATOM}}}author"), "name", "算价 suanjia")
    ET.SubElement(feed, f"{{{ATOM}}}link", {"rel": "self", "href": FEED})
    for issue, manifest in rows:
        base = f"{folder}{issue.week}/v{issue.vintage}/"
        entry = ET.SubElement(feed, f"{{{ATOM}}}entry")
        _text(entry, "id", f"{_TAG}:{issue.week}:v{issue.vintage}")
        _text(entry, "title", manifest["subject"]["zh"])
        _text(entry, "updated", str(manifest["as_of"]))
        for lang, code in (("zh", "zh-CN"), ("en", "en")):
            link = {
                "rel": "alternate",
                "type": "text/html",
                "hreflang": code,
                "href": f"{base}report.{lang}.html",
            }
            ET.SubElement(entry, f"{{{ATOM}}}link", link)
        _text(entry, "summary", "\n".join(manifest["sentences"]["zh"]))
    ET.indent(feed)
    body: str = ET.tostring(feed, encoding="unicode")
    return f'<?xml version="1.0" encoding="utf-8"?>\n{body}\n'.encode()


def _text(parent: ET.Element, name: str, text: str) -> None:
    ET.SubElement(parent, f"{{{ATOM}}}{name}").text = text
