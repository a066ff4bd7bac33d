"""Own rows of the kinds that pages write: prices, cards, regions, and texts that hold no price at all."""

from __future__ import annotations

import json
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from pipeline.reading import card, price, region
from pipeline.reading.price import PriceReject

DATA = Path(__file__).parent / "data"


def rows(name: str) -> list[dict[str, Any]]:
    return [json.loads(text) for text in (DATA / name).read_text("utf-8").splitlines()]


PRICES, CARDS, REGIONS = rows("price_rows_2.jsonl"), rows("card_rows_2.jsonl"), rows("region_rows_2.jsonl")
NO_PRICE = rows("no_price.jsonl")


def number(value: Any) -> Any:
    return Decimal(str(value)) if isinstance(value, (int, float)) and not isinstance(value, bool) else value


@pytest.mark.parametrize("row", PRICES, ids=[row["id"] for row in PRICES])
def test_price(row: dict[str, Any]) -> None:
    got, expect = price.read(row["text"], row["context"]), row["expect"]
    if "reject" in expect:
        assert isinstance(got, PriceReject), got
        assert got.reject in expect["reject"]
        return
    assert not isinstance(got, PriceReject), got.reject
    have = got.row()
    assert {key: number(have[key]) for key in expect} == {key: number(expect[key]) for key in expect}


@pytest.mark.parametrize("row", CARDS, ids=[row["id"] for row in CARDS])
def test_card(row: dict[str, Any]) -> None:
    assert card.read(row["text"]).row() == row["expect"]


@pytest.mark.parametrize("row", REGIONS, ids=[row["id"] for row in REGIONS])
def test_region(row: dict[str, Any]) -> None:
    have = region.read(row["text"], row.get("provider")).row()
    assert {key: have[key] for key in row["expect"]} == row["expect"]


@pytest.mark.parametrize("context", ["", "8卡 H100 整机"])
def test_no_price_is_invented(context: str) -> None:
    """Phones, dates, specifications, wages, news, quotas: none of them is a rent, beside a machine or not."""
    read = [row["text"] for row in NO_PRICE if not isinstance(price.read(row["text"], context), PriceReject)]
    assert read == []


@pytest.mark.parametrize("header", ["单价(元/小时)", "租金（元/时）"])
def test_under_a_header_only_a_number_alone_is_a_price(header: str) -> None:
    """Numbers beside words that no table knows count something else."""
    for text in (
        "评分 4.9",
        "2.3公里",
        "3.5kg",
        "PUE 1.15",
        "H.264",
        "图4-2",
        "1. 4090",
        "0.6元/度",
        "¥2/1M tokens",
    ):
        assert isinstance(price.read(text, f"L40S | {header}"), PriceReject), text
    for text in ("4.28", "价格 4.28", "4.28 含税", "2026-11-30 4.28", "阿里云 4.28"):
        assert not isinstance(price.read(text, f"L40S | {header}"), PriceReject), text
