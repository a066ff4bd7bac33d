"""Counting a data set's tokens offline, streaming, with a `tokenizer.json`.

A sample is one row (`sizing.datasets`). Its text is what a trainer sees: `text`; or instruction, input and
output; prompt and completion; or the contents of messages and conversations; parts joined by a newline.
Special tokens and chat templates are not counted (a template adds about four tokens a turn).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

from sizing.datasets import rows, text_of
from sizing.errors import SizingError

BATCH = 256


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
        """Sequences of `seq_len` after best-fit packing, longest first; longer samples are cut to it.

        All samples of a length at a time: a sequence that takes one takes as many as it has room for, since
        what is left of it is then the tightest fit of all.
        """
        if seq_len < 1:
            raise SizingError(f"seq_len must be at least 1, got {seq_len}")
        room: Counter[int] = Counter()  # free tokens → open sequences with that much
        packs = 0
        for length in sorted(self.lengths, reverse=True):
            size, left = min(length, seq_len), self.lengths[length]
            while size and left:
                free = min((f for f in room if f >= size), default=None)
                each = min(left, (seq_len if free is None else free) // size)
                if free is None:
                    opened = left // each
                    packs, free = packs + opened, seq_len
                else:
                    opened = min(room[free], left // each)
                    room[free] -= opened
                    if not room[free]:
                        del room[free]
                if free - size * each:
                    room[free - size * each] += opened
                left -= opened * each
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
