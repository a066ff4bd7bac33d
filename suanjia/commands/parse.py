"""`suanjia parse price|card|region`: the readers alone, JSON Lines in and out."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from json import JSONDecodeError
from typing import Any, BinaryIO

import click

from suanjia.cli import OK, Failure

EPILOG = """One JSON object a line on stdin, one a line on stdout, in the same order, with the same id.

\b
{"id":1,"context":"RTX 4090 24G","text":"单卡月租1500-3000元"}   price; provider optional
{"id":2,"text":"8*A100 80G SXM"}                              card; provider optional
{"id":3,"text":"华北3","provider":"aliyun"}                     region; provider optional

逐行读入 JSON，逐行写出，顺序与 id 不变。
"""
_CHUNK = 1 << 16  # bytes asked for at once; what is there is answered at once
_REPEATED = 32_768  # answers remembered: most of a crawl repeats
_LONGEST_KEPT = 2_000

_ID = json.JSONEncoder(allow_nan=False).encode

Reader = Callable[[str, str, str | None], Mapping[str, object]]


@click.command(epilog=EPILOG)
@click.argument("kind", type=click.Choice(["price", "card", "region"]))
@click.option("--json", "as_json", is_flag=True, help="JSON Lines (always so).")
def command(kind: str, as_json: bool) -> int:
    """The readers alone: price text, card or region. 单独运行价格、显卡、地区识别。"""
    del as_json
    stdin, stdout = sys.stdin.buffer, sys.stdout.buffer
    if stdin.isatty():
        raise Failure("give JSON Lines on stdin (see --help)")
    answer = _remembering(_reader(kind))
    number = 0
    for lines in _chunks(stdin):
        out: list[str] = []
        try:
            for raw in lines:
                number += 1
                if raw and not raw.isspace():
                    out.append(_answer(raw, number, answer))
        finally:
            stdout.write("".join(out).encode())
            stdout.flush()
    return OK


def _reader(kind: str) -> Reader:
    if kind == "price":
        from pipeline.reading import price

        return lambda text, context, provider: price.read(text, context, provider).row()
    if kind == "card":
        from pipeline.reading import card

        return lambda text, context, provider: card.read(text, provider).row()
    from pipeline.reading import region

    return lambda text, context, provider: region.read(text, provider).row()


def _remembering(read: Reader) -> Callable[[str, str, str | None], str]:
    """The reader's answer as the rest of a JSON line, behind the id."""

    def tail(text: str, context: str, provider: str | None) -> str:
        return (
            ","
            + json.dumps(read(text, context, provider), ensure_ascii=False, separators=(",", ":"))[1:]
            + "\n"
        )

    remembered = lru_cache(maxsize=_REPEATED)(tail)

    def answer(text: str, context: str, provider: str | None) -> str:
        if len(text) + len(context) > _LONGEST_KEPT:
            return tail(text, context, provider)
        return remembered(text, context, provider)

    return answer


def _chunks(stdin: BinaryIO) -> Iterator[list[bytes]]:
    """Whole lines as they arrive, without waiting for more than is there."""
    rest: list[bytes] = []  # pieces of an unfinished line
    while data := stdin.read1(_CHUNK):  # type: ignore[attr-defined]
        *lines, last = data.split(b"\n")
        if lines:
            lines[0] = b"".join((*rest, lines[0]))
            rest = []
            yield lines
        if last:
            rest.append(last)
    if rest:
        yield [b"".join(rest)]


def _answer(raw: bytes, number: int, answer: Callable[[str, str, str | None], str]) -> str:
    question = _question(raw, number)
    text, context, provider = question.get("text"), question.get("context"), question.get("provider")
    for name, value in (("text", text), ("context", context), ("provider", provider)):
        if value is not None and not isinstance(value, str):
            raise Failure(f"line {number}: {name} is not a string")
    if text is None:
        raise Failure(f"line {number}: text is missing")
    try:
        key = _ID(question.get("id"))
    except ValueError:
        raise Failure(f"line {number}: id is not a JSON value") from None  # NaN and the infinities
    return f'{{"id":{key}{answer(text, context or "", provider)}'


def _question(raw: bytes, number: int) -> dict[str, Any]:
    try:
        question = json.loads(raw)
    except (ValueError, RecursionError) as error:
        reason = error.msg if isinstance(error, JSONDecodeError) else type(error).__name__
        raise Failure(f"line {number} is not JSON: {reason}") from None
    if not isinstance(question, dict):
        raise Failure(f"line {number} is not a JSON object")
    return question
