"""Fit the few constants of each framework profile on the measured rows: `python -m sizing.calibrate
[--write]`.

Robust regression: coordinate descent on the capped absolute log error of peak memory, drawn towards the
physical starting values of `profiles.Profile`. Prints in-sample and leave-one-model-out error; `--write`
updates `profiles.toml`. Rows that do not state their length or batch weigh little (they are sized on
assumptions).
"""

from __future__ import annotations

import argparse
import math
import sys
from collections import defaultdict
from collections.abc import Container, Iterable, Mapping
from dataclasses import replace
from importlib.resources import files
from pathlib import Path
from statistics import median
from typing import Any

from sizing import memory, profiles
from sizing.profiles import Profile
from sizing.truth import Row, at_limit, is_training, log_ratio, quantile, read
from sizing.units import GIB

# constant → (physical starting value, scale of the pull towards it, candidates)
CONSTANTS: dict[str, tuple[float, float, tuple[float, ...]]] = {
    "logit_bytes": (12.0, 6.0, (2, 4, 6, 7, 8, 9, 10, 11, 12, 13, 14, 16, 18, 20, 22, 24, 26, 28, 30)),
    "logit_bytes_q": (16.0, 6.0, (4, 6, 8, 10, 12, 14, 16, 18, 20, 24, 28)),
    "layer": (1.0, 0.4, (0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0, 1.1, 1.2, 1.3, 1.4, 1.6, 1.8, 2.0, 2.5)),
    "overhead_gib": (1.2, 0.8, (0.0, 0.2, 0.4, 0.6, 0.8, 1.0, 1.2, 1.4, 1.7, 2.0, 2.4, 3.0, 4.0, 5.0)),
    "frag": (1.02, 0.05, (1.0, 1.02, 1.04, 1.06, 1.08, 1.1, 1.13, 1.16)),
    "token_kib": (0.0, 500.0, (0, 50, 100, 200, 300, 500, 700, 900, 1200, 1500, 2000)),
    "zero3_gib": (4.0, 2.0, (1, 2, 3, 4, 5, 6, 7, 8)),
    "chunk_bytes": (3.0, 1.0, (1, 1.5, 2, 2.5, 3, 4)),
}
# which constants a profile has rows enough for
FITTED: dict[str, tuple[str, ...]] = {
    "hf": ("logit_bytes", "logit_bytes_q", "layer", "overhead_gib", "frag", "zero3_gib"),
    "qwen": ("logit_bytes", "logit_bytes_q", "overhead_gib", "frag", "zero3_gib"),
    "ult": ("logit_bytes", "logit_bytes_q", "layer", "overhead_gib"),
    "swift2": ("logit_bytes", "logit_bytes_q", "overhead_gib", "token_kib"),
    "swift": ("logit_bytes", "logit_bytes_q", "overhead_gib", "zero3_gib"),
    "litgpt": ("logit_bytes", "layer", "overhead_gib"),
    "fsdp_qlora": ("layer", "overhead_gib", "frag"),
    "torchtune": ("layer", "overhead_gib", "chunk_bytes"),
    "unsloth": ("layer", "overhead_gib"),
    "deepspeed": ("zero3_gib",),
    "megatron": ("overhead_gib",),
    "axolotl": ("logit_bytes", "logit_bytes_q", "overhead_gib"),
}
CAP = 0.6
# Sources of the generic profile, each of equal weight. Left out: ms-swift 1.x/2.x, whose figures are memory
# reserved over batches of changing length, and GPTQ rows, whose head stays 16-bit.
GENERIC_FROM = ("hf", "qwen", "swift", "ult", "peft", "qlora", "deepspeed", "llamafactory")

Groups = Mapping[str, list[tuple[Row, float]]]


def weight(row: Row) -> float:
    """How much a row says about the constants."""
    return (1.0 if row.quality == "A" else 0.6) if row.complete else 0.1


def with_limits(rows: Iterable[Row]) -> list[Row]:
    """The rows, and those that state the longest sequence of a memory size as rows of that peak."""
    every = list(rows)
    return every + [limit for row in every if (limit := at_limit(row)) is not None]


def group(rows: Iterable[Row]) -> dict[str, list[tuple[Row, float]]]:
    """Training rows with a measured peak, by profile, with their weights."""
    found: dict[str, list[tuple[Row, float]]] = defaultdict(list)
    for row in with_limits(rows):
        if is_training(row) and row.peak_gib and row.task is not None:
            found[row.task.profile.key].append((row, weight(row)))
    for key in GENERIC_FROM:
        sample = [(r, w) for r, w in found.get(key, []) if not str(r.raw.get("quant")).count("gptq")]
        mass = sum(w for _, w in sample)
        found["hf*"] += [(r, 10.0 * w / max(mass, 3.0)) for r, w in sample]
    return found


def error(profile: Profile, sample: Iterable[tuple[Row, float]]) -> float:
    """Weighted mean of the capped absolute log error under a profile's constants."""
    total = mass = 0.0
    for row, w in sample:
        assert row.task is not None and row.peak_gib is not None
        task = replace(row.task, profile=constants_of(profile, row.task.profile))
        total += w * min(CAP, abs(log_ratio(memory.training_parts(task).peak / GIB, row.peak_gib)))
        mass += w
    return float(total / max(mass, 1e-9))


def constants_of(fitted: Profile, own: Profile) -> Profile:
    """`own` (with its known facts) carrying the fitted constants of `fitted`."""
    changes: dict[str, Any] = {name: getattr(fitted, name) for name in CONSTANTS}
    return replace(own, **changes)


def pull(profile: Profile, names: Iterable[str]) -> float:
    """Penalty for leaving the physical starting values."""
    strength = 0.02 if profile.key == "hf" else 0.004  # the generic one serves frameworks it has not seen
    return math.fsum(
        strength * ((getattr(profile, n) - CONSTANTS[n][0]) / CONSTANTS[n][1]) ** 2 for n in names
    )


def fit(start: Profile, sample: list[tuple[Row, float]], names: tuple[str, ...]) -> Profile:
    """Coordinate descent over the candidate grids; deterministic."""
    best, score = start, error(start, sample) + pull(start, names)
    for _ in range(6):
        before = score
        for name in names:
            for value in CONSTANTS[name][2]:
                change: dict[str, Any] = {name: float(value)}
                trial = replace(best, **change)
                mark = error(trial, sample) + pull(trial, names)
                if mark < score - 1e-9:
                    best, score = trial, mark
        if score >= before - 1e-6:
            break
    return best


def fit_all(groups: Groups, only: Container[str] = FITTED) -> dict[str, Profile]:
    """Every fitted profile (or those named by `only`); the generic one first, on its sources."""
    known = profiles.load()
    base: dict[str, Any] = {n: CONSTANTS[n][0] for n in CONSTANTS}
    found: dict[str, Profile] = {}
    for key, names in FITTED.items():
        if key not in only:
            continue
        sample = groups.get("hf*" if key == "hf" else key, [])
        start = replace(known[key], **base)
        if key in GENERIC_FROM and "hf" in found:
            start = replace(start, layer=found["hf"].layer, zero3_gib=found["hf"].zero3_gib)
        found[key] = fit(start, sample, names) if sample else start
    return found


def spreads(rows: list[Row], fitted: Mapping[str, Profile]) -> dict[str, float]:
    """p90 of measured over predicted per profile, drawn towards the figure of all rows where few stand
    behind it."""
    ratios: dict[str, list[float]] = defaultdict(list)
    for row in rows:
        if is_training(row) and row.peak_gib and row.complete and row.task is not None:
            ratios[row.task.profile.key].append(row.peak_gib / predict(row, fitted))
    every = quantile([r for values in ratios.values() for r in values], 0.9)
    found = {}
    for key in profiles.load():
        values = ratios.get(key, [])
        own = quantile(values, 0.9) if values else every
        found[key] = round(max(1.05, (len(values) * own + 15 * every) / (len(values) + 15)), 3)
    return found


def predict(row: Row, fitted: Mapping[str, Profile]) -> float:
    """Predicted peak in GiB under freshly fitted constants."""
    assert row.task is not None
    own = row.task.profile
    source = fitted.get(own.key) or fitted["hf"]
    return memory.training_parts(replace(row.task, profile=constants_of(source, own))).peak / GIB


def leave_one_model_out(rows: list[Row]) -> list[tuple[Row, float]]:
    """Each row predicted by constants fitted without any row of its model.

    Profiles without a row of the model would be fitted on the same rows again: those come from the full fit.
    """
    found = []
    usable = [r for r in rows if is_training(r) and r.peak_gib]
    whole = group(rows)
    full = fit_all(whole)
    for model in sorted({r.model for r in usable}):
        touched = {key for key, sample in whole.items() if any(r.model == model for r, _ in sample)}
        rest = group(r for r in rows if r.model != model)
        keys = {"hf" if key == "hf*" else key for key in touched} & set(FITTED)
        fitted = {**full, **fit_all(rest, keys)}
        found += [(r, predict(r, fitted)) for r in usable if r.model == model]
    return found


def describe(pairs: Iterable[tuple[Row, float]]) -> str:
    """`n=…, median …, p80 …, p90 …` of the absolute relative error."""
    errors = [abs(p / r.peak_gib - 1) for r, p in pairs if r.peak_gib]
    if not errors:
        return "n=0"
    shares = ", ".join(f"p{int(s * 100)} {quantile(errors, s):.1%}" for s in (0.8, 0.9))
    return f"n={len(errors)}, median {median(errors):.1%}, {shares}"


def write(fitted: Mapping[str, Profile], spread: Mapping[str, float], path: Path) -> None:
    """Put the constants into `profiles.toml`, keeping everything else of the file."""
    lines: list[str] = []
    current = ""
    numeric = set(CONSTANTS)
    for line in path.read_text(encoding="utf-8").splitlines():
        key = line.split("=")[0].strip()
        if line.startswith("[profile."):
            current = line[len("[profile.") : -1]
            lines.append(line)
            lines.append(f"spread = {spread[current]}")
            if current in fitted:
                names = CONSTANTS if current == "hf" else sorted({*FITTED[current], *CONSTANTS})
                lines += [f"{n} = {round(getattr(fitted[current], n), 3)}" for n in names]
            continue
        if key == "spread" or (current in fitted and key in numeric):
            continue
        lines.append(line)
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def main(argv: list[str] | None = None) -> int:
    """Fit, print the errors, and on request write the constants."""
    parser = argparse.ArgumentParser(prog="python -m sizing.calibrate", description=__doc__)
    parser.add_argument("--write", action="store_true", help="update profiles.toml")
    parser.add_argument("--lomo", action="store_true", help="also leave one model out at a time (minutes)")
    args = parser.parse_args(argv)
    rows = read(("sizing_truth", "sizing_extra"), corrected=True)
    fitted = fit_all(group(rows))
    usable = [r for r in rows if is_training(r) and r.peak_gib]
    out = sys.stdout.write
    for key in sorted({r.task.profile.key for r in usable if r.task}):
        mine = [(r, predict(r, fitted)) for r in usable if r.task and r.task.profile.key == key]
        used = fitted.get(key) or fitted["hf"]
        text = ", ".join(f"{n}={getattr(used, n):g}" for n in FITTED.get(key, ()))
        out(f"{key:12s} {describe(mine)}   {text}\n")
    pairs = [(r, predict(r, fitted)) for r in usable]
    out(
        f"in sample, all      {describe(pairs)}\n"
        f"in sample, complete {describe(p for p in pairs if p[0].complete)}\n"
    )
    if args.lomo:
        left = leave_one_model_out(rows)
        out(
            f"left out, all       {describe(left)}\n"
            f"left out, complete  {describe(p for p in left if p[0].complete)}\n"
        )
    if args.write:
        write(fitted, spreads(rows, fitted), Path(str(files("sizing").joinpath("profiles.toml"))))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
