"""`suanjia vet`: is the machine the card that was sold, and did a run use it as planned."""

from __future__ import annotations

import sys
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from pipeline.reading.card import CardReject, read
from reports.fit.job import JobError
from reports.numbers import dumps
from reports.vet import dmon, record
from reports.vet.dmon import DmonError, read_dmon, summarise, vet_run
from reports.vet.sold import Sold, UnknownCard, sold
from reports.vet.verdict import NothingRead, vet
from suanjia.cli import OK, REFUSED, Failure
from suanjia.commands.size import number
from suanjia.settings import Settings
from suanjia.vet_words import vet_words

LIMIT = 16 << 20  # bytes of text; eight cards with -q are under 1 MB


@click.command()
@click.option("--card", "card_text", help="The card that was sold, e.g. A100-80G or A100-SXM4-80G. 所售卡型")
@click.option("--form", type=click.Choice(["SXM", "PCIE", "NVL"], case_sensitive=False), help="Form sold.")
@click.option("--count", type=click.IntRange(1, 4096), help="Cards sold. 卡数")
@click.option("--nvlink/--pcie", "nvlink", default=None, help="Sold with NVLink, or as PCIe.")
@click.option("--dmon", "log", is_flag=True, help="The text is a log of `nvidia-smi dmon -s pucvmet -o DT`.")
@click.option(
    "--interval", type=click.FloatRange(0, 3600, min_open=True), default=1.0, help="dmon -d, seconds (1)."
)
@click.option(
    "--plan-gib", type=click.FloatRange(0, min_open=True), help="Peak per card that was planned (p90)."
)
@click.option(
    "--workload", "file", type=click.Path(path_type=Path), help="The workload that ran (TOML or JSON)."
)
@click.option("--name", help="Its name, where the file holds several.")
@click.option("--model", help="Or its model and method alone.")
@click.option("--method", help="full, lora, qlora, pretrain, inference.")
@click.option("--tokens", help="Tokens that went through it, all epochs.")
@click.option("--framework", help="e.g. LLaMA-Factory, ms-swift.")
@click.option("--save", is_flag=True, help="Keep the run in runs.jsonl, which corrects later estimates.")
@click.option("--strict", is_flag=True, help="Exit 5 unless the verdict is as_sold.")
@click.option("--json", "as_json", is_flag=True, help="One JSON document.")
@click.pass_obj
def command(
    settings: Settings, /, card_text: str | None, log: bool, as_json: bool, strict: bool, **flags: Any
) -> int:
    """Read nvidia-smi output on stdin and say whether it is the card that was sold. 验机。

    \b
    (nvidia-smi; nvidia-smi -q; nvidia-smi topo -m) | suanjia vet --card A100-80G --count 8 --nvlink
    suanjia vet --dmon --card RTX4090 --workload job.toml --save < dmon.log
    """
    if flags["save"] and not log:
        raise Failure("--save keeps a run: it needs --dmon")
    text = sys.stdin.buffer.read(LIMIT + 1)
    if len(text) > LIMIT:
        raise Failure(f"more than {LIMIT >> 20} MB of text")
    words = text.decode("utf-8", errors="replace")
    result = _run(settings, words, card_text, flags) if log else _machine(words, card_text, flags)
    click.echo(dumps(result) if as_json else vet_words(result))
    return REFUSED if strict and result["verdict"] != "as_sold" else OK


def _machine(text: str, card_text: str | None, flags: dict[str, Any]) -> dict[str, Any]:
    if card_text is None:
        raise Failure("--card is missing: which card was sold?")
    try:
        return vet(text, _sold(card_text, flags))
    except NothingRead as error:
        raise Failure(str(error)) from None


def _sold(card_text: str, flags: dict[str, Any]) -> Sold:
    reading = read(card_text)
    if isinstance(reading, CardReject) or reading.card is None:
        raise Failure(f"--card {card_text!r} names no one card of the catalogue")
    count = int(reading.count) if reading.count_stated and reading.count >= 1 else None
    try:
        return sold(reading.card, flags["form"] or reading.form, flags["count"] or count, flags["nvlink"])
    except UnknownCard as error:
        raise Failure(str(error)) from None


def _run(settings: Settings, text: str, card_text: str | None, flags: dict[str, Any]) -> dict[str, Any]:
    try:
        samples = read_dmon(text)
    except DmonError as error:
        raise Failure(str(error)) from None
    card = _sold(card_text, flags) if card_text else None
    run = summarise(samples, flags["interval"])
    shown = {
        "cards": run.cards,
        "samples": run.samples,
        "hours": round(run.hours, 4),
        "hours_from": run.hours_from,
        "sm_mean_pct": None if run.sm_mean is None else round(run.sm_mean, 1),
        "peak_gib": None if run.peak_gib is None else round(run.peak_gib, 2),
        "power_mean_w": None if run.power_mean_w is None else round(run.power_mean_w, 1),
    }
    try:
        planned, saved = _job(settings, run, card, flags)
    except JobError as error:
        raise Failure(str(error)) from None
    plan_gib = flags["plan_gib"] or planned
    result = {**vet_run(samples, plan_gib, max(card.sizes) if card else None), "run": shown}
    return result | ({"saved": saved} if saved else {})


def _job(
    settings: Settings, run: dmon.Run, card: Sold | None, flags: dict[str, Any]
) -> tuple[float | None, dict[str, Any] | None]:
    """(planned GiB per card, the line that was saved), of the workload that ran."""
    job = record.job_that_ran(flags["file"], flags["name"], flags["model"], flags["method"])
    if flags["save"] and (job is None or card is None):
        raise Failure("--save needs --card, and --workload or --model and --method")
    if job is None or card is None:
        return None, None
    ran = record.Ran(job, card.card, card.form, number(flags["tokens"], "--tokens"), flags["framework"])
    way = record.planned(ran, run.cards)
    planned = None if way is None else way.peak_gib_p90
    if not flags["save"]:
        return planned, None
    line = record.record(ran, run, settings.now())
    path = record.save(settings.home, line)
    click.echo(f"suanjia: kept in {path}", err=True)
    return planned, {name: value for name, value in asdict(line).items() if value is not None}
