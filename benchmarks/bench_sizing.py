"""Accuracy and speed of sizing on the measured rows; `--markdown` refreshes the table of docs/sizing.md.

    python benchmarks/bench_sizing.py [--lomo] [--peers] [--markdown]

`--lomo` refits without one model at a time (minutes); `--peers` installs public calculators into a throwaway
environment and asks them about the panel; neither touches the project's own environment.
"""

from __future__ import annotations

import argparse
import json
import math
import subprocess
import sys
import tempfile
import time
import venv
from collections import defaultdict
from collections.abc import Callable, Iterable
from pathlib import Path
from statistics import median

from sizing import calibrate, calibrate_speed, truth
from sizing import speed as speed_model
from sizing.estimate import Estimate, estimate
from sizing.truth import Row, quantile

HERE = Path(__file__).resolve().parent
DOCS = HERE.parent / "docs" / "sizing.md"
BEGIN, END = "<!-- accuracy: begin (benchmarks/bench_sizing.py --markdown) -->", "<!-- accuracy: end -->"
SETS = {"calibration rows": ("sizing_truth",), "further public rows": ("sizing_extra",)}
PEERS = ("fitcheck-llm==0.3.1", "vramcalc==0.1.2")


def percent(value: float) -> str:
    """0.0712 → 7.1 %."""
    return f"{100 * value:.1f} %"


def peak_line(name: str, errors: list[float]) -> str:
    """A table row of absolute relative errors."""
    if not errors:
        return f"| {name} | 0 | | | |"
    shares = " | ".join(percent(quantile(errors, q)) for q in (0.5, 0.8, 0.9))
    return f"| {name} | {len(errors)} | {shares} |"


def peaks(rows: Iterable[Row]) -> list[tuple[Row, Estimate]]:
    """Rows with a measured peak and their estimates."""
    return [(r, estimate(r.task)) for r in rows if r.task is not None and r.peak_gib]


def errors_of(pairs: Iterable[tuple[Row, Estimate]]) -> list[float]:
    return [abs(e.peak_gib_p50 / r.peak_gib - 1) for r, e in pairs if r.peak_gib]


def accuracy(out: Callable[[str], None]) -> None:
    """Peak memory by set and by framework."""
    out("### Peak memory of a card, |predicted / measured - 1|\n")
    out("| rows | n | median | p80 | p90 |\n|---|---|---|---|---|")
    every: list[tuple[Row, Estimate]] = []
    for name, files in SETS.items():
        pairs = peaks(truth.read(files))
        every += pairs
        out(peak_line(f"{name}, length and batch stated", errors_of(p for p in pairs if p[0].complete)))
        out(peak_line(f"{name}, all", errors_of(pairs)))
    for label, keep in (("length and batch stated", True), ("all", False)):
        pairs = peaks(r for r in truth.read(corrected=True) if r.complete or not keep)
        out(peak_line(f"calibration rows corrected by their own sources, {label}", errors_of(pairs)))
    limits = [limit for row in truth.read() if (limit := truth.at_limit(row)) is not None]
    out(peak_line("longest sequence that a memory size holds", errors_of(peaks(limits))))
    groups: dict[str, list[tuple[Row, Estimate]]] = defaultdict(list)
    for row, found in every:
        if row.complete:
            groups[f"{found.task.profile.label}, {found.task.method}"].append((row, found))
    out("\n| framework, method (complete rows) | n | median | p80 | p90 |\n|---|---|---|---|---|")
    for name in sorted(groups):
        out(peak_line(name, errors_of(groups[name])))
    covered = [r.peak_gib <= e.peak_gib_p90 for r, e in every if r.complete and r.peak_gib]
    out(
        f"\nMeasured peak at or under our p90: {percent(sum(covered) / len(covered))} "
        f"of {len(covered)} complete rows."
    )


def verdicts(out: Callable[[str], None]) -> None:
    """`fits` on rows that ran and on rows that ran out of memory."""
    out("\n### Fits\n\n| rows | out of memory | said `fits` | ran | false alarms |\n|---|---|---|---|---|")
    for name, files in SETS.items():
        for label, keep in (("all", False), ("length and batch stated", True)):
            failed, wrong, ran, alarms = 0, 0, 0, 0
            for row in truth.read(files):
                if row.task is None or row.task.visible_gib is None or (keep and not row.complete):
                    continue
                fits = estimate(row.task).fits
                if row.out_of_memory:
                    failed, wrong = failed + 1, wrong + bool(fits)
                elif row.ran:
                    ran, alarms = ran + 1, alarms + (not fits)
            share = percent(alarms / ran) if ran else ""
            out(f"| {name}, {label} | {failed} | {wrong} | {ran} | {alarms} ({share}) |")


def throughput(out: Callable[[str], None]) -> None:
    """Tokens per second by card, and how many rows fall between p10 and p90."""
    out(
        "\n### Tokens per second\n\n| card | n | median error | p80 | inside p10-p90 |\n|---|---|---|---|---|"
    )
    groups: dict[str, list[tuple[float, bool]]] = defaultdict(list)
    for files in SETS.values():
        for row in truth.read(files):
            rate = calibrate_speed.measured(row)
            if row.task is None or row.task.card is None or not rate:
                continue
            found = estimate(row.task)
            assert found.tokens_per_s_p10 and found.tokens_per_s_p50 and found.tokens_per_s_p90
            inside = found.tokens_per_s_p10 <= rate <= found.tokens_per_s_p90
            entry = (abs(found.tokens_per_s_p50 / rate - 1), inside)
            groups[row.task.card.name].append(entry)
            groups[f"all, {'calibration' if files == SETS['calibration rows'] else 'further'} rows"].append(
                entry
            )
    for name in sorted(groups):
        values = [e for e, _ in groups[name]]
        inside = sum(i for _, i in groups[name]) / len(values)
        shares = f"{percent(median(values))} | {percent(quantile(values, 0.8))}"
        out(f"| {name} | {len(values)} | {shares} | {percent(inside)} |")


def unseen_rates(out: Callable[[str], None]) -> None:
    """Tokens per second of rows that had no part in the fit: their model, or their whole source left out."""
    sample = calibrate_speed.usable(truth.read(("sizing_truth", "sizing_extra"), corrected=True))
    bands = speed_model.rates().spread
    out("\n| tokens per second, left out of the fit | n | median error | p80 | inside p10-p90 |")
    out("|---|---|---|---|---|")
    slow = "universal-llm-trainer"
    for label, group in (("model", lambda r: r.model), ("source", calibrate_speed.source_of)):
        entries = [
            (abs(math.exp(error) - 1), abs(error) <= math.log(bands[kind]), slow in row.source)
            for row, _, error, kind in calibrate_speed.left_out(sample, group)
        ]
        for name, some in (
            (f"one {label}, all rows", entries),
            (f"one {label}, without {slow}", [e for e in entries if not e[2]]),
        ):
            values, inside = [e for e, _, _ in some], sum(i for _, i, _ in some) / len(some)
            shares = f"{percent(median(values))} | {percent(quantile(values, 0.8))}"
            out(f"| {name} | {len(some)} | {shares} | {percent(inside)} |")


def blind(out: Callable[[str], None]) -> None:
    """Constants from the calibration rows alone, asked about the further sources: frameworks never fitted."""
    fitted = calibrate.fit_all(calibrate.group(truth.read(SETS["calibration rows"], corrected=True)))
    known = {r.task.profile.key for r in truth.read() if r.task}
    rows = [r for r in truth.read(SETS["further public rows"]) if r.peak_gib and r.task and r.complete]
    unseen = [r for r in rows if r.task and r.task.profile.key not in known]
    errors = []
    for row in unseen:
        assert row.task is not None and row.peak_gib is not None
        guess = calibrate.predict(row, {"hf": fitted["hf"]})
        errors.append(abs(guess / row.peak_gib - 1))
    out("\nFrameworks without any row in the fit (constants of the generic profile, calibration rows only): ")
    out(calibrate.describe((r, calibrate.predict(r, {"hf": fitted["hf"]})) for r in unseen) + ".")


def left_out(out: Callable[[str], None]) -> None:
    """Leave one model out."""
    pairs = calibrate.leave_one_model_out(truth.read(("sizing_truth", "sizing_extra"), corrected=True))
    out("\nLeave one model out (constants refitted without any row of the model): all rows ")
    out(f"{calibrate.describe(pairs)}; length and batch stated ")
    out(f"{calibrate.describe(p for p in pairs if p[0].complete)}.")


def panel() -> list[Row]:
    """The 18 mixed rows of `panel.txt`."""
    wanted = (truth.DATA / "panel.txt").read_text(encoding="utf-8").split()
    found = {r.id: r for r in truth.read()}
    return [found[i] for i in wanted]


def factory_rule(row: Row) -> float:
    """Bytes per parameter of LLaMA-Factory's README (2024-12): full 16-bit 8.6, LoRA 2.3, QLoRA 0.86."""
    assert row.task is not None
    per = {"full": 8.6, "pretrain": 8.6, "lora": 2.3, "qlora": 0.86}[row.task.method]
    if row.task.quant and "8" in row.task.quant:
        per = 1.4
    total = per * row.task.model.params / (1 << 30)
    return total / row.task.cards if row.task.trains_all or row.task.zero == "3" else total


def peers(out: Callable[[str], None]) -> None:
    """Public calculators on the panel, in a throwaway environment."""
    rows = panel()
    question = [
        {
            "id": r.id,
            "facts": {
                **{
                    k: getattr(r.task.model, k)
                    for k in ("params", "hidden", "layers", "heads", "kv_heads", "ffn")
                },
                **{k: getattr(r.task.model, k) for k in ("vocab", "head_dim", "tied")},
                "experts": r.task.model.experts is not None,
            },
            "task": {
                **{
                    k: getattr(r.task, k)
                    for k in ("method", "quant", "seq_len", "micro_batch", "cards", "flash")
                },
                "lora_rank": r.task.lora_rank or None,
                "checkpoint": r.task.checkpoint == "true",
            },
        }
        for r in rows
        if r.task is not None
    ]
    answers: dict[str, dict[str, float | None]] = {
        "suanjia": {r.id: estimate(r.task).peak_gib_p50 for r in rows if r.task},
        "LLaMA-Factory README rule": {r.id: factory_rule(r) for r in rows},
    }
    with tempfile.TemporaryDirectory() as folder:
        venv.create(folder, with_pip=True)
        python = Path(folder) / "bin" / "python"
        install = [python, "-m", "pip", "install", "-q", "--disable-pip-version-check", *PEERS]
        done = subprocess.run(install, capture_output=True, text=True, check=False)
        if done.returncode:
            out(f"\nPeers do not install here: {done.stderr.strip().splitlines()[-1]}")
        else:
            asked = subprocess.run(
                [python, HERE / "sizing_peers.py"],
                input=json.dumps(question),
                capture_output=True,
                text=True,
                check=True,
            )
            answers.update(json.loads(asked.stdout))
    out("\n### Beside public tools, on the 18-row panel\n")
    out("| tool | answers | median error | mean signed | worst |\n|---|---|---|---|---|")
    for name, found in answers.items():
        signed = [v / r.peak_gib - 1 for r in rows if r.peak_gib and (v := found.get(r.id)) is not None]
        worst = max(signed, key=abs)
        out(
            f"| {name} | {len(signed)}/{len(rows)} | {percent(median(map(abs, signed)))} | "
            f"{sum(signed) / len(signed):+.0%} | {worst:+.0%} |"
        )


def speed(out: Callable[[str], None]) -> None:
    """Sizings a second, parsing included."""
    from sizing.task import parse

    raws = [(r.raw, r.task.card) for r in truth.read(("sizing_truth", "sizing_extra")) if r.task]
    start = time.process_time()
    rounds = 5
    for _ in range(rounds):
        for raw, card in raws:
            estimate(parse(raw, card, []))
    rate = rounds * len(raws) / (time.process_time() - start)
    out(f"\nSizings a second on one core, parsing included: {rate:,.0f}.")


def main(argv: list[str] | None = None) -> int:
    """Print the tables; with `--markdown` put them into docs/sizing.md."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--lomo", action="store_true", help="leave one model out (minutes)")
    parser.add_argument("--peers", action="store_true", help="public tools in a throwaway environment")
    parser.add_argument("--markdown", action="store_true", help="refresh docs/sizing.md")
    args = parser.parse_args(argv)
    lines: list[str] = []

    def out(text: str) -> None:
        lines.append(text)
        print(text, flush=True)

    accuracy(out)
    blind(out)
    if args.lomo:
        left_out(out)
    verdicts(out)
    throughput(out)
    unseen_rates(out)
    if args.peers:
        peers(out)
    speed(out)
    if args.markdown:
        page = DOCS.read_text(encoding="utf-8")
        before, rest = page.split(BEGIN)
        after = rest.split(END)[1]
        DOCS.write_text(f"{before}{BEGIN}\n\n" + "\n".join(lines) + f"\n\n{END}{after}", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.path.insert(0, str(HERE.parent))
    raise SystemExit(main())
