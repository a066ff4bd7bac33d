"""The browser: what it shows is quoted, and what it may not do it cannot do."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from market.server import running
from spiders.browser_path import BrowserMissing, find_browser
from spiders.config import CrawlConfig
from spiders.evidence import EvidenceStore
from spiders.outcome import Ending, judge
from tests.spiders.conftest import Crawl, run_child
from tests.spiders.site import Answer, serving

CLOCK = datetime.fromisoformat("2026-10-05T10:00:00+08:00")
REAL = "https://www.autodl.com"
PAGE = """<!DOCTYPE html><html><head><meta charset=utf-8></head><body>
<span onclick="show('1.88')">炼丹会员</span><span onclick="show('1.98')">普通用户</span><div id=a></div>
<script>
function show(p) { document.getElementById('a').innerHTML =
  '<div><b>NVIDIA RTX 4090</b> / 24GB</div><div>单精 82.58 TFLOPS</div><div>￥' + p + ' /时</div>' +
  '<div style="display:none">￥0.01 /时</div>'; }
setTimeout(() => show('1.88'), 300);
%s
</script></body></html>"""


def autodl(page: str, **more: Any) -> dict[str, Any]:
    return {"/home": Answer(page)} | more


@pytest.mark.browser
def test_list_and_member_price_as_shown(crawl: Crawl) -> None:
    with serving(autodl(PAGE % "")) as site:
        done = crawl("autodl", {REAL: site.origin}, timeout=20.0)
    assert done.kinds() == [], done.log[-3000:]
    shown = [(x.price_kind, x.price_text, x.card_text, x.vram_text, x.scope) for x in done.listings]
    assert shown == [
        ("member", "￥1.88 /时", "NVIDIA RTX 4090", "24", "national"),
        ("list", "￥1.98 /时", "NVIDIA RTX 4090", "24", "national"),
    ]
    assert {x.source_url for x in done.listings} == {"https://www.autodl.com/home"}
    store = EvidenceStore(done.config.evidence_dir)
    document = json.loads(store.read(done.listings[0].evidence))
    number = int(done.listings[0].locator.rpartition("=")[2])
    lines = [" ".join(line.split()) for line in document["states"][0]["text"].splitlines() if line.strip()]
    assert lines[number] == "￥1.88 /时"


@pytest.mark.browser
def test_a_page_cannot_reach_another_host_or_this_machine(crawl: Crawl) -> None:
    with serving({"/x.js": Answer("1"), "/ws": Answer("1"), "/beacon": Answer("1")}) as other:
        host = other.origin
        more = (
            f"fetch('{host}/x.js').catch(() => 0); navigator.sendBeacon('{host}/beacon', 'x');"
            f"try {{ new WebSocket('{host.replace('http', 'ws')}/ws') }} catch (e) {{}};"
            f"new Image().src = '{host}/x.js'; fetch('http://169.254.169.254/').catch(() => 0);"
            "fetch('https://tracker.example/t').catch(() => 0); window.open('https://other.example/');"
        )
        with serving(autodl(PAGE % more)) as site:
            done = crawl("autodl", {REAL: site.origin}, timeout=20.0)
        assert other.log == []
    assert len(done.listings) == 2, done.log[-3000:]
    assert done.kinds() == []
    assert done.stats["skipped"]["request of a page to another host"] >= 2


@pytest.mark.browser
def test_robots_holds_for_what_a_page_asks_for(crawl: Crawl) -> None:
    page = PAGE % "" + "<script src='/private/extra.js'></script>"
    rules = Answer("User-agent: *\nDisallow: /private/", type="text/plain")
    with serving(autodl(page) | {"/robots.txt": rules, "/private/extra.js": Answer("1")}) as site:
        done = crawl("autodl", {REAL: site.origin}, timeout=20.0)
        assert "/private/extra.js" not in site.paths()
    assert done.kinds() == ["robots"]
    assert judge(Ending(done.stats)).outcome == "partial"


@pytest.mark.browser
@pytest.mark.parametrize(
    ("fault", "outcome", "words"),
    [
        ("login_page", "auth_needed", "请先登录"),
        ("captcha", "blocked", "访问过于频繁"),
        ("gone", "gone", "404"),
        ("redirect_host", "auth_needed", "login.elsewhere.example"),
        ("half_body", "failed", "ended early"),
        ("robots_error", "robots", "503"),
        ("changed_unit", "layout_changed", "day 元"),
        ("tracker", "ok", ""),
    ],
)
@pytest.mark.slow
def test_outcomes_of_a_rendered_page(
    config: Callable[..., CrawlConfig], fault: str, outcome: str, words: str
) -> None:
    with running(CLOCK, ["autodl"], faults={"autodl": fault}) as origins:
        done = run_child(config("autodl", dict(origins), timeout=10.0), {})
    found = judge(Ending(done.stats or None, log_tail=done.log))
    assert found.outcome == outcome, found
    assert words in found.message


def test_where_the_browser_is_looked_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def program(path: Path) -> str:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("#!/bin/sh\n")
        path.chmod(0o755)
        return str(path)

    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    monkeypatch.setenv("PLAYWRIGHT_BROWSERS_PATH", str(tmp_path / "own"))
    with pytest.raises(BrowserMissing, match="install chromium-headless-shell"):
        find_browser()
    own = program(tmp_path / "own" / "chromium_headless_shell-1200" / "chrome-linux" / "headless_shell")
    assert find_browser() == own
    chrome = program(tmp_path / "bin" / "google-chrome")
    assert find_browser() == chrome
    shell = program(tmp_path / "bin" / "chromium-headless-shell")
    assert find_browser() == shell
    named = program(tmp_path / "elsewhere" / "browser")
    assert find_browser(named) == named
    with pytest.raises(BrowserMissing, match="SUANJIA_BROWSER"):
        find_browser(str(tmp_path / "nothing"))


ENDLESS = """<!DOCTYPE html><html><head><meta charset=utf-8></head><body>
<div id=list style="height:200px;overflow:auto"></div><p id=clock></p><script>
const list = document.getElementById('list'); let n = 0;
function more() {{ for (let i = 0; i < 10; i++) list.insertAdjacentHTML('beforeend',
  '<div style="height:40px">RTX 4090 24GB host ' + (n++) + ' ￥1.98 /时</div>'); }}
more();
list.addEventListener('scroll', () => {{ if (n < {most}) setTimeout(more, 50); }});
setInterval(() => document.getElementById('clock').textContent = '距结束 ' + Date.now() % 100000, 100);
</script></body></html>"""


@pytest.mark.browser
@pytest.mark.slow
@pytest.mark.parametrize(("most", "kinds"), [(10**6, ["truncated"]), (40, [])])
def test_a_list_without_end_is_truncated_and_a_ticking_clock_is_no_list(
    tmp_path: Path, most: int, kinds: list[str]
) -> None:
    """What is scrolled is read to its end; a list that grew until its time was up is never the whole one."""
    file = tmp_path / "idc_mine.toml"
    file.write_text(
        'slug = "idc_mine"\nname = "x"\nclass = "idc"\nstatus = "active"\n[source]\narchetype = "cards"\n'
        'pages = ["https://www.idc.example/a.html"]\nrows = "#list > div"\nbrowser = true\n'
        '[read]\ncard = { text = "RTX 4090 24GB" }\nbasis = "card"\n', encoding="utf-8",
    )  # fmt: skip
    with serving({"/a.html": Answer(ENDLESS.format(most=most))}) as site:
        told = CrawlConfig(
            provider="idc_mine", run_id="r", run_dir=tmp_path / "run", evidence_dir=tmp_path / "e", now=CLOCK,
            origins={"https://www.idc.example": site.origin}, delay=0.0, timeout=3.0, provider_file=str(file),
        )  # fmt: skip
        done = run_child(told, {})
    assert done.kinds() == kinds, done.log[-2000:]
    assert len(done.listings) == most if most == 40 else len(done.listings) > 40
