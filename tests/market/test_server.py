"""Server, clock, control and every fault, on one small site."""

from __future__ import annotations

import http.client
import json
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime
from types import SimpleNamespace
from urllib.parse import urlsplit

import pytest

from market import DEMO_SITES
from market.faults import KINDS, FaultError, kinds_of
from market.server import running
from market.sites import all_sites
from tests.market.market_client import NOW, Client

POOLS = "https://matgo.cn/api/machine_pools?machine_category=0&page=1&per_page=100"
DOC = "https://www.ctyun.cn/document/10029787/10047957"


@contextmanager
def failing(site: str, order: object) -> Iterator[Client]:
    with running(NOW, [site], {site: order}) as origins:
        yield Client(origins)


def test_every_demo_site_exists() -> None:
    assert set(DEMO_SITES) <= {site.slug for site in all_sites()}


def test_naive_clock_and_unknown_names_are_refused() -> None:
    with pytest.raises(ValueError, match="offset"), running(datetime(2026, 11, 30), ["matpool"]):
        pass
    with pytest.raises(KeyError, match="nobody"), running(NOW, ["nobody"]):
        pass
    for faults in ({"matpool": "no_such_kind"}, {"nobody": "gone"}, {"matpool": "changed_header"}):
        with pytest.raises(FaultError), running(NOW, ["matpool"], faults):
            pass


def test_all_ports_close_and_no_thread_stays() -> None:
    before = threading.active_count()
    with running(NOW) as origins:
        ports = {urlsplit(v).port for v in origins.values()}
        assert len(ports) >= len(all_sites())
    assert threading.active_count() == before
    for port in list(ports)[:3]:
        with pytest.raises(ConnectionRefusedError):
            http.client.HTTPConnection("127.0.0.1", port, timeout=2).request("GET", "/")


def test_every_answer_is_labelled_rebuilt_and_logged() -> None:
    with running(NOW, ["matpool"]) as origins:
        got = Client(origins).get(POOLS, {"User-Agent": "suanjia-test"})
        assert got.headers["x-stand-in-market"] == "rebuilt"
        assert [(e["site"], e["status"], e["agent"]) for e in origins.log] == [
            ("matpool", 200, "suanjia-test")
        ]


@pytest.mark.parametrize(
    ("kind", "status", "text"),
    [
        ("login_page", 200, "请先登录"),
        ("captcha", 200, "滑块验证"),
        ("rate_limited", 429, "Too Many"),
        ("server_error", 503, "503"),
        ("bad_gateway", 502, "502"),
        ("gone", 404, "404"),
        ("redirect_host", 302, ""),
        ("redirect_loop", 302, ""),
    ],
)
def test_faults_that_replace_the_answer(kind: str, status: int, text: str) -> None:
    with failing("matpool", kind) as client:
        got = client.get(POOLS)
        assert got.status == status
        assert text in got.text
        if kind == "rate_limited":
            assert got.headers["retry-after"] == "30"
        if kind == "redirect_host":
            assert urlsplit(got.headers["location"]).hostname == "login.elsewhere.example"
        if kind == "redirect_loop":
            assert got.headers["location"] == urlsplit(POOLS)._replace(scheme="", netloc="").geturl()
        assert client.get("https://matgo.cn/robots.txt").status == (404 if kind == "gone" else 200)


def test_half_a_body_breaks_the_connection() -> None:
    with failing("matpool", "half_body") as client, pytest.raises(http.client.IncompleteRead):
        client.get(POOLS)


def test_refused_and_hang_never_answer() -> None:
    with (
        failing("matpool", "refused") as client,
        pytest.raises((http.client.RemoteDisconnected, ConnectionError)),
    ):
        client.get(POOLS)
    with failing("matpool", "hang") as client:
        target = urlsplit(client.origins["https://matgo.cn"])
        connection = http.client.HTTPConnection(target.netloc, timeout=0.5)
        connection.request("GET", "/api/machine_pools")
        with pytest.raises(TimeoutError):
            connection.getresponse()
        connection.close()


@pytest.mark.parametrize("kind", ["garbage", "half_text", "empty_body"])
def test_bodies_that_do_not_parse(kind: str) -> None:
    with failing("matpool", kind) as client:
        got = client.get(POOLS)
        assert got.status == 200
        assert got.headers["content-type"].startswith("application/json")
        with pytest.raises(ValueError):
            json.loads(got.body)


def test_lists_are_emptied_and_cut_while_totals_stay() -> None:
    with failing("matpool", "empty_list") as client:
        data = client.get(POOLS).json()
        assert data["pools"] == []
        assert data["pagination"]["total"] > 100
    with failing("matpool", "truncated_list") as client:
        data = client.get(POOLS).json()
        assert len(data["pools"]) == 50
        assert data["pagination"]["total"] > 100


def test_changed_names_and_units() -> None:
    with failing("matpool", "changed_field") as client:
        assert '"priceMillicent"' not in client.get(POOLS).text
    with failing("ctyun", "changed_header") as client:
        assert "按需价格" not in client.get(DOC).body.decode("gbk")
    with failing("ctyun", "changed_unit") as client:
        assert "（元/天）" in client.get(DOC).body.decode("gbk")


@pytest.mark.parametrize(
    ("kind", "status", "text"),
    [
        ("robots_disallow", 200, "Disallow: /\n"),
        ("robots_error", 503, "503"),
        ("robots_missing", 404, "404"),
        ("robots_delay", 200, "Crawl-delay: 7"),
    ],
)
def test_robots_faults_touch_robots_alone(kind: str, status: int, text: str) -> None:
    with failing("matpool", kind) as client:
        got = client.get("https://matgo.cn/robots.txt")
        assert got.status == status
        assert text in got.text
        assert client.get(POOLS).status == 200


def test_a_page_that_calls_another_host() -> None:
    with failing("autodl", "tracker") as client:
        assert "tracker.elsewhere.example" in client.get("https://www.autodl.com/home").text


def test_a_fault_can_be_narrowed_and_counted() -> None:
    with failing("matpool", {"kind": "server_error", "path": "page=2", "skip": 1, "times": 2}) as client:
        second = POOLS.replace("page=1", "page=2")
        assert [client.get(u).status for u in (POOLS, second, second, second, second)] == [
            200,
            200,
            503,
            503,
            200,
        ]


def test_control_endpoint_steers_from_outside() -> None:
    with running(NOW, ["matpool"]) as origins:
        client = Client(origins)
        control = "https://matgo.cn/__market__/"
        assert client.post(control + "fault", {"site": "matpool", "kind": "gone"}).json() == {
            "matpool": "gone"
        }
        assert client.get(POOLS).status == 404
        assert client.post(control + "fault", {"site": "matpool", "kind": None}).json() == {}
        assert client.get(POOLS).status == 200
        assert client.post(control + "fault", {"site": "nobody", "kind": "gone"}).status == 400
        assert client.post(control + "now", {"now": "2025-01-01T00:00:00+08:00"}).status == 200
        assert client.get(POOLS).json()["pools"] == []
        assert client.post(control + "now", {"now": "2025-01-01T00:00:00"}).status == 400
        assert len(client.get(control + "log").json()) == 3


def test_every_site_survives_every_fault_it_claims() -> None:
    """Setting a fault never makes a handler fail: no 500 anywhere but where a fault says 5xx."""
    skip = {"hang", "slow", "refused", "half_body", "server_error", "bad_gateway"}
    with running(NOW) as origins:
        client = Client(origins)
        for site in all_sites():
            origin, routes = next(iter(site.origins.items()))
            path = next((r.path for r in routes if "GET" in r.methods and "{" not in r.path), "/")
            for kind in set(kinds_of(site)) - skip:
                origins.fault(site.slug, kind)
                assert client.get(origin + path).status < 500, (site.slug, kind)
            origins.fault(site.slug, None)
    assert set(KINDS) >= skip


def test_the_module_prints_origins_and_ends_on_a_signal() -> None:
    command = [sys.executable, "-m", "market", "--now", NOW.isoformat(), "--site", "matpool"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        origins = json.loads(process.stdout.readline())
        assert Client(origins).get(POOLS).status == 200
        process.terminate()
        assert process.wait(10) == 0
    bad = subprocess.run([*command[:3], "--site", "nobody"], capture_output=True, text=True, check=False)
    assert (bad.returncode, bad.stdout) == (2, "")
    assert "nobody" in bad.stderr


def test_two_sites_with_one_origin_are_both_named(monkeypatch: pytest.MonkeyPatch) -> None:
    from market import sites

    one, two = all_sites()[:2]
    modules = {
        "one": SimpleNamespace(SITE=one),
        "two": SimpleNamespace(SITE=replace(two, origins=one.origins)),
    }
    monkeypatch.setattr(
        sites.pkgutil, "iter_modules", lambda _: [SimpleNamespace(name=name) for name in modules]
    )
    monkeypatch.setattr(sites.importlib, "import_module", lambda name: modules[name.rpartition(".")[2]])
    with pytest.raises(ValueError, match="declared twice") as told:
        sites.all_sites.__wrapped__()
    assert f"{next(iter(one.origins))} by {one.slug} (one.py) and {two.slug} (two.py)" in str(told.value)
