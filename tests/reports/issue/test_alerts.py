"""Alerts: one message per crossing, from confirmed prices, whatever becomes of the process."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from reports.alerts.rules import RulesError, read_rules
from reports.alerts.run import Outcome, run_rules
from reports.alerts.watch import Sick
from tests.reports.issue.issue_world import NOW
from tests.warehouse.warehouse_world import World, offer
from warehouse.reader import open_latest

TABLES = ("offers", "providers", "regions", "region_aliases", "workloads", "cheapest_fit", "price_level")
ELSEWHERE = {"price_at", "price_known_at"}


def rule(**more: Any) -> str:
    """A [[alert]] table; RTX4090 below 2.00 without a quiet period unless said otherwise."""
    row = {"name": "r", "kind": "below", "card": "RTX4090", "price": 2.0, "quiet_hours": 0, **more}
    lines = [
        f"{key} = {json.dumps(value, ensure_ascii=False)}" for key, value in row.items() if value is not None
    ]
    return "[[alert]]\n" + "\n".join(lines) + "\n"


class Desk:
    """A published market whose offers a test may change, and what was told."""

    def __init__(self, folder: Path) -> None:
        self.home = folder
        self.told: list[tuple[str, str]] = []
        self.answers = True
        self.now = NOW
        self.sick: dict[str, Sick] = {}
        folder.mkdir(exist_ok=True)
        self.con = duckdb.connect(":memory:")

    def load(self, home: Path) -> None:
        """Copy what the rules read into memory, where it can be changed."""
        source = next((home / "published").glob("*.duckdb"))
        self.con.execute(f"ATTACH '{source}' AS g (READ_ONLY)")
        for table in (
            "offers",
            "providers",
            "regions",
            "region_aliases",
            "workloads",
            "cheapest_fit",
            "price_level",
        ):
            self.con.execute(f"CREATE TABLE {table} AS SELECT * FROM g.{table}")
        self.con.execute("DETACH g")
        from warehouse.database import sql_text

        macros = sql_text("macros")
        wanted = [
            part
            for part in macros.split("CREATE MACRO ")[1:]
            if part.split("(")[0] not in {"price_at", "price_known_at"}
        ]
        for part in wanted:
            self.con.execute("CREATE MACRO " + part)

    def price(self, cny: str) -> None:
        """Set the only RTX4090 offers by the hour to this price."""
        self.con.execute(
            "UPDATE offers SET price_cny_per_card_hour = $1, price_cny_per_card_hour_gross = $1"
            " WHERE card = 'RTX4090' AND billing_mode = 'on_demand'",
            [Decimal(cny)],
        )

    def look(self, text: str) -> list[Outcome]:
        path = self.home / "alerts.toml"
        path.write_text(text, encoding="utf-8")

        def tell(title: str, body: str) -> bool:
            self.told.append((title, body))
            return self.answers

        return run_rules(self.con, self.home, read_rules(path), self.now, self.sick, tell)


@pytest.fixture
def desk(published: Path, tmp_path: Path) -> Iterator[Desk]:
    it = Desk(tmp_path / "desk")
    it.load(published)
    yield it
    it.con.close()


def test_a_price_that_wavers_round_the_limit_is_told_once(desk: Desk) -> None:
    """peers.md 6, rank 17: 1.99, 2.01, 1.99, 2.01 round 2.00 is one alert."""
    for cny in ("2.10", "1.99", "2.01", "1.99", "2.01", "1.98"):
        desk.price(cny)
        desk.look(rule())
    assert len(desk.told) == 1
    title, body = desk.told[0]
    assert title == "算价提醒：r"
    assert "RTX4090 按量最低 ¥1.99/卡时，低于 ¥2.00。" in body
    assert "14 小时前采集" in body


def test_a_price_that_left_by_the_hysteresis_is_told_again(desk: Desk) -> None:
    # 2.00 x 1.03 = 2.06
    for cny, told in (("1.99", 1), ("2.05", 1), ("1.99", 1), ("2.06", 1), ("1.99", 2)):
        desk.price(cny)
        desk.look(rule())
        assert len(desk.told) == told, cny


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=12, deadline=None)
@given(st.lists(st.decimals("1.80", "2.20", places=2), min_size=1, max_size=8))
def test_one_message_per_crossing(desk: Desk, prices: list[Decimal]) -> None:
    (desk.home / "ledger.sqlite").unlink(missing_ok=True)
    desk.told.clear()
    armed, want = True, 0
    for price in prices:
        desk.price(str(price))
        desk.look(rule())
        if armed and price < 2:
            armed, want = False, want + 1
        elif not armed and price >= Decimal("2.06"):
            armed = True
    assert len(desk.told) == want


def test_the_quiet_period_holds_back_and_then_tells_what_still_stands(desk: Desk) -> None:
    quiet = rule(quiet_hours=24)
    desk.price("1.90")
    desk.look(quiet)
    desk.price("2.30")
    desk.look(quiet)
    desk.price("1.90")
    assert desk.look(quiet)[0].outcome == "quiet"
    assert len(desk.told) == 1
    desk.now += timedelta(hours=24)
    assert desk.look(quiet)[0].outcome == "told"
    assert len(desk.told) == 2


def test_above(desk: Desk) -> None:
    # 2.00 x 0.97 = 1.94
    for cny, told in (
        ("1.99", 0),
        ("2.00", 0),
        ("2.01", 1),
        ("1.95", 1),
        ("2.01", 1),
        ("1.94", 1),
        ("2.01", 2),
    ):
        desk.price(cny)
        desk.look(rule(kind="above"))
        assert len(desk.told) == told, cny


def test_no_channel_took_it(desk: Desk) -> None:
    desk.price("1.90")
    desk.answers = False
    assert desk.look(rule())[0].outcome == "not_told"
    desk.answers = True
    assert desk.look(rule())[0].outcome == "told"
    assert desk.look(rule())[0].outcome == "fired"


def test_a_held_price_tells_nothing(desk: Desk, published: Path) -> None:
    # The market holds one price of 98.00; nothing above 50 may be told of.
    assert desk.look(rule(kind="above", price=50))[0].outcome == "armed"
    desk.price("1.90")
    desk.con.execute("UPDATE offers SET review = 'level_review' WHERE card = 'RTX4090'")
    assert desk.look(rule())[0].outcome == "nothing"
    assert desk.told == []


def test_an_old_price_tells_nothing(desk: Desk) -> None:
    desk.price("1.90")
    desk.now += timedelta(days=8)
    assert desk.look(rule())[0].outcome == "nothing"


def test_by_region(desk: Desk) -> None:
    # Aliyun in Beijing lists 3.14.
    assert desk.look(rule(region="北京", price=3.15))[0].outcome == "told"
    assert "北京 RTX4090" in desk.told[0][1]
    assert desk.look(rule(name="b", region="上海", price=3.15))[0].outcome == "nothing"


def test_lowest_needs_as_many_weeks_as_it_speaks_of(desk: Desk) -> None:
    assert desk.look(rule(kind="lowest", price=None, weeks=13))[0].outcome == "nothing"
    # Three weeks of history, the lowest of them 1.86: 1.86 is no new low, 1.85 is.
    low = rule(kind="lowest", price=None, weeks=3)
    assert desk.look(low)[0].outcome == "armed"
    desk.price("1.85")
    assert desk.look(low)[0].outcome == "told"
    assert "3 周以来最低（此前最低 ¥1.86）" in desk.told[0][1]
    assert desk.look(low)[0].outcome == "fired"


def test_a_fit_below_a_budget(desk: Desk) -> None:
    fit = {"kind": "fit_below", "card": None, "price": None, "workload": "lora-7b"}
    (total,) = desk.con.execute(
        "SELECT total_cny_p50::DOUBLE FROM cheapest_fit WHERE workload = 'lora-7b' AND region_code = 'CN'"
        " AND rank = 1 ORDER BY week DESC LIMIT 1"
    ).fetchall()[0]
    assert desk.look(rule(**fit, budget=total))[0].outcome == "armed"
    assert desk.look(rule(**fit, name="b", budget=round(total + 0.01, 2)))[0].outcome == "told"
    assert f"7B LoRA 微调在全国最低 ¥{total:.2f}，低于 ¥{total + 0.01:.2f}" in desk.told[0][1]
    desk.con.execute("UPDATE cheapest_fit SET mark = 'one_seller,under_review'")
    assert desk.look(rule(**fit, name="c", budget=99))[0].outcome == "nothing"
    with pytest.raises(RulesError, match="no workload is called 'x'"):
        desk.look(rule(**{**fit, "workload": "x"}, budget=5))


def test_back_in_stock(desk: Desk) -> None:
    stock = rule(kind="back_in_stock", price=None)
    # In stock when the rule is new: nothing has come back.
    assert desk.look(stock)[0].outcome == "fired"
    desk.con.execute("UPDATE offers SET in_stock = false, stock_idle = 0 WHERE in_stock IS NOT NULL")
    assert desk.look(stock)[0].outcome == "armed"
    desk.con.execute("UPDATE offers SET in_stock = true, stock_idle = 5 WHERE in_stock IS NOT NULL")
    assert desk.look(stock)[0].outcome == "told"
    assert "又有货了：矩池云" in desk.told[0][1]
    desk.con.execute("UPDATE offers SET in_stock = NULL")
    assert desk.look(stock)[0].outcome == "nothing"


def test_a_broken_source(desk: Desk) -> None:
    broken = rule(kind="source_broken", card=None, price=None)
    since = datetime.fromisoformat("2026-11-27T20:00:00+08:00")
    for bad, told in ((0, 0), (1, 0), (2, 0), (3, 1), (4, 1), (0, 1), (3, 2)):
        desk.sick = {"tencent": Sick(bad, "blocked", since), "aliyun": Sick(0, "", None)}
        desk.look(broken)
        assert len(desk.told) == told, bad
    assert "腾讯云连续 3 次采集失败（被拦截），从 2026-11-27 20:00 起" in desk.told[0][1]


def test_english(desk: Desk) -> None:
    desk.price("1.90")
    desk.look(rule(lang="en"))
    assert desk.told[0][0] == "suanjia alert: r"
    assert desk.told[0][1].startswith("RTX4090 on demand, Zhangjiakou: ¥1.90 per card-hour, below ¥2.00.")


WRONG = [
    ("", "write each rule"),
    ("alert = 3", "write each rule"),
    ("[[rule]]\nname='x'", "write each rule"),
    ("[[alert]\n", "alerts.toml"),
    (rule(kind="cheaper"), "kind is one of"),
    (rule(kind=None), "kind is one of"),
    (rule(name=None), "a name is missing"),
    (rule(price=None), "below needs price"),
    (rule(price=0), "price must be above 0"),
    (rule(price="cheap"), "price: 'cheap' is not a number"),
    (rule(price=True), "price: True is not a number"),
    (rule(colour="red"), "no field 'colour'"),
    (rule(weeks=4), "no field 'weeks'"),
    (rule(hysteresis=-1), "hysteresis must be 0 or more"),
    (rule(kind="lowest", price=None, weeks=0), "weeks must be a whole number"),
    (rule(kind="lowest", price=None, weeks=1.5), "weeks must be a whole number"),
    (rule(lang="fr"), "lang is one of"),
    (rule(region=""), "region must be a text"),
    (rule() + rule(), "two alerts are called 'r'"),
]


@pytest.mark.parametrize(("text", "reason"), WRONG)
def test_rules_that_are_wrong(tmp_path: Path, text: str, reason: str) -> None:
    path = tmp_path / "alerts.toml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(RulesError, match=reason):
        read_rules(path)


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"card": "RTX 9999"}, "no card is called"),
        ({"region": "火星"}, "no region is called"),
        ({"mode": "yearly!"}, "no billing mode"),
    ],
)
def test_names_that_do_not_exist(desk: Desk, changes: dict[str, str], reason: str) -> None:
    with pytest.raises(RulesError, match=reason):
        desk.look(rule(**changes))


@given(st.text(max_size=300))
def test_any_file_gives_rules_or_one_sentence(tmp_path_factory: pytest.TempPathFactory, text: str) -> None:
    path = tmp_path_factory.mktemp("rules") / "alerts.toml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(RulesError):
        read_rules(path)


def command(home: Path, *args: str, **env: str) -> subprocess.CompletedProcess[str]:
    words = [sys.executable, "-m", "suanjia", "--home", str(home), "--now", NOW.isoformat(), "alerts", *args]
    return subprocess.run(
        words, env={"PATH": os.environ["PATH"], **env}, capture_output=True, text=True, check=False
    )


@pytest.mark.slow
def test_the_command(home: Path) -> None:
    assert command(home).returncode == 4
    (home / "alerts.toml").write_text(rule(price=2.0), encoding="utf-8")
    first = command(home, "--json")
    assert first.returncode == 0, first.stderr
    told = json.loads(first.stdout)
    assert [(row["rule"], row["outcome"]) for row in told] == [("r", "told")]
    assert [row["outcome"] for row in json.loads(command(home, "--json").stdout)] == ["fired"]
    (home / "alerts.toml").write_text("x", encoding="utf-8")
    assert command(home).returncode == 2


def test_nobody_to_tell_ends_with_3_and_tries_again(home: Path) -> None:
    (home / "alerts.toml").write_text(rule(price=2.0), encoding="utf-8")
    for _ in range(2):
        done = command(
            home, "--json", SUANJIA_SMTP_URL="smtp://127.0.0.1:1", SUANJIA_MAIL_FROM="w@example.com"
        )
        assert done.returncode == 3
        assert [row["outcome"] for row in json.loads(done.stdout)] == ["not_told"]


def test_killed_while_sending_tells_nobody_twice(home: Path) -> None:
    (home / "alerts.toml").write_text(rule(price=2.0), encoding="utf-8")
    script = (
        "import os, signal, sys\n"
        "from datetime import datetime\n"
        "from pathlib import Path\n"
        "from reports.alerts.rules import read_rules\n"
        "from reports.alerts.run import run_rules\n"
        "from warehouse.reader import open_latest\n"
        "home = Path(sys.argv[1])\n"
        "con, _ = open_latest(home)\n"
        f"now = datetime.fromisoformat({NOW.isoformat()!r})\n"
        "run_rules(con, home, read_rules(home / 'alerts.toml'), now, {},"
        " lambda title, body: os.kill(os.getpid(), signal.SIGKILL))\n"
    )
    assert subprocess.run([sys.executable, "-c", script, str(home)], check=False).returncode == -9
    assert [row["outcome"] for row in json.loads(command(home, "--json").stdout)] == ["fired"]


def test_a_generation_with_nothing_in_it(tmp_path: Path) -> None:
    world = World(tmp_path / "home")
    world.run([offer()])
    world.go()
    con, _ = open_latest(world.home)
    path = tmp_path / "home" / "alerts.toml"
    path.write_text(rule(card="A10"), encoding="utf-8")
    tell: Callable[[str, str], bool] = lambda title, body: True  # noqa: E731
    assert run_rules(con, world.home, read_rules(path), world.now, {}, tell)[0].outcome == "nothing"
    con.close()
