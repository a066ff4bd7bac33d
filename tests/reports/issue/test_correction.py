"""A price that was wrong is corrected after the issue went out: through the real chain, up to the readers.

In week 47 two of five sellers are listed ten per cent too dear. Week 48's issue tells of a fall that never
was; on Tuesday the right prices arrive.
"""

from __future__ import annotations

import csv
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from reports.issue.archive import read_manifest, vintages
from reports.numbers import loads
from reports.render.visible import html_text
from suanjia.cli import cli
from tests.reports.issue.smtp_server import Box, serving
from tests.reports.issue.test_replay import HEAD
from warehouse.reader import open_latest

pytestmark = pytest.mark.slow

MONDAY = datetime.fromisoformat("2026-11-30T10:00:00+08:00")
TUESDAY = MONDAY + timedelta(days=1)
CARDS = {"RTX 4090": "2.00", "A100 80GB": "6.50", "RTX 3090": "1.30"}
SELLERS = {"autodl": "", "matpool": "", "aliyun": "北京", "ctyun": "广州", "tencent": "张家口"}
WRONG = ("autodl", "matpool")
SENDER = "w@suanjia.example.com"


def rows(week: int, wrong: bool = False, later: int = 0) -> list[tuple[str, ...]]:
    """Sunday noon of week 45 + `week`; `later` minutes after noon."""
    at = datetime.fromisoformat("2026-11-08T12:00:00+08:00") + timedelta(weeks=week, minutes=later)
    found: list[tuple[str, ...]] = []
    for seller, region in SELLERS.items():
        for card, price in CARDS.items():
            dear = wrong and seller in WRONG and card == "RTX 4090"
            amount = "2.20" if dear else price
            url = f"https://www.example.com/{seller}"
            found.append((at.isoformat(), seller, card, amount, "CNY", "hour", "on_demand", region, url))
    return found


def sheet(path: Path, found: list[tuple[str, ...]]) -> str:
    with path.open("w", encoding="utf-8", newline="") as out:
        csv.writer(out).writerows([HEAD, *found])
    return str(path)


def first_sheet(folder: Path) -> str:
    """Four weeks, the third with the wrong prices."""
    return sheet(folder / "first.csv", [row for week in range(4) for row in rows(week, wrong=week == 2)])


@dataclass
class Desk:
    """A data directory and the commands that a person or the scheduler runs on it."""

    home: Path
    port: int
    to: str = "a@example.com"

    def run(self, now: datetime, *args: str) -> Result:
        env = {
            "SUANJIA_SMTP_URL": f"smtp://127.0.0.1:{self.port}",
            "SUANJIA_MAIL_FROM": SENDER,
            "SUANJIA_MAIL_TO": self.to,
        }
        words = ["--home", str(self.home), "--now", now.isoformat(), *args]
        done = CliRunner().invoke(cli, words, env=env, standalone_mode=False)
        assert done.exception is None, (args, done.output, done.exception)
        assert done.return_value in {None, 0, 3, 4}, (args, done.output)
        return done

    def chain(self, now: datetime, *sheets: str) -> None:
        """Import, load, publish, report."""
        for path in sheets:
            self.run(now, "import", path)
        for step in ("load", "publish", "report"):
            self.run(now, step)

    def part(self, vintage: int, name: str, week: str = "2026-W48") -> str:
        return (self.home / "reports" / week / f"v{vintage}" / name).read_text(encoding="utf-8")

    def correction(self, vintage: int, week: str = "2026-W48") -> list[str]:
        """The lines of the section of corrections."""
        text = self.part(vintage, "report.zh.txt", week)
        return text.split("== 更正 ==\n")[1].split("\n\n")[0].splitlines()


@pytest.fixture(scope="module")
def box() -> Box:
    return Box()


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory, box: Box) -> Iterator[Desk]:
    """Week 48 published and mailed with the wrong prices, then corrected and mailed again."""
    folder = tmp_path_factory.mktemp("correction")
    with serving(box) as port:
        desk = Desk(folder / "home", port)
        desk.chain(MONDAY, first_sheet(folder))
        desk.run(MONDAY, "mail")
        desk.chain(TUESDAY, sheet(folder / "late.csv", rows(2, later=30)))
        desk.to = "a@example.com, new@example.com"
        desk.run(TUESDAY, "mail")
        desk.run(TUESDAY, "mail", "--correction")
        desk.run(TUESDAY, "mail", "--correction")
        yield desk


def test_the_first_issue_stands_as_it_went_out(desk: Desk) -> None:
    kept = vintages(desk.home, "2026-W48")
    assert [issue.vintage for issue in kept] == [1, 2]
    # (1.1 x 1.1) ^ (1/5) = 1.0389 a week before, so 0.9626 now.
    assert "RTX4090 按量 ▼3.7%" in read_manifest(kept[0])["subject"]["zh"]
    assert desk.correction(1) == ["没有更正。"]


def test_the_second_tells_what_was_wrong_and_why(desk: Desk) -> None:
    lines = desk.correction(2)
    assert lines[0] == ("这是本周周报的第 2 版，取代第 1 版。原因：补到了更早的数据。以下是更正，不是行情：")
    assert "全国 RTX4090 按量：本周 ▼3.7%（指数 100.0）→ 持平（指数 100.0）" in lines
    # Week 47 was final when it was corrected: its old value and its reason stand apart.
    place = lines.index("往期数值的更正：")
    assert "全国 RTX4090 按量 2026-W47：103.9 → 100.0（补到了更早的数据）" in lines[place:]
    assert "2026 年第 48 周 · 第 2 版（更正，详见文末）" in desk.part(2, "report.zh.txt")
    english = desk.part(2, "report.en.txt")
    assert "takes the place of edition 1. Why: older data arrived." in english
    assert "China RTX4090 on demand: this week ▼3.7% (index 100.0) → flat (index 100.0)" in english


def test_a_correction_is_no_market_move(desk: Desk) -> None:
    data = loads(desk.part(2, "report.json"))
    assert [cell for cell in data["cells"] if cell["direction"] in {"up", "down"}] == []
    text = desk.part(2, "report.zh.txt")
    assert "本周没有可以公布的涨跌" in text.split("== 涨跌")[1].split("\n== ")[0]
    assert "RTX4090 按量持平" in data["subject"]["zh"]
    before = loads(desk.part(1, "report.json"))
    assert {cell["card"] for cell in before["cells"] if cell["direction"] == "down"} == {"RTX4090"}


def test_both_answers_are_kept(desk: Desk) -> None:
    data = loads(desk.part(2, "report.json"))
    old = {(row["card"], str(row["week"])): row for row in data["corrections"] if row["region_code"] == "CN"}
    row = old[("RTX4090", "2026-11-16")]
    assert (f"{row['old_value']:.2f}", row["new_value"], row["reason"]) == ("103.89", 100, "late_history")


def test_who_has_the_first_is_sent_the_second_only_when_asked(desk: Desk, box: Box) -> None:
    assert box.to == ["a@example.com", "new@example.com", "a@example.com"]
    first, newcomer, corrected = box.mails
    assert [mail["Message-ID"] for mail in box.mails] == [
        "<suanjia.2026-W48.v1.zh@suanjia.example.com>",
        "<suanjia.2026-W48.v2.zh@suanjia.example.com>",
        "<suanjia.2026-W48.v2.zh@suanjia.example.com>",
    ]
    assert str(first["Subject"]).startswith("GPU 租价周报 2026-W48：RTX4090 按量 ▼3.7%")
    # Who has no earlier one is not told "corrected" in the subject; the text says which edition it is.
    assert str(newcomer["Subject"]).startswith("GPU 租价周报 2026-W48：RTX4090 按量持平")
    assert str(corrected["Subject"]).startswith("更正：GPU 租价周报 2026-W48：RTX4090 按量持平")
    for mail in (newcomer, corrected):
        text, related = mail.iter_parts()
        for part in (text.get_content(), html_text(next(related.iter_parts()).get_content())):
            assert "第 2 版，取代第 1 版" in part


def test_built_again_it_is_the_same_issue(desk: Desk) -> None:
    before = {path.name: path.read_bytes() for path in (desk.home / "reports/2026-W48/v2").iterdir()}
    out = desk.home.parent / "again"
    desk.run(TUESDAY, "report", "--out", str(out))
    assert [issue.vintage for issue in vintages(desk.home, "2026-W48")] == [1, 2]
    for path in out.iterdir():
        assert path.read_bytes() == before[path.name], path.name


def test_the_archive_has_both(desk: Desk) -> None:
    page = (desk.home / "reports" / "index.html").read_text(encoding="utf-8")
    assert page.index("2026-W48/v2/report.zh.html") < page.index("2026-W48/v1/report.zh.html")
    feed = (desk.home / "reports" / "feed.xml").read_text(encoding="utf-8")
    assert feed.count("<entry>") == 2


def test_the_next_issue_names_it_once(desk: Desk, tmp_path: Path) -> None:
    home = shutil.copytree(desk.home, tmp_path / "home")
    later = Desk(home, desk.port)
    later.chain(MONDAY + timedelta(weeks=1), sheet(tmp_path / "w49.csv", rows(4)))
    lines = later.correction(1, "2026-W49")
    assert "全国 RTX4090 按量 2026-W47：103.9 → 100.0（补到了更早的数据）" in lines
    assert not any("版" in line for line in lines)
    assert "RTX4090 按量持平" in later.part(1, "report.json", "2026-W49")
    later.chain(MONDAY + timedelta(weeks=2), sheet(tmp_path / "w50.csv", rows(5)))
    assert later.correction(1, "2026-W50") == ["没有更正。"]
    # The generation of week 51 has no fits of week 48: nothing empty takes the place of its issue.
    command = ["--home", str(home), "--now", (MONDAY + timedelta(weeks=2)).isoformat()]
    command += ["report", "--week", "2026-W48"]
    done = CliRunner().invoke(cli, command, standalone_mode=False)
    assert getattr(done.exception, "exit_code", None) == 5
    assert "has no fits of 2026-W48 any more" in str(done.exception)
    assert [issue.vintage for issue in vintages(home, "2026-W48")] == [1, 2]


def test_a_person_refuses_the_price(tmp_path: Path) -> None:
    """The same mistake, put right by `suanjia review` instead of by data."""
    desk = Desk(tmp_path / "home", 1)
    desk.chain(MONDAY, first_sheet(tmp_path))
    con, _ = open_latest(desk.home)
    wrong = con.execute("SELECT obs_id FROM observations WHERE price = 2.2").fetchall()
    con.close()
    assert len(wrong) == 2
    refuse = [word for (obs,) in wrong for word in ("--refuse", obs)]
    desk.run(TUESDAY, "review", *refuse, "--by", "ling", "--reason", "typing error of the sheet")
    for step in ("publish", "report"):
        desk.run(TUESDAY, step)
    lines = desk.correction(2)
    assert "原因：人工复核。" in lines[0]
    assert "全国 RTX4090 按量 2026-W47：103.9 → 100.0（人工复核）" in lines
