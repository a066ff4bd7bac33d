"""Cases 28, 29 and 31 of what users of such products hit: age, a reader that stays, the partial day."""

from __future__ import annotations

import subprocess
import sys
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from pathlib import Path

import pytest

from catalog.providers import load_providers
from reports.fit.weekly import extra_tables
from reports.issue.build import build_issue
from reports.numbers import loads
from tests.reports.issue.issue_world import NOW, SUNDAY
from tests.warehouse.warehouse_world import World, offer
from warehouse.reader import open_latest

WEEK = timedelta(days=7)
SELLERS = {"autodl": ("marketplace", None), "aliyun": ("cloud", "110000"), "tencent": ("cloud", "440100")}


def list_prices(world: World, seller: str, at: datetime, cny: str = "2.00") -> str:
    """One complete crawl of a seller: RTX4090 by the hour in three zones."""
    kind, region = SELLERS[seller]
    run = f"{seller}-{at:%m%dT%H%M}"
    place = {"region_code": region, "scope": "national" if region is None else "region"}
    place["precision"] = "none" if region is None else "city"
    rows = [
        offer(run, at, provider=seller, provider_class=kind, zone=zone, price=Decimal(cny), **place)
        for zone in "abc"
    ]
    return world.run(rows)


def fail(world: World, seller: str, at: datetime) -> None:
    world.run(provider=seller, run_id=f"{seller}-{at:%m%dT%H%M}", outcome="blocked", started_at=at)


def publish(world: World, now: datetime) -> None:
    world.load()
    world.publish(now, extra_tables=lambda con: extra_tables(con, now, world.providers, world.home))


def ask(home: Path, sql: str) -> list[tuple[object, ...]]:
    con, _ = open_latest(home)
    try:
        return con.execute(sql).fetchall()
    finally:
        con.close()


# 28: age counts from the observation, whatever the crawls do meanwhile


@pytest.mark.slow
def test_failed_crawls_make_a_price_older_until_it_leaves_and_the_mail_says_so(tmp_path: Path) -> None:
    world = World(tmp_path / "home", providers=dict(load_providers()))
    for week in (2, 1, 0):
        for seller in SELLERS:
            list_prices(world, seller, SUNDAY - week * WEEK)
    publish(world, NOW)
    # Three intervals of a day, three failures: the price is as old as its observation.
    for day in (1, 2, 3):
        fail(world, "tencent", SUNDAY + timedelta(days=day))
    wednesday = SUNDAY + timedelta(days=3)
    publish(world, wednesday)
    aged = "SELECT DISTINCT observed_at, age_hours FROM offers WHERE provider = 'tencent'"
    assert [(at.astimezone(UTC), age) for at, age in ask(world.home, aged)] == [(SUNDAY, 72)]  # type: ignore[attr-defined]
    # A week on, without one good crawl: named as missing, and over seven days old it is in no table.
    for week in (1, 2, 3, 4, 5):
        for seller in ("autodl", "aliyun"):
            list_prices(world, seller, SUNDAY + week * WEEK)
        fail(world, "tencent", SUNDAY + week * WEEK)
        if week not in {1, 5}:
            continue
        publish(world, NOW + week * WEEK)
        issue = build_issue(world.home, NOW + week * WEEK, None, rebuilt=False)
        assert issue.issue.fits
        assert issue.issue.coverage.missing == ("tencent",)
        text = (issue.folder / "report.zh.txt").read_text(encoding="utf-8")
        assert "本周没有完整数据：腾讯云。它们的价格沿用最近一次并注明天数，超过 7 天即退出上表。" in text
        assert "覆盖率不足" in text
        assert "腾讯云 ·" not in text
    # The seller's own place has nothing to show from the first week on; in the nation its keys move with the
    # others for four weeks, and then they are out.
    since = "series = 'list' AND week >= '2026-11-30'"
    values = f"SELECT value FROM price_index WHERE region_code = '440000' AND value IS NOT NULL AND {since}"
    assert ask(world.home, values) == []
    nation = ask(
        world.home,
        f"SELECT n_imputed, flags FROM price_index WHERE region_code = 'CN' AND {since} ORDER BY week",
    )
    imputed = [row[0] for row in nation]
    assert max(imputed) > 0  # type: ignore[type-var]
    assert imputed[-1] == 0
    assert any("provider_outage" in str(row[1]) for row in nation)


def test_an_old_price_carries_its_age_in_the_mail(tmp_path: Path) -> None:
    world = World(tmp_path / "home", providers=dict(load_providers()))
    for week in (1, 0):
        for seller in SELLERS:
            late = timedelta(days=4) if week == 0 and seller == "tencent" else timedelta(0)
            cny = "1.50" if seller == "tencent" else "2.00"
            list_prices(world, seller, SUNDAY - week * WEEK - late, cny)
    publish(world, NOW)
    text = (build_issue(world.home, NOW, None, rebuilt=False).folder / "report.zh.txt").read_text("utf-8")
    # Wednesday 20:00 to the freeze on Monday 04:00 is 104 hours.
    assert "11-25 20:00 · 旧 4 天" in text


# 29: a process that was there before a publish answers from the new generation


def test_a_reader_that_stays_sees_the_next_generation(tmp_path: Path) -> None:
    home = tmp_path / "home"
    world = World(home)
    world.run([offer("one", price=Decimal("2.00"))])
    world.go()
    script = (
        "import sys\n"
        "from pathlib import Path\n"
        "from warehouse.reader import open_latest\n"
        "for _ in sys.stdin:\n"
        "    con, name = open_latest(Path(sys.argv[1]))\n"
        "    print(name, con.execute('SELECT max(price) FROM offers').fetchall()[0][0], flush=True)\n"
        "    con.close()\n"
    )
    with subprocess.Popen(
        [sys.executable, "-c", script, str(home)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as reader:
        assert reader.stdin is not None
        assert reader.stdout is not None

        def answer() -> list[str]:
            reader.stdin.write("\n")  # type: ignore[union-attr]
            reader.stdin.flush()  # type: ignore[union-attr]
            return reader.stdout.readline().split()  # type: ignore[union-attr]

        before = answer()
        at = world.now + timedelta(hours=6)
        world.run([offer("two", at, price=Decimal("2.10"))])
        world.go()
        after = answer()
        reader.stdin.close()
    assert (Decimal(before[1]), Decimal(after[1])) == (Decimal("2.00"), Decimal("2.10"))
    assert before[0] != after[0]


# 31: four crawls a day, dearer by the hour, every day alike


SLOTS = {"00:10": "1.80", "06:10": "1.90", "12:10": "2.00", "18:10": "2.10"}


def day_of_crawls(world: World, day: datetime, until: str = "24:00") -> None:
    for seller in SELLERS:
        for slot, cny in SLOTS.items():
            if slot < until:
                hour, minute = map(int, slot.split(":"))
                list_prices(world, seller, day + timedelta(hours=hour, minutes=minute), cny)


@pytest.mark.slow
def test_a_day_is_its_last_price_and_a_partial_day_is_marked(tmp_path: Path) -> None:
    world = World(tmp_path / "home", providers=dict(load_providers()))
    # Saturday and Sunday of weeks 47 and 48, Monday and the first half of Tuesday of week 49, in Shanghai.
    monday = datetime.fromisoformat("2026-11-30T00:00:00+08:00").astimezone(UTC)
    for back in (9, 8, 2, 1):
        day_of_crawls(world, monday - timedelta(days=back))
    day_of_crawls(world, monday)
    day_of_crawls(world, monday + timedelta(days=1), until="12:00")
    now = monday + timedelta(days=1, hours=9)
    publish(world, now)
    rows = ask(
        world.home,
        "SELECT week, link, direction, status, method_version FROM price_index"
        " WHERE series = 'list' AND region_code = 'CN' AND week >= '2026-11-23' ORDER BY week",
    )
    # Week 48 against week 47: the same slots, the same prices, no change; not the first reading, not a mean.
    assert rows[0][1:3] == (1, "flat")
    price = ask(world.home, "SELECT DISTINCT price FROM index_key_weeks WHERE week = '2026-11-23'")
    assert [Decimal(str(value)).quantize(Decimal("0.01")) for (value,) in price] == [Decimal("2.10")]
    # The running week has 06:10 of today beside 18:10 of yesterday: provisional, and a preview by its words.
    assert rows[-1][3] == "provisional"
    assert all(row[4] for row in rows)
    preview = build_issue(world.home, now, "2026-W49", rebuilt=False)
    assert preview.vintage is None
    for part in ("report.zh.txt", "report.zh.html"):
        text = (preview.folder / part).read_text(encoding="utf-8")
        assert "本周尚未结束，以下为截至 2026-12-01 09:00 的预览" in text
    frozen = build_issue(world.home, now, None, rebuilt=False)
    data = loads((frozen.folder / "report.json").read_text(encoding="utf-8"))
    assert (data["week"], data["running"]) == ("2026-W48", False)
    assert all(cell["direction"] in {"flat", None} for cell in data["cells"])
