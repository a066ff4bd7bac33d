"""The outputs as a reader sees them, in headless Chromium: nothing broken, nothing asked of the outside.

`make look` keeps the pictures (SUANJIA_LOOK names the folder); a person looks at them before a release.
"""

from __future__ import annotations

import functools
import http.server
import os
import threading
from collections.abc import Iterator
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from PIL import Image

from reports.issue.build import Done, build_issue
from reports.render.html import html_part
from reports.render.make_view import make_view
from reports.render.words import choices
from spiders.browser_path import BrowserMissing, find_browser
from tests.reports.issue.issue_world import NOW, lora_total
from tests.reports.issue.look import DRAWN_PIXELS, SMALLEST_TEXT, Sheet, column, script, uri

playwright = pytest.importorskip("playwright.sync_api")
try:
    BROWSER = find_browser(os.environ.get("SUANJIA_BROWSER", ""))
except BrowserMissing:
    BROWSER = ""

pytestmark = [
    pytest.mark.browser,
    pytest.mark.slow,
    pytest.mark.skipif(not BROWSER, reason="no browser"),
]
Made = tuple[Path, Path, Path, str]
PAGES = ("index", "archive", "cells", "offers", "providers", "method")
# Gmail's app and others turn a light mail dark by themselves; Chromium can do the like.
FORCED = "--blink-settings=forceDarkModeEnabled=true"


@pytest.fixture(scope="module")
def look(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where pictures are kept."""
    named = os.environ.get("SUANJIA_LOOK")
    folder = Path(named) if named else tmp_path_factory.mktemp("look")
    folder.mkdir(parents=True, exist_ok=True)
    return folder


@pytest.fixture(scope="module")
def made(issued: tuple[Path, Done], tmp_path_factory: pytest.TempPathFactory) -> Made:
    """(folder of the issue's parts, folder of the site, folder of the archive, total of a 7B LoRA)."""
    import shutil

    home = tmp_path_factory.mktemp("look_home") / "home"
    shutil.copytree(issued[0], home)
    site = home.parent / "site"
    done = build_issue(home, NOW, None, rebuilt=True, site=site)
    return done.folder, site, home / "reports", lora_total(done.issue)


@pytest.fixture(scope="module")
def driver() -> Iterator[Any]:
    with playwright.sync_playwright() as it:
        yield it


@pytest.fixture(scope="module")
def chromium(driver: Any) -> Iterator[Any]:
    engine = driver.chromium.launch(executable_path=BROWSER, args=["--no-sandbox"])
    yield engine
    engine.close()


@pytest.fixture(scope="module", params=["light", "forced-dark"])
def browser(request: pytest.FixtureRequest, driver: Any) -> Iterator[tuple[str, Any]]:
    flags = ["--no-sandbox", *([FORCED] if request.param == "forced-dark" else [])]
    engine = driver.chromium.launch(executable_path=BROWSER, args=flags)
    yield request.param, engine
    engine.close()


@pytest.fixture(scope="module")
def server(made: Made) -> Iterator[str]:
    """The site behind a plain web server."""

    class Quiet(http.server.SimpleHTTPRequestHandler):
        def log_message(self, *args: Any) -> None:
            return

    handler = functools.partial(Quiet, directory=str(made[1]))
    web = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=web.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{web.server_address[1]}"
    web.shutdown()
    web.server_close()


@pytest.mark.parametrize("width", [640, 390])
@pytest.mark.parametrize("lang", ["zh", "en"])
def test_the_mail(made: Made, browser: tuple[str, Any], look: Path, width: int, lang: str) -> None:
    kind, engine = browser
    sheet = Sheet(engine, width, device_scale_factor=2, color_scheme="dark" if "dark" in kind else "light")
    page = sheet.open(uri(made[0], f"report.{lang}.html"))
    assert sheet.fits()
    assert page.evaluate("document.images[0].naturalWidth") > 1000
    assert page.evaluate(SMALLEST_TEXT) >= 13
    page.screenshot(path=look / f"mail-{lang}-{width}-{kind}.png", full_page=True)
    sheet.close()


@pytest.mark.parametrize("lang", ["zh", "en"])
def test_a_phone_holds_the_widest_words(
    issued: tuple[Path, Done], made: Made, chromium: Any, tmp_path: Path, lang: str
) -> None:
    """A long name of a card, five figures before the point in every place: nothing sticks out of a phone."""
    issue, dear = issued[1].issue, Decimal("20228.30")
    nation = [fit for fit in issue.fits if fit.region_code == "CN"]
    wide = [replace(fit, card="RTXPRO6000", mark="one_seller", place=None) for fit in nation]
    places = [replace(wide[0], card="A100-80G", region_code=code) for code in choices()["regions"]]
    fits = [replace(fit, total_cny_p50=dear) for fit in (*places, *wide)]
    view = make_view(replace(issue, fits=tuple(fits)), lang)
    (tmp_path / "mail.html").write_text(html_part(view, uri(made[0], f"chart.{lang}.png")), encoding="utf-8")
    sheet = Sheet(chromium, 390)
    sheet.open(uri(tmp_path, "mail.html"))
    assert sheet.fits()
    sheet.close()


def test_the_mail_with_images_off(made: Made, chromium: Any, look: Path) -> None:
    sheet = Sheet(chromium, 640)
    sheet.context.route("**/*.png", lambda route: route.abort())
    page = sheet.open(uri(made[0], "report.zh.html"))
    assert "RTX4090 98.0" in page.evaluate("document.images[0].alt")
    page.screenshot(path=look / "mail-zh-640-no-images.png", full_page=True)
    sheet.context.close()


def test_dark_is_readable(made: Made, chromium: Any) -> None:
    """The site's own dark colours: every text has a contrast of 4.5 to 1 with its ground."""
    for scheme in ("dark", "light"):
        sheet = Sheet(chromium, 1280, color_scheme=scheme)
        for name in PAGES:
            page = sheet.open(uri(made[1], f"{name}.html"))
            worst = page.evaluate(script("contrast.js"))
            assert worst[0] >= 4.5, (scheme, name, worst)
        sheet.close()


@pytest.mark.parametrize("width", [1280, 390])
@pytest.mark.parametrize("name", PAGES)
def test_the_site(made: Made, server: str, chromium: Any, look: Path, name: str, width: int) -> None:
    from_disk = Sheet(chromium, width, color_scheme="dark" if width == 390 else "light")
    page = from_disk.open(uri(made[1], f"{name}.html"))
    assert from_disk.fits()
    disk_text = page.inner_text("main")
    page.screenshot(path=look / f"site-{name}-{width}.png", full_page=True)
    from_disk.close()
    served = Sheet(chromium, width)
    page = served.open(f"{server}/en/{name}.html")
    assert served.fits()
    page.screenshot(path=look / f"site-en-{name}-{width}.png", full_page=True)
    # The other language is one click away, and comes back to the same page.
    page.click("a.other")
    page.wait_for_load_state("load")
    assert urlsplit(page.url).path == f"/{name}.html"
    assert page.inner_text("main") == disk_text
    served.close(urlsplit(server).netloc)


@pytest.mark.parametrize("name", PAGES)
@pytest.mark.parametrize("folder", ["", "en/"])
def test_what_a_screen_reader_needs(made: Made, chromium: Any, folder: str, name: str) -> None:
    sheet = Sheet(chromium, 1280)
    page = sheet.open(uri(made[1], f"{folder}{name}.html"))
    problems = page.evaluate(script("reader.js"))
    assert problems == []
    # The first stop of the keyboard leads past the navigation.
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip"
    sheet.close()


def test_offers_can_be_filtered_and_sorted(made: Made, chromium: Any) -> None:
    sheet = Sheet(chromium, 1280)
    page = sheet.open(uri(made[1], "offers.html"))
    prices = [float(text[1:].replace(",", "")) for text in column(page, "offers", 1)]
    assert prices == sorted(prices)
    assert len(prices) == 36
    # By mouse: dearest first. By keyboard: the header is a stop, Enter turns it round again.
    page.click("#offers thead th:nth-child(2)")
    page.wait_for_selector("#offers thead th:nth-child(2)[aria-sort=descending]")
    assert [float(t[1:]) for t in column(page, "offers", 1)] == sorted(prices, reverse=True)
    page.focus("#offers thead th:nth-child(2) [tabindex='0']")
    # From descending to the order of the data, then to ascending.
    page.keyboard.press("Enter")
    page.wait_for_selector("#offers thead th:nth-child(2):not([aria-sort])")
    page.keyboard.press("Enter")
    page.wait_for_selector("#offers thead th:nth-child(2)[aria-sort=ascending]")
    assert [float(t[1:]) for t in column(page, "offers", 1)] == prices
    page.select_option("#f-card", label="RTX4090")
    assert set(column(page, "offers", 0)) == {"RTX4090"}
    page.select_option("#f-provider", label="阿里云")
    assert set(column(page, "offers", 2)) == {"阿里云"}
    # Two zones by the hour, one by the month; the hand-made prices are 3.14 and 3.14 x 500 / 730.
    assert sorted(column(page, "offers", 1)) == ["¥2.15", "¥3.14", "¥3.14"]
    page.select_option("#f-mode", label="包月")
    assert column(page, "offers", 1) == ["¥2.15"]
    for select in ("#f-card", "#f-provider", "#f-mode"):
        page.select_option(select, value="")
    page.fill("#offers_wrapper input[type=search], .dt-search input", "张家口")
    assert set(column(page, "offers", 3)) == {"张家口"}
    page.fill(".dt-search input", "没有这样的卡")
    assert "没有符合条件的行" in page.inner_text("#offers tbody")
    link = page.evaluate("SUANJIA.offers.urls")
    assert all(url.startswith("https://www.example.com/") and not machine for url, machine in link)
    sheet.close()


def test_a_cell_shows_its_history(made: Made, chromium: Any) -> None:
    sheet = Sheet(chromium, 1280)
    page = sheet.open(uri(made[1], "en/cells.html"))
    page.select_option("#f-card", label="A100-80G")
    page.select_option("#f-region", label="China")
    assert column(page, "cells", 3) == ["105.0"]
    assert column(page, "cells", 4) == ["▲5.0%"]
    page.focus("#cells tbody button")
    page.keyboard.press("Enter")
    assert page.inner_text("#chart-title") == "China A100-80G on demand: index and median price"
    assert page.locator("#chart canvas").count() == 1
    page.click("details summary")
    assert column(page, "numbers", 0) == ["2026-11-23", "2026-11-16", "2026-11-09"]
    assert column(page, "numbers", 1) == ["105.0", "100.0", "100.0"]
    drawn = page.evaluate(DRAWN_PIXELS)
    assert drawn > 1000
    sheet.close()


def test_numbers_on_the_site_are_those_of_the_issue(made: Made, chromium: Any) -> None:
    from reports.render.visible import amounts

    sheet = Sheet(chromium, 1280)
    page = sheet.open(uri(made[1], "index.html"))
    text = (made[0] / "report.zh.txt").read_text(encoding="utf-8")
    assert amounts(page.inner_text("main")) == amounts(text)
    sheet.close()


def test_on_paper(made: Made, chromium: Any, look: Path) -> None:
    sheet = Sheet(chromium, 794)
    page = sheet.open(uri(made[1], "index.html"))
    page.emulate_media(media="print")
    assert not page.is_visible("header.top")
    assert page.is_visible("h1")
    page.screenshot(path=look / "site-index-print.png", full_page=True)
    sheet.close()


def test_without_javascript_the_issue_is_all_there(made: Made, chromium: Any) -> None:
    sheet = Sheet(chromium, 1280, java_script_enabled=False)
    page = sheet.open(uri(made[1], "index.html"))
    assert made[3] in page.inner_text("main")
    page = sheet.open(uri(made[1], "offers.html"))
    assert "需要 JavaScript" in page.inner_text("main")
    sheet.context.close()


def test_the_archive(made: Made, chromium: Any, look: Path) -> None:
    sheet = Sheet(chromium, 800)
    page = sheet.open(uri(made[2], "index.html"))
    page.screenshot(path=look / "archive.png", full_page=True)
    page.click("a.title >> nth=0")
    assert page.url.endswith("/2026-W48/v2/report.zh.html")
    sheet.close()


@pytest.mark.parametrize("folder", ["", "en/"])
def test_a_past_issue_is_one_click_away(made: Made, chromium: Any, folder: str) -> None:
    """From the disk: first page, past issues, an issue as it was sent, with its picture."""
    sheet = Sheet(chromium, 1280)
    page = sheet.open(uri(made[1], f"{folder}index.html"))
    page.click("nav a[href='archive.html']")
    assert page.locator("ul.issues li").count() == 2
    page.click("ul.issues a.title >> nth=1")
    assert page.url.endswith(f"/issues/2026-W48/v1/report.{'en' if folder else 'zh'}.html")
    assert page.evaluate("document.images[0].naturalWidth") > 1000
    sheet.close()


@pytest.mark.parametrize("lang", ["zh", "en"])
def test_the_chart_is_kept(made: Made, look: Path, lang: str) -> None:
    picture = Image.open(made[0] / f"chart.{lang}.png")
    picture.save(look / f"chart-{lang}.png")
    # No transparent ground: it would vanish in a dark client.
    assert picture.convert("RGBA").getextrema()[3] == (255, 255)
