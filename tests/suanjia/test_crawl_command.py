"""`suanjia crawl` and `suanjia providers`: documents, exit codes, what is kept of a run."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from catalog.providers import load_providers
from suanjia.crawl_plan import due
from suanjia.ledger import Ledger
from tests.spiders.conftest import ROOT
from tests.spiders.site import Answer, serving
from tests.spiders.test_matpool import paged, pool
from tests.suanjia.cli import said, suanjia

API = "/api/machine_pools"
REAL = "https://matgo.cn"
GOOD = {API: paged([pool(1), pool(2, price=180000, discount=180000), pool(3)])}


def crawl(home: Path, routes: dict[str, Any], *names: str, **more: Any) -> Any:
    with serving(dict(routes)) as site:
        return suanjia(home, "crawl", *(names or ("matpool",)), "--json", origins={REAL: site.origin}, **more)


def segments(home: Path) -> list[str]:
    return sorted(str(p.parent.relative_to(home / "segments")) for p in home.rglob("manifest.json"))


def test_a_good_crawl(tmp_path: Path) -> None:
    done = crawl(tmp_path, GOOD)
    assert done.returncode == 0, done.stderr
    document = said(done)
    assert document["run_id"] == "crawl-20261005T020000Z"
    (row,) = document["providers"]
    assert row | {"seconds": 0} == {
        "provider": "matpool", "outcome": "ok", "offers": 1, "rejections": 0, "requests": 3, "seconds": 0,
        "message": "",
    }  # fmt: skip
    assert segments(tmp_path) == ["run=crawl-20261005T020000Z/provider=matpool"]
    shown = next(p for p in said(suanjia(tmp_path, "providers", "--json")) if p["slug"] == "matpool")
    assert (shown["class"], shown["status"], shown["last_outcome"]) == ("marketplace", "active", "ok")
    assert shown["last_ok"] == "2026-10-05T02:00:00+00:00"
    assert shown["routes"][0]["name"] == "pools"
    assert shown["routes"][0]["needs"] == []


def test_the_same_clock_and_answers_add_nothing_other_answers_a_run(tmp_path: Path) -> None:
    crawl(tmp_path, GOOD)
    assert crawl(tmp_path, GOOD).returncode == 0
    assert segments(tmp_path) == ["run=crawl-20261005T020000Z/provider=matpool"]
    crawl(tmp_path, {API: paged([pool(1, price=300000, discount=300000)])})
    assert segments(tmp_path) == [
        "run=crawl-20261005T020000Z-2/provider=matpool",
        "run=crawl-20261005T020000Z/provider=matpool",
    ]


def test_a_failing_source_is_a_run_without_offers_and_shows_in_providers(tmp_path: Path) -> None:
    crawl(tmp_path, GOOD)
    for day in ("06", "07", "08"):
        done = crawl(tmp_path, {}, now=f"2026-10-{day}T10:00:00+08:00")
        assert done.returncode == 4
        assert said(done)["providers"][0]["outcome"] == "gone"
    shown = next(p for p in said(suanjia(tmp_path, "providers", "--json")) if p["slug"] == "matpool")
    assert shown["last_ok"] == "2026-10-05T02:00:00+00:00"
    assert shown["health"] | {"message": ""} == {
        "state": "broken", "bad_in_a_row": 3, "kind": "gone", "since": "2026-10-06T02:00:00+00:00",
        "message": "",
    }  # fmt: skip
    assert len(segments(tmp_path)) == 4


def test_one_of_two_fails(tmp_path: Path) -> None:
    done = crawl(tmp_path, GOOD, "matpool", "ctyun")
    assert done.returncode == 3
    outcomes = {row["provider"]: row["outcome"] for row in said(done)["providers"]}
    assert outcomes["matpool"] == "ok"
    assert outcomes["ctyun"] in ("failed", "robots")


def test_due(tmp_path: Path) -> None:
    providers = load_providers()
    few = {slug: providers[slug] for slug in ("matpool", "ctyun", "lambda_labs")}  # the last is not active
    now = datetime(2026, 10, 5, 2, tzinfo=UTC)
    day = timedelta(days=1)
    with Ledger(tmp_path) as ledger:
        assert due(few, ledger, now) == ["matpool", "ctyun"]
        ledger.start("r1", "matpool", now)
        ledger.finish("r1", "matpool", now, "ok")
        ledger.start("r1", "ctyun", now)
        ledger.finish("r1", "ctyun", now, "failed")
        assert few["matpool"].source.cadence == "daily"
        assert due(few, ledger, now + day / 2) == ["ctyun"]  # a failed one is asked again
        assert due(few, ledger, now + day) == ["matpool", "ctyun"]


def test_robots_that_changed_ask_for_a_review(tmp_path: Path) -> None:
    crawl(tmp_path, GOOD | {"/robots.txt": Answer("User-agent: *\nDisallow: /user/", type="text/plain")})
    done = crawl(
        tmp_path,
        GOOD | {"/robots.txt": Answer("User-agent: *\nDisallow: /api/", type="text/plain")},
        now="2026-10-06T10:00:00+08:00",
    )
    (row,) = said(done)["providers"]
    assert row["outcome"] == "robots"
    assert "has changed: `suanjia review`" in row["message"]
    listed = suanjia(tmp_path, "review", "--json")
    assert listed.returncode == 0, listed.stderr  # there is no generation yet
    (item,) = said(listed)
    assert item["held"] == "robots_changed" and item["id"].startswith("robots:matpool/matgo.cn/")
    assert item["source_url"] == "https://matgo.cn/robots.txt" and item["old"] != item["new"]
    assert item["id"] in suanjia(tmp_path, "review").stdout
    assert item["id"] in suanjia(tmp_path, "providers").stdout
    assert suanjia(tmp_path, "review", "--release", item["id"]).returncode == 2
    refused = suanjia(tmp_path, "review", "--refuse", item["id"], "--by", "me", "--reason", "no")
    assert refused.returncode == 2 and "excluded" in refused.stderr
    done = suanjia(tmp_path, "review", "--release", item["id"], "--by", "me", "--reason", "read", "--json")
    assert done.returncode == 0 and said(done)[0]["action"] == "release"
    assert item["id"] not in suanjia(tmp_path, "providers").stdout


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("crawl", "nobody"), "no provider 'nobody'"),
        (("crawl", "matpool", "--due"), "not both"),
        (("crawl", "matpool", "--all"), "not both"),
        (("probe", "nobody"), "no provider 'nobody'"),
        (("new-provider", "Bad-Slug"), "no slug"),
    ],
)
def test_usage_errors(tmp_path: Path, arguments: tuple[str, ...], words: str) -> None:
    done = suanjia(tmp_path, *arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert words in done.stderr
    assert "Traceback" not in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1


def test_a_bad_provider_file_stops_every_command(tmp_path: Path) -> None:
    (tmp_path / "providers").mkdir()
    (tmp_path / "providers" / "mine.toml").write_text(
        'slug = "mine"\nname = "x"\nclass = "idc"\ncolour = 1\n'
    )
    for command in ("crawl", "providers", "probe"):
        done = suanjia(tmp_path, command)
        assert done.returncode == 2
        assert "mine.toml" in done.stderr
        assert "colour" in done.stderr


def test_a_bad_mapping_is_said_before_anything_runs(tmp_path: Path) -> None:
    done = suanjia(tmp_path, "crawl", "matpool", origins={"matgo.cn": "http://127.0.0.1:1"})
    assert done.returncode == 2
    assert "SUANJIA_ORIGINS" in done.stderr


def test_a_stopped_crawl_leaves_no_child(tmp_path: Path) -> None:
    with serving({API: Answer("{}", hang=60)}) as site:
        env = {k: v for k, v in os.environ.items() if not k.startswith("SUANJIA_")}
        env |= {
            "SUANJIA_ORIGINS": json.dumps({REAL: site.origin}),
            "SUANJIA_DELAY": "0",
            "SUANJIA_TIMEOUT": "90",
        }
        crawl = [sys.executable, "-m", "suanjia", "--home", str(tmp_path), "crawl", "matpool"]
        parent = subprocess.Popen(crawl, env=env, cwd=ROOT, stderr=subprocess.PIPE, text=True)
        end = time.monotonic() + 60
        while not site.paths() and time.monotonic() < end:
            time.sleep(0.1)
        parent.terminate()
        _, said_last = parent.communicate(timeout=60)
    assert parent.returncode == 130
    assert "stopped" in said_last
    assert not list(tmp_path.rglob("manifest.json"))
    with Ledger(tmp_path) as ledger:
        assert ledger.interrupt_stale() == 1
        assert ledger.health("matpool").state == "never"


def test_real_and_rebuilt_never_share_a_home(tmp_path: Path) -> None:
    done = suanjia(tmp_path / "a", "crawl", "--market", "ctyun", "--json")
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "a" / "REBUILT").is_file()
    refused = suanjia(tmp_path / "a", "crawl", "ctyun", origins={})
    assert (refused.returncode, refused.stdout) == (5, "")
    assert suanjia(tmp_path / "a", "probe", "ctyun", "--record", origins={}).returncode == 5
    crawl(tmp_path / "b", GOOD)
    assert suanjia(tmp_path / "b", "crawl", "--market", "ctyun").returncode == 5


def test_a_key_that_is_not_set(tmp_path: Path) -> None:
    done = suanjia(tmp_path, "crawl", "ksyun", "--json", origins={})
    assert done.returncode == 4
    (row,) = said(done)["providers"]
    assert (row["outcome"], row["requests"]) == ("auth_needed", 0)
    assert "SUANJIA_KSYUN_" in row["message"]


def test_one_provider_with_offers_that_is_not_ok_is_partial(tmp_path: Path) -> None:
    body = {"pools": [pool(1), pool(2), pool(3)], "pagination": {"page": 1, "num_pages": 1, "total": 5}}
    done = crawl(tmp_path, {API: Answer(json.dumps(body), type="application/json")})
    (row,) = said(done)["providers"]
    assert row["offers"] and row["outcome"] == "partial", row
    assert done.returncode == 3


def test_why_readings_were_refused_stands_in_the_line(tmp_path: Path) -> None:
    rows = [pool(1), pool(2, price=0, discount=0), pool(3, price=0, discount=0)]
    done = crawl(tmp_path, {API: paged([*rows, *(pool(n) for n in range(4, 13))])})
    (row,) = said(done)["providers"]
    assert "rejected: 2 × price_zero (" in row["message"], row
    assert row["rejections"] == 2


def test_two_prices_in_one_cell_are_two_readings(tmp_path: Path) -> None:
    page = """<html><body><h2>弹性部署</h2><table><tr><th>GPU</th><th>价格</th></tr>
<tr><td>RTX 4090</td><td>1.98（抢占 1.19）元/卡时</td></tr></table></body></html>"""
    with serving({"/pricing": Answer(page)}) as site:
        origins = {"https://www.gongjiyun.com": site.origin}
        done = suanjia(tmp_path, "crawl", "gongji", "--json", origins=origins)
    (row,) = said(done)["providers"]
    assert (row["offers"], row["rejections"]) == (2, 0), row["message"]
    (manifest,) = (json.loads(p.read_text(encoding="utf-8")) for p in tmp_path.rglob("manifest.json"))
    assert (manifest["counts"]["listings"], manifest["counts"]["parsed"]) == (1, 2)
    assert suanjia(tmp_path, "load", "--json").returncode == 0


def test_hosts_that_are_no_offers_make_no_list_short(tmp_path: Path) -> None:
    rows = [
        {"id": n, "machineName": f"m{n}", "isOnline": n != 1, "gpuNum": 8 if n != 2 else 0, "gpuUsed": 0,
         "baseInfo": {"gpuName": "RTX 3090"}, "skuList": [{"skuName": "payg", "price": 1.0}]}
        for n in range(4)
    ]  # fmt: skip
    for total, outcome in ((4, "ok"), (5, "partial")):
        body = json.dumps({"code": 0, "data": {"total": total, "list": rows}})
        with serving({"/app/api/market/machine/list": Answer(body, type="application/json")}) as site:
            origins = {"https://api.gpushare.com": site.origin}
            done = suanjia(
                tmp_path / outcome,
                "crawl",
                "gpushare",
                "--json",
                origins=origins,
                gpushare_token="token-of-a-user",
            )
        (row,) = said(done)["providers"]
        assert row["outcome"] == outcome, row["message"]
