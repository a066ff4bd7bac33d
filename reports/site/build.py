"""Writing the site: pages, data, and the libraries that it ships with."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.resources import files
from pathlib import Path

from reports.issue.archive import write_parts
from reports.issue.model import Issue
from reports.render.view import View
from reports.site.data import cells, offers, script
from reports.site.pages import pages
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
    issue: Issue, views: Mapping[str, View], parts: Mapping[str, bytes], market: Market
) -> dict[str, bytes]:
    """Path → bytes of the whole site; the same issue and market give the same bytes."""
    table = cells(issue, market)
    found = {target: (files("reports.site") / source).read_bytes() for source, target in ASSETS.items()}
    found |= {f"files/{name}": parts[name] for name in (*DOWNLOADS, *CHARTS)}
    found["data/offers.js"] = script("offers", offers(issue, market))
    found["data/cells.js"] = script("cells", table)
    return found | pages(issue, views, market, len(table["rows"]), DOWNLOADS)


def write_site(folder: Path, site: Mapping[str, bytes]) -> None:
    """Write the files; what else stands in the folder stays."""
    for path in sorted(site):
        target = folder / path
        write_parts(target.parent, {target.name: site[path]})
