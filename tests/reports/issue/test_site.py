"""The static site and the archive without a browser: numbers, sizes, bytes, links."""

from __future__ import annotations

import hashlib
import json
import re
import xml.etree.ElementTree as ET
from decimal import Decimal
from html.parser import HTMLParser
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest

from reports.issue.archive import all_issues
from reports.issue.build import build_issue
from reports.numbers import half_up
from reports.render.shelf import ATOM
from reports.site.build import write_site
from reports.site.data import MARKS
from reports.site.past import PARTS, past_files, past_issues, past_rows
from tests.reports.issue.issue_world import NOW
from warehouse.reader import open_latest


@pytest.fixture(scope="module")
def site(published: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """(data directory, site)."""
    import shutil

    home = tmp_path_factory.mktemp("site_home") / "home"
    shutil.copytree(published, home)
    build_issue(home, NOW, None, rebuilt=False, site=home.parent / "site")
    return home, home.parent / "site"


def data(site: Path, name: str) -> Any:
    """What a data file sets."""
    text = (site / "data" / f"{name}.js").read_text(encoding="utf-8")
    return json.loads(text.split(f"SUANJIA.{name}=", 1)[1].rstrip(";\n"))


def test_offers_are_those_of_the_database(site: tuple[Path, Path]) -> None:
    table = data(site[1], "offers")
    con, _ = open_latest(site[0])
    rows = con.execute(
        "SELECT offer_id, price_cny_per_card_hour_gross, stock_idle FROM offers ORDER BY offer_id"
    ).fetchall()
    con.close()
    found = sorted((f"offer:{row[11]}", row[6], row[7]) for row in table["rows"])
    assert [row[:2] for row in found] == [(i, int(half_up(price, 2) * 100)) for i, price, _ in rows]
    assert [row[2] for row in found] == [stock for _, _, stock in rows]
    assert [row[6] for row in table["rows"]] == sorted(row[6] for row in table["rows"])


def test_cells_are_those_of_the_database(site: tuple[Path, Path]) -> None:
    table = data(site[1], "cells")
    con, _ = open_latest(site[0])
    rows = con.execute(
        "SELECT region_code, card, billing_mode, week, value::DECIMAL(18,8) FROM price_index"
        " WHERE series = 'list' AND week <= '2026-11-23' AND region_code = 'CN'"
        " AND state IN ('base', 'published', 'indicative')"
        " ORDER BY ALL"
    ).fetchall()
    con.close()
    shown = set()
    for row in table["rows"]:
        if table["regions"][row[0]] == ["全国", "China"]:
            for value in row[3]:
                if value is not None:
                    shown.add((table["cards"][row[1]], Decimal(value) / 10))
    assert shown == {(card, half_up(value, 1)) for _, card, _, _, value in rows}


def test_a_mark_for_every_bit(site: tuple[Path, Path]) -> None:
    for page, language in (("offers.html", 0), ("en/offers.html", 1)):
        text = (site[1] / page).read_text(encoding="utf-8")
        words = json.loads(re.search(r'<script id="words"[^>]*>(.*?)</script>', text, re.S)[1])  # type: ignore[index]
        assert len(words["offers.marks_list"]) == len(MARKS)
        assert words["offers.marks_list"][0] == ("售罄", "sold out")[language]


def test_sizes(site: tuple[Path, Path]) -> None:
    sizes = {path: path.stat().st_size for path in site[1].rglob("*") if path.is_file()}
    assert sum(sizes.values()) <= 5_000_000
    first = ("index.html", "assets/site.css", "files/chart.zh.png")
    assert sum(sizes[site[1] / name] for name in first) <= 200_000


def test_the_same_bytes_twice(site: tuple[Path, Path], tmp_path: Path, home: Path) -> None:
    build_issue(home, NOW, None, rebuilt=False, site=tmp_path / "again")

    def digests(folder: Path) -> dict[str, str]:
        paths = [path for path in folder.rglob("*") if path.is_file()]
        return {str(p.relative_to(folder)): hashlib.sha256(p.read_bytes()).hexdigest() for p in paths}

    assert digests(tmp_path / "again") == digests(site[1])


class Links(HTMLParser):
    """Every address of a page, and whether the reader follows it or the browser loads it."""

    def __init__(self) -> None:
        super().__init__()
        self.followed: list[str] = []
        self.loaded: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        told = dict(attrs)
        if tag == "a" and told.get("href"):
            self.followed.append(str(told["href"]))
        elif tag in {"link", "script", "img"}:
            self.loaded += [str(told[name]) for name in ("href", "src") if told.get(name)]


def test_nothing_is_loaded_from_outside_and_every_link_leads_somewhere(site: tuple[Path, Path]) -> None:
    for page in site[1].rglob("*.html"):
        links = Links()
        links.feed(page.read_text(encoding="utf-8"))
        for link in [*links.loaded, *links.followed]:
            if (link.startswith("https://") and link in links.followed) or link == "data:,":
                continue
            if not link.startswith("#"):
                assert (page.parent / link.split("#")[0]).is_file(), (page.name, link)
    for asset in (site[1] / "assets").glob("site.*"):
        assert "http" not in asset.read_text(encoding="utf-8"), asset.name


def test_the_web_server_knows_every_kind_of_file(site: tuple[Path, Path]) -> None:
    from suanjia.serve.web import TYPES

    assert {path.suffix for path in site[1].rglob("*") if path.is_file()} <= TYPES.keys()


def test_the_libraries_are_what_their_list_says() -> None:
    vendor = files("reports.site") / "vendor"
    listed = re.findall(
        r"^\| (\S+/\S+) \| .* \| ([0-9a-f]{64}) \|$", (vendor / "README.md").read_text(), re.M
    )
    assert len(listed) == 3
    for name, digest in listed:
        assert hashlib.sha256((vendor / name).read_bytes()).hexdigest() == digest, name
        assert (vendor / name.split("/")[0] / "LICENSE").is_file()


def test_outside_text_cannot_end_a_data_file(tmp_path: Path) -> None:
    from reports.site.data import script

    raw = script("offers", {"cards": ["</script><script>alert(1)</script>", "\u2028"]}).decode()
    # A file of its own, not an element of a page: only a quote could end the text, and JSON escapes it.
    assert json.loads(raw.split("offers=", 1)[1].rstrip(";\n"))["cards"][1] == "\u2028"


# past issues


def test_the_site_carries_every_issue_as_it_was_written(home: Path, tmp_path: Path) -> None:
    site = tmp_path / "site"
    build_issue(home, NOW, None, rebuilt=False, site=site)
    build_issue(home, NOW, None, rebuilt=True, site=site)
    for issue in all_issues(home):
        for name in PARTS:
            carried = site / "issues" / issue.week / f"v{issue.vintage}" / name
            assert carried.read_bytes() == (issue.folder / name).read_bytes()
    for page, place in (("archive.html", ""), ("en/archive.html", "../")):
        text = (site / page).read_text(encoding="utf-8")
        lang = "en" if place else "zh"
        newest = text.index(f'href="{place}issues/2026-W48/v2/report.{lang}.html"')
        assert newest < text.index(f'href="{place}issues/2026-W48/v1/report.{lang}.html"')
        assert f'href="{place}feed.xml"' in text
    feed = ET.fromstring((site / "feed.xml").read_bytes())
    links = [
        link.attrib["href"] for link in feed.iter(f"{{{ATOM}}}link") if link.attrib["rel"] == "alternate"
    ]
    assert len(links) == 4
    assert all((site / link).is_file() for link in links)


def test_older_issues_are_named_when_there_is_no_room(home: Path, tmp_path: Path) -> None:
    for rebuilt in (False, True):
        build_issue(home, NOW, None, rebuilt=rebuilt)
    size = sum((all_issues(home)[-1].folder / name).stat().st_size for name in PARTS)
    past = past_issues(home, size)
    assert [(one.base, bool(one.files)) for one in past] == [("2026-W48/v2", True), ("2026-W48/v1", False)]
    assert [row["base"] for row in past_rows(past, "zh")] == ["issues/2026-W48/v2/", None]
    assert all(not one.files for one in past_issues(home, size - 1))
    # On a site that carried it before, it goes; what somebody else put there stays.
    site = tmp_path / "site"
    write_site(site, past_files(past_issues(home, 9 * size)))
    (site / "issues" / "2026-W40" / "v1").mkdir(parents=True)
    (site / "issues" / "2026-W40" / "v1" / "notes.txt").write_text("mine", encoding="utf-8")
    write_site(site, past_files(past))
    assert sorted(str(path.relative_to(site)) for path in site.glob("issues/*/*")) == [
        "issues/2026-W40/v1",
        "issues/2026-W48/v2",
    ]


def test_a_damaged_issue_is_said_to_be_so(home: Path) -> None:
    done = build_issue(home, NOW, None, rebuilt=False)
    path = done.folder / "report.zh.html"
    path.write_text(path.read_text(encoding="utf-8") + " ", encoding="utf-8")
    (one,) = past_issues(home, 9_000_000)
    assert one.damaged
    assert past_rows([one], "zh")[0]["base"] is None
    assert b"<entry>" not in past_files([one])["feed.xml"]


# the archive


def test_the_shelf_has_every_vintage_newest_first(home: Path) -> None:
    build_issue(home, NOW, None, rebuilt=False)
    build_issue(home, NOW, None, rebuilt=True)
    assert [(issue.week, issue.vintage) for issue in all_issues(home)] == [("2026-W48", 1), ("2026-W48", 2)]
    page = (home / "reports" / "index.html").read_text(encoding="utf-8")
    assert page.index("2026-W48/v2/report.zh.html") < page.index("2026-W48/v1/report.zh.html")
    assert page.count("已更正") == 1


def test_the_feed_is_atom(home: Path) -> None:
    build_issue(home, NOW, None, rebuilt=False)
    feed = ET.fromstring((home / "reports" / "feed.xml").read_bytes())
    space = {"a": ATOM}
    assert feed.tag == f"{{{ATOM}}}feed"
    for need in ("id", "title", "updated", "author/a:name"):
        assert feed.find(f"a:{need}", space) is not None, need
    (entry,) = feed.findall("a:entry", space)
    assert entry.findtext("a:updated", namespaces=space) == "2026-11-29T20:00:00+00:00"
    assert "RTX4090 按量 ▼2.0%" in (entry.findtext("a:title", namespaces=space) or "")
    for link in entry.findall("a:link", space):
        assert (home / "reports" / link.attrib["href"]).is_file()


def test_a_half_written_issue_is_no_issue(home: Path) -> None:
    build_issue(home, NOW, None, rebuilt=False)
    torn = home / "reports" / "2026-W48" / "v9"
    torn.mkdir()
    (torn / "report.json").write_text("{}", encoding="utf-8")
    (home / "reports" / "2026-W48" / ".v2.123").mkdir()
    assert [issue.vintage for issue in all_issues(home)] == [1]
