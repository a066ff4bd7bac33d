"""What happens in a soak and what was counted."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

START = datetime.fromisoformat("2026-10-05T00:00:00+08:00")


@dataclass
class Soak:
    """What happens and what was counted."""

    home: Path
    seed: int
    weeks: int = 0
    deaths: list[str] = field(default_factory=list)
    diary: list[dict[str, Any]] = field(default_factory=list)
    reached: datetime = START

    @property
    def tmp(self) -> Path:
        """Where everything puts what is temporary."""
        return self.home.parent / "tmp"

    def total(self, name: str) -> Counter[str]:
        """A counter of the diary over all lives of the service."""
        last: dict[int, dict[str, int]] = {line["pid"]: line[name] for line in self.diary}
        return sum((Counter(found) for found in last.values()), Counter())
