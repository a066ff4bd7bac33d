"""Names of jobs, places, sellers and modes in the reader's language."""

from __future__ import annotations

from collections.abc import Mapping

from reports.issue.model import Issue
from reports.render.words import LANGS, Words


def latin_or_han(name: str, slug: str, lang: str) -> str:
    """The Chinese half of a name that begins with one, or the Latin half; else the slug, in English."""
    if not name.strip():
        return slug
    first, *rest = name.split()
    if lang == "zh":
        return name if first.isascii() else first
    latin = " ".join(part for part in (first, *rest) if part.isascii())
    return (latin + (" China" if "中国" in name else "")) if latin else slug.replace("_", " ").capitalize()


class Names:
    """Look-ups of one issue in one language; a name that is not known stands as it is."""

    def __init__(self, issue: Issue, lang: str) -> None:
        self._issue = issue
        self._w = Words(lang)
        self._lang = 0 if lang == "zh" else 1
        self._jobs: Mapping[str, tuple[str, str]] = {
            job.name: (job.title_zh, job.title_en) for job in issue.workloads
        }

    def job(self, name: str) -> str:
        return self._jobs.get(name, (name, name))[self._lang]

    def provider(self, slug: str) -> str:
        return latin_or_han(self._issue.providers.get(slug, slug), slug, LANGS[self._lang])

    def mode(self, code: str) -> str:
        return self._w(f"mode.{code}") if self._w.has(f"mode.{code}") else code

    def place(self, code: str | None) -> str:
        """`None` is a pool or a label that could not be placed."""
        if code is None:
            return self._w("word.unknown_place")
        if code == "CN":
            return self._w("word.nation")
        return self._issue.regions.get(code, (code, code))[self._lang]
