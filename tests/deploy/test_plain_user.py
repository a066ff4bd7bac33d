"""The image's steps as a plain user in a clean directory: a copy of the tree, no root, a home of its own."""

from __future__ import annotations

import json
import os
import pwd
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.spiders.conftest import ROOT

ROOMS = ("catalog", "market", "pipeline", "reports", "sizing", "spiders", "suanjia", "warehouse")


def interpreter(top: Path) -> Path | None:
    """An environment of its own with this one's packages, of an interpreter that a plain user may run; None
    where the only one lies in root's home."""
    name = f"python3.{sys.version_info.minor}"
    for base in (sys.base_prefix, "/usr", "/usr/local"):
        program = Path(base) / "bin" / name
        if not program.is_file() or (os.geteuid() == 0 and str(program.resolve()).startswith("/root/")):
            continue
        subprocess.run([program, "-m", "venv", "--without-pip", top / "venv"], check=True, timeout=60)
        packages = next((top / "venv" / "lib").glob("python3*/site-packages"))
        (packages / "these.pth").write_text("\n".join(p for p in sys.path if p.endswith("-packages")) + "\n")
        return top / "venv" / "bin" / "python"
    return None


@pytest.mark.slow
def test_a_plain_user_with_a_read_only_program() -> None:
    root, nobody = os.geteuid() == 0, pwd.getpwnam("nobody")
    become = {"user": "nobody", "group": nobody.pw_gid, "extra_groups": []} if root else {}
    top = Path("/var/tmp") / f"suanjia-plain-{os.getpid()}"
    program, home, scratch = top / "program", top / "home", top / "tmp"
    try:
        for folder in (program, home, scratch):
            folder.mkdir(parents=True)
        for room in ROOMS:
            shutil.copytree(ROOT / room, program / room, ignore=shutil.ignore_patterns("__pycache__"))
        if root:
            os.chown(home, nobody.pw_uid, nobody.pw_gid)
            os.chown(scratch, nobody.pw_uid, nobody.pw_gid)
        python = interpreter(top)
        env = {
            "PATH": os.environ["PATH"], "PYTHONPATH": str(program), "SUANJIA_HOME": str(home / "data"),
            "SUANJIA_NOW": "2026-10-05T10:00:00+08:00", "TMPDIR": str(scratch), "HOME": str(home),
            "PYTHONDONTWRITEBYTECODE": "1", "MPLCONFIGDIR": str(scratch),
        }  # fmt: skip

        def run(*arguments: str) -> subprocess.CompletedProcess[str]:
            return subprocess.run(
                [python, "-m", "suanjia", *arguments], cwd=program, env=env, capture_output=True, text=True,
                timeout=250, check=False, **become,
            )  # fmt: skip

        if python is None or run("--version").returncode != 0:
            pytest.skip("a plain user cannot run this interpreter")
        crawled = run("crawl", "--market", "matpool", "--json")
        assert crawled.returncode == 0, crawled.stderr
        assert json.loads(crawled.stdout)["providers"][0]["outcome"] == "ok"
        for arguments in (
            ["load"],
            ["publish"],
            ["serve", "--jobs"],
            ["tidy"],
            ["backup", str(scratch / "b.tar")],
        ):
            done = run(*arguments)
            assert done.returncode == 0, (arguments, done.stderr)
        assert json.loads(run("cheapest", "--json", "--limit", "1").stdout)
        assert list(program.rglob("*.pyc")) == []
        assert list(scratch.glob("suanjia-*")) == [], "temporary folders were left behind"
    finally:
        shutil.rmtree(top, ignore_errors=True)
