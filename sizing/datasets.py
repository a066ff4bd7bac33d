"""Rows of a training data set and the text a trainer sees in them, streaming, one row at a time.

JSON Lines, a JSON array (bare, or under `data`, `rows`, …), CSV and TSV with a header, plain text and
Parquet; all but Parquet also as .gz, .zst, .bz2 or .xz.
"""

from __future__ import annotations

import bz2
import csv
import gzip
import io
import json
import lzma
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import IO, Any

from sizing.errors import SizingError, shown

PARTS = (
    ("text",),
    ("content",),
    ("instruction", "input", "output"),
    ("instruction", "input", "response"),
    ("query", "response"),
    ("prompt", "completion"),
    ("prompt", "response"),
    ("prompt", "chosen"),
    ("question", "answer"),
    ("input", "output"),
    ("input", "target"),
    ("source", "target"),
)
TURNS = ("messages", "conversations", "conversation", "dialog")
SAID = ("content", "value", "text")
WRAPPERS = ("data", "rows", "train", "instances", "examples")
LINES, WHOLE, TEXT = {".jsonl", ".ndjson"}, {".json"}, {".txt", ".md"}
TABLES = {".csv": ",", ".tsv": "\t"}
SUFFIXES = LINES | WHOLE | TEXT | set(TABLES) | {".parquet"}
SQUEEZED = {".gz", ".zst", ".bz2", ".xz"}
MARK = b"\xef\xbb\xbf"  # some editors begin UTF-8 files with it
EVERY = 256  # rows between two words to the progress bar

Row = tuple[str, Any]  # (place in the file, the row, or the exception that reading it raised)


def _turns(value: Any) -> str | None:
    """The contents of a conversation (a list of turns, or a single one), or None when it is none."""
    if isinstance(value, Mapping):
        value = [value]
    if not isinstance(value, list):
        return None
    said = []
    for turn in value:
        if isinstance(turn, Mapping):
            text = next((turn[key] for key in SAID if isinstance(turn.get(key), str)), None)
            if isinstance(turn.get("content"), list):  # parts of a multimodal message
                pieces = [
                    p["text"]
                    for p in turn["content"]
                    if isinstance(p, Mapping) and isinstance(p.get("text"), str)
                ]
                text = "\n".join(pieces) or None
            if text:
                said.append(text)
    return "\n".join(said) or None


def _before(row: Mapping[str, Any]) -> list[str]:
    """What stands before the turn itself: a system prompt, and earlier turns as `history` pairs."""
    found = [row["system"]] if isinstance(row.get("system"), str) else []
    history = row.get("history")
    for pair in history if isinstance(history, list) else []:
        found += [said for said in pair if isinstance(said, str)] if isinstance(pair, list) else []
    return found


def text_of(row: Any) -> str | None:
    """The trained text of one row, or None when no known field holds text."""
    if isinstance(row, str):
        return row or None
    if not isinstance(row, Mapping):
        return _turns(row)
    for key in TURNS:
        if key in row and (text := _turns(row[key])):
            chosen = _turns(row.get("chosen"))  # a preference pair keeps its answer apart from the dialogue
            return "\n".join(p for p in (*_before(row), text, chosen) if p)
    for keys in PARTS:
        if keys[-1] in row and keys[0] in row:
            parts = [
                row[key] if isinstance(row[key], str) else _turns(row[key]) for key in keys if key in row
            ]
            if any(parts):
                return "\n".join(p for p in (*_before(row), *parts) if p)
    return None


def _lines(file: IO[bytes]) -> Iterator[Row]:
    for number, raw in enumerate(file, 1):
        if not raw.strip():
            continue
        try:
            yield f"line {number}", json.loads(raw.decode("utf-8"))
        except (ValueError, RecursionError) as error:
            yield f"line {number}", ValueError(str(error))


def _array(file: IO[bytes], prefix: str = "item") -> Iterator[Row]:
    import ijson

    number = 0
    try:
        for number, row in enumerate(ijson.items(file, prefix, use_float=True), 1):
            yield f"item {number}", row
    except ijson.JSONError as error:
        yield f"after item {number}", ValueError(" ".join(str(error).split("\n", 1)[0].split()))


def _wrapper(file: IO[bytes]) -> str | None:
    """The key of a JSON object that holds the rows as an array, or None."""
    import ijson

    try:
        key = None
        for prefix, event, value in ijson.parse(file):
            if prefix == "" and event == "map_key":
                key = value
            elif event == "start_array" and prefix == key and key in WRAPPERS:
                return str(key)
            elif prefix == "" and event == "end_map":
                break
    except ijson.JSONError:  # what is wrong is said by whoever reads the rows
        return None
    return None


def _json(start: Callable[[], IO[bytes]]) -> Iterator[Row]:
    """A .json file: an array, an object around one, JSON Lines under another name, or a single object."""
    head = start().read(1 << 16).lstrip()
    if head[:1] == b"[":
        yield from _array(start())
        return
    if head[:1] == b"{" and (key := _wrapper(start())) is not None:
        yield from _array(start(), f"{key}.item")
        return
    first = head.split(b"\n", 1)[0].strip()
    if first.endswith((b"{", b"[", b",")):  # spread over several lines: one object
        try:
            yield "the object", json.loads(start().read().decode("utf-8"))
        except (ValueError, RecursionError) as error:
            yield "the object", ValueError(str(error))
        return
    yield from _lines(start())


def _jsonl(start: Callable[[], IO[bytes]]) -> Iterator[Row]:
    """JSON Lines, or an array under that name."""
    head = start().read(1 << 16).lstrip()
    first, _, rest = head.partition(b"\n")
    one_list_a_line = first.rstrip().endswith(b"]") and rest.lstrip()[:1] == b"["  # rows that are dialogues
    yield from _array(start()) if head[:1] == b"[" and not one_list_a_line else _lines(start())


def _texts(file: IO[bytes]) -> Iterator[Row]:
    """Plain text: paragraphs between blank lines are samples."""
    block: list[str] = []
    start = 1
    for number, raw in enumerate(file, 1):
        line = raw.decode("utf-8", errors="replace").rstrip("\r\n")
        if line.strip():
            if not block:
                start = number
            block.append(line)
        elif block:
            yield f"line {start}", "\n".join(block)
            block = []
    if block:
        yield f"line {start}", "\n".join(block)


def _table(file: IO[bytes], delimiter: str) -> Iterator[Row]:
    csv.field_size_limit(min(sys.maxsize, 2**31 - 1))
    text = io.TextIOWrapper(file, encoding="utf-8", newline="")
    try:
        reader = csv.DictReader(text, delimiter=delimiter, strict=True)
        while True:
            place = f"line {reader.line_num + 1}"
            try:
                yield place, next(reader)
            except StopIteration:
                return
            except (csv.Error, UnicodeDecodeError) as error:
                yield place, ValueError(str(error))
                return  # where a quote is open or bytes are no UTF-8, the rows after it cannot be told apart
    finally:
        text.detach()


def _parquet(path: Path, moved: Callable[[int], None] | None) -> Iterator[Row]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    size, number = path.stat().st_size, 0
    try:
        with pq.ParquetFile(path) as table:
            total = max(1, table.metadata.num_rows)
            for batch in table.iter_batches(batch_size=1024):
                for row in batch.to_pylist():
                    number += 1
                    yield f"row {number}", row
                if moved is not None:
                    moved(size * number // total)
    except (pa.ArrowException, OSError) as error:
        raise SizingError(f"{path}: no readable Parquet ({shown(str(error))})") from error


def _open(raw: Any, suffix: str) -> Any:
    if suffix == ".zst":
        import zstandard

        return io.BufferedReader(
            zstandard.ZstdDecompressor().stream_reader(raw, read_across_frames=True, closefd=False)
        )
    readers: dict[str, Callable[[IO[bytes]], Any]] = {
        ".gz": lambda f: gzip.GzipFile(fileobj=f),
        ".bz2": bz2.BZ2File,
        ".xz": lzma.LZMAFile,
    }
    return readers[suffix](raw) if suffix in readers else raw


def _faults() -> tuple[type[Exception], ...]:
    import zlib

    import zstandard

    return (EOFError, OSError, zlib.error, lzma.LZMAError, zstandard.ZstdError)


def _read(kind: str, start: Callable[[], IO[bytes]]) -> Iterator[Row]:
    if kind in TABLES:
        return _table(start(), TABLES[kind])
    if kind in TEXT:
        return _texts(start())
    return _json(start) if kind in WHOLE else _jsonl(start)


def rows(path: Path, moved: Callable[[int], None] | None = None) -> Iterator[Row]:
    """(place, row) of a file; a row that cannot be read comes as the exception.

    `moved` is told the bytes of the file read so far, every few hundred rows. SizingError where the file is
    of no kind we read, or breaks off.
    """
    suffixes = [s.lower() for s in path.suffixes]
    squeezed = suffixes[-1] if suffixes and suffixes[-1] in SQUEEZED else ""
    kind = next((s for s in reversed(suffixes) if s in SUFFIXES), None)
    if kind is None or (kind == ".parquet" and squeezed):
        known = f"{', '.join(sorted(SUFFIXES))}; all but Parquet also {', '.join(sorted(SQUEEZED))}"
        raise SizingError(f"{path}: not a data set we read ({known})")
    if kind == ".parquet":
        yield from _parquet(path, moved)
        return
    with path.open("rb") as raw:

        def start() -> Any:
            raw.seek(0)
            file = _open(raw, squeezed)
            if file.peek(len(MARK))[: len(MARK)] == MARK:
                file.read(len(MARK))
            return file

        number = 0
        try:
            for number, item in enumerate(_read(kind, start), 1):
                yield item
                if moved is not None and number % EVERY == 0:
                    moved(raw.tell())
        except _faults() as error:
            raise SizingError(f"{path}: unreadable after {number} rows ({shown(str(error))})") from error
