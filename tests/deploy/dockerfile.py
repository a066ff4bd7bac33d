"""A Dockerfile as a list of steps."""

from __future__ import annotations

import json
import re
import shlex
from dataclasses import dataclass
from fnmatch import fnmatch
from pathlib import Path


@dataclass(frozen=True)
class Step:
    """One instruction; `shell` are the commands of a RUN, in order."""

    word: str
    text: str

    @property
    def shell(self) -> list[str]:
        return [part.strip() for part in self.text.split("&&")] if self.word == "RUN" else []

    @property
    def words(self) -> list[str]:
        """The exec form (`["a", "b"]`), or [] where it is none."""
        found = re.search(r"\[.*\]\s*$", self.text)
        return json.loads(found.group()) if found else []


def steps(path: Path) -> list[Step]:
    """Every instruction, continued lines joined, comments left out."""
    lines = [
        line for line in path.read_text(encoding="utf-8").splitlines() if not line.lstrip().startswith("#")
    ]
    joined = re.sub(r"\\\n\s*", " ", "\n".join(lines))
    parts = (line.split(None, 1) for line in joined.splitlines() if line.strip())
    return [Step(word.upper(), rest.strip()) for word, rest in parts]


def environment(made: list[Step]) -> dict[str, str]:
    """What the ENV steps set."""
    pairs = [pair for step in made if step.word == "ENV" for pair in shlex.split(step.text)]
    return dict(pair.split("=", 1) for pair in pairs)


def left_out(path: str, patterns: list[str]) -> bool:
    """Does .dockerignore leave this file out? Only the plain patterns that ours uses."""
    parts = Path(path).parts
    heads = ["/".join(parts[: n + 1]) for n in range(len(parts))]
    return any(
        fnmatch(head, pattern.removeprefix("**/"))
        or (pattern.startswith("**/") and fnmatch(part, pattern[3:]))
        for pattern in patterns
        for head, part in zip(heads, parts, strict=True)
    )
