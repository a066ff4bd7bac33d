"""Sending against a real SMTP server: every ending, nothing twice, TLS."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from datetime import timedelta
from email.message import EmailMessage
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from reports.issue.archive import vintages
from reports.issue.build import Done, build_issue
from reports.mail.deliver import MailSettings, deliver
from reports.mail.message import recipient_hash
from reports.mail.outbox import Outbox
from reports.mail.smtp import SmtpSettingsError, parse_url
from reports.render.visible import html_text, numbers
from suanjia.cli import cli
from tests.reports.issue.issue_world import NOW, WEEK, lora_total
from tests.reports.issue.smtp_server import Box, certificate, serving

SENDER = "算价 <weekly@suanjia.example.com>"
Ask = Callable[..., Result]
READERS = "a@example.com, b@example.com, c@example.com"


@pytest.fixture
def mail_home(issued: tuple[Path, Done], tmp_path: Path) -> Path:
    """A data directory with the issue built, its own outbox."""
    shutil.copytree(issued[0], tmp_path / "home")
    return tmp_path / "home"


@pytest.fixture
def box() -> Box:
    return Box()


@pytest.fixture
def port(box: Box) -> Iterator[int]:
    with serving(box) as number:
        yield number


def settings(port: int, to: str = READERS, timeout: float = 5, url: str = "") -> MailSettings:
    return MailSettings(url or f"smtp://127.0.0.1:{port}", SENDER, to, "", timeout)


def states(home: Path) -> dict[str, str]:
    """Address → state, of the weekly list."""
    names = {recipient_hash(f"{c}@example.com"): c for c in "abc"}
    with Outbox(home) as outbox:
        return {names[e.recipient_hash]: e.state for e in outbox.entries() if e.list == "weekly"}


def test_one_message_a_reader_and_nothing_twice(mail_home: Path, box: Box, port: int) -> None:
    first = deliver(mail_home, NOW, None, settings(port))
    assert (first.tally.sent, first.tally.complete) == (3, True)
    assert box.to == ["a@example.com", "b@example.com", "c@example.com"]
    assert box.connections == 1
    second = deliver(mail_home, NOW, None, settings(port))
    assert (second.tally.sent, second.tally.before, second.tally.complete) == (0, 3, True)
    assert len(box.raw) == 3


def test_the_message(mail_home: Path, issued: tuple[Path, Done], box: Box, port: int) -> None:
    deliver(mail_home, NOW, None, settings(port, "a@example.com"))
    sender, _, raw = box.raw[0]
    assert sender == "weekly@suanjia.example.com"
    assert raw.isascii()
    assert max(len(line) for line in raw.split(b"\r\n")) <= 998
    (mail,) = box.mails
    assert mail.get_content_type() == "multipart/alternative"
    text, related = mail.iter_parts()
    assert text.get_content_type() == "text/plain"
    assert related.get_content_type() == "multipart/related"
    html, png = related.iter_parts()
    assert (html.get_content_type(), png.get_content_type()) == ("text/html", "image/png")
    assert png["Content-ID"] == "<chart>"
    assert 'src="cid:chart"' in html.get_content()
    assert png.get_content().startswith(b"\x89PNG")
    for part in (text, html):
        assert part["Content-Transfer-Encoding"] in {"7bit", "quoted-printable", "base64"}
    assert numbers(html_text(html.get_content())) == numbers(text.get_content())
    total = lora_total(issued[1].issue)
    assert str(mail["Subject"]) == f"GPU 租价周报 2026-W48：RTX4090 按量 ▼2.0%，7B LoRA 微调最低 {total}"
    assert str(mail["From"]) == SENDER
    assert str(mail["To"]) == "a@example.com"
    assert mail["Message-ID"] == "<suanjia.2026-W48.v1.zh@suanjia.example.com>"
    assert mail["List-Id"] == "<suanjia-weekly-zh.suanjia.example.com>"
    assert mail["List-Unsubscribe"].startswith("<mailto:weekly@suanjia.example.com?subject=unsubscribe")
    assert mail["List-Unsubscribe-Post"] is None
    assert mail["Auto-Submitted"] == "auto-generated"
    assert mail["Date"].datetime.isoformat() == "2026-11-30T04:00:00+08:00"
    assert "退订" in text.get_content() and "退订" in html_text(html.get_content())


def test_one_click_unsubscribe(mail_home: Path, box: Box, port: int) -> None:
    url = "https://lists.example.com/out/" + "long/" * 30 + "?who={token}"
    wanted = MailSettings(f"smtp://127.0.0.1:{port}", SENDER, "a@example.com", url, 5)
    deliver(mail_home, NOW, None, wanted)
    (mail,) = box.mails
    token = recipient_hash("A@example.com")
    assert mail["List-Unsubscribe"].split(",")[0] == f"<{url.replace('{token}', token)}>"
    assert mail["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"
    # No encoded words: a mail client reads these headers as they stand.
    head = box.raw[0][2].split(b"\r\n\r\n")[0]
    assert b"=?utf-8?" not in re.search(rb"List-Unsubscribe: (.|\r\n )*", head)[0]  # type: ignore[index]


def test_the_same_issue_is_the_same_mail_byte_for_byte(
    mail_home: Path, issued: tuple[Path, Done], tmp_path: Path, box: Box, port: int
) -> None:
    shutil.copytree(issued[0], tmp_path / "other")
    for home, later in ((mail_home, timedelta(0)), (tmp_path / "other", timedelta(hours=3))):
        deliver(home, NOW + later, None, settings(port, "a@example.com"))
    assert box.raw[0] == box.raw[1]


def test_languages_and_consent(mail_home: Path, box: Box, port: int) -> None:
    (mail_home / "recipients.csv").write_text(
        "email,lang,consent_on\na@example.com,en,2026-01-05\n张三 <b@example.com>,zh,2026-02-01\n",
        encoding="utf-8",
    )
    deliver(mail_home, NOW, None, settings(port, "nobody@example.com"))
    english, chinese = box.mails
    assert box.to == ["a@example.com", "b@example.com"]
    assert "RTX4090 on demand ▼2.0%" in str(english["Subject"])
    assert "退订" in body(chinese) and "Unsubscribe" in body(english)
    assert english["Message-ID"] != chinese["Message-ID"]


def body(mail: EmailMessage) -> str:
    part = mail.get_body(("plain",))
    assert part is not None
    return str(part.get_content())


ENDINGS: list[tuple[str, str, str]] = [
    ("at_rcpt", "451 4.7.1 greylisted", "retry"),
    ("at_data", "452 4.3.1 disk full", "retry"),
    ("at_rcpt", "550 5.1.1 no such user", "failed"),
    ("at_data", "554 5.7.1 spam", "failed"),
    ("at_data", "drop", "unknown"),
    ("at_rcpt", "drop before", "retry"),
    ("at_rcpt", "421 closing", "retry"),
]


@pytest.mark.parametrize(("where", "answer", "state"), ENDINGS)
def test_endings(mail_home: Path, box: Box, port: int, where: str, answer: str, state: str) -> None:
    getattr(box, where)["b@example.com"] = answer
    done = deliver(mail_home, NOW, None, settings(port))
    assert states(mail_home) == {"a": "sent", "b": state, "c": "sent"}
    assert not done.tally.complete
    # At once again: nobody is asked twice.
    deliver(mail_home, NOW + timedelta(minutes=1), None, settings(port))
    assert box.to == ["a@example.com", "c@example.com"]
    # A quarter of an hour later, and the server is well again.
    getattr(box, where).clear()
    again = deliver(mail_home, NOW + timedelta(minutes=15), None, settings(port))
    assert states(mail_home)["b"] == ("sent" if state == "retry" else state)
    assert again.tally.sent == (1 if state == "retry" else 0)
    assert again.tally.complete == (state == "retry")


@pytest.mark.parametrize(("where", "state"), [("at_rcpt", "retry"), ("at_data", "unknown")])
def test_a_server_that_does_not_answer(mail_home: Path, box: Box, port: int, where: str, state: str) -> None:
    getattr(box, where)["a@example.com"] = "hang"
    deliver(mail_home, NOW, None, settings(port, "a@example.com", timeout=0.4))
    assert states(mail_home) == {"a": state}


def test_4xx_is_given_up_after_a_day(mail_home: Path, box: Box, port: int) -> None:
    box.at_rcpt["a@example.com"] = "451 later"
    for hours in (0, 1, 23, 25):
        done = deliver(mail_home, NOW + timedelta(hours=hours), None, settings(port, "a@example.com"))
    assert states(mail_home) == {"a": "failed"}
    assert done.tally.failed == 1


def test_nobody_listens(mail_home: Path, box: Box, port: int) -> None:
    done = deliver(mail_home, NOW, None, settings(1))
    # One knock is enough; the others wait for the next run.
    assert (done.tally.retry, done.tally.waiting) == (1, 2)
    later = deliver(mail_home, NOW + timedelta(minutes=20), None, settings(port))
    assert later.tally.sent == 3


def test_an_unknown_mail_is_settled_by_a_person(mail_home: Path, box: Box, port: int) -> None:
    box.at_data["b@example.com"] = "drop"
    deliver(mail_home, NOW, None, settings(port))
    who = recipient_hash("b@example.com")
    assert code(run(mail_home, "mail", "--settle", who[:10], "retry")) == 0
    box.at_data.clear()
    deliver(mail_home, NOW + timedelta(minutes=15), None, settings(port))
    assert states(mail_home)["b"] == "sent"
    assert code(run(mail_home, "mail", "--settle", who[:10], "sent")) == 2


@pytest.mark.parametrize("moment", ["before DATA", "after DATA"])
def test_kill_9_never_sends_twice(mail_home: Path, box: Box, port: int, moment: str) -> None:
    """A mailer that is killed after the server took the mail, and before it could note that."""
    script = (
        "import os, signal, sys\n"
        "from datetime import datetime\n"
        "from pathlib import Path\n"
        "from reports.mail import deliver as room, outbox\n"
        "def die(self, *rest, **more):\n"
        "    os.kill(os.getpid(), signal.SIGKILL)\n"
        f"outbox.Outbox.{'mark' if moment == 'after DATA' else 'entering_data'} = die\n"
        f"room.deliver(Path(sys.argv[1]), datetime.fromisoformat({NOW.isoformat()!r}), None,\n"
        f"    room.MailSettings('smtp://127.0.0.1:{port}', {SENDER!r}, {READERS!r}, '', 5))\n"
    )
    done = subprocess.run([sys.executable, "-c", script, str(mail_home)], check=False)
    assert done.returncode == -signal.SIGKILL
    taken = ["a@example.com"] if moment == "after DATA" else []
    assert box.to == taken
    again = deliver(mail_home, NOW + timedelta(minutes=15), None, settings(port))
    if moment == "after DATA":
        # It may have been taken, so only a person can tell: unknown, and never sent again by us.
        assert states(mail_home) == {"a": "unknown", "b": "sent", "c": "sent"}
        assert again.tally.unknown == 1
    else:
        # The server had not been given anything.
        assert states(mail_home) == {"a": "sent", "b": "sent", "c": "sent"}
    assert sorted(box.to) == ["a@example.com", "b@example.com", "c@example.com"]


def test_a_second_mailer_waits_and_sends_nothing_twice(mail_home: Path, box: Box, port: int) -> None:
    env = {
        "PATH": os.environ["PATH"],
        "SUANJIA_SMTP_URL": f"smtp://127.0.0.1:{port}",
        "SUANJIA_MAIL_FROM": SENDER,
        "SUANJIA_MAIL_TO": READERS,
    }
    command = [sys.executable, "-m", "suanjia", "--home", str(mail_home), "--now", NOW.isoformat(), "mail"]
    both = [subprocess.Popen(command, env=env, stdout=subprocess.DEVNULL) for _ in range(2)]
    assert [process.wait() for process in both] == [0, 0]
    assert sorted(box.to) == ["a@example.com", "b@example.com", "c@example.com"]


def test_a_corrected_issue_goes_out_only_when_asked(mail_home: Path, box: Box, port: int) -> None:
    deliver(mail_home, NOW, None, settings(port, "a@example.com"))
    build_issue(mail_home, NOW, None, rebuilt=True)
    assert vintages(mail_home, WEEK)[-1].vintage == 2
    quiet = deliver(mail_home, NOW, None, settings(port, "a@example.com"))
    assert (quiet.tally.sent, quiet.tally.before) == (0, 1)
    asked = deliver(mail_home, NOW, None, settings(port, "a@example.com"), correction=True)
    again = deliver(mail_home, NOW, None, settings(port, "a@example.com"), correction=True)
    assert (asked.tally.sent, again.tally.sent) == (1, 0)
    assert [mail["Message-ID"][:24] for mail in box.mails] == [
        "<suanjia.2026-W48.v1.zh@",
        "<suanjia.2026-W48.v2.zh@",
    ]


# TLS


@pytest.mark.parametrize("kind", ["smtps", "smtp+starttls"])
def test_tls_with_a_password(
    mail_home: Path, box: Box, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    context, authority = certificate(tmp_path)
    monkeypatch.setenv("SSL_CERT_FILE", str(authority))
    with serving(box, context, starttls=kind == "smtp+starttls", auth=True) as port:
        url = f"{kind}://reader:p%40ss%3Aword%2F1@127.0.0.1:{port}"
        done = deliver(mail_home, NOW, None, settings(port, "a@example.com", url=url))
    assert done.tally.sent == 1, done.tally.told


@pytest.mark.parametrize("kind", ["smtps", "smtp+starttls"])
@pytest.mark.parametrize("wrong", ["authority", "name"])
def test_a_certificate_that_is_not_to_be_trusted(
    mail_home: Path, box: Box, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str, wrong: str
) -> None:
    context, authority = certificate(tmp_path, "mail.example.com" if wrong == "name" else "127.0.0.1")
    if wrong == "name":
        monkeypatch.setenv("SSL_CERT_FILE", str(authority))
    with serving(box, context, starttls=kind == "smtp+starttls", auth=True) as port:
        url = f"{kind}://reader:p%40ss%3Aword%2F1@127.0.0.1:{port}"
        done = deliver(mail_home, NOW, None, settings(port, "a@example.com", url=url))
    assert (done.tally.sent, done.tally.retry) == (0, 1)
    assert "certificate" in done.tally.told[0][2].lower()
    assert "p@ss" not in str(done.tally)


def test_a_server_without_starttls_gets_no_password(mail_home: Path, box: Box, port: int) -> None:
    url = f"smtp+starttls://reader:secret@127.0.0.1:{port}"
    done = deliver(mail_home, NOW, None, settings(port, "a@example.com", url=url))
    assert (done.tally.sent, done.tally.retry) == (0, 1)
    assert "STARTTLS" in done.tally.told[0][2]


def test_a_wrong_password_is_nobody_s_failure(
    mail_home: Path, box: Box, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    context, authority = certificate(tmp_path)
    monkeypatch.setenv("SSL_CERT_FILE", str(authority))
    with serving(box, context, auth=True) as port:
        url = f"smtps://reader:wrong@127.0.0.1:{port}"
        done = deliver(mail_home, NOW, None, settings(port, url=url))
    assert (done.tally.retry, done.tally.waiting) == (1, 2)
    assert "535" in done.tally.told[0][2]
    assert "wrong" not in done.tally.told[0][2]


@pytest.mark.parametrize(
    "url",
    [
        "smtp://mail.example.com:25",
        "smtp://10.0.0.1",
        "http://mail.example.com",
        "mail.example.com",
        "smtps://",
        "smtps://host:port",
        "smtps://user:secret@host/path",
        "smtps://[::1",
    ],
)
def test_addresses_of_servers_that_are_refused(url: str) -> None:
    with pytest.raises(SmtpSettingsError) as caught:
        parse_url(url)
    assert "secret" not in str(caught.value)


def test_a_password_is_never_shown() -> None:
    assert "secret" not in repr(parse_url("smtps://user:secret@mail.example.com"))


# the command


def run(home: Path, *args: str, **env: str) -> Result:
    full = {"SUANJIA_SMTP_URL": None, "SUANJIA_MAIL_FROM": None, "SUANJIA_MAIL_TO": None, **env}
    return CliRunner().invoke(
        cli, ["--home", str(home), "--now", NOW.isoformat(), *args], env=full, standalone_mode=False
    )


def code(result: Result) -> int:
    """The exit code that `main` would give."""
    if result.exception is not None:
        return int(getattr(result.exception, "exit_code", 1))
    return int(result.return_value or 0)


@pytest.fixture
def ask(port: int) -> Callable[..., Result]:
    env = {
        "SUANJIA_SMTP_URL": f"smtp://127.0.0.1:{port}",
        "SUANJIA_MAIL_FROM": SENDER,
        "SUANJIA_MAIL_TO": READERS,
    }
    return lambda home, *args, **more: run(home, *args, **{**env, **more})


def test_exit_codes(mail_home: Path, box: Box, ask: Ask) -> None:
    box.at_rcpt["c@example.com"] = "550 no such user"
    first = ask(mail_home, "mail", "--json")
    assert code(first) == 3
    told = json.loads(first.stdout)
    assert (told["sent"], told["failed"], told["refused_by"]) == (2, 1, None)
    box.at_rcpt.clear()
    assert code(ask(mail_home, "mail")) == 3
    assert code(ask(mail_home, "mail", SUANJIA_MAIL_TO="a@example.com")) == 0
    assert code(ask(mail_home, "mail", SUANJIA_MAIL_TO="")) == 4
    assert code(run(mail_home, "mail")) == 2
    assert code(ask(mail_home, "mail", SUANJIA_SMTP_URL="smtp://mail.example.com")) == 2
    assert code(ask(mail_home, "mail", SUANJIA_MAIL_FROM="nobody")) == 2
    assert code(ask(mail_home, "mail", SUANJIA_UNSUBSCRIBE_URL="http://example.com/{token}")) == 2
    assert code(ask(mail_home, "mail", "--week", "2026-48")) == 2


def test_no_issue_tells_the_operator_once_and_no_reader(mail_home: Path, box: Box, ask: Ask) -> None:
    shutil.rmtree(mail_home / "reports")
    for _ in range(2):
        assert code(ask(mail_home, "mail")) == 5
    assert box.to == ["weekly@suanjia.example.com"]
    assert "2026-W48 周报没有发出" in str(box.mails[0]["Subject"])
    assert "suanjia report" in body(box.mails[0])


def test_last_week_s_issue_is_never_sent_for_this_one(mail_home: Path, box: Box, ask: Ask) -> None:
    later = (NOW + timedelta(days=7)).isoformat()
    result = ask(mail_home, "--now", later, "mail")
    assert code(result) == 5
    assert box.to == ["weekly@suanjia.example.com"]
    assert "2026-W49" in str(box.mails[0]["Subject"])


def test_a_spoilt_issue_is_not_sent(mail_home: Path, issued: tuple[Path, Done], box: Box, ask: Ask) -> None:
    path = vintages(mail_home, WEEK)[-1].folder / "report.zh.html"
    path.write_text(
        path.read_text(encoding="utf-8").replace(lora_total(issued[1].issue), "¥0.42"), encoding="utf-8"
    )
    result = ask(mail_home, "mail")
    assert code(result) == 5
    assert "is not what was written" in result.stderr
    assert box.to == ["weekly@suanjia.example.com"]


def test_the_running_week_is_not_sent(mail_home: Path, box: Box, ask: Ask) -> None:
    result = ask(mail_home, "mail", "--week", "2026-W49")
    assert code(result) == 5
    assert "still running" in result.stderr


def test_a_dry_run_sends_nothing(mail_home: Path, box: Box, ask: Ask) -> None:
    result = ask(mail_home, "mail", "--dry-run", "--json")
    assert code(result) == 0
    told = json.loads(result.stdout)
    assert told["recipients"] == 3
    assert box.raw == []
    assert states(mail_home) == {}
    assert all(Path(name).read_bytes().isascii() for name in told["files"])


def test_a_password_in_a_file_that_others_read(mail_home: Path, port: int) -> None:
    path = mail_home / "suanjia.toml"
    path.write_text(
        f'smtp_url = "smtp://user:secret@127.0.0.1:{port}"\nmail_from = "w@example.com"\n', encoding="utf-8"
    )
    path.chmod(0o644)
    result = run(mail_home, "mail")
    assert code(result) == 2
    assert "chmod 600" in str(result.exception)
    assert "secret" not in str(result.exception)
    path.chmod(0o600)
    assert code(run(mail_home, "mail")) != 2


def test_the_outbox_keeps_no_address(mail_home: Path, box: Box, ask: Ask) -> None:
    ask(mail_home, "mail")
    rows = json.loads(ask(mail_home, "mail", "--outbox", "--json").stdout)
    assert {row["state"] for row in rows} == {"sent"}
    for path in mail_home.glob("ledger.sqlite*"):
        assert b"a@example.com" not in path.read_bytes()
