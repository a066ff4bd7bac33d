"""`nvidia-smi dmon` logs of a run: reader and verdict.

Columns depend on `-s` and on the driver (`temp` became `gtemp mtemp`, `jpg ofa ccpm` came later), so they
are taken from the header lines, which are repeated through the log.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from statistics import fmean
from typing import Any

from reports.vet.check import SUSPECT, Check, as_json
from reports.vet.machine import whole

BUSY = 5.0  # per cent of SM time from which a sample belongs to the run
LOW_USE, THROTTLED, CLOCK_DROP = 70.0, 5.0, 0.85
MIB_PER_GIB = 1024


class DmonError(ValueError):
    """No `dmon` log in the text."""


@dataclass(frozen=True, slots=True)
class Sample:
    """One line: card, time where the log has one (zone unknown: only good for spans), values.

    A log of clock times alone (`-o T`) gets a made-up day, the next one after each midnight.
    """

    gpu: int
    at: datetime | None
    values: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Run:
    """A run summed up, over the cards that worked. Memory in GiB, hours from the first busy sample on."""

    cards: int
    samples: int
    hours: float
    hours_from: str  # log | interval
    sm_mean: float | None
    peak_gib: float | None
    power_mean_w: float | None


def read_dmon(text: str) -> list[Sample]:
    """Every sample of the log; DmonError where there is no header or no line under it."""
    columns: list[str] = []
    samples: list[Sample] = []
    midnights = _Midnights()
    for line in text.replace("\r", "").replace("\ufeff", "").split("\n"):
        words = _cells(line.lstrip("# \t") if line.lstrip().startswith("#") else line)
        if line.lstrip().startswith("#"):
            if "gpu" in (word.lower() for word in words):
                columns = [word.lower() for word in words]
        elif columns and len(words) == len(columns):
            sample = _sample(dict(zip(columns, words, strict=True)), midnights)
            if sample is not None:
                samples.append(sample)
    if not samples:
        raise DmonError("no nvidia-smi dmon log: no line under a '# gpu …' header")
    return samples


def _cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.split(",")] if "," in line else line.split()


class _Midnights:
    """The days that have passed in a log without dates."""

    def __init__(self) -> None:
        self.day = datetime(1970, 1, 1, tzinfo=UTC)
        self.last: datetime | None = None

    def at(self, clock: datetime) -> datetime:
        """The clock time on its day; a step back is a midnight (a late line of the same round is none)."""
        when = self.day + (clock - datetime(1970, 1, 1, tzinfo=UTC))
        if self.last is not None and when < self.last - timedelta(hours=12):
            self.day += timedelta(days=1)
            when += timedelta(days=1)
        self.last = when
        return when


def _sample(cells: dict[str, str], midnights: _Midnights) -> Sample | None:
    day, clock = cells.pop("date", None), cells.pop("time", None)
    card = whole(cells.pop("gpu"))
    if card is None:
        return None
    values = {}
    for name, word in cells.items():
        try:
            values[name] = float(word)
        except ValueError:
            continue  # "-" and "N/A" stand for a column this card has not
    when = _when(day, clock)
    return Sample(card, when if when is None or day is not None else midnights.at(when), values)


def _when(day: str | None, clock: str | None) -> datetime | None:
    if clock is None:
        return None
    text = f"{(day or '19700101').replace('/', '').replace('-', '')} {clock}"
    try:
        return datetime.strptime(text, "%Y%m%d %H:%M:%S").replace(tzinfo=UTC)
    except ValueError:
        return None


def busy(samples: list[Sample]) -> list[Sample]:
    """The samples from the first busy one to the last: loading and the idle tail are not the run."""
    at = [i for i, sample in enumerate(samples) if sample.values.get("sm", 0.0) >= BUSY]
    return samples[at[0] : at[-1] + 1] if at else samples


def summarise(samples: list[Sample], interval_s: float = 1.0) -> Run:
    """Hours from the times in the log; without them from the number of samples and `interval_s` (dmon -d)."""
    run = busy(samples)
    logged = len({sample.gpu for sample in run})
    workers = _workers(run)
    working = [sample for sample in run if sample.gpu in workers]
    times = [sample.at for sample in run if sample.at is not None]
    rounds = max(1, round(len(run) / logged))
    if len(times) == len(run) and times[-1] > times[0]:
        seconds = (times[-1] - times[0]).total_seconds() * rounds / max(1, rounds - 1)
        source = "log"
    else:
        seconds, source = rounds * interval_s, "interval"
    peak = max(_column(working, "fb"), default=None)
    return Run(
        cards=len({sample.gpu for sample in working}),
        samples=len(run),
        hours=seconds / 3600,
        hours_from=source,
        sm_mean=_mean(working, "sm"),
        peak_gib=None if peak is None else peak / MIB_PER_GIB,
        power_mean_w=_mean(working, "pwr"),
    )


def _workers(run: list[Sample]) -> set[int]:
    """The cards that worked; all of them where none did or the log has no `sm`."""
    used = {gpu: _mean([s for s in run if s.gpu == gpu], "sm") or 0.0 for gpu in {s.gpu for s in run}}
    return {gpu for gpu, mean in used.items() if mean >= BUSY} or set(used)


def _column(samples: Iterable[Sample], name: str) -> list[float]:
    return [sample.values[name] for sample in samples if name in sample.values]


def _mean(samples: Iterable[Sample], name: str) -> float | None:
    column = _column(samples, name)
    return fmean(column) if column else None


def vet_run(
    samples: list[Sample], plan_gib: float | None = None, card_gib: float | None = None
) -> dict[str, Any]:
    """Utilisation, memory against the plan (GiB per card, p90) and throttling, as `vet` answers."""
    run = busy(samples)
    checks = [
        *_use(run),
        *_memory(run, plan_gib, card_gib),
        *_throttling(run),
    ]
    bad = any(check.ok is False for check in checks)
    return {
        "verdict": "suspect" if bad else "as_sold",
        "checks": [as_json(check) for check in checks],
    }


def _use(run: list[Sample]) -> Iterable[Check]:
    mean = _mean(run, "sm")
    note = "sm% is time with any kernel running, not the share of peak speed"
    shown = None if mean is None else f"{mean:.0f} %"
    yield Check(
        "utilisation", f"≥ {LOW_USE:.0f} %", shown, None if mean is None else mean >= LOW_USE, SUSPECT, note
    )
    by_card = {gpu: _mean([s for s in run if s.gpu == gpu], "sm") or 0.0 for gpu in {s.gpu for s in run}}
    idle = sorted(gpu for gpu, used in by_card.items() if used < BUSY)
    if len(by_card) > 1 and idle and max(by_card.values()) >= BUSY:
        yield Check(
            "idle_cards", "none", ", ".join(f"GPU {gpu}" for gpu in idle), False, SUSPECT, "paid, not used"
        )


def _memory(run: list[Sample], plan_gib: float | None, card_gib: float | None) -> Iterable[Check]:
    peak = max(_column(run, "fb"), default=None)
    shown = None if peak is None else f"{peak / MIB_PER_GIB:.1f} GiB"
    limit = plan_gib if plan_gib is not None else card_gib
    words = None if limit is None else f"≤ {limit:.1f} GiB ({'plan p90' if plan_gib is not None else 'card'})"
    ok = None if peak is None or limit is None else peak / MIB_PER_GIB <= limit
    note = "reserved memory grows to fill the card, so the peak is an upper bound" if ok is False else ""
    if shown is None:
        note = "no fb column: log with dmon -s pucvmet"
    yield Check("memory_peak", words, shown, ok, SUSPECT, note)


def _throttling(run: list[Sample]) -> Iterable[Check]:
    power = _mean(run, "pviol")
    if power is not None:
        yield Check("power_throttle", f"≤ {THROTTLED:.0f} %", f"{power:.0f} %", power <= THROTTLED, SUSPECT)
    hot = _column(run, "tviol")
    if hot:
        share = 100 * sum(value > 0 for value in hot) / len(hot)
        yield Check("thermal_throttle", "0 %", f"{share:.0f} %", share == 0, SUSPECT)
    if power is None and not hot:
        yield Check(
            "throttle", None, None, None, SUSPECT, "no pviol and tviol columns: log with dmon -s pucvmet"
        )
    clocks = [s.values["pclk"] for s in run if s.values.get("sm", 0.0) >= BUSY and "pclk" in s.values]
    if clocks:
        kept = fmean(clocks) / max(clocks)
        yield Check("clock", f"≥ {CLOCK_DROP:.0%} of the highest", f"{kept:.0%}", kept >= CLOCK_DROP, SUSPECT)
    for name in ("sbecc", "dbecc"):
        errors = sum(_column(run, name))
        if errors:
            yield Check(f"{name}_errors", "0", f"{errors:.0f}", False, SUSPECT)
