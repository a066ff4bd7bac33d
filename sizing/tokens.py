"""Counting a data set's tokens offline, streaming: JSON Lines, JSON arrays, text and Parquet, with a
`tokenizer.json`.

A sample is one row. Its text is what a trainer sees: `text`; or instruction, input and output; prompt and
completion; or the contents of messages and conversations; parts joined by a newline. Special tokens and
chat templates are not counted (a template adds about four tokens a turn).
"""

from __future__ import annotations

import gzip
import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

from sizing.errors import SizingError

BATCH = 256
PARTS = (
    ("text",),
    ("content",),
    ("instruction", "input", "output"),
    ("instruction", "input", "response"),
    ("query", "response"),
    ("prompt", "completion"),
    ("prompt", "response"),
    ("prompt", "chosen"),
    ("question", "answer"),
    ("input", "output"),
    ("input", "target"),
    ("source", "target"),
)
TURNS = ("messages", "conversations", "conversation", "dialog")
SAID = ("content", "value", "text")
SUFFIXES = {".jsonl", ".ndjson", ".json", ".txt", ".md", ".parquet"}


@dataclass
class Count:
    """Tokens of a data set. `lengths`: tokens of a sample → how many samples have that many."""

    files: int = 0
    lengths: Counter[int] = field(default_factory=Counter)
    rejected: list[str] = field(default_factory=list)
    rejected_rows: int = 0

    @property
    def samples(self) -> int:
        return self.lengths.total()

    @property
    def tokens(self) -> int:
        return sum(n * times for n, times in self.lengths.items())

    @property
    def mean(self) -> float:
        return self.tokens / self.samples if self.samples else 0.0

    @property
    def longest(self) -> int:
        return max(self.lengths, default=0)

    def quantile(self, share: float) -> int:
        """The length that `share` of the samples do not exceed (nearest rank)."""
        wanted = max(1, -(-int(share * 1000) * self.samples // 1000))
        seen = 0
        for length in sorted(self.lengths):
            seen += self.lengths[length]
            if seen >= wanted:
                return length
        return 0

    def packed(self, seq_len: int) -> int:
        """Sequences of `seq_len` after first-fit packing; longer samples are cut to `seq_len`."""
        if seq_len < 1:
            raise SizingError(f"seq_len must be at least 1, got {seq_len}")
        room: Counter[int] = Counter()  # free tokens → open sequences with that much
        packs = 0
        for length in sorted(self.lengths, reverse=True):
            size = min(length, seq_len)
            for _ in range(self.lengths[length]):
                free = min((f for f in room if f >= size), default=None)
                if free is None:
                    packs += 1
                    free = seq_len
                else:
                    room[free] -= 1
                    if not room[free]:
                        del room[free]
                if free - size:
                    room[free - size] += 1
        return packs

    def as_json(self, seq_len: int | None = None) -> dict[str, Any]:
        """CONTRACT's `tokens` object, with the packed count where a length is asked for."""
        found: dict[str, Any] = {
            "files": self.files,
            "samples": self.samples,
            "tokens": self.tokens,
            "mean": round(self.mean, 2),
            "p99": self.quantile(0.99),
            "longest": self.longest,
        }
        if seq_len is not None:
            found["packed"] = {"seq_len": seq_len, "sequences": self.packed(seq_len)}
        if self.rejected_rows:
            found["rejected"] = self.rejected_rows
        return found


def _turns(value: Any) -> str | None:
    """The contents of a conversation, or None when it is none."""
    if not isinstance(value, list):
        return None
    said = []
    for turn in value:
        if isinstance(turn, Mapping):
            text = next((turn[key] for key in SAID if isinstance(turn.get(key), str)), None)
            if isinstance(turn.get("content"), list):  # parts of a multimodal message
                pieces = [
                    p["text"]
                    for p in turn["content"]
                    if isinstance(p, Mapping) and isinstance(p.get("text"), str)
                ]
                text = "\n".join(pieces) or None
            if text:
                said.append(text)
    return "\n".join(said) or None


def text_of(row: Any) -> str | None:
    """The trained text of one row, or None when no known field holds text."""
    if isinstance(row, str):
        return row or None
    if not isinstance(row, Mapping):
        return _turns(row)
    for key in TURNS:
        if key in row and (text := _turns(row[key])):
            return text
    for keys in PARTS:
        if keys[-1] in row and keys[0] in row:
            parts = [
                row[key] if isinstance(row[key], str) else _turns(row[key]) for key in keys if key in row
            ]
            if text := "\n".join(p for p in parts if p):
                return text
    return None


def _lines(file: Any) -> Iterator[tuple[str, Any]]:
    for number, raw in enumerate(file, 1):
        if not raw.strip():
            continue
        try:
            yield f"line {number}", json.loads(raw.decode("utf-8"))
        except ValueError as error:
            yield f"line {number}", error


def _array(file: Any) -> Iterator[tuple[str, Any]]:
    import ijson

    number = 0
    try:
        for number, row in enumerate(ijson.items(file, "item", use_float=True), 1):
            yield f"item {number}", row
    except ijson.JSONError as error:
        yield f"after item {number}", ValueError(str(error))


def _texts(file: Any) -> Iterator[tuple[str, Any]]:
    """Plain text: paragraphs between blank lines are samples."""
    block: list[str] = []
    start = 1
    number = 0
    for number, raw in enumerate(file, 1):
        line = raw.decode("utf-8", errors="replace").rstrip("\r\n")
        if line.strip():
            if not block:
                start = number
            block.append(line)
        elif block:
            yield f"line {start}", "\n".join(block)
            block = []
    if block:
        yield f"line {start}", "\n".join(block)


def _parquet(path: Path) -> Iterator[tuple[str, Any]]:
    import pyarrow.parquet as pq

    number = 0
    with pq.ParquetFile(path) as table:
        for batch in table.iter_batches(batch_size=1024):
            for row in batch.to_pylist():
                number += 1
                yield f"row {number}", row


def rows(path: Path, moved: Callable[[int], None] | None = None) -> Iterator[tuple[str, Any]]:
    """(place, row) of a file; a row that cannot be read comes as the exception. `moved` is told bytes read
    so far."""
    suffixes = [s.lower() for s in path.suffixes]
    kind = next((s for s in reversed(suffixes) if s in SUFFIXES), None)
    if kind is None:
        raise SizingError(f"{path}: not a data set we read ({', '.join(sorted(SUFFIXES))}, also .gz)")
    if kind == ".parquet":
        yield from _parquet(path)
        return
    squeezed = suffixes[-1] == ".gz"
    with gzip.open(path, "rb") if squeezed else path.open("rb") as file:
        first = file.read(1024).lstrip()[:1]
        file.seek(0)
        reader = _texts if kind in (".txt", ".md") else (_array if first == b"[" else _lines)
        for item in reader(file):
            yield item
            if moved is not None:
                moved(0 if squeezed else file.tell())


def load_tokenizer(path: Path) -> Any:
    """A `tokenizers.Tokenizer` from its `tokenizer.json`. SizingError when the file is none."""
    from tokenizers import Tokenizer

    if path.is_dir():
        path = path / "tokenizer.json"
    try:
        found = Tokenizer.from_str(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise SizingError(f"{path}: {error.strerror or error}") from error
    except Exception as error:
        raise SizingError(f"{path}: no tokenizer.json ({error})") from error
    found.no_truncation()
    found.no_padding()
    return found


def count(files: Iterable[Path], tokenizer: Any, moved: Callable[[Path, int], None] | None = None) -> Count:
    """Count all files. Unreadable rows are counted as rejected, the first hundred with their reason."""
    found = Count()
    for path in files:
        try:
            source = _samples(path, found, partial(moved, path) if moved else None)
            while batch := list(islice(source, BATCH)):
                for encoded in tokenizer.encode_batch(batch, add_special_tokens=False):
                    found.lengths[len(encoded.ids)] += 1
        except OSError as error:
            raise SizingError(f"{path}: {error.strerror or error}") from error
        found.files += 1
    return found


def _samples(path: Path, found: Count, moved: Callable[[int], None] | None) -> Iterator[str]:
    for place, row in rows(path, moved):
        text = None if isinstance(row, Exception) else text_of(row)
        if text is None:
            found.rejected_rows += 1
            if len(found.rejected) < 100:
                why = str(row) if isinstance(row, Exception) else "no field with text"
                found.rejected.append(f"{path.name} {place}: {why}")
            continue
        yield text
