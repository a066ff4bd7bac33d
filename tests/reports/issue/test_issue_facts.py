"""What an issue says is what the generation says."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb
import pytest

from reports.issue.build import Done, build_issue
from reports.issue.headline import headline
from reports.render.fit_table import one_mark
from reports.render.index_tables import movers
from reports.render.make_view import make_view
from reports.render.words import Words, choices
from tests.reports.issue.issue_world import NOW, SELLERS, price
from tests.warehouse.warehouse_world import World, offer
from warehouse.errors import NoGeneration, Refused
from warehouse.reader import open_latest


@pytest.fixture
def con(published: Path) -> Iterator[duckdb.DuckDBPyConnection]:
    connection, _ = open_latest(published)
    yield connection
    connection.close()


def test_coverage_counts_whole_runs_of_planned_sources(issued: tuple[Path, Done]) -> None:
    cover = issued[1].issue.coverage
    assert cover.planned == tuple(sorted(SELLERS))
    assert cover.missing == ("tencent",)
    assert cover.share == Decimal("0.8")
    assert cover.low
    assert "aliyun" not in cover.never
    assert "volcengine" in cover.never


def test_coverage_is_the_index_s_own(issued: tuple[Path, Done], con: duckdb.DuckDBPyConnection) -> None:
    rows = con.execute("SELECT DISTINCT coverage FROM price_index WHERE week = '2026-11-23'").fetchall()
    assert rows == [(float(issued[1].issue.coverage.share or 0),)]


def test_live_offers_are_those_of_the_database(
    issued: tuple[Path, Done], con: duckdb.DuckDBPyConnection
) -> None:
    # Nothing was seen after the freeze, so what was live then is what the generation calls live.
    counted = con.execute("SELECT count(*), count(DISTINCT provider) FROM offers").fetchall()[0]
    cover = issued[1].issue.coverage
    assert (cover.offers, cover.sellers) == counted


def test_fits_are_those_of_the_database(issued: tuple[Path, Done], con: duckdb.DuckDBPyConnection) -> None:
    rows = con.execute(
        "SELECT workload, region_code, rank, offer_id, total_cny_p50, total_cny_p90 FROM cheapest_fit"
        " WHERE week = '2026-11-23' ORDER BY ALL"
    ).fetchall()
    fits = issued[1].issue.fits
    assert [
        (f.workload, f.region_code, f.rank, f.offer_id, f.total_cny_p50, f.total_cny_p90) for f in fits
    ] == rows
    assert rows


def test_the_change_of_a_fit_is_that_of_the_same_offer(issued: tuple[Path, Done]) -> None:
    found = {(fit.provider, fit.card): fit for fit in issued[1].issue.fits if fit.billing_mode == "on_demand"}
    fit = found[("autodl", "RTX4090")]
    # 2.00 x 0.95 = 1.90 in week 47; 1.90 x 0.98 = 1.862, printed as 1.86.
    assert (fit.price_before, fit.price_cny_per_card_hour) == (Decimal("1.9"), Decimal("1.86"))
    assert fit.price_before == price("autodl", "RTX4090", 1)
    assert not fit.is_new
    new = found[("autodl", "A10")]
    assert new.is_new
    assert new.price_before is None


def test_ages_count_to_the_freeze(issued: tuple[Path, Done]) -> None:
    # Seen on Sunday at 20:00, frozen on Monday at 04:00.
    ages = {fit.age_hours for fit in issued[1].issue.fits if fit.provider == "autodl"}
    assert ages == {Decimal("8.00")}


def test_what_was_held_and_refused_is_counted(
    issued: tuple[Path, Done], con: duckdb.DuckDBPyConnection
) -> None:
    counts = {(c.kind, c.reason): (c.week, c.total) for c in issued[1].issue.counts}
    assert counts[("refused", "unit_unknown")] == (1, 1)
    held = con.execute(
        "SELECT quarantine, count(*) FROM observations WHERE quarantine IS NOT NULL GROUP BY 1"
    ).fetchall()
    assert {(reason, n) for reason, n in held} == {
        (reason, total) for (kind, reason), (_, total) in counts.items() if kind == "held"
    }
    assert [row.price_cny_per_card_hour for row in issued[1].issue.held] == [Decimal(98)]


def test_a_held_price_is_in_no_fit(issued: tuple[Path, Done]) -> None:
    held = {row.obs_id for row in issued[1].issue.held}
    assert not held & {fit.obs_id for fit in issued[1].issue.fits}


def test_the_headline_is_a_cell_that_may_lead(issued: tuple[Path, Done]) -> None:
    head = headline(issued[1].issue, choices())
    assert head.cell is not None
    assert (head.cell.card, head.cell.grade) in {("RTX4090", "A"), ("RTX4090", "B")}
    assert head.fit is not None
    assert (head.fit.workload, head.fit.rank, head.fit.region_code) == ("lora-7b", 1, "CN")


def test_movers_are_matched_only(issued: tuple[Path, Done]) -> None:
    found = [(cell.card, cell.billing_mode, cell.direction) for cell in movers(issued[1].issue)]
    assert found == [
        ("A100-80G", "on_demand", "up"),
        ("RTX4090", "on_demand", "down"),
        ("RTX4090", "monthly", "down"),
    ]


def test_a_generation_from_before_the_week_is_refused(home: Path) -> None:
    with pytest.raises(Refused, match="was built before 2026-W50"):
        build_issue(home, NOW + timedelta(days=14), None, rebuilt=False)


def test_nothing_published(tmp_path: Path) -> None:
    with pytest.raises(NoGeneration):
        build_issue(tmp_path, NOW, None, rebuilt=False)


@pytest.mark.slow
def test_a_dear_seller_that_joins_moves_the_level_and_no_index(tmp_path: Path) -> None:
    """cases.md 32: {A 2.0, B 3.0}, then {A 2.0, B 3.0, C 9.0} is no movement."""
    home, start = tmp_path / "home", datetime(2026, 11, 15, 12, tzinfo=UTC)
    world = World(home)
    for week in range(3):
        at = start + timedelta(weeks=week)
        for provider, kind, cny in (
            ("alpha", "marketplace", "2.0"),
            ("beta", "cloud", "3.0"),
            ("gamma", "idc", "9.0"),
        ):
            if provider == "gamma" and week < 2:
                continue
            run = f"{provider}-{week}"
            rows = [
                offer(run, at, provider=provider, provider_class=kind, zone=zone, price=Decimal(cny))
                for zone in "abc"
            ]
            world.run(rows)
    world.load()
    world.publish(NOW)
    issue = build_issue(home, NOW, None, rebuilt=False).issue
    cells = {cell.region_code: cell for cell in issue.cells}
    assert cells["CN"].link == 1
    assert cells["CN"].direction == "flat"
    assert movers(issue) == []
    levels = open_latest(home)[0].execute(
        "SELECT week, median FROM price_level WHERE region_code = 'CN' AND provider_class = 'idc'"
    )
    assert len(levels.fetchall()) == 1


def test_from_how_many_hours_on_a_month_pays(issued: tuple[Path, Done]) -> None:
    # A month is 500 times the hour at every seller, zone A beside zone A.
    text = (issued[1].folder / "report.zh.txt").read_text(encoding="utf-8")
    assert {(row.card, row.hours) for row in issued[1].issue.break_even} == {("RTX4090", Decimal(500))}
    assert "RTX4090：一个月里用满 500 小时（一个月的 68%）以上，包月比按量便宜。" in text


# words from data


def test_flat_by_the_rule_is_flat_in_every_word(issued: tuple[Path, Done]) -> None:
    """A ratio of 1.004 whose interval holds 1 is no rise, whatever its sign."""
    issue = issued[1].issue
    cells = tuple(
        replace(cell, link=Decimal("1.004"), direction="flat") if cell.card == "RTX4090" else cell
        for cell in issue.cells
    )
    for lang, word in (("zh", "持平"), ("en", "flat")):
        view = make_view(replace(issue, cells=cells), lang)
        assert word in view.subject
        assert word in view.sentences[0]
        assert not {"▲", "▼", "0.4%"} & set(view.subject + view.sentences[0])
        assert [line.cells[0].top for line in view.movers.lines if "RTX4090" in line.cells[0].top] == []


def test_a_grade_c_cell_never_leads(issued: tuple[Path, Done]) -> None:
    issue = issued[1].issue
    thin = replace(issue, cells=tuple(replace(cell, grade="C") for cell in issue.cells))
    assert headline(thin, choices()).cell is None
    assert make_view(thin, "zh").sentences[0] == "本周没有样本足够、可以作为标题的全国指数。"


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"age_hours": Decimal(100), "mark": "sold_out,one_seller"}, ["旧 4 天"]),
        ({"mark": "sold_out,one_seller"}, ["售罄"]),
        ({"mark": "one_seller", "stock_idle": 3}, ["仅 1 家"]),
        ({"mark": "new", "stock_idle": 3}, ["库存 3"]),
        ({"mark": None, "stock_idle": None}, []),
    ],
)
def test_a_row_carries_one_mark(issued: tuple[Path, Done], changes: dict[str, Any], words: list[str]) -> None:
    fit = replace(issued[1].issue.fits[0], **{"age_hours": Decimal(8), **changes})
    assert one_mark(fit, Words("zh")) == words
