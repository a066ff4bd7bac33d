"""Group messages: what a service really answered, its limits, and that the robot's address stays a secret."""

from __future__ import annotations

import json
import logging
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reports.issue.build import Done
from reports.mail.deliver import MailSettings, deliver
from reports.notify.channels import NotifySettingsError, channels, fitted, refusal
from reports.notify.summary import summary
from reports.numbers import loads
from tests.reports.issue.issue_world import NOW, lora_total

TOKEN = "0123456789abcdef0123456789abcdef"
ADDRESS = {
    "dingtalk": f"dingtalk://{TOKEN}",
    "feishu": f"feishu://{TOKEN}",
    "wecombot": f"wecombot://{TOKEN}",
    "schan": f"schan://{TOKEN}",
}


@dataclass
class Robot:
    """A service: what it was sent, and what it answers."""

    answer: bytes = b'{"errcode": 0, "code": 0, "errmsg": "ok"}'
    status: int = 200
    got: list[str] = field(default_factory=list)
    port: int = 0


@pytest.fixture
def robot(monkeypatch: pytest.MonkeyPatch) -> Iterator[Robot]:
    """All four services at one local address."""
    it = Robot()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            it.got.append(self.rfile.read(int(self.headers["Content-Length"])).decode())
            self.send_response(it.status)
            self.send_header("Content-Length", str(len(it.answer)))
            self.end_headers()
            self.wfile.write(it.answer)

        def log_message(self, *args: Any) -> None:
            return

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    it.port = server.server_address[1]
    from apprise.plugins.dingtalk import NotifyDingTalk
    from apprise.plugins.feishu import NotifyFeishu
    from apprise.plugins.serverchan import NotifyServerChan
    from apprise.plugins.wecombot import NotifyWeComBot

    url = f"http://127.0.0.1:{it.port}/{{token}}"
    for plugin in (NotifyDingTalk, NotifyFeishu, NotifyServerChan):
        monkeypatch.setattr(plugin, "notify_url", url)
        monkeypatch.setattr(plugin, "request_rate_per_sec", 0)
    monkeypatch.setattr(NotifyWeComBot, "notify_url", url.replace("{token}", "{key}"))
    monkeypatch.setattr(NotifyWeComBot, "request_rate_per_sec", 0)
    yield it
    server.shutdown()
    server.server_close()


@pytest.mark.parametrize("kind", ADDRESS)
def test_a_message_arrives_in_chinese(robot: Robot, kind: str) -> None:
    (place,) = channels(ADDRESS[kind])
    assert place.tell("周报标题", "7B 微调 ¥4.42").ok
    sent = robot.got[0]
    if sent.startswith("{"):
        assert "7B 微调 ¥4.42" in json.dumps(json.loads(sent), ensure_ascii=False)
    else:
        assert "4.42" in sent


@pytest.mark.parametrize("kind", ADDRESS)
@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (
            b'{"errcode": 310000, "code": 9499, "errmsg": "keywords not in content", "msg": "Bad Request"}',
            "310000|9499",
        ),
        (b"<html>login</html>", "no JSON|not taken"),
        (b'{"hello": 1}', "without a result code|not taken"),
        (b"[]", "no JSON object|not taken"),
    ],
)
def test_http_200_alone_proves_nothing(robot: Robot, kind: str, answer: bytes, words: str) -> None:
    robot.answer = answer
    told = channels(ADDRESS[kind])[0].tell("标题", "正文")
    assert not told.ok
    assert any(word in told.message for word in words.split("|")), told.message


def test_a_server_error(robot: Robot) -> None:
    robot.status = 500
    told = channels(ADDRESS["dingtalk"])[0].tell("标题", "正文")
    assert (told.ok, told.message) == (False, "HTTP 500")


def test_the_address_is_in_no_log_and_no_message(robot: Robot, caplog: pytest.LogCaptureFixture) -> None:
    robot.answer = b'{"errcode": 1}'
    with caplog.at_level(logging.DEBUG):
        told = channels(ADDRESS["dingtalk"])[0].tell("标题", "正文")
    assert TOKEN not in caplog.text
    assert TOKEN not in str(told)
    with pytest.raises(NotifySettingsError) as caught:
        channels(f"{ADDRESS['dingtalk']}, nonsense://{TOKEN}")
    assert TOKEN not in str(caught.value)
    assert "address 2 (nonsense://" in str(caught.value)


def test_a_list_of_addresses() -> None:
    found = channels(", ".join(ADDRESS.values()))
    assert [place.kind for place in found] == list(ADDRESS)
    assert len({place.who for place in found}) == len(ADDRESS)
    assert channels("  ") == []


@given(st.sampled_from(sorted(ADDRESS)), st.text(max_size=40), st.text(max_size=30_000))
def test_every_message_fits(kind: str, title: str, body: str) -> None:
    shown_title, shown = fitted(kind, title, body, 19985)
    most = {"wecombot": 2048, "schan": 32000}.get(kind, 19000)
    assert shown_title == title
    assert len(f"{title}\r\n{shown}".encode()) <= most
    if shown != body:
        assert shown.endswith("…")
        assert body.startswith(shown[:-1].rstrip("\n"))


def test_good_answers() -> None:
    assert refusal("dingtalk", 200, b'{"errcode":0,"errmsg":"ok"}') == ""
    assert refusal("feishu", 200, b'{"StatusCode":0,"StatusMessage":"success"}') == ""
    assert refusal("pushplus", 200, b'{"code":200}') == ""
    assert refusal("json", 204, b"") == ""


def test_the_summary_has_five_lines_and_the_numbers_of_the_issue(issued: tuple[Path, Done]) -> None:
    text = (issued[1].folder / "report.zh.txt").read_text(encoding="utf-8")
    title, body = summary(loads((issued[1].folder / "report.json").read_text(encoding="utf-8")))
    lines = body.split("\n")
    assert len(lines) == 5
    assert "RTX4090" in title
    assert lines[1] == f"7B LoRA 微调 {lora_total(issued[1].issue)}（AutoDL RTX4090 × 1，按量）"
    for line in lines[1:4]:
        assert line.split("¥")[1].split("（")[0] in text
    assert "覆盖率 80%" in lines[4]


def settings(port: int = 0, notify: str = "") -> MailSettings:
    return MailSettings("", "", "", "", 5, notify)


def test_a_group_is_told_once_a_week(home: Path, issued: tuple[Path, Done], robot: Robot) -> None:
    import shutil

    shutil.copytree(issued[0] / "reports", home / "reports")
    first = deliver(home, NOW, None, settings(notify=f"{ADDRESS['dingtalk']}, {ADDRESS['wecombot']}"))
    again = deliver(home, NOW, None, settings(notify=f"{ADDRESS['dingtalk']}, {ADDRESS['wecombot']}"))
    assert [one.ok for one in first.notified] == [True, True]
    assert again.notified == ()
    assert len(robot.got) == 2


def test_a_group_that_refused_is_told_later(home: Path, issued: tuple[Path, Done], robot: Robot) -> None:
    import shutil
    from datetime import timedelta

    shutil.copytree(issued[0] / "reports", home / "reports")
    robot.answer = b'{"errcode": 130101, "errmsg": "send too fast"}'
    assert not deliver(home, NOW, None, settings(notify=ADDRESS["dingtalk"])).notified[0].ok
    robot.answer = b'{"errcode": 0}'
    assert deliver(home, NOW, None, settings(notify=ADDRESS["dingtalk"])).notified == ()
    later = deliver(home, NOW + timedelta(minutes=15), None, settings(notify=ADDRESS["dingtalk"]))
    assert [one.ok for one in later.notified] == [True]


def test_a_group_hears_of_a_correction_only_when_asked(home: Path, robot: Robot) -> None:
    from reports.issue.build import build_issue

    wanted = settings(notify=ADDRESS["dingtalk"])
    build_issue(home, NOW, None, rebuilt=False)
    assert [one.ok for one in deliver(home, NOW, None, wanted).notified] == [True]
    build_issue(home, NOW, None, rebuilt=True)
    assert deliver(home, NOW, None, wanted).notified == ()
    for told in ([True], []):
        assert [one.ok for one in deliver(home, NOW, None, wanted, correction=True).notified] == told
    assert len(robot.got) == 2
    first, second = (json.dumps(json.loads(sent), ensure_ascii=False) for sent in robot.got)
    assert "更正：" not in first
    assert "更正：GPU 租价周报 2026-W48" in second
