"""A job as fit is asked it: what is to run (for sizing) and what the buyer allows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from importlib.resources import files
from pathlib import Path
from typing import Any

from catalog import toml_text
from catalog.billing import BILLING_MODES, MODE_OF_PERIOD
from catalog.cards import cards, family_of
from pipeline.reading.card import CardReject, read
from reports.numbers import decimal_or_none, loads

LEFT_OUT = frozenset({"spot", "serverless"})  # bought only by jobs that say so
BUYER_FIELDS = (
    "regions",
    "cards",
    "billing_modes",
    "providers",
    "interruptible",
    "deadline_hours",
    "budget_cny",
    "dataset_gb",
    "min_grade",
    "max_age_hours",
    "in_stock",
    "spot_interruptions_per_day",
    "title_zh",
    "title_en",
)


class JobError(ValueError):
    """A workload that cannot be read; the message names the workload and the field."""


@dataclass(frozen=True, slots=True)
class Job:
    """`task` goes to sizing as it is; the rest is the buyer's. None or empty = no restriction."""

    name: str
    task: Mapping[str, Any]
    regions: tuple[str, ...] = ()
    cards: tuple[str, ...] = ()
    billing_modes: tuple[str, ...] = ()
    providers: tuple[str, ...] = ()
    interruptible: bool = False
    deadline_hours: Decimal | None = None
    budget_cny: Decimal | None = None
    dataset_gb: Decimal | None = None
    min_grade: str | None = None
    max_age_hours: Decimal | None = None
    in_stock: bool = False
    spot_interruptions_per_day: Decimal | None = None
    title_zh: str | None = None
    title_en: str | None = None

    def allows(self, billing_mode: str) -> bool:
        """Whether the job may be run in this billing mode."""
        if billing_mode == "spot":
            return self.interruptible and (not self.billing_modes or "spot" in self.billing_modes)
        if self.billing_modes:
            return billing_mode in self.billing_modes
        return billing_mode not in LEFT_OUT


def read_jobs(path: Path) -> list[Job]:
    """Workloads of a TOML or JSON file: one at the top, or a list under `workload` or `workloads`.

    JobError names file, workload and field.
    """
    try:
        text = path.read_text(encoding="utf-8-sig")
        data = loads(text) if path.suffix.lower() == ".json" else toml_text.loads(text)
    except (OSError, ValueError) as error:
        raise JobError(f"{path.name}: {error}") from None
    try:
        return _jobs(data, path.stem)
    except JobError as error:
        raise JobError(f"{path.name}: {error}") from None


def _jobs(data: Any, stem: str) -> list[Job]:
    rows = data
    if isinstance(data, dict):
        lists = [key for key in ("workload", "workloads") if isinstance(data.get(key), list)]
        rows = data[lists[0]] if lists else [data.get("workload", data)]
    if not isinstance(rows, list) or not rows or not all(isinstance(row, dict) for row in rows):
        raise JobError("no workload in it")
    names = [stem] if len(rows) == 1 else [f"{stem}-{n}" for n in range(1, len(rows) + 1)]
    return unique([job_of(row, name) for row, name in zip(rows, names, strict=True)])


def weekly_jobs(home: Path | None = None) -> list[Job]:
    """The built-in workloads, and the user's (`home/workloads.toml`), which replace those of the same name.

    JobError for a file that cannot be read.
    """
    text = (files("reports") / "workloads.toml").read_text(encoding="utf-8")
    found = {job.name: job for job in _jobs(toml_text.loads(text), "workload")}
    own = None if home is None else home / "workloads.toml"
    if own is not None and own.is_file():
        found |= {job.name: job for job in read_jobs(own)}
    return list(found.values())


def unique(jobs: list[Job]) -> list[Job]:
    """The jobs; JobError where two have one name."""
    names = [job.name for job in jobs]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise JobError(f"two workloads are called {twice!r}")
    return jobs


def job_of(row: Mapping[str, Any], default_name: str = "workload") -> Job:
    """One workload from its fields; fields that are not the buyer's go to sizing, which judges them."""
    name = row.get("name") or default_name
    if not isinstance(name, str):
        raise JobError(f"name must be a text, not {name!r}")
    try:
        buyer = {key: _read(key, row[key]) for key in BUYER_FIELDS if row.get(key) is not None}
    except JobError as error:
        raise JobError(f"{name}: {error}") from None
    task = {
        key: value for key, value in row.items() if key not in {*BUYER_FIELDS, "name"} and value is not None
    }
    return Job(name=name, task=task, **buyer)


def with_fields(job: Job, given: Mapping[str, Any]) -> Job:
    """The job with some of its fields given anew; JobError as in `job_of`."""
    told = {name: getattr(job, name) for name in BUYER_FIELDS}
    kept = {name: value for name, value in told.items() if value not in (None, (), False)}
    return job_of({**job.task, **kept, **given, "name": job.name})


def _read(key: str, value: Any) -> Any:
    if key in {"regions", "cards", "billing_modes", "providers"}:
        return _words(key, value)
    if key in {"interruptible", "in_stock"}:
        if not isinstance(value, bool):
            raise JobError(f"{key} must be true or false, not {value!r}")
        return value
    if key in {"title_zh", "title_en"}:
        return str(value)
    if key == "min_grade":
        if value not in {"A", "B", "C"}:
            raise JobError(f"min_grade must be A, B or C, not {value!r}")
        return value
    try:
        number = decimal_or_none(value)
    except ValueError as error:
        raise JobError(f"{key}: {error}") from None
    if number is None or number < 0 or (number == 0 and key in {"deadline_hours", "budget_cny"}):
        raise JobError(f"{key} must be above 0, not {value!r}")
    return number


def _words(key: str, value: Any) -> tuple[str, ...]:
    words = [value] if isinstance(value, str) else value
    if not isinstance(words, list | tuple) or not all(isinstance(word, str) for word in words):
        raise JobError(f"{key} must be a list of texts, not {value!r}")
    if key == "billing_modes":
        words = [MODE_OF_PERIOD.get(word, word) for word in words]
        if unknown := sorted(set(words) - set(BILLING_MODES)):
            raise JobError(f"billing_modes: {unknown[0]!r} is none of {', '.join(BILLING_MODES)}")
    if key == "cards":
        words = [name for word in words for name in _goods(word)]
    return tuple(dict.fromkeys(words))


def _goods(text: str) -> tuple[str, ...]:
    """Canonical names that a card name allows: a bare name of a card in several sizes allows each of them."""
    reading = read(text)
    if isinstance(reading, CardReject) or reading.card is None:
        raise JobError(f"cards: {text!r} names no one card of the catalogue")
    name = reading.card
    sizes = tuple(card.card for card in family_of(name) if card.card.startswith(f"{name}-"))
    return (name, *sizes) if cards()[name].vram_gb is None else (name,)
