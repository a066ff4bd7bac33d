"""What is said of some rows of a table, below it: each thing once, with the ranks that it is true of."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from suanjia.wrapped import wrapped


def grouped(rows: Iterable[tuple[int, str]]) -> Iterator[tuple[str, str]]:
    """(ranks, words) for each different words of (rank, words), in the order of the ranks."""
    found: dict[str, list[int]] = {}
    for rank, words in rows:
        if words:
            found.setdefault(words, []).append(rank)
    for words, ranks in found.items():
        yield ranks_of(ranks), words


def ranks_of(ranks: Sequence[int]) -> str:
    """`#1–3, #5`."""
    runs: list[list[int]] = []
    for rank in ranks:
        if runs and runs[-1][-1] == rank - 1:
            runs[-1].append(rank)
        else:
            runs.append([rank])
    return ", ".join(f"#{run[0]}" if len(run) == 1 else f"#{run[0]}–{run[-1]}" for run in runs)


def told_below(name: str, rows: Iterable[tuple[int, str]]) -> list[str]:
    """`#1–3, #5 NAME: words`, in lines of the terminal's width."""
    return [line for ranks, words in grouped(rows) for line in wrapped(f"{ranks} {name}: ", words)]


def legend(heads: Iterable[str], english: Mapping[str, str]) -> list[str]:
    """What the heads that are Chinese alone say, in English."""
    return wrapped("", " · ".join(f"{head} {english[head]}" for head in heads if head in english))


def told_apart(lines: Sequence[dict[str, Any]], quiet: dict[str, Callable[[Any], bool]]) -> list[str]:
    """The columns that say something: one of `quiet` stays out where its test holds of every line."""
    return [name for name in lines[0] if name not in quiet or not all(quiet[name](line) for line in lines)]
