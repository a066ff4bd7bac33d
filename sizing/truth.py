"""Measured rows (`tests/sizing/data/*.jsonl`): read, sized, compared. Used by calibration, benchmark and
tests."""

from __future__ import annotations

import csv
import json
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

from sizing import cards
from sizing.errors import SizingError
from sizing.task import Task, parse

DATA = Path(__file__).resolve().parent.parent / "tests" / "sizing" / "data"


@dataclass(frozen=True)
class Row:
    """One measured row, parsed. `task` is None where our reader refuses it; `why` says so."""

    id: str
    raw: Mapping[str, Any]
    measured: Mapping[str, Any]
    source: str
    quality: str
    notes: str
    task: Task | None
    why: str = ""

    @property
    def peak_gib(self) -> float | None:
        value = self.measured.get("peak_gib")
        return float(value) if value is not None else None

    @property
    def model(self) -> str:
        return str(self.raw.get("model"))

    @property
    def out_of_memory(self) -> bool:
        return self.measured.get("fits") is False

    @property
    def ran(self) -> bool:
        return self.peak_gib is not None or self.measured.get("fits") is True

    @property
    def complete(self) -> bool:
        """Whether what drives memory is stated: the length, the batch, and a figure that is not a guide."""
        told = self.raw.get("seq_len") is not None and self.raw.get("micro_batch") is not None
        return told and self.quality != "C"


@lru_cache(maxsize=1)
def _cards() -> dict[str, tuple[str, str | None]]:
    with (DATA / "truth_cards.csv").open(encoding="utf-8", newline="") as f:
        return {r["text"]: (r["card"], r["form"] or None) for r in csv.DictReader(f)}


def card_of(text: str | None) -> cards.CardFacts | None:
    """The card a row's text names, by the table beside the rows (the command line reads it with the card
    reader)."""
    name, form = _cards().get(text or "", ("", None))
    return cards.get(name, form) if name else None


@lru_cache(maxsize=1)
def corrections() -> dict[str, dict[str, Any]]:
    """What a row's own source says and its task object does not (`corrections.csv`): id → fields."""
    found: dict[str, dict[str, Any]] = {}
    with (DATA / "corrections.csv").open(encoding="utf-8", newline="") as f:
        for row in csv.DictReader(f):
            value = int(row["value"]) if row["value"].isdigit() else row["value"] or None
            found.setdefault(row["id"], {})[row["field"]] = value
    return found


def read(names: Iterable[str] = ("sizing_truth",), *, corrected: bool = False) -> list[Row]:
    """The rows of the named files, in order: as handed down, or `corrected` by their own sources."""
    found = []
    mended = corrections() if corrected else {}
    for name in names:
        for line in (DATA / f"{name}.jsonl").read_text(encoding="utf-8").splitlines():
            record = json.loads(line)
            if "task" not in record:
                continue
            raw, task, why = {**record["task"], **mended.get(record["id"], {})}, None, ""
            try:
                task = parse(raw, card_of(raw.get("card")), [])
            except SizingError as error:
                why = str(error)
            found.append(
                Row(
                    record["id"],
                    raw,
                    record["measured"],
                    record["source"],
                    record.get("quality", "B"),
                    record.get("notes", ""),
                    task,
                    why,
                )
            )
    return found


def at_limit(row: Row) -> Row | None:
    """A row that states the longest sequence of a memory size, as a row whose peak is that memory."""
    longest = row.measured.get("max_seq_len")
    if longest is None or row.task is None or row.task.visible_gib is None:
        return None
    task = replace(row.task, seq_len=int(longest), length_assumed=False)
    told = {**row.raw, "seq_len": int(longest)}
    return replace(row, task=task, raw=told, measured={"peak_gib": row.task.visible_gib - 0.3})


def log_ratio(predicted: float, measured: float) -> float:
    """Natural log of predicted over measured: symmetric, so that half and double weigh alike."""
    return math.log(predicted / measured)


def quantile(values: Iterable[float], share: float) -> float:
    """Linear quantile of a non-empty sample."""
    ordered = sorted(values)
    place = share * (len(ordered) - 1)
    low = math.floor(place)
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + (ordered[high] - ordered[low]) * (place - low)


def is_training(row: Row) -> bool:
    return row.task is not None and row.task.method != "inference"
