"""The files of deploy/: they name real commands and settings, and are as shut as they say."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from suanjia.cli import COMMANDS
from suanjia.settings import SPECS
from tests.spiders.conftest import ROOT

DEPLOY = ROOT / "deploy"
SERVICES = sorted((DEPLOY / "systemd").glob("*.service"))
TIMERS = sorted((DEPLOY / "systemd").glob("*.timer"))
ALL = [path for path in DEPLOY.rglob("*") if path.is_file()]
KNOWN = {spec.env for spec in SPECS} | {"SUANJIA_HOME"}
SHUT = (
    "NoNewPrivileges=yes", "ProtectSystem=strict", "ProtectHome=yes", "PrivateTmp=yes", "PrivateDevices=yes",
    "CapabilityBoundingSet=", "ProtectKernelModules=yes", "RestrictSUIDSGID=yes", "UMask=0077",
    "User=suanjia", "KillMode=mixed", "MemoryMax=6G",
)  # fmt: skip


@pytest.mark.parametrize("path", ALL, ids=lambda p: p.name)
def test_settings_are_real(path: Path) -> None:
    assert set(re.findall(r"SUANJIA_[A-Z_]+", path.read_text(encoding="utf-8"))) <= KNOWN


@pytest.mark.parametrize("path", SERVICES, ids=lambda p: p.name)
def test_units_run_real_commands_and_are_shut(path: Path) -> None:
    lines = path.read_text(encoding="utf-8").splitlines()
    runs = [line.partition("=")[2].split() for line in lines if line.startswith("ExecStart=")]
    assert runs
    for program, command, *options in runs:
        assert program == "/opt/suanjia/.venv/bin/suanjia" and command in COMMANDS
        assert all(option in _help(command) for option in options)
    assert [line for line in SHUT if line not in lines] == []


@pytest.mark.parametrize("path", TIMERS, ids=lambda p: p.name)
def test_timers_catch_up_and_name_their_zone(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert path.with_suffix(".service").is_file() and "Persistent=true" in text
    calendar = re.search(r"^OnCalendar=(.*)$", text, re.M)
    assert calendar and calendar[1].endswith("Asia/Shanghai")
    if program := shutil.which("systemd-analyze"):
        done = subprocess.run(
            [program, "calendar", calendar[1]], capture_output=True, check=False, timeout=30
        )
        assert done.returncode == 0, done.stderr


@pytest.mark.skipif(not shutil.which("systemd-analyze"), reason="no systemd-analyze")
def test_systemd_accepts_the_units(tmp_path: Path) -> None:
    """The program's path is not on this machine: it is put where one is."""
    for path in (*SERVICES, *TIMERS):
        text = path.read_text(encoding="utf-8").replace("/opt/suanjia/.venv/bin/suanjia", "/bin/true")
        (tmp_path / path.name).write_text(text.replace("/opt/suanjia", "/tmp"), encoding="utf-8")
    units = [str(path) for path in sorted(tmp_path.iterdir())]
    done = subprocess.run(
        ["systemd-analyze", "verify", "--man=no", "--recursive-errors=no", *units],
        capture_output=True, text=True, check=False, timeout=60,
    )  # fmt: skip
    told = [line for line in done.stderr.splitlines() if str(tmp_path) in line or "Unknown" in line]
    assert done.returncode == 0 and told == [], done.stderr


def test_image_is_not_root_and_is_watched() -> None:
    text = (DEPLOY / "container" / "Dockerfile").read_text(encoding="utf-8")
    assert re.search(r"^USER 10001$", text, re.M) and "--require-hashes" in text
    assert "HEALTHCHECK" in text and "/healthz" in text and "STOPSIGNAL SIGTERM" in text
    assert re.search(r'^CMD \["serve"\]$', text, re.M)
    for source in re.findall(r"^COPY (\S+) ", text, re.M):
        assert (ROOT / source).exists()
    ignored = (ROOT / ".dockerignore").read_text(encoding="utf-8").split()
    assert {".git", ".venv", "var", "*.env"} <= set(ignored)


def test_compose_is_shut() -> None:
    import yaml

    found = yaml.safe_load((DEPLOY / "container" / "compose.yaml").read_text(encoding="utf-8"))
    service = found["services"]["suanjia"]
    assert service["read_only"] is True and service["cap_drop"] == ["ALL"]
    assert service["security_opt"] == ["no-new-privileges:true"] and service["init"] is True
    assert all(port.startswith("127.0.0.1:") for port in service["ports"])
    assert service["user"] != "0" and service["volumes"] == ["data:/var/lib/suanjia"]
    context = (DEPLOY / "container" / service["build"]["context"]).resolve()
    assert (context / service["build"]["dockerfile"]).is_file()


def _help(command: str) -> str:
    from click.testing import CliRunner

    from suanjia.cli import cli

    return CliRunner().invoke(cli, [command, "--help"]).output
