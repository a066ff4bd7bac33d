"""Counting tokens: formats, rows without text, quantiles, packing."""

from __future__ import annotations

import bz2
import gzip
import json
import lzma
import tracemalloc
from collections import Counter
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import zstandard
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.pre_tokenizers import WhitespaceSplit
from tokenizers.processors import TemplateProcessing

from sizing.datasets import text_of
from sizing.errors import SizingError
from sizing.tokens import Count, count, load_tokenizer


@pytest.fixture
def words(tmp_path: Path) -> Path:
    """A tokenizer that counts blank-separated words, adds a start token and truncates, as real files do."""
    made = Tokenizer(WordLevel({"<unk>": 0, "<s>": 1}, unk_token="<unk>"))
    made.pre_tokenizer = WhitespaceSplit()
    made.post_processor = TemplateProcessing(single="<s> $A", special_tokens=[("<s>", 1)])
    made.enable_truncation(3)
    path = tmp_path / "tokenizer.json"
    made.save(str(path))
    return path


def counted(path: Path, tokenizer: Path) -> Count:
    return count([path], load_tokenizer(tokenizer))


@pytest.mark.parametrize(
    ("row", "text"),
    [
        ({"text": "a b"}, "a b"),
        ({"instruction": "do", "input": "", "output": "done"}, "do\ndone"),
        ({"instruction": "do", "input": "x", "output": "done"}, "do\nx\ndone"),
        ({"prompt": "p", "completion": "c"}, "p\nc"),
        ({"messages": [{"role": "user", "content": "hi"}, {"role": "assistant", "content": "ho"}]}, "hi\nho"),
        ({"conversations": [{"from": "human", "value": "q"}, {"from": "gpt", "value": "a"}]}, "q\na"),
        (
            {"messages": [{"role": "user", "content": [{"type": "text", "text": "see"}, {"type": "image"}]}]},
            "see",
        ),
        (
            {
                "prompt": [{"role": "user", "content": "p"}],
                "completion": [{"role": "assistant", "content": "c"}],
            },
            "p\nc",
        ),
        ({"question": "q", "answer": "a", "id": 7}, "q\na"),
        ("plain", "plain"),
        ({"system": "s", "instruction": "q", "output": "a", "history": [["q1", "a1"]]}, "s\nq1\na1\nq\na"),
        ({"system": "s", "conversations": [{"from": "human", "value": "q"}]}, "s\nq"),
        ({"conversations": [{"value": "q"}], "chosen": {"value": "a"}, "rejected": {"value": "b"}}, "q\na"),
        ({"label": 3}, None),
        ({"text": ""}, None),
        ({"text": 7}, None),
        ({"messages": []}, None),
        ({"messages": "hi"}, None),
        (None, None),
        (7, None),
    ],
)
def test_the_text_of_a_row(row: Any, text: str | None) -> None:
    assert text_of(row) == text


def test_jsonl_with_a_broken_row(tmp_path: Path, words: Path) -> None:
    path = tmp_path / "train.jsonl"
    rows = [{"text": "a b c d e"}, {"text": "a"}, {"nothing": 1}]
    path.write_text("\n".join(map(json.dumps, rows)) + "\n{broken\n\n", "utf-8")
    found = counted(path, words)
    assert (found.samples, found.tokens, found.longest) == (2, 6, 5)
    assert found.rejected_rows == 2
    assert any("line 3: no field with text" in r for r in found.rejected)
    assert any("line 4" in r for r in found.rejected)


def test_a_json_array_gzip_and_folder_of_the_tokenizer(tmp_path: Path, words: Path) -> None:
    path = tmp_path / "train.json"
    path.write_text(json.dumps([{"text": "a b"}, {"text": "c"}], indent=1), "utf-8")
    assert counted(path, words.parent).tokens == 3
    squeezed = tmp_path / "train.jsonl.gz"
    squeezed.write_bytes(gzip.compress(b'{"text": "a b c"}\n'))
    assert counted(squeezed, words).tokens == 3


def test_a_cut_off_json_array_keeps_what_it_read(tmp_path: Path, words: Path) -> None:
    path = tmp_path / "cut.json"
    path.write_text('[{"text": "a b"}, {"text": "c"', "utf-8")
    found = counted(path, words)
    assert found.samples == 1
    assert found.rejected_rows == 1


LINE = b'{"text": "a b c"}\n'
SQUEEZE = {
    ".gz": gzip.compress,
    ".zst": zstandard.compress,
    ".bz2": bz2.compress,
    ".xz": lzma.compress,
}


@pytest.mark.parametrize("suffix", SQUEEZE)
def test_squeezed_files_are_read_and_broken_ones_refused(tmp_path: Path, words: Path, suffix: str) -> None:
    whole = SQUEEZE[suffix](LINE * 2000)
    path = tmp_path / f"train.jsonl{suffix}"
    path.write_bytes(whole)
    assert counted(path, words).tokens == 6000
    path.write_bytes(b"not squeezed at all")
    with pytest.raises(SizingError, match="unreadable"):
        counted(path, words)


@pytest.mark.parametrize("suffix", [".gz", ".xz", ".bz2"])
def test_a_squeezed_file_that_breaks_off_is_refused(tmp_path: Path, words: Path, suffix: str) -> None:
    path = tmp_path / f"train.jsonl{suffix}"
    path.write_bytes(SQUEEZE[suffix](LINE * 2000)[:-20])
    with pytest.raises(SizingError, match="unreadable"):
        counted(path, words)


def test_tables_with_a_header(tmp_path: Path, words: Path) -> None:
    path = tmp_path / "train.csv"
    path.write_bytes(b'\xef\xbb\xbfinstruction,output\r\n"a b\nc",d\r\n"x, y",z\r\n,\r\n')
    found = counted(path, words)
    assert sorted(found.lengths.elements()) == [3, 4]
    assert found.rejected_rows == 1
    path = tmp_path / "train.tsv"
    path.write_text("prompt\tcompletion\na b\tc\n", "utf-8")
    assert counted(path, words).tokens == 3


def test_a_table_with_an_open_quote_keeps_what_it_read(tmp_path: Path, words: Path) -> None:
    path = tmp_path / "train.csv"
    path.write_text('text\na b\n"open\nc\n', "utf-8")
    found = counted(path, words)
    assert (found.samples, found.rejected_rows) == (1, 1)


@pytest.mark.parametrize(
    ("name", "content", "tokens"),
    [
        ("wrapped.json", '{"version": 1, "data": [{"text": "a b"}, {"text": "c"}]}', 3),
        ("one.json", '{\n "text": "a b"\n}\n', 2),
        ("lines.json", '{"text": "a b"}\n{"text": "c"}\n', 3),
        ("marked.json", '\ufeff[{"text": "a b"}]', 2),
        ("marked.jsonl", '\ufeff{"text": "a b"}\n{"text": "c"}\n', 3),
        ("array.jsonl", '[{"text": "a b"}, {"text": "c"}]\n', 3),
        ("dialogues.jsonl", '[{"content": "a b"}, {"content": "c"}]\n[{"content": "d"}]\n', 4),
        ("marked.txt", "\ufeffone two\n", 2),
    ],
)
def test_what_people_call_json(tmp_path: Path, words: Path, name: str, content: str, tokens: int) -> None:
    path = tmp_path / name
    path.write_text(content, "utf-8")
    found = counted(path, words)
    assert found.tokens == tokens
    assert not found.rejected


def test_a_broken_parquet_file_is_refused(tmp_path: Path, words: Path) -> None:
    path = tmp_path / "train.parquet"
    path.write_bytes(b"PAR1 and nothing more")
    with pytest.raises(SizingError, match="Parquet"):
        counted(path, words)


@given(st.binary(max_size=300), st.sampled_from([".jsonl", ".json", ".txt", ".csv", ".jsonl.gz", ".parquet"]))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_bytes_are_rows_or_a_sentence(
    tmp_path_factory: pytest.TempPathFactory, words: Path, content: bytes, suffix: str
) -> None:
    path = tmp_path_factory.mktemp("any") / f"data{suffix}"
    path.write_bytes(content)
    try:
        found = counted(path, words)
    except SizingError as error:
        assert "\n" not in str(error)
    else:
        assert all("\n" not in reason for reason in found.rejected)


def test_memory_does_not_grow_with_the_file(tmp_path: Path, words: Path) -> None:
    path, tokenizer = tmp_path / "big.jsonl", load_tokenizer(words)
    row = json.dumps({"text": "a b " * 200}) + "\n"
    peaks = []
    for times in (300, 3000):
        path.write_text(row * times, "utf-8")
        tracemalloc.start()
        assert count([path], tokenizer).samples == times
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[1] < 1.5 * peaks[0]


def test_text_files_are_split_at_blank_lines(tmp_path: Path, words: Path) -> None:
    path = tmp_path / "book.txt"
    path.write_bytes(b"one two\nthree\n\n\nfour\r\n\r\n" + b"\xff last")
    found = counted(path, words)
    assert sorted(found.lengths.elements()) == [1, 2, 3]


def test_parquet(tmp_path: Path, words: Path) -> None:
    path = tmp_path / "train.parquet"
    table = pa.table({"instruction": ["a b", "c"], "input": ["", "d"], "output": ["e", "f g"], "n": [1, 2]})
    pq.write_table(table, path)
    found = counted(path, words)
    assert sorted(found.lengths.elements()) == [3, 4]


@pytest.mark.parametrize("name", ["data.bin", "data", "data.parquet.gz", "data.gz"])
def test_other_files_are_refused(tmp_path: Path, words: Path, name: str) -> None:
    path = tmp_path / name
    path.write_text("x", "utf-8")
    with pytest.raises(SizingError, match="not a data set"):
        counted(path, words)


@pytest.mark.parametrize("text", ["", "{}", "not json", '{"model": 3}'])
def test_a_file_that_is_no_tokenizer_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "tokenizer.json"
    path.write_text(text, "utf-8")
    with pytest.raises(SizingError, match=r"tokenizer\.json"):
        load_tokenizer(path)


def test_no_folder_without_a_tokenizer(tmp_path: Path) -> None:
    with pytest.raises(SizingError):
        load_tokenizer(tmp_path)


LENGTHS = st.lists(st.integers(1, 400), min_size=1, max_size=60)


@given(LENGTHS)
def test_figures(lengths: list[int]) -> None:
    found = Count(1, Counter(lengths))
    assert found.tokens == sum(lengths)
    assert found.samples == len(lengths)
    assert found.longest == max(lengths)
    ordered = sorted(lengths)
    assert found.quantile(0.99) == ordered[-(-99 * len(ordered) // 100) - 1]
    assert found.mean <= found.quantile(0.99) or len(lengths) >= 100


@given(LENGTHS, st.integers(1, 500))
def test_packing_holds_everything_and_wastes_little(lengths: list[int], room: int) -> None:
    found = Count(1, Counter(lengths))
    packs = found.packed(room)
    cut = sum(min(n, room) for n in lengths)
    assert -(-cut // room) <= packs <= len(lengths)
    assert packs <= 2 * -(-cut // room)


@given(LENGTHS, st.integers(1, 500))
def test_packing_a_length_at_a_time_is_best_fit_one_by_one(lengths: list[int], room: int) -> None:
    free: list[int] = []
    for size in sorted((min(n, room) for n in lengths), reverse=True):
        fits = [f for f in free if f >= size]
        if fits:
            free.remove(min(fits))
            free.append(min(fits) - size)
        else:
            free.append(room - size)
    assert Count(1, Counter(lengths)).packed(room) == len(free)


def test_a_million_samples_are_packed_at_once() -> None:
    found = Count(1, Counter(dict.fromkeys(range(1, 2001), 500)))
    assert found.samples == 1_000_000
    assert found.packed(2048) >= found.tokens // 2048


def test_packing_into_nothing_is_refused() -> None:
    with pytest.raises(SizingError):
        Count(1, Counter([3])).packed(0)
