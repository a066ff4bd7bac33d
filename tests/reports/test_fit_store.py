"""Fit on a real generation: what is read of it, the proof, the weekly table, the commands."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from datetime import date, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from catalog.providers import load_providers
from pipeline.importing import import_sheet
from reports.fit import weekly
from reports.fit.answer import answer
from reports.fit.job import weekly_jobs
from reports.fit.planner import SizingPlanner
from reports.fit.proof import Sources, sources
from reports.fit.store import market_of, sellables
from suanjia.settings import Settings, load
from tests.warehouse.warehouse_world import World, offer
from warehouse.load import load as load_segments
from warehouse.publish import publish
from warehouse.reader import open_latest

NOW = datetime.fromisoformat("2026-11-30T20:00:00+08:00")
HEAD = "observed_at,provider,region_raw,card_raw,amount_low,currency,per,mode,price_kind,basis,cards,stock_idle,max_cards,trust"  # noqa: E501
DAY = timedelta(days=1)


def row(at: datetime, provider: str, region: str, card: str, price: object, **more: object) -> str:
    values = {
        "per": "hour",
        "mode": "on_demand",
        "price_kind": "list",
        "basis": "card",
        "cards": 1,
        "stock_idle": "",
        "max_cards": 8,
        "trust": "seller",
        **more,
    }
    rest = ",".join(str(values[name]) for name in HEAD.split(",")[6:])
    return f"{at.isoformat()},{provider},{region},{card},{price},CNY,{rest}"


def publish_rows(home: Path, *rows: str, now: datetime = NOW) -> None:
    """Import the rows as one sheet, load and publish with the tables of fit."""
    sheet = home.parent / f"sheet-{len(list(home.parent.glob('sheet-*')))}.csv"
    sheet.write_text("\n".join([HEAD, *rows]) + "\n", encoding="utf-8")
    providers = load_providers(home)
    done = import_sheet(home, sheet, now, providers, False)
    assert done.rejections == []
    load_segments(home, now)
    publish(
        home,
        now,
        providers,
        "test",
        extra_tables=lambda con: weekly.extra_tables(con, now, providers, home),
        extra_inputs=weekly.extra_inputs(home),
    )


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home with a week of two sellers, published on the Monday after; nothing below writes into it."""
    home = tmp_path_factory.mktemp("fit") / "home"
    home.mkdir()
    (home / "workloads.toml").write_text(
        '[[workload]]\nname = "mine"\nmodel = "Qwen2.5-7B"\nmethod = "lora"\nsamples = 10000\n'
        "tokens_per_sample = 500\nepochs = 3\n",
        encoding="utf-8",
    )
    publish_rows(
        home,
        row(NOW - 2 * DAY, "idc_a", "北京", "RTX4090", "1.98"),
        row(NOW - 2 * DAY, "idc_a", "北京", "RTX4090", 1052, per="month", mode="monthly"),
        row(NOW - 2 * DAY, "idc_b", "广东", "A100-80G", "6.80"),
        row(NOW - DAY / 4, "idc_b", "广东", "A100-80G", "3.60"),  # Monday noon: this week, not the frozen one
        row(NOW - 2 * DAY, "idc_c", "", "RTX4090", "1.20", stock_idle=0),
        row(NOW - 2 * DAY, "idc_c", "", "RTX4090", "1.00", price_kind="member"),
        row(NOW - 9 * DAY, "idc_d", "张家口", "RTX4090", "0.90"),
        row(NOW - 2 * DAY, "idc_e", "北京", "RTX4090", "0.50", trust="article"),
        row(NOW - 2 * DAY, "idc_f", "内蒙古", "A100-80G", 30, basis="server", cards=8),
    )
    return home


@pytest.fixture
def con(home: Path) -> Iterator[Any]:
    opened, _ = open_latest(home)
    yield opened
    opened.close()


def test_columns_come_with_their_types(con: Any) -> None:
    found = {(s.provider, s.billing_mode, s.price_kind): s for s in sellables(con)}
    one = found["idc_a", "on_demand", "list"]
    assert one.price == Decimal("1.98")
    assert isinstance(one.gpu_count, Decimal)
    assert (one.basis, one.max_cards, one.stock_idle, one.region_code) == ("card", 8, None, "110000")
    assert one.observed_at == NOW - 2 * DAY
    assert found["idc_f", "on_demand", "list"].whole_machine
    assert ("idc_e", "on_demand", "list") not in found  # articles are no offers


def test_market_removes_by_rule_and_proof_names_sources(con: Any) -> None:
    market, known = market_of(con, {}, NOW)
    assert market.removed == {"price_kind": 1, "sold_out": 1, "stale": 1}
    assert known.complete == ("idc_a", "idc_b", "idc_c", "idc_f")
    assert known.missing == ("idc_d",)
    later = sources(con, NOW + 6 * DAY, NOW + 6 * DAY)
    assert later.complete == ("idc_b",)


def test_offers_as_they_stood_at_a_moment(con: Any) -> None:
    then = {s.provider: s.price for s in sellables(con, NOW - DAY) if s.card == "A100-80G"}
    assert then == {"idc_b": Decimal("6.80"), "idc_f": Decimal(30)}
    assert list(sellables(con, NOW - 30 * DAY)) == []


def test_the_weekly_table(con: Any) -> None:
    rows = con.execute(
        "SELECT week, region_code, rank, provider, gpu_count, total_cny_p50, mark, proof, margin_to_next_pct,"
        " hours_p50, price_cny_per_card_hour FROM cheapest_fit WHERE workload = 'mine' ORDER BY ALL"
    ).fetchall()
    weeks = {r[0] for r in rows}
    assert weeks == {date(2026, 11, 23), date(2026, 11, 30)}
    best = {(r[0], r[1]): r for r in rows if r[2] == 1}
    for region in ("CN", "110000", "440000", "150000"):
        assert (date(2026, 11, 30), region) in best
    assert best[date(2026, 11, 30), "CN"][3] == "idc_b"  # 3.60 since Monday noon
    assert best[date(2026, 11, 23), "CN"][3] in {"idc_a", "idc_f"}
    assert best[date(2026, 11, 30), "440000"][3] == "idc_b"
    assert best[date(2026, 11, 30), "150000"][4] == 8
    assert "one_seller" in best[date(2026, 11, 30), "110000"][6]
    assert "130700" not in {r[1] for r in rows}  # only a stale offer there: nothing fits, no row
    assert "idc_d missing" in best[date(2026, 11, 30), "CN"][7]
    for r in rows:
        if r[4] == 1 and r[2] == 1 and r[1] == "110000":
            assert abs(r[5] - r[10] * r[9]) < Decimal("0.01")
    names = {name for (name,) in con.execute("SELECT name FROM workloads").fetchall()}
    assert {"mine", "lora-7b", "full-70b", "infer-7b-day"} <= names


def test_frozen_week_speaks_of_its_own_time(con: Any) -> None:
    ages = con.execute(
        "SELECT week, max(age_hours) FROM cheapest_fit WHERE workload = 'mine' AND provider = 'idc_a'"
        " GROUP BY ALL"
    ).fetchall()
    by_week = dict(ages)
    freeze = datetime.fromisoformat("2026-11-30T04:00:00+08:00")
    assert by_week[date(2026, 11, 23)] == pytest.approx((freeze - (NOW - 2 * DAY)) / timedelta(hours=1))
    assert by_week[date(2026, 11, 30)] == pytest.approx(48)


def run(name: str, home: Path, *flags: str) -> Any:
    module = __import__(f"suanjia.commands.{name}", fromlist=["command"])
    settings: Settings = load(str(home), NOW.isoformat(), environ={})
    return CliRunner().invoke(module.command, list(flags), obj=settings, standalone_mode=False)


LORA = ("--model", "Qwen2.5-7B", "--method", "lora", "--samples", "10000", "--tokens-per-sample", "500")


def test_fit_command(home: Path) -> None:
    result = run("fit", home, *LORA, "--json", "--why", "--limit", "100")
    document = json.loads(result.stdout)
    # Sold out or a member's price, nine days old, an article's: cheaper than all, and none of them ranks.
    assert not {"idc_c", "idc_d", "idc_e"} & {fit["provider"] for fit in document["fits"]}
    assert {"idc_a", "idc_b"} <= {fit["provider"] for fit in document["fits"]}
    assert result.return_value == 0
    keys = (
        "rank offer_id provider region card gpu_count cards_used nodes billing_mode strategy hours_p50 "
        "hours_p90 total_cny_p50 total_cny_p90 price_cny_per_card_hour components observed_at age_hours "
        "in_stock proof margin_to_next_pct source_url"
    )
    for fit in document["fits"]:
        assert set(keys.split()) <= set(fit)
        assert set(fit["components"]) == {"compute", "storage", "traffic", "deposit_held"}
    assert document["nothing_fits_because"] is None
    assert {row["rule"] for row in document["why"]} == {"price_kind", "sold_out", "stale"}
    words = run("fit", home, *LORA, "--region", "北京")
    assert "RTX4090" in words.stdout
    assert "idc_b" not in words.stdout


def test_fit_command_is_corrected_by_runs_kept_in_the_home(home: Path, tmp_path: Path) -> None:
    """What `vet --dmon --save` leaves behind moves hours and money, and a bad line is named on stderr."""
    own = tmp_path / "home"
    shutil.copytree(home, own)
    plain = json.loads(run("fit", own, *LORA, "--card", "RTX4090", "--json").stdout)["fits"][0]
    line = {"at": "2026-11-27T20:00:00+08:00", "model": "qwen2.5-7b", "method": "lora", "card": "RTX4090"}
    kept = json.dumps({**line, "seq_len": 2048, "tokens_per_s": 9000})
    (own / "runs.jsonl").write_text(f"{kept}\n{kept}\nno run\n", encoding="utf-8")
    told = run("fit", own, *LORA, "--card", "RTX4090", "--json")
    fit = json.loads(told.stdout)["fits"][0]
    assert fit["own_runs"]["speed"]["runs"] == 2
    assert (fit["hours_p50"], fit["total_cny_p50"]) < (plain["hours_p50"], plain["total_cny_p50"])
    assert "runs.jsonl line 3" in told.stderr
    assert "corrected by own runs" in run("fit", own, *LORA, "--card", "RTX4090").stdout


def test_fit_command_with_a_file_and_nothing_that_fits(home: Path, tmp_path: Path) -> None:
    file = tmp_path / "two.json"
    base = {"model": "Qwen2.5-7B", "method": "lora", "tokens": 5e6}
    file.write_text(
        json.dumps([{**base, "name": "ok"}, {**base, "name": "poor", "budget_cny": 0.01}]), encoding="utf-8"
    )
    lines = [
        json.loads(line) for line in run("fit", home, "--workload", str(file), "--json").stdout.splitlines()
    ]
    assert [line["workload"] for line in lines] == ["ok", "poor"]
    assert lines[1]["fits"] == []
    assert "budget" in lines[1]["nothing_fits_because"]
    assert lines[1]["smallest_that_would"]["total_cny_p90"] > 0.01
    alone = run("fit", home, "--workload", str(file), "--name", "poor", "--json")
    assert alone.return_value == 4
    flags = run("fit", home, "--workload", str(file), "--name", "ok", "--card", "A100", "--json")
    assert {fit["card"] for fit in json.loads(flags.stdout)["fits"]} == {"A100-80G"}


@pytest.mark.parametrize(
    ("flags", "words"),
    [
        ((), "--workload"),
        (("--model", "nosuchmodel", "--tokens", "1M", "--method", "lora"), "nosuchmodel"),
        ((*LORA, "--region", "火星"), "no region"),
        ((*LORA, "--card", "x"), "names no one card"),
        ((*LORA, "--mode", "forever"), "billing_modes"),
        ((*LORA, "--budget-cny", "x"), "budget_cny"),
        (("--built-in", "--name", "none"), "no workload"),
        (("--workload", "missing.toml"), "missing.toml"),
        (("--model", "qwen2.5-7b", "--method", "lora"), "--samples 10000 --tokens-per-sample 500"),
    ],
)
def test_fit_command_refuses_in_one_line(home: Path, flags: tuple[str, ...], words: str) -> None:
    result = run("fit", home, *flags)
    assert getattr(result.exception, "exit_code", None) == 2, result.exception
    assert words in str(result.exception)


def test_no_generation_is_exit_4(tmp_path: Path) -> None:
    result = run("fit", tmp_path, *LORA)
    assert getattr(result.exception, "exit_code", None) == 4


def test_compare_command(home: Path, con: Any) -> None:
    ids = [
        ident
        for (ident,) in con.execute(
            "SELECT offer_id FROM offers WHERE price_kind = 'list' AND billing_mode = 'on_demand'"
            " AND in_stock IS NOT FALSE ORDER BY provider"
        ).fetchall()
    ]
    rows = json.loads(run("compare", home, *ids, "--hours", "400", "--json").stdout)
    assert [row["offer_id"] for row in rows] == ids
    first = rows[0]
    assert first["provider"] == "idc_a"
    assert first["total_cny"] == 792
    assert first["totals_for_hours"] == {"5": 9.9, "20": 39.6, "100": 198}
    trial = first["try_then_month"]
    assert (trial["hourly_cny"], trial["monthly_cny"], trial["total_cny"]) == (47.52, 1052, 1099.52)
    assert trial["rule"] == "unknown"
    assert trial["month_pays_above_hours"] == 531.3
    assert next(row for row in rows if row["provider"] == "idc_d")["not_ranked_because"] == "stale"
    assert "idc_a" in run("compare", home, *ids[:1]).stdout
    assert getattr(run("compare", home, "offer:nothing").exception, "exit_code", None) == 2
    assert getattr(run("compare", home, *ids, "--hours", "-1").exception, "exit_code", None) == 2


def test_buy_against_the_published_level(home: Path) -> None:
    document = json.loads(run("buy", home, "--json").stdout)
    modes = {rent["mode"]: rent for rent in document["rent"]}
    low, high = modes["on_demand"]["cny_per_card_hour"]
    assert 3 <= low <= high <= 7
    assert modes["on_demand"]["source"].startswith("price_level CN A100-80G on_demand")
    own = document["own_cny_per_card_month"]
    hours = modes["on_demand"]["break_even_hours_per_month"]
    assert hours[0] == pytest.approx(own[0] / high, abs=1)
    here = json.loads(run("buy", home, "--region", "广东", "--json").stdout)
    assert here["rent"][0]["source"].startswith("price_level 440000")
    for flags in (("--region", "西藏"), ("--region", "火星"), ("--card", "T4", "--price", "50000")):
        assert getattr(run("buy", home, *flags).exception, "exit_code", None) == 2


def test_explain_goes_from_the_fit_to_the_sheet(home: Path) -> None:
    for week in ("2026-W48", "2026-W49"):
        steps = json.loads(run("explain", home, f"fit:{week}/mine/北京/1", "--json").stdout)["steps"]
        said = {step["what"]: step["value"] for step in steps}
        assert "idc_a" in said["fit 跑法"]
        assert said["again 复算"].endswith("the same")
        assert "Qwen2.5-7B" in said["workload 任务"]
        assert "1.98 CNY per h × 1" in said["compute 算力"]
        assert any("sheet" in step["from"] or "sheet" in step["value"] for step in steps)
    for name, code in (
        ("fit:nonsense", 2),
        ("fit:2026-W48/mine/火星/1", 2),
        ("fit:2026-W48/none/CN/1", 4),
        ("fit:2026-W48/mine/CN/99", 4),
    ):
        assert getattr(run("explain", home, name).exception, "exit_code", None) == code


def test_workloads_are_kept_as_they_were_asked(con: Any) -> None:
    from reports.fit.job import job_of, weekly_jobs

    for name, spec in con.execute("SELECT name, spec FROM workloads").fetchall():
        original = next((job for job in weekly_jobs() if job.name == name), None)
        if original is not None:
            assert job_of({**json.loads(spec, parse_float=Decimal), "name": name}) == original


def test_a_source_known_by_sheets_alone_is_planned_for_thirty_days(tmp_path: Path) -> None:
    home = tmp_path / "home"
    publish_rows(
        home,
        row(NOW - DAY, "idc_a", "北京", "RTX4090", "1.98"),
        row(NOW - 20 * DAY, "idc_b", "北京", "RTX4090", "1.90"),
        row(NOW - 40 * DAY, "idc_c", "北京", "RTX4090", "1.50"),
    )
    con, _ = open_latest(home)
    try:
        assert sources(con, NOW, NOW) == Sources(("idc_a",), ("idc_b",), NOW)
        assert sources(con, NOW, NOW + 20 * DAY).missing == ("idc_a",)
    finally:
        con.close()


def test_an_offer_that_the_last_whole_run_did_not_show_is_marked(tmp_path: Path) -> None:
    world = World(tmp_path / "home", providers=dict(load_providers()))
    first, then, between = NOW - 2 * DAY, NOW - DAY, NOW - DAY - DAY / 2
    kept = {"provider": "autodl", "card": "RTX4090", "scope": "national", "region_code": None}
    gone = {**kept, "card": "RTX3090"}
    world.run([offer("crawl-1-autodl", first, **kept), offer("crawl-1-autodl", first, **gone)])
    world.run([offer("crawl-2-autodl", then, **kept)])
    world.load()
    world.publish(NOW, extra_tables=lambda con: weekly.extra_tables(con, NOW, world.providers, world.home))
    con, _ = open_latest(world.home)
    try:
        for at in (None, NOW):
            assert {s.card: s.state for s in sellables(con, at)} == {
                "RTX4090": "active",
                "RTX3090": "missing",
            }
        assert {s.state for s in sellables(con, between)} == {"active"}
        market, known = market_of(con, {}, NOW)
        job = next(job for job in weekly_jobs(None) if job.name == "lora-7b")
        told = answer(market, job, SizingPlanner.of(job), known)["fits"]
        assert {(fit["card"], fit["mark"]) for fit in told} == {("RTX4090", None), ("RTX3090", "missing")}
    finally:
        con.close()
