"""Words of strangers, from a quote sheet to the site, the mail, the files and the commands."""

from __future__ import annotations

import csv
import io
import os
import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path

import pytest

from tests.spiders.conftest import ROOT

XSS = '<script>alert(1)</script>"><img src=x onerror=alert(2)>'
URLS = (
    "javascript:alert(1)", "data:text/html,<script>1</script>", 'https://x.example/"onmouseover="alert(1)',
    "https://x.example/'><svg/onload=alert(1)>", "//evil.example/", "vbscript:x", "\tjavascript:alert(1)",
    "https://ok.example/",
)  # fmt: skip
COLUMNS = (
    "observed_at,provider,provider_class,card_raw,region_raw,amount_low,currency,per,mode,source_url,tier,sku"
)
MAIL = {
    "SUANJIA_MAIL_TO": "r@example.org", "SUANJIA_MAIL_FROM": "s@example.org",
    "SUANJIA_SMTP_URL": "smtp://127.0.0.1:9",
}  # fmt: skip


class Tags(HTMLParser):
    """What a browser would make of a page: scripts, handlers and addresses that run."""

    def __init__(self) -> None:
        super().__init__()
        self.bad: list[str] = []
        self._script = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._script = tag == "script"
        for name, value in attrs:
            told = re.sub(r"[\x00-\x20]", "", value or "").lower()
            runs = name in ("href", "src", "action", "xlink:href") and re.match(
                r"javascript:|vbscript:|data:text|//", told
            )
            if name.startswith("on") or runs or (tag == "img" and value == "x"):
                self.bad.append(f"{tag} {name}={value}")

    def handle_data(self, data: str) -> None:
        if self._script and "alert(1)" in data:
            self.bad.append("script")

    def handle_endtag(self, tag: str) -> None:
        self._script = False


def suanjia(home: Path, *arguments: str, **env: str) -> subprocess.CompletedProcess[str]:
    clean = {k: v for k, v in os.environ.items() if not k.startswith("SUANJIA_")}
    line = [sys.executable, "-m", "suanjia", "--home", str(home), "--now", "2026-10-05T10:00:00+08:00"]
    return subprocess.run(
        [*line, *arguments],
        cwd=ROOT,
        env=clean | env,
        capture_output=True,
        text=True,
        timeout=280,
        check=False,
    )


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A published home whose sheets were written by somebody who means harm; its site and report."""
    top = tmp_path_factory.mktemp("hostile")
    out = io.StringIO(newline="")
    writer = csv.writer(out)
    writer.writerow(COLUMNS.split(","))
    names = [*(f"evil{n}" for n in range(len(URLS))), XSS, "a\r\nBcc: x@y", "../../etc", "=1+1"]
    for number, name in enumerate(names):
        url = URLS[number] if number < len(URLS) else "https://a.example/"
        row = [
            "2026-10-03T12:00:00+08:00",
            name,
            "marketplace",
            "RTX 4090",
            "北京",
            f"{1.5 + number / 10:.2f}",
        ]
        writer.writerow([*row, "CNY", "hour", "on_demand", url, XSS, "=cmd|'/c calc'!A1 " + XSS])
    (top / "a.csv").write_text(out.getvalue(), encoding="utf-8")
    home = top / "home"
    assert suanjia(home, "import", str(top / "a.csv")).returncode == 3
    for step in (["load"], ["publish"], ["report", "--site", str(top / "site"), "--out", str(top / "out")],
                 ["export", "--format", "csv,xlsx", str(top / "files")]):  # fmt: skip
        done = suanjia(home, *step)
        assert done.returncode in (0, 3), done.stderr
    assert suanjia(home, "mail", "--dry-run", **MAIL).returncode == 0
    return top


@pytest.mark.slow
def test_nothing_of_theirs_runs_in_a_page_or_a_mail(world: Path) -> None:
    pages = [*world.rglob("*.html"), *world.rglob("*.svg"), *world.rglob("*.xml")]
    assert len(pages) > 10 and any("evil0" in page.read_text(encoding="utf-8") for page in pages)
    for page in pages:
        tags = Tags()
        tags.feed(page.read_text(encoding="utf-8"))
        assert tags.bad == [], page
    for mail in world.rglob("*.eml"):
        head = mail.read_bytes().partition(b"\r\n\r\n")[0].decode()
        assert not re.search(r"^(bcc|cc):", head, re.I | re.M)


@pytest.mark.slow
def test_nothing_of_theirs_runs_in_a_spreadsheet(world: Path) -> None:
    cells = 0
    for path in world.rglob("*.csv"):
        if path.name == "a.csv":
            continue
        for row in csv.reader(io.StringIO(path.read_text(encoding="utf-8-sig"), newline="")):
            cells += sum("cmd|" in cell for cell in row)
            assert not [c for c in row if re.match(r"[=+@\t\r\n]|-\D", c) and len(c) > 1], path
    assert cells > 0


@pytest.mark.slow
@pytest.mark.parametrize(
    "arguments",
    [
        ("report", "--week", "../../etc"), ("report", "--week", "2026-W40/../.."), ("mail", "--week", "/etc"),
        ("verify", "--generation", "../../etc/passwd"), ("verify", "--generation", ".."),
        ("verify", "--generation", "/etc/passwd"), ("explain", "offer:../../x"), ("explain", "obs:'; DROP"),
        ("new-provider", "../../evil"), ("new-provider", "/tmp/evil"), ("crawl", "../x"), ("probe", "a/b"),
    ],
)  # fmt: skip
def test_names_that_lead_elsewhere_are_no_names(world: Path, arguments: tuple[str, ...]) -> None:
    done = suanjia(world / "home", *arguments)
    assert done.returncode == 2 and "Traceback" not in done.stderr, done.stderr
    assert len(done.stderr.strip().splitlines()) == 1


@pytest.mark.slow
@pytest.mark.parametrize("name", ["SUANJIA_MAIL_TO", "SUANJIA_MAIL_FROM"])
@pytest.mark.parametrize(
    "value", ["a@b.example\r\nBcc: v@x.example", '"x\ny" <c@d.example>', "<a@b>, \r\n x"]
)
def test_addresses_that_break_a_header_are_refused(world: Path, name: str, value: str) -> None:
    for more in (("--dry-run",), ()):
        done = suanjia(world / "home", "mail", *more, **MAIL | {name: value})
        assert done.returncode == 2 and name in done.stderr, done.stderr
        assert len(done.stderr.strip().splitlines()) == 1
