"""Counting tokens: formats, rows without text, quantiles, packing."""

from __future__ import annotations

import gzip
import json
from collections import Counter
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.pre_tokenizers import WhitespaceSplit
from tokenizers.processors import TemplateProcessing

from sizing.errors import SizingError
from sizing.tokens import Count, count, load_tokenizer, text_of


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


@pytest.mark.parametrize("name", ["data.bin", "data", "data.csv"])
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


def test_packing_into_nothing_is_refused() -> None:
    with pytest.raises(SizingError):
        Count(1, Counter([3])).packed(0)
