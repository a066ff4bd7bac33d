"""`suanjia size`: what a workload needs — memory of a card, whether it fits, how fast, which cards."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any

import click

from pipeline.reading.card import CardReading, CardReject, read
from reports.numbers import dumps
from sizing import cards as card_table
from sizing import lines, runs
from sizing.cards import CardFacts
from sizing.errors import SizingError, shown
from suanjia import size_words as words
from suanjia.cli import NOTHING, OK, PARTIAL, Failure
from suanjia.settings import Settings

FILE = click.Path(exists=True, dir_okay=False, path_type=Path)
EPILOG = """Without flags: JSON Lines on stdin, one answer a line on stdout.

\b
{"id":1,"task":{"model":"qwen2.5-7b","method":"lora","card":"RTX4090","cards":1,"seq_len":2048,"micro_batch":1}}

With --model and no --card: the fewest cards of every kind on which the job fits.
无参数时从标准输入逐行读 JSON；给 --model 而不给 --card 时列出各卡型最少用几张。
"""


def number(text: str | None, flag: str) -> float | None:
    """`7B`, `1.5e9`, `20M`, `2亿` → a number; Failure names the flag."""
    if text is None:
        return None
    units = {"K": 1e3, "M": 1e6, "B": 1e9, "G": 1e9, "T": 1e12, "万": 1e4, "亿": 1e8}
    bare = text.strip().replace(",", "").replace("_", "")
    factor = units.get(bare[-1:].upper(), 1.0)
    try:
        return float(bare[:-1] if factor != 1.0 else bare) * factor
    except ValueError:
        raise Failure(f"{flag} {text!r} is no number such as 7B, 20M or 1.5e9") from None


@lru_cache(maxsize=4096)
def _reading(text: str) -> CardReading | CardReject:
    """What the text names; what stands in brackets counts only where it reads so (`910B (Atlas 900 A2)`)."""
    reading = read(text)
    if isinstance(reading, CardReject) and "(" in text:
        return read(text.split("(")[0])
    return reading


def read_card(text: str, mem_gb: float | None, notes: list[str]) -> tuple[CardFacts | None, int | None]:
    """The card reader's answer as sizing needs it: facts, and the count where the text names one."""
    reading = _reading(text)
    if isinstance(reading, CardReject) or reading.card is None:
        why = {
            "multiple_cards": "names several cards",
            "card_vram_conflict": "has a memory size that card is not made with",
        }.get(reading.reject if isinstance(reading, CardReject) else "", "is no card of the catalogue")
        if mem_gb is None:
            raise SizingError(f"card {shown(text)} {why}: give a card's name, or card_mem_gb")
        notes.append(f"card {shown(text)} {why}: judged by card_mem_gb alone, speed not estimated")
        return None, None
    if reading.kind == "slice":
        raise SizingError(f"card {shown(text)} is a slice: size a whole card, or give card_mem_gb alone")
    vram = float(reading.vram_gb) if reading.vram_gb is not None else mem_gb
    count = int(reading.count) if reading.count_stated and reading.count >= 1 else None
    return card_table.get(reading.card, reading.form, vram), count


@click.command(epilog=EPILOG)
@click.option("--model", help="Model name, e.g. qwen2.5-7b. 模型名")
@click.option("--params", help="Parameter count, e.g. 7B. 参数量")
@click.option("--config", type=FILE, help="A model's config.json.")
@click.option("--method", help="full, lora, qlora, pretrain, inference (qlora). 方法")
@click.option("--card", help="Card, e.g. RTX4090 or A100-SXM4-80G. 卡型")
@click.option("--card-mem-gb", type=float, help="Memory of the card where its name is unknown.")
@click.option("--cards", type=int, help="Cards in all. 卡数")
@click.option("--nodes", type=int, help="Machines. 机器数")
@click.option(
    "--seq-len", type=int, help="Tokens per sequence: the longest, or the packed length (2048). 长度"
)
@click.option("--micro-batch", type=int, help="Sequences per card and step.")
@click.option("--grad-accum", type=int, help="Accumulation steps.")
@click.option("--precision", help="bf16, fp16, fp32, amp_bf16, fp8.")
@click.option("--quant", help="nf4, nf4-dq, int4, int8, gptq-int4, gptq-int8.")
@click.option("--lora-rank", type=int)
@click.option("--lora-targets", help="all-linear, or q_proj,v_proj,…")
@click.option("--optimizer", help="adamw, adamw_8bit, adafactor, …")
@click.option("--grad-checkpoint", help="true, false or selective.")
@click.option("--flash-attn", help="true or false.")
@click.option("--loss-kernel", help="plain, chunked or fused.")
@click.option("--zero-stage", help="0 to 3.")
@click.option("--offload", help="none, optimizer or cpu.")
@click.option("--tp", type=int, help="Tensor parallel size.")
@click.option("--pp", type=int, help="Pipeline parallel size.")
@click.option("--framework", help="LLaMA-Factory, ms-swift, Unsloth, torchtune, …")
@click.option("--tokens", help="Tokens of the data set, e.g. 20M. 数据量")
@click.option(
    "--tokens-from",
    type=FILE,
    help="Answer of `suanjia tokens --json`.",
)
@click.option("--samples", help="Samples, with --tokens-per-sample. 样本数")
@click.option("--tokens-per-sample", type=float)
@click.option("--epochs", type=float, help="Epochs (3). 轮数")
@click.option("--dataset-gb", type=float, help="Size of the data on disk.")
@click.option("--hours", type=float, help="Inference: hours of service. 推理时长")
@click.option("--concurrency", type=int, help="Inference: sequences at once. 并发")
@click.option(
    "--step-seconds", type=float, help="Measured seconds of one optimizer step; overrides the speed model."
)
@click.option(
    "--max-cards", type=int, default=64, show_default=True, help="Most cards the table of cards may use."
)
@click.option("--json", "as_json", is_flag=True, help="JSON (always so for questions on stdin).")
@click.pass_obj
def command(settings: Settings, /, as_json: bool, max_cards: int, **flags: Any) -> int:
    """Memory, cards, strategy and hours of a workload, with an honest band. 任务要多少显存、几张卡、多久。"""
    own, wrong = runs.read(settings.home / runs.FILE)
    for sentence in wrong:
        click.echo(f"suanjia: {sentence}", err=True)
    if not any(flags[key] is not None for key in ("model", "params", "config")):
        if given := [k for k, v in flags.items() if v is not None]:
            raise Failure(f"--{given[0].replace('_', '-')} needs --model, --params or --config")
        return _from_stdin(own)
    raw = _raw(flags)
    try:
        if flags["card"] is None and flags["card_mem_gb"] is None:
            return _table(raw, max_cards, as_json)
        found, answer = lines.size(raw, read_card, own)
    except SizingError as error:
        raise Failure(str(error)) from None
    click.echo(dumps(answer) if as_json else words.estimate_words(found, answer))
    return OK


def _raw(flags: dict[str, Any]) -> dict[str, Any]:
    """The task object that the flags spell."""
    raw = {k: v for k, v in flags.items() if v is not None and k not in ("config", "tokens_from")}
    for key in ("params", "tokens", "samples"):
        if key in raw:
            raw[key] = number(raw[key], f"--{key}")
    for key in ("config", "tokens_from"):
        if flags[key] is None:
            continue
        try:
            read_object = json.loads(flags[key].read_text(encoding="utf-8"))
        except (OSError, ValueError, RecursionError) as error:
            raise Failure(f"{flags[key]}: {error}") from None
        if key == "config":
            raw["config"] = read_object
            continue
        if not isinstance(read_object, dict) or not {"tokens", "p99", "longest"} <= set(read_object):
            raise Failure(f"{flags[key]}: not an answer of `suanjia tokens --json`")
        raw.setdefault("tokens", read_object["tokens"])
        raw.setdefault("seq_len", read_object["longest"])
    return raw


def _table(raw: dict[str, Any], max_cards: int, as_json: bool) -> int:
    """Fewest cards of each kind; exit 4 when nothing fits."""
    found = words.card_table(raw, max_cards)
    click.echo(dumps([vars(p) for p in found.plans]) if as_json else words.table_words(found))
    return OK if found.plans else NOTHING


def _from_stdin(own: list[runs.Run]) -> int:
    if sys.stdin.isatty():
        raise Failure("give --model, or JSON Lines on stdin (see --help)")
    code = OK
    for question in _questions():
        answer = lines.answer(question, read_card, own)
        click.echo(dumps(answer))
        code = PARTIAL if "error" in answer else code
    return code


def _questions() -> Iterator[dict[str, Any]]:
    for row, raw in enumerate(sys.stdin.buffer, 1):
        if not raw.strip():
            continue
        try:
            question = json.loads(raw.decode("utf-8"))
        except (ValueError, RecursionError) as error:
            raise Failure(f"line {row} is not JSON: {error}") from None
        if not isinstance(question, dict):
            raise Failure(f"line {row} is not a JSON object")
        yield question
