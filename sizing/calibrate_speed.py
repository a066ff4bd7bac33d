"""Fit the speed constants on rows with tokens per second: `python -m sizing.calibrate_speed [--write]`.

Median polish on the log error: alternately every card's share and every framework's factor is moved by the
median error of its rows, until nothing moves; launch and dequantisation constants by a small grid before
that.
"""

from __future__ import annotations

import argparse
import math
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from importlib.resources import files
from pathlib import Path
from statistics import median

import tomli_w

from sizing import speed
from sizing.speed import Rates
from sizing.truth import Row, quantile, read

Sample = list[tuple[Row, float]]
MIN_ROWS = 2
SPREAD_QUANTILE = 0.91  # wider than the 0.8 we promise: frameworks that nobody fitted scatter more
COVERED = 0.8


def measured(row: Row) -> float | None:
    """Tokens per second of all cards of the task as it was parsed (one card where the row names none)."""
    total, per_card = row.measured.get("tokens_per_s"), row.measured.get("tokens_per_s_per_card")
    if row.task is None:
        return None
    if row.raw.get("cards") is None and per_card is not None:
        return float(per_card) * row.task.cards
    if total is not None:
        return float(total)
    return float(per_card) * row.task.cards if per_card is not None else None


def usable(rows: Iterable[Row]) -> Sample:
    """Training rows with a card and a rate."""
    found = []
    for row in rows:
        rate = measured(row)
        if row.task is not None and row.task.card is not None and row.task.method != "inference" and rate:
            found.append((row, rate))
    return found


def errors(sample: Sample, table: Rates) -> list[float]:
    """Log of predicted over measured, row by row."""
    found = []
    for row, rate in sample:
        assert row.task is not None and row.task.card is not None
        found.append(math.log(speed.training_speed(row.task, row.task.card, table).tokens_per_s / rate))
    return found


def score(sample: Sample, table: Rates) -> float:
    """Mean capped absolute log error."""
    return sum(min(1.0, abs(e)) for e in errors(sample, table)) / len(sample)


def framework_key(row: Row, keys: Iterable[str]) -> str:
    assert row.task is not None
    full = f"{row.task.profile.key}/{row.task.method}"
    return full if full in keys else row.task.profile.key


def polish(sample: Sample, table: Rates, split: frozenset[str]) -> Rates:
    """Median polish over cards and frameworks; `split` are profiles fitted per method."""
    cards, frameworks = dict(table.cards), dict(table.frameworks)
    for row, _ in sample:
        assert row.task is not None
        key = row.task.profile.key
        frameworks.setdefault(f"{key}/{row.task.method}" if key in split else key, frameworks["default"])
    for _ in range(12):
        current = replace(table, cards=cards, frameworks=frameworks)
        groups: dict[str, list[float]] = defaultdict(list)
        for (row, _rate), e in zip(sample, errors(sample, current), strict=True):
            groups[framework_key(row, frameworks)].append(e)
        for key, values in groups.items():
            if len(values) >= MIN_ROWS:
                frameworks[key] = min(1.6, frameworks[key] * math.exp(-0.7 * median(values)))
        current = replace(table, cards=cards, frameworks=frameworks)
        groups = defaultdict(list)
        for (row, _rate), e in zip(sample, errors(sample, current), strict=True):
            assert row.task is not None and row.task.card is not None
            groups[current.card_key(row.task.card)].append(e)
        for key, values in groups.items():
            if len(values) >= MIN_ROWS and not key.startswith("class:"):
                cards[key] = min(1.0, cards[key] * math.exp(-0.7 * median(values)))
    counts: dict[str, int] = defaultdict(int)
    for row, _ in sample:
        counts[framework_key(row, frameworks)] += 1
    frameworks = {k: v for k, v in frameworks.items() if k == "default" or counts[k] >= MIN_ROWS}
    return replace(table, cards=cards, frameworks=frameworks)


SPLIT = frozenset({"ult", "torchtune"})


def constants(sample: Sample) -> Rates:
    """The table fitted on a sample; the spreads are those it started from."""
    best = polish(sample, speed.rates(), SPLIT)
    mark = score(sample, best)
    for launch_ms in (2.5, 3.5, 4.5, 5.5):
        for half in (50.0, 100.0, 200.0, 350.0):
            for dequant in (0.1, 0.15, 0.2, 0.3, 0.45):
                trial = replace(best, launch_ms=launch_ms, half_tokens=half, dequant={"default": dequant})
                value = score(sample, trial)
                if value < mark - 1e-9:
                    best, mark = trial, value
    best = polish(sample, best, SPLIT)
    counts = Counter(best.card_key(r.task.card) for r, _ in sample if r.task and r.task.card)
    return replace(best, rows={k: n for k, n in counts.items() if not k.startswith("class:")})


def source_of(row: Row) -> str:
    """The repository or paper a row comes from."""
    return row.source.split(" ")[0]


def left_out(sample: Sample, group: Callable[[Row], str]) -> Iterator[tuple[Row, float, float, str]]:
    """(row, rate, log error, known) of every row under constants fitted without its group."""
    for name in sorted({group(row) for row, _ in sample}):
        table = constants([(row, rate) for row, rate in sample if group(row) != name])
        mine = [(row, rate) for row, rate in sample if group(row) == name]
        for (row, rate), error in zip(mine, errors(mine, table), strict=True):
            assert row.task is not None and row.task.card is not None
            yield row, rate, error, speed.training_speed(row.task, row.task.card, table).known


def spreads(sample: Sample, table: Rates) -> dict[str, float]:
    """Bands from rows that had no part in the fit: their model left out where card and framework are known,
    their whole source where the framework is not (every source of equal weight there)."""
    found = dict(table.spread)
    known = [abs(e) for _, _, e, kind in left_out(sample, lambda r: r.model) if kind == "known"]
    found["known"] = round(math.exp(quantile(known, SPREAD_QUANTILE)), 2)
    by_source: dict[str, list[float]] = defaultdict(list)
    for row, _, error, kind in left_out(sample, source_of):
        if kind == "card":
            by_source[source_of(row)].append(abs(error))
    ends = [quantile(values, COVERED) for values in by_source.values()]
    found["card"] = round(max(found["known"], math.exp(quantile(ends, COVERED))), 2)
    experts = [
        abs(e)
        for (row, _), e in zip(sample, errors(sample, table), strict=True)
        if row.task is not None and row.task.model.experts is not None
    ]
    found["experts"] = round(max(found["card"], math.exp(quantile(experts, COVERED))), 2)
    found["other"] = round(max(found["card"], found["other"]), 2)
    return found


def fit(rows: Iterable[Row]) -> tuple[Sample, Rates]:
    """The fitted table with its bands, and the rows behind it."""
    sample = usable(rows)
    best = constants(sample)
    return sample, replace(best, spread=spreads(sample, best))


def tidy(table: Rates) -> dict[str, object]:
    """The table as written to `speed.toml`."""
    return {
        "launch_ms": table.launch_ms,
        "gather_ms": table.gather_ms,
        "half_tokens": table.half_tokens,
        "cards": {k: round(v, 3) for k, v in table.cards.items()},
        "like": dict(table.like),
        "frameworks": {k: round(v, 3) for k, v in sorted(table.frameworks.items())},
        "moe": dict(table.moe),
        "launch": dict(table.launch),
        "dequant": dict(table.dequant),
        "spread": dict(table.spread),
        "rows": dict(sorted(table.rows.items())),
    }


HEAD = (
    "# Speed constants, fitted by `python -m sizing.calibrate_speed --write`. Meaning: docs/sizing.md §4.\n"
)


def main(argv: list[str] | None = None) -> int:
    """Fit, print the errors by framework and card, and on request write `speed.toml`."""
    parser = argparse.ArgumentParser(prog="python -m sizing.calibrate_speed", description=__doc__)
    parser.add_argument("--write", action="store_true", help="update speed.toml")
    args = parser.parse_args(argv)
    sample, table = fit(read(("sizing_truth", "sizing_extra"), corrected=True))
    groups: dict[str, list[float]] = defaultdict(list)
    for (row, _), e in zip(sample, errors(sample, table), strict=True):
        assert row.task is not None and row.task.card is not None
        groups[f"{row.task.profile.key:12s} {row.task.card.name}"].append(math.exp(e) - 1)
    for key in sorted(groups):
        values = groups[key]
        sys.stdout.write(
            f"{key:28s} n={len(values):3d} median {median(map(abs, values)):.1%} bias {median(values):+.1%}\n"
        )
    every = [abs(math.exp(e) - 1) for e in errors(sample, table)]
    sys.stdout.write(f"all n={len(every)} median {median(every):.1%} p80 {quantile(every, 0.8):.1%}\n")
    sys.stdout.write(f"{tidy(table)}\n")
    if args.write:
        text = HEAD + tomli_w.dumps(tidy(table))
        Path(str(files("sizing").joinpath("speed.toml"))).write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
