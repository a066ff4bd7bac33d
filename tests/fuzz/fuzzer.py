"""A plain mutating fuzzer: seeds in, bytes out, quick enough for a million inputs to a reader.

A reader may raise the errors it promises and nothing else, may take no longer than a second of CPU for one
input, and its process may not grow.
"""

from __future__ import annotations

import gc
import os
import random
import signal
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

SECONDS = 1.0
HANG = 10.0
GROWTH_MB = 96.0
DEFAULT = 150
TOKENS = [
    b"\0", b"\xff\xfe", b"\xef\xbb\xbf", b"\x80", b"\xed\xa0\x80", b"\r\n", b"\t", b'"', b"'", b"\\", b"{}",
    b"[", b"]", b"<td>", b"</table>", b"<!--", b"&#x0;", b"&#99999999;", b"1e999", b"-0", b"NaN", b"1" * 400,
    b"9" * 5000, b"\\ud800", b"0.00000001", b"RTX 4090", b"24GB", b"1/8", b"* 8", b"User-agent: *",
    b"Disallow: /*$*", b"Crawl-delay: 1e9", b"%00", b"=cmd|'/c'!A1", b"rowspan=65534", b"colspan=-1",
    *(word.encode() for word in "\uffe5 元/小时 万 一二三千百 ٣٤ ²³ \u202e\u200b 𝟜𝟘𝟡𝟘".split()),
]  # fmt: skip


@dataclass(frozen=True)
class Outcome:
    """How many inputs, how many the reader refused, the slowest in CPU seconds, growth in MiB."""

    inputs: int
    refused: int
    slowest: float
    grown_mb: float


class Hung(Exception):
    """One input took longer than HANG seconds of CPU."""


def budget(share: float = 1.0, default: int = DEFAULT) -> int:
    """Inputs for a reader: SUANJIA_FUZZ, else a few."""
    return max(1, int(int(os.environ.get("SUANJIA_FUZZ", default)) * share))


def start() -> int:
    """The seed of this run: SUANJIA_FUZZ_SEED, else always the same."""
    return int(os.environ.get("SUANJIA_FUZZ_SEED", "20261130"))


def inputs(seeds: Sequence[bytes], count: int, seed: int, longest: int = 6000) -> Iterator[bytes]:
    """The seeds themselves, then mutations of them."""
    chance = random.Random(seed)
    pool = [data[: longest * 4] for data in seeds]
    for number in range(count):
        yield pool[number] if number < len(pool) else _mutated(chance, pool)[:longest]


def _mutated(chance: random.Random, pool: Sequence[bytes]) -> bytes:
    data = bytearray(chance.choice(pool))
    if len(data) > 3000:  # a window of a long seed: many small inputs find more than few long ones
        at = chance.randrange(len(data) - 2000)
        data = data[at : at + chance.randrange(50, 2500)]
    for _ in range(chance.choice((1, 1, 2, 3, 5, 8))):
        at = chance.randrange(len(data) + 1)
        match chance.randrange(7):
            case 0:
                data[at:at] = chance.choice(TOKENS)
            case 1:
                del data[at : at + chance.randrange(1, 40)]
            case 2 if at < len(data):
                data[at] = chance.randrange(256)
            case 3:
                other = chance.choice(pool)
                cut = chance.randrange(len(other) + 1)
                data[at:] = other[cut : cut + 2000]
            case 4:
                piece = bytes(data[at : at + chance.randrange(1, 30)])
                data[at:at] = piece * chance.randrange(1, 60)
            case 5:
                del data[at:]
            case _:
                end = min(len(data), at + 8)
                data[at:end] = bytes(chance.choice(b"0123456789.,-/%\xb0\xa5") for _ in range(end - at))
    return bytes(data)


def fuzz(
    read: Callable[[bytes], object],
    seeds: Sequence[bytes],
    refusals: tuple[type[Exception], ...] = (),
    count: int | None = None,
) -> Outcome:
    """Feed the reader. AssertionError names the input (in hex) that crashed or hung it."""
    wanted, refused, slowest, base = count or budget(), 0, 0.0, 0.0
    before = signal.signal(signal.SIGVTALRM, _hung)
    try:
        for number, data in enumerate(inputs(seeds, wanted, start())):
            if number == min(1000, wanted // 3):
                base = resident_mb()
            clock = time.process_time()
            signal.setitimer(signal.ITIMER_VIRTUAL, HANG)
            try:
                read(data)
            except refusals:
                refused += 1
            except Exception as error:
                raise AssertionError(f"{type(error).__name__}: {error} for {data.hex()}") from error
            finally:
                signal.setitimer(signal.ITIMER_VIRTUAL, 0)
            took = time.process_time() - clock
            if took > SECONDS and number > 0:  # the first input loads the tables
                raise AssertionError(f"{took:.2f} s of CPU for {data.hex()}")
            slowest = max(slowest, took if number else 0.0)
    finally:
        signal.signal(signal.SIGVTALRM, before)
    gc.collect()
    grown = resident_mb() - base
    assert grown < GROWTH_MB, f"grown by {grown:.0f} MiB over {wanted} inputs"
    return Outcome(wanted, refused, slowest, grown)


def _hung(*_: object) -> None:
    raise Hung


def resident_mb() -> float:
    """Resident memory of this process."""
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20
