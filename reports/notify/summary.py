"""The week in five lines, for a group."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from reports.render.words import Words

TOP = 3


def summary(data: Mapping[str, Any], lang: str = "zh") -> tuple[str, str]:
    """(title, body of at most five lines) from the document of report.json: the sentence, and three jobs."""
    lines = [data["sentences"][lang][0]]
    if data["rebuilt"]:
        lines = [Words(lang)("head.rebuilt")]
    lines += data["brief"][lang][:TOP]
    lines.append(data["coverage_line"][lang])
    return data["subject"][lang], "\n".join(lines)
