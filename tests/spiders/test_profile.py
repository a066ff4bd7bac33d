"""The profile of a source: another spelling is no other unit, another unit is told, route by route."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from spiders.config import CrawlConfig
from spiders.profile import Expected, check
from spiders.run import Run
from tests.spiders.clouds import NOW
from tests.spiders.platforms import crawl_page

KNOWN = Expected({"page": ("元/卡时", "元/整机/30天"), "api": ("1e-6 CNY/device/second",)})


def met(units: dict[str, list[str]], tmp_path: Path, expected: Expected = KNOWN, **more: Any) -> Run:
    config = CrawlConfig(
        provider="x", run_id="r", run_dir=tmp_path, evidence_dir=tmp_path, now=NOW, origins={}, delay=0.0
    )
    run = Run(config, [], {})
    run.units = {route: Counter(found) for route, found in units.items()}
    for name, value in more.items():
        setattr(run, name, value)
    check(run, expected)
    return run


def test_a_route_that_was_not_asked_misses_nothing(tmp_path: Path) -> None:
    run = met({"page": ["元/卡时", "元/整机/30天", "week 元"]}, tmp_path)
    assert [drift.found for drift in run.drift] == ["week 元"]
    assert run.problems == []


@pytest.mark.parametrize("unit", ["hour 元", "元/卡/小时", "CNY/card/hour", "hour", "元/小时"])
def test_another_spelling_is_the_same_unit(unit: str, tmp_path: Path) -> None:
    run = met({"page": [unit, "30 day 元"]}, tmp_path)
    assert (run.problems, run.drift) == ([], [])


@pytest.mark.parametrize(
    "unit",
    ["day 元", "元/卡天", "hour 万元", "CNY/server/hour", "0.001 CNY/card/hour", "hour USD", "60 day 元"],
)
def test_a_unit_instead_of_another_is_a_change(unit: str, tmp_path: Path) -> None:
    run = met({"page": [unit, "元/整机/30天"]}, tmp_path)
    (problem,) = run.problems
    assert (problem.kind, problem.route) == ("layout_changed", "page")
    assert repr(unit) in problem.message
    assert "元/卡时" in problem.message


def test_units_that_each_number_tells_stand_for_one_another(tmp_path: Path) -> None:
    units = {"api": ["CNY/device/hour"]}
    assert met(units, tmp_path).problems
    assert met(units, tmp_path, known_units=("CNY/device/hour",)).problems == []


def test_periods_stated_beside_every_price_may_come_and_go(tmp_path: Path) -> None:
    expected = Expected({"page": ("CNY/instance/hour", "CNY/instance/month")})
    units = {"page": ["CNY/instance/3 year"]}
    assert met(units, tmp_path, expected).problems
    assert met(units, tmp_path, expected, periods_vary=True).problems == []
    cards = {"page": ["CNY/card/hour"]}
    assert met(cards, tmp_path, expected, periods_vary=True).problems


TABLE = """<html><body><h2>弹性部署</h2><table><tr><th>GPU</th><th>价格</th></tr>
<tr><td>RTX 4090 24GB</td><td>1.98 元/小时</td></tr><tr><td>L40S</td><td>¥4.98/h</td></tr>
<tr><td>L20</td><td>4.00（抢占 2.40）元/卡时</td></tr></table>
<h2>裸金属</h2><table><tr><th>机型</th><th>价格</th></tr>
<tr><td>8 × RTX 4090 30 天包</td><td>¥8314.10</td></tr></table></body></html>"""


def test_gongji_written_in_other_words_is_read(tmp_path: Path) -> None:
    # As two surveys of 2026-10 quote it: ¥/h, a second mode in brackets, a 30-day pack.
    done = crawl_page("gongji", tmp_path, "/pricing", TABLE)
    assert (done.judged.outcome, done.made.rejections) == ("ok", [])
    found = {(o.card, o.billing_mode, str(o.price), int(o.gpu_count)) for o in done.offers}
    assert found == {
        ("RTX4090", "on_demand", "1.98", 1), ("L40S", "on_demand", "4.98", 1),
        ("L20", "on_demand", "4.00", 1), ("L20", "spot", "2.40", 1), ("RTX4090", "pack", "8314.10", 8),
    }  # fmt: skip


@pytest.mark.parametrize("unit", ["元/h", "元/小时", "元/卡时", "元/卡/小时", "元"])
def test_gongji_a_unit_in_the_next_cell(unit: str, tmp_path: Path) -> None:
    page = f"""<table><caption>弹性部署</caption><tr><th>GPU</th><th>价格</th><th>单位</th></tr>
<tr><td>RTX 4090 24GB</td><td>1.98</td><td>{unit}</td></tr></table>"""
    done = crawl_page("gongji", tmp_path, "/pricing", f"<html><body>{page}</body></html>")
    if unit == "元":
        assert done.offers == []
        assert [r.reason for r in done.made.rejections] == ["missing_period"]
    else:
        offer = done.one(card="RTX4090")
        assert (str(offer.price), offer.per_hours) == ("1.98", 1)
