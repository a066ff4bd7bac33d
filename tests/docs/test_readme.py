"""The README shows what the program prints: every console block is run in a demo home."""

from __future__ import annotations

import os
import re
import shutil
import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from tests.docs.blocks import ROOT, blocks, commands, run
from tests.e2e.conftest import suanjia

PAGES = ("README.md", "README.zh-CN.md")


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    where = tmp_path_factory.mktemp("readme") / "var"
    suanjia(where, "demo")
    return where


@pytest.mark.slow
@pytest.mark.browser
@pytest.mark.timeout(900)
def test_every_console_block_is_real_output(home: Path) -> None:
    for name in PAGES:
        for block in blocks((ROOT / name).read_text(encoding="utf-8")):
            for command in commands(block):
                assert run(command.line, home) == command.shown, f"{name}: {command.line}"


def test_the_pages_show_output() -> None:
    for name in PAGES:
        shown = [c for b in blocks((ROOT / name).read_text(encoding="utf-8")) for c in commands(b)]
        assert shown and all(c.shown for c in shown), name


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])


def typed(page: str, ports: dict[str, str]) -> str:
    """The shell lines of the mail and the schedule, waiting after each `&` as a person who types does."""
    lines = []
    for body in re.findall(r"```sh\n(.*?)```", page, re.S):
        if not any(port in body for port in ports):
            continue
        for line in body.splitlines():
            for port, other in ports.items():
                line = line.replace(port, other)
            started = re.search(r"&\s*(#.*)?$", line)
            lines += [line, "sleep 8"] if started else [line]
    return "\n".join(lines)


@pytest.mark.slow
@pytest.mark.browser
@pytest.mark.timeout(900)
@pytest.mark.parametrize("name", PAGES)
def test_the_shell_lines_lead_to_a_mail_and_a_service(name: str, home: Path, tmp_path: Path) -> None:
    mail, web = str(free_port()), str(free_port())
    script = "set -e\n" + typed(
        (ROOT / name).read_text(encoding="utf-8"), {"127.0.0.1:8025": f"127.0.0.1:{mail}", ":8765": f":{web}"}
    )
    env = {k: v for k, v in os.environ.items() if not k.startswith("SUANJIA_")}
    own = shutil.copytree(home, tmp_path / "var")  # a mail is sent once a home
    env |= {"HOME": str(tmp_path), "SUANJIA_HOME": str(own), "SUANJIA_HTTP_PORT": web}
    # What the service starts in these seconds must not leave the machine.
    env |= {"https_proxy": "http://127.0.0.1:9", "http_proxy": "http://127.0.0.1:9", "no_proxy": "127.0.0.1"}
    env["PATH"] = f"{Path(sys.executable).parent}:{env['PATH']}"
    shell = subprocess.Popen(
        ["bash", "-c", script], cwd=tmp_path, env=env, text=True, start_new_session=True,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
    )  # fmt: skip
    try:
        code = shell.wait(120)
    finally:
        os.killpg(shell.pid, signal.SIGTERM)
        said, _ = shell.communicate(timeout=60)
    assert code == 0, said
    assert '"status": "ok"' in said, said
    assert len(list((tmp_path / "inbox" / "new").iterdir())) == 1, said
