"""`suanjia tokens`: count a data set's tokens offline; the answer feeds `size` and `fit`."""

from __future__ import annotations

import sys
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Any

import click

from reports.numbers import dumps
from sizing.errors import SizingError
from sizing.tokens import Count, count, load_tokenizer
from suanjia.cli import NOTHING, OK, PARTIAL, Failure

Moved = Callable[[Path, int], None]


EPILOG = """Rows: text; instruction, input, output; prompt, completion; messages or conversations. Then:

\b
suanjia tokens train.jsonl --tokenizer Qwen2.5-7B/tokenizer.json --json > tokens.json
suanjia size --model qwen2.5-7b --method lora --tokens-from tokens.json
"""


@click.command(epilog=EPILOG)
@click.argument(
    "files", nargs=-1, required=True, type=click.Path(exists=True, dir_okay=False, path_type=Path)
)
@click.option(
    "--tokenizer",
    required=True,
    type=click.Path(exists=True, path_type=Path),
    help="The model's tokenizer.json, or the folder that holds it. 分词器文件",
)
@click.option(
    "--seq-len", type=click.IntRange(1), help="Also: sequences of this length after packing. 打包长度"
)
@click.option("--json", "as_json", is_flag=True, help="One JSON document.")
def command(files: tuple[Path, ...], tokenizer: Path, seq_len: int | None, as_json: bool) -> int:
    """Count tokens of JSONL, JSON, CSV, text or Parquet files, also .gz and .zst. 离线统计数据集词元数。"""
    try:
        words = load_tokenizer(tokenizer)
        with _progress(files) as moved:
            found = count(files, words, moved)
        answer = found.as_json(seq_len)
    except SizingError as error:
        raise Failure(str(error)) from None
    for reason in found.rejected:
        click.echo(f"suanjia: {reason}", err=True)
    click.echo(dumps(answer) if as_json else _words(found, answer))
    if not found.samples:
        return NOTHING
    return PARTIAL if found.rejected_rows else OK


def _words(found: Count, answer: dict[str, Any]) -> str:
    lines = [
        f"文件 files    {found.files:>14,}",
        f"样本 samples  {found.samples:>14,}",
        f"词元 tokens   {found.tokens:>14,}",
        f"平均 mean     {found.mean:>14,.1f}",
        f"p99          {answer['p99']:>15,}",
        f"最长 longest  {found.longest:>14,}",
    ]
    if packed := answer.get("packed"):
        lines.append(f"打包 packed   {packed['sequences']:>14,} x {packed['seq_len']:,}")
    if found.rejected_rows:
        lines.append(f"未读 rejected {found.rejected_rows:>14,}")
    return "\n".join(lines)


def _progress(files: tuple[Path, ...]) -> AbstractContextManager[Moved | None]:
    """A bar over the bytes of all files on a terminal, nothing elsewhere."""
    if not sys.stderr.isatty():
        return nullcontext(None)
    return _Bar(files)


class _Bar(AbstractContextManager[Moved | None]):
    def __init__(self, files: tuple[Path, ...]) -> None:
        from rich.console import Console
        from rich.progress import Progress

        self._sizes = {path: path.stat().st_size for path in files}
        self._done: dict[Path, int] = {}
        self._bar = Progress(console=Console(stderr=True), transient=True)

    def __enter__(self) -> Moved:
        self._bar.start()
        task = self._bar.add_task("tokens", total=sum(self._sizes.values()))

        def moved(path: Path, position: int) -> None:
            self._done[path] = position
            self._bar.update(task, completed=sum(self._done.values()))

        return moved

    def __exit__(self, *_: object) -> None:
        self._bar.stop()
