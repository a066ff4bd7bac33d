"""The image's steps, read from the Dockerfile, as a plain user in a clean directory: what the build does,
then what the container runs, with a program nobody may write to.

Two kinds of steps need what a test has not: packages of the system (their names are checked against what the
program looks for) and the network (the environment that runs this test is put in the place of the downloaded
one, and must be the lock's to the last version).
"""

from __future__ import annotations

import json
import os
import pwd
import re
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import pytest
from packaging.markers import Marker

from tests.deploy.dockerfile import Step, environment, left_out, steps
from tests.spiders.conftest import ROOT

FILE = ROOT / "deploy" / "container" / "Dockerfile"
BROWSERS = {"chromium-headless-shell", "chromium"}


class Build:
    """The image's file system, with `top` for its root."""

    def __init__(self, top: Path) -> None:
        self.top, self.work = top, top
        self.root, self.nobody = os.geteuid() == 0, pwd.getpwnam("nobody")
        self.env: dict[str, str] = {}
        self.done: list[str] = []

    def inside(self, path: str) -> Path:
        """A path of the image as one of this machine."""
        return self.top / path.lstrip("/") if path.startswith("/") else self.work / path

    def step(self, step: Step) -> None:
        """Do what an instruction says."""
        if step.word == "WORKDIR":
            self.work = self.inside(step.text)
            self.work.mkdir(parents=True)
        elif step.word == "COPY":
            self._copy(*step.text.split())
        elif step.word == "RUN":
            for line in step.shell:
                self._run(line)
        elif step.word == "USER":
            assert step.text.isdecimal() and int(step.text) >= 1000
        elif step.word not in (
            "FROM",
            "ENV",
            "VOLUME",
            "EXPOSE",
            "STOPSIGNAL",
            "HEALTHCHECK",
            "ENTRYPOINT",
            "CMD",
        ):
            raise AssertionError(f"a step that this test does not know: {step}")

    def _copy(self, source: str, target: str) -> None:
        if source != ".":
            shutil.copy(ROOT / source, self.inside(target))
            return
        listed = subprocess.run(
            ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], cwd=ROOT, check=True,
            capture_output=True, text=True,
        ).stdout.split("\0")  # fmt: skip
        patterns = (ROOT / ".dockerignore").read_text(encoding="utf-8").split()
        for name in filter(None, listed):
            if (ROOT / name).is_file() and not left_out(name, patterns):
                (self.work / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(ROOT / name, self.work / name)

    def _run(self, line: str) -> None:
        rules: tuple[tuple[str, Callable[[str], None]], ...] = (
            (r"apt-get update|rm -rf /var/lib/apt/lists/\*", lambda _: None),
            (r"apt-get install -y --no-install-recommends ", _packages),
            (r"useradd --system --uid \d{4,} .*--shell /usr/sbin/nologin ", lambda _: None),
            (r"install -d -o \w+ -g \w+ -m 07[05]0 /", self._folder),
            (r"python -m venv \.venv$", self._venv),
            (r"\.venv/bin/python -m pip install .*--require-hashes -r requirements\.lock$", _lock),
            (r"\.venv/bin/", self._shell),
        )
        for pattern, do in rules:
            if re.match(pattern, line):
                do(line)
                self.done.append(line)
                return
        raise AssertionError(f"a command that this test does not know: {line}")

    def _folder(self, line: str) -> None:
        folder = self.inside(line.split()[-1])
        folder.mkdir(parents=True)
        if self.root:
            os.chown(folder, self.nobody.pw_uid, self.nobody.pw_gid)

    def _venv(self, _: str) -> None:
        """A new environment with this one's packages, of an interpreter that a plain user may run."""
        name = f"python3.{sys.version_info.minor}"
        for base in (sys.base_prefix, "/usr", "/usr/local"):
            program = Path(base) / "bin" / name
            if not program.is_file() or (self.root and str(program.resolve()).startswith("/root/")):
                continue
            subprocess.run(
                [program, "-m", "venv", "--without-pip", self.work / ".venv"], check=True, timeout=60
            )
            packages = next((self.work / ".venv" / "lib").glob("python3*/site-packages"))
            there = "\n".join(p for p in sys.path if p.endswith("-packages"))
            (packages / "these.pth").write_text(there + "\n", encoding="utf-8")
            return
        pytest.skip("a plain user cannot run this interpreter")

    def _shell(self, line: str) -> None:
        done = subprocess.run(
            ["sh", "-ec", line], cwd=self.work, capture_output=True, text=True, timeout=280, check=False,
            env={"PATH": os.environ["PATH"], "HOME": str(self.top), "TMPDIR": str(self.top / "tmp")},
        )  # fmt: skip
        assert done.returncode == 0, (line, done.stdout, done.stderr)

    def user(self) -> dict[str, Any]:
        """Arguments of `subprocess` for the plain user."""
        return {"user": "nobody", "group": self.nobody.pw_gid, "extra_groups": []} if self.root else {}


def _packages(line: str) -> None:
    names = set(line.split("--no-install-recommends", 1)[1].split())
    assert names & BROWSERS and "fonts-noto-cjk" in names
    assert all(re.fullmatch(r"[a-z0-9][a-z0-9.+-]+", name) for name in names)


def _lock(_: str) -> None:
    """The environment of this test holds the lock's versions and no other."""
    wrong = []
    text = (ROOT / "requirements.lock").read_text(encoding="utf-8")
    for name, wanted, marker in re.findall(
        r"^([A-Za-z0-9._-]+)==(\S+?)(?: *; *([^\\\n]+?))? *\\?$", text, re.M
    ):
        if marker and not Marker(marker).evaluate():
            continue
        try:
            found = version(name)
        except PackageNotFoundError:
            found = "nothing"
        if found != wanted:
            wrong.append(f"{name} {found} instead of {wanted}")
    assert wrong == []


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_the_image_built_and_run_by_a_plain_user() -> None:
    made = steps(FILE)
    top = Path("/var/tmp") / f"suanjia-plain-{os.getpid()}"
    build = Build(top)
    try:
        (top / "tmp").mkdir(parents=True)
        top.chmod(0o755)
        (top / "tmp").chmod(0o1777)
        for step in made:
            build.step(step)
        assert any("pip install" in line and line.endswith(" .") for line in build.done)
        _shut(build.work)
        _run_it(build, made)
    finally:
        subprocess.run(["chmod", "-R", "u+w", top], check=False)
        shutil.rmtree(top, ignore_errors=True)


def _shut(program: Path) -> None:
    """A root file system that nobody can write to."""
    subprocess.run(["chmod", "-R", "a-w,a+rX", program], check=True)


def _run_it(build: Build, made: list[Step]) -> None:
    entry = next(step.words for step in made if step.word == "ENTRYPOINT")
    command = next(step.words for step in made if step.word == "CMD")
    probe = next(step.words for step in made if step.word == "HEALTHCHECK")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = str(free.getsockname()[1])
    env = {k: str(build.inside(v)) if v.startswith("/") else v for k, v in environment(made).items()}
    env = {
        "PATH": os.environ["PATH"], "HOME": env["SUANJIA_HOME"], "TMPDIR": str(build.top / "tmp"), **env,
        "SUANJIA_HTTP_HOST": "127.0.0.1", "SUANJIA_HTTP_PORT": port,
        "SUANJIA_NOW": "2026-10-05T10:30:00+08:00",
    }  # fmt: skip
    made_of: dict[str, Any] = {"cwd": build.work, "env": env, "text": True, **build.user()}

    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        line = [str(build.work / entry[0]), *arguments]
        return subprocess.run(line, capture_output=True, timeout=250, check=False, **made_of)

    crawled = run("crawl", "--market", "matpool", "--json")
    assert crawled.returncode == 0, crawled.stderr
    assert json.loads(crawled.stdout)["providers"][0]["outcome"] == "ok"
    archive = str(build.top / "tmp" / "b.tar")
    for arguments in (["load"], ["publish"], ["serve", "--jobs"], ["tidy"], ["backup", archive]):
        done = run(*arguments)
        assert done.returncode == 0, (arguments, done.stderr)
    assert json.loads(run("cheapest", "--json", "--limit", "1").stdout)
    served = subprocess.Popen([str(build.work / entry[0]), *command, "--no-catch-up"], **made_of)
    try:
        line = [str(build.work / probe[0]), *(word.replace("8765", port) for word in probe[1:])]
        for _ in range(100):
            if subprocess.run(line, capture_output=True, timeout=60, check=False, **made_of).returncode == 0:
                break
            time.sleep(0.5)
        else:
            raise AssertionError("the health check never passed")
        served.terminate()
        assert served.wait(60) == 0
    finally:
        served.kill()
    assert list((build.work / "suanjia").rglob("*.pyc")) == []
    assert list((build.top / "tmp").glob("suanjia-*")) == [], "temporary folders were left behind"
