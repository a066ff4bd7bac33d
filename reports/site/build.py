"""Writing the site: pages, data, and the libraries that it ships with."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.resources import files
from pathlib import Path

from reports.issue.archive import write_parts
from reports.issue.model import Issue
from reports.render.view import View
from reports.site.data import cells, offers, script
from reports.site.pages import pages, past_pages
from reports.site.past import SITE_BYTES, past_files, past_issues, prune
from reports.site.read import Market

# file of the package → file of the site
ASSETS = {
    "assets/site.css": "assets/site.css",
    "assets/site.js": "assets/site.js",
    "vendor/uPlot/uPlot.iife.min.js": "assets/uPlot.iife.min.js",
    "vendor/uPlot/uPlot.min.css": "assets/uPlot.min.css",
    "vendor/uPlot/LICENSE": "assets/uPlot.LICENSE.txt",
    "vendor/DataTables/dataTables.min.js": "assets/dataTables.min.js",
    "vendor/DataTables/LICENSE": "assets/dataTables.LICENSE.txt",
}
DOWNLOADS = ("report.csv", "report.xlsx", "report.json", "report.zh.txt", "report.en.txt")
CHARTS = ("chart.zh.png", "chart.en.png")


def site_files(
    home: Path, issue: Issue, views: Mapping[str, View], parts: Mapping[str, bytes], market: Market
) -> dict[str, bytes]:
    """Path → bytes of the whole site; the same issue, market and archive give the same bytes."""
    table = cells(issue, market)
    found = {target: (files("reports.site") / source).read_bytes() for source, target in ASSETS.items()}
    found |= {f"files/{name}": parts[name] for name in (*DOWNLOADS, *CHARTS)}
    found["data/offers.js"] = script("offers", offers(issue, market))
    found["data/cells.js"] = script("cells", table)
    found |= pages(issue, views, market, len(table["rows"]), DOWNLOADS)
    past = past_issues(home, SITE_BYTES - sum(len(data) for data in found.values()))
    return found | past_pages(issue, views, past) | past_files(past)


def write_site(folder: Path, site: Mapping[str, bytes]) -> None:
    """Write the files. What else stands in the folder stays, but for past issues that are not carried now."""
    prune(folder, site)
    for path in sorted(site):
        target = folder / path
        write_parts(target.parent, {target.name: site[path]})
