"""Console blocks of a Markdown page: run every `$ command` and compare, or write, the output below it.

python -m tests.docs.blocks --home DIR --write README.md
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

_BLOCK = re.compile(r"```console\n(.*?)```", re.S)
ROOT = Path(__file__).parents[2]


@dataclass(frozen=True)
class Command:
    """One command of a block and the output that the page shows for it."""

    line: str
    shown: str


def commands(block: str) -> list[Command]:
    """The commands of one block; text before the first `$ ` is none."""
    found: list[tuple[str, list[str]]] = []
    for line in block.splitlines():
        if line.startswith("$ "):
            found.append((line[2:], []))
        elif found and line.startswith("> "):
            found[-1] = (found[-1][0] + "\n" + line[2:], found[-1][1])
        elif found:
            found[-1][1].append(line)
    return [Command(line, "\n".join(shown).rstrip()) for line, shown in found]


def blocks(page: str) -> list[str]:
    """The bodies of all console blocks."""
    return _BLOCK.findall(page)


def run(line: str, home: Path) -> str:
    """What the command prints on stdout in a demo home, as a shell would run it."""
    env = {**os.environ, "SUANJIA_HOME": str(home), "COLUMNS": "110", "NO_COLOR": "1"}
    env["PATH"] = f"{Path(sys.executable).parent}:{env['PATH']}"
    env.pop("SUANJIA_NOW", None)
    done = subprocess.run(line, shell=True, cwd=ROOT, env=env, capture_output=True, text=True, timeout=120)
    return done.stdout.rstrip()


def rewritten(page: str, home: Path) -> str:
    """The page with the real output under every command."""

    def fresh(match: re.Match[str]) -> str:
        parts = []
        for command in commands(match[1]):
            first, *more = command.line.split("\n")
            parts.append("\n".join([f"$ {first}", *(f"> {line}" for line in more), run(command.line, home)]))
        return "```console\n" + "\n\n".join(part.rstrip() for part in parts) + "\n```"

    return _BLOCK.sub(fresh, page)


def main() -> None:
    """Write the pages anew."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--home", type=Path, required=True)
    parser.add_argument("--write", nargs="+", type=Path, required=True)
    given = parser.parse_args()
    for path in given.write:
        path.write_text(rewritten(path.read_text(encoding="utf-8"), given.home.absolute()), encoding="utf-8")


if __name__ == "__main__":
    main()
