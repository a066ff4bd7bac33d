"""Every outcome, produced by real crawls in subprocesses against local sites."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from spiders.outcome import OUTCOMES, Ending, judge
from tests.spiders.conftest import Crawl, Crawled
from tests.spiders.site import Answer, serving
from tests.spiders.test_matpool import paged, pool

API = "/api/machine_pools"
REAL = "https://matgo.cn"


def outcome(done: Crawled) -> tuple[str, str]:
    found = judge(Ending(done.stats or None, exit_code=done.code, log_tail=done.log))
    return found.outcome, found.message


def body(answer: Any, **more: Any) -> Answer:
    return Answer(json.dumps(answer, ensure_ascii=False), type="application/json; charset=utf-8", **more)


# What the site says → (outcome, words of the message).
CASES: dict[str, tuple[dict[str, Any], str, str]] = {
    "ok": ({API: paged([pool(1), pool(2), pool(3)])}, "ok", ""),
    "empty list": (
        {API: body({"pools": [], "pagination": {"num_pages": 0, "total": 0}})},
        "empty",
        "nothing",
    ),
    "404": ({}, "gone", "404"),
    "410": ({API: Answer("", 410)}, "gone", "410"),
    "403": ({API: Answer("no", 403)}, "blocked", "403"),
    "429": ({API: Answer("slow down", 429, headers={"Retry-After": "60"})}, "blocked", "429"),
    "401": ({API: Answer("who?", 401)}, "auth_needed", "401"),
    "500": ({API: Answer("oops", 500)}, "failed", "500"),
    "503": ({API: Answer("later", 503)}, "failed", "503"),
    "login page with 200": (
        {API: Answer("<html><body><form>请登录<input type='password'></form></body></html>")},
        "auth_needed",
        "请登录",
    ),
    "auth error in JSON with 200": (
        {API: body({"code": 176, "msg": "check jwt token failed"})},
        "auth_needed",
        "176",
    ),
    "error in JSON with 200": ({API: body({"code": 6, "msg": "param illegal"})}, "failed", "param illegal"),
    "captcha page": ({API: Answer("<html><body>请完成滑动验证</body></html>")}, "blocked", "滑动验证"),
    "another page": ({API: Answer("<html><body>Welcome</body></html>")}, "layout_changed", "JSON"),
    "field renamed": (
        {
            API: body(
                {"pools": [{**pool(1), "gpu_model": None, "gpuModel": "x"}], "pagination": {"num_pages": 1}}
            )
        },
        "layout_changed",
        "gpu_model",
    ),
    "list renamed": (
        {API: body({"items": [pool(1)], "pagination": {"num_pages": 1}})},
        "layout_changed",
        "pools",
    ),
    "body cut on the wire": ({API: body({"pools": [pool(1)]}, cut=True)}, "failed", "cut"),
    "JSON cut": ({API: Answer('{"pools": [{"gpu_mod', type="application/json")}, "failed", "ends early"),
    "fewer than declared": (
        {API: body({"pools": [pool(1)], "pagination": {"num_pages": 1, "total": 5}})},
        "partial",
        "1 rows of 5",
    ),
    "redirect to another host": (
        {API: Answer("", 302, headers={"Location": "https://brand.example/new"})},
        "gone",
        "brand.example",
    ),
    "redirect to a login": (
        {API: Answer("", 302, headers={"Location": "https://passport.example/login?back=1"})},
        "auth_needed",
        "passport.example",
    ),
    "redirect to a private address": (
        {API: Answer("", 302, headers={"Location": "http://169.254.169.254/latest/meta-data"})},
        "gone",
        "allow-list",
    ),
    "redirect to a file": (
        {API: Answer("", 302, headers={"Location": "file:///etc/passwd"})},
        "gone",
        "file",
    ),
    "redirect loop": ({API: Answer("", 302, headers={"Location": API})}, "failed", "max redirections"),
    "robots forbids": (
        {"/robots.txt": Answer("User-agent: *\nDisallow: /api/", type="text/plain"), API: paged([pool(1)])},
        "robots",
        "forbids",
    ),
    "robots 503": ({"/robots.txt": Answer("", 503), API: paged([pool(1)])}, "robots", "503"),
    "robots 429": ({"/robots.txt": Answer("", 429), API: paged([pool(1)])}, "robots", "429"),
    "robots cut": (
        {"/robots.txt": Answer("User-agent: *", cut=True), API: paged([pool(1)])},
        "failed",
        "no answer",
    ),
    "robots 404": ({"/robots.txt": Answer("", 404), API: paged([pool(1)])}, "ok", ""),
    "robots is a page": (
        {"/robots.txt": Answer("<html>Disallow: /</html>"), API: paged([pool(1)])},
        "ok",
        "",
    ),
}


# One of each outcome in every run; a crawl takes 1.6 s, so the rest waits for the slow tests.
QUICK = ("ok", "empty list", "404", "429", "login page with 200", "field renamed", "JSON cut", "robots 503",
         "fewer than declared", "redirect to another host")  # fmt: skip


@pytest.mark.parametrize(
    "case", [case if case in QUICK else pytest.param(case, marks=pytest.mark.slow) for case in CASES]
)
def test_outcome(crawl: Crawl, case: str) -> None:
    routes, expected, words = CASES[case]
    with serving(dict(routes)) as site:
        done = crawl("matpool", {REAL: site.origin})
    found, message = outcome(done)
    assert (found, words in message) == (expected, True), (found, message, done.stats, done.log[-2000:])
    if expected in ("robots",):
        assert API not in " ".join(site.paths())
    if case == "429":
        assert len(site.paths()) == 1, "a source that says 429 is not asked again"


def test_nothing_listens(crawl: Crawl) -> None:
    done = crawl("matpool", {REAL: "http://127.0.0.1:9"})
    assert outcome(done)[0] == "failed"
    assert "no answer from https://matgo.cn" in outcome(done)[1]


def test_every_outcome_is_produced_somewhere() -> None:
    assert {expected for _, expected, _ in CASES.values()} == set(OUTCOMES)


def test_missing_browser(crawl: Crawl) -> None:
    with serving({}) as site:
        done = crawl("autodl", {"https://www.autodl.com": site.origin}, browser="/nowhere/chromium")
    found, message = outcome(done)
    assert (found, "SUANJIA_BROWSER" in message) == ("failed", True), (message, done.log)


def test_exception_in_every_callback(crawl: Crawl, tmp_path: Path) -> None:
    pools = [
        {**pool(n), "machine": {"hardware": {"priceMillicent": 1, "gpu": {"gpuIds": 7}}}} for n in range(3)
    ]
    with serving({API: paged(pools)}) as site:  # `gpuIds` is a number: the callback raises
        done = crawl("matpool", {REAL: site.origin})
    found, message = outcome(done)
    assert found == "failed"
    assert "TypeError" in message
    assert "matpool.py:" in message
    assert (tmp_path / "run" / "stats.json").exists()


def test_ending_without_statistics() -> None:
    assert judge(Ending(None, exit_code=1, log_tail="Traceback\nValueError: x")).outcome == "failed"
    assert judge(Ending({"listings": 5, "finish_reason": "finished"}, timed_out=True)).outcome == "failed"
    assert judge(Ending({"listings": 5, "finish_reason": "finished"}, signal=9)).outcome == "failed"
    assert judge(Ending({"listings": 5, "finish_reason": "closespider_timeout"})).outcome == "partial"
    assert judge(Ending({"listings": 0, "finish_reason": "shutdown"})).outcome == "failed"
