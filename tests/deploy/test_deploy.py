"""The files of deploy/: they name real commands and settings, and are as shut as they say."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from suanjia.cli import COMMANDS
from suanjia.settings import SPECS
from tests.deploy.dockerfile import steps
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


def test_image_by_the_usual_rules() -> None:
    made = steps(DEPLOY / "container" / "Dockerfile")
    words = [step.word for step in made]
    base = next(step.text for step in made if step.word == "FROM")
    assert re.fullmatch(r"[\w./-]+(?::(?!latest)[\w.-]*\d[\w.-]*)(?:@sha256:[0-9a-f]{64})?", base), base
    assert words[0] == "FROM" and "ADD" not in words and "MAINTAINER" not in words
    assert words.index("USER") > max(n for n, word in enumerate(words) if word in ("RUN", "COPY"))
    for word in ("USER", "HEALTHCHECK", "ENTRYPOINT", "CMD", "STOPSIGNAL"):
        assert words.count(word) == 1, word
    for step in made:
        if step.word in ("ENTRYPOINT", "CMD", "HEALTHCHECK"):
            assert step.words, f"{step.word} goes through a shell"
        if step.word == "WORKDIR":
            assert step.text.startswith("/")
    lines = [line for step in made for line in step.shell]
    assert not [
        line for line in lines if re.search(r"\b(sudo|curl|wget|chmod 777|apt |ssh|eval)\b|\| *(ba)?sh", line)
    ]
    for step in made:
        if any("apt-get install" in line for line in step.shell):
            assert step.shell[0] == "apt-get update" and "rm -rf /var/lib/apt/lists/*" in step.shell
    assert all("-y --no-install-recommends" in line for line in lines if "apt-get install" in line)
    pip = [line for line in lines if "pip install" in line]
    assert len(pip) == 2 and all("--no-cache-dir" in line for line in pip)
    assert all("--require-hashes" in line or "--no-deps" in line for line in pip)


@pytest.mark.parametrize("path", ALL, ids=lambda p: p.name)
def test_no_secret_stands_in_a_file(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    for name, value in re.findall(
        r"^[^#\n]*?(\w*(?:TOKEN|_KEY|SECRET|PASSWORD|SMTP_URL)\w*)\s*[=:]\s*(\S*)", text, re.M
    ):
        assert value.strip("\"'") in ("", "${" + name + "}"), f"{path.name}: {name}"
    assert not re.search(r"-----BEGIN|://[^/\s:@]+:[^/\s@]+@", re.sub(r"^\s*#.*$", "", text, flags=re.M))


def test_compose_is_shut() -> None:
    import yaml

    found = yaml.safe_load((DEPLOY / "container" / "compose.yaml").read_text(encoding="utf-8"))
    service = found["services"]["suanjia"]
    assert service["read_only"] is True and service["cap_drop"] == ["ALL"]
    assert service["security_opt"] == ["no-new-privileges:true"] and service["init"] is True
    assert all(port.startswith("127.0.0.1:") for port in service["ports"])
    assert service["tmpfs"] and service["pids_limit"] and service["mem_limit"]
    assert not {"privileged", "network_mode", "pid", "ipc", "cap_add", "devices"} & set(service)
    assert "docker.sock" not in (DEPLOY / "container" / "compose.yaml").read_text(encoding="utf-8")
    assert service["user"] != "0" and service["volumes"] == ["data:/var/lib/suanjia"]
    context = (DEPLOY / "container" / service["build"]["context"]).resolve()
    assert (context / service["build"]["dockerfile"]).is_file()


def _help(command: str) -> str:
    from click.testing import CliRunner

    from suanjia.cli import cli

    return CliRunner().invoke(cli, [command, "--help"]).output
