"""A price that is null is a price that is missing; a field that is gone has moved. Text for a number."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from spiders.base import SourceSpider
from spiders.price_fields import Moved, quotes
from spiders.registry import spider_class
from spiders.shape import PRICE, differences
from spiders.sources._gongji_api import GongjiApi
from spiders.sources.gitee_ai import card_of
from tests.spiders.conftest import MARKET_KEYS
from tests.spiders.platforms import alone, as_json, crawl_at
from tests.spiders.site import serving
from tests.spiders.test_platform_autodl import crawl_hosts, host


@pytest.fixture(autouse=True)
def keys(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in MARKET_KEYS.items():
        monkeypatch.setenv(name, value)


def crawl(spider: type[SourceSpider], folder: Path, path: str, answer: Any) -> Any:
    with serving({path: as_json(answer)}) as site:
        return crawl_at(spider, folder, {spider.origins[0]: site.origin})


@pytest.mark.parametrize(
    ("source", "key", "field"),
    [("tencent", "POSTPAID_BY_HOUR", "UnitPrice"), ("huawei", "MONTHLY", "amount"),
     ("volcengine", "hourly", "Price"), ("aliyun", "postPay", "price"), ("ksyun", "spot", "SpotPrice")],
)  # fmt: skip
def test_a_needed_price_that_is_null_is_quoted_without_one(source: str, key: str, field: str) -> None:
    ((where, told),) = quotes(source, key, {field: None})
    assert (where, told["price_text"]) == (field, None)
    with pytest.raises(Moved):
        list(quotes(source, key, {f"{field}s": 1}))


def test_a_price_may_be_null_and_not_gone() -> None:
    assert list(differences({"price": None}, {"price": PRICE})) == []
    assert [found for _, _, found in differences({"prize": 1}, {"price": PRICE})] == [
        "missing; prize is similar"
    ]
    assert [found for _, _, found in differences({"price": "1"}, {"price": PRICE})] == ['text "1"']


def test_autodl_one_way_of_paying_without_a_price_sinks_nothing(tmp_path: Path) -> None:
    without = [{"type": "payg", "origin_price": 0, "current_price": 2080, "level_config": []},
               {"type": "monthly", "origin_price": 3, "current_price": None, "level_config": []}]  # fmt: skip
    done = crawl_hosts(tmp_path, host(1, machine_sku_info=without), host(2))
    assert done.judged.outcome == "ok", done.judged
    assert [r.reason for r in done.made.rejections] == ["price_missing"]
    assert done.one(billing_mode="monthly").price == 1052


def test_gongji_a_region_without_a_price_sinks_nothing(tmp_path: Path) -> None:
    places = [{"region": code, "region_name": "河北一区", "price": price, "inventory": 1}
              for code, price in (("a", 16416), ("b", None))]  # fmt: skip
    row = {
        "device_name": "H20 x 8",
        "gpu_name": "H20",
        "gpu_count": 8,
        "gpu_memory": 786432,
        "regions": places,
    }
    api = alone(GongjiApi, "gongji", "api", "GONGJI_TOKEN")
    answer = {"code": "0000", "data": {"count": 1, "results": [row]}}
    done = crawl(api, tmp_path, "/api/deployment/resource/search", answer)
    assert done.judged.outcome == "ok", done.judged
    assert done.one(card="H20-96G").price == Decimal("59.0976")
    assert [r.reason for r in done.made.rejections] == ["no_number"]


def test_gpushare_a_price_may_be_text_or_null(tmp_path: Path) -> None:
    rows = [
        {"id": n, "machineName": f"m{n}", "isOnline": True, "gpuNum": 8, "gpuUsed": 0,
         "baseInfo": {"gpuName": "NVIDIA GeForce RTX 3090"}, "skuList": [{"skuName": "payg", "price": price}]}
        for n, price in enumerate(("0.98", 1.02, None))
    ]  # fmt: skip
    answer = {"code": 200, "data": {"total": 3, "list": rows}}
    done = crawl(spider_class("gpushare"), tmp_path, "/app/api/market/machine/list", answer)
    assert done.judged.outcome == "ok", done.judged
    assert (done.one(card="RTX3090").price, done.one(card="RTX3090").listings) == (Decimal("1.00"), 2)
    assert [r.reason for r in done.made.rejections] == ["price_missing"]


@pytest.mark.parametrize(
    ("name", "model", "card"),
    [
        ("海光 BW1000 64GB", "海光 BW1000", "海光 BW1000 64GB"),
        ("NVIDIA RTX 4090 24GB × 8", "RTX 4090", "NVIDIA RTX 4090 24GB × 8"),
        ("910B 32GB 切片", "昇腾 910B", "910B 32GB 切片"),
        ("A100", "NVIDIA A100 80G", "NVIDIA A100 80G"),
        ("训练节点一号", "昇腾910B", "昇腾910B"),
        ("小规格切片", "沐曦 C500", "沐曦 C500 小规格切片"),
    ],
)
def test_gitee_ai_the_model_names_the_card_where_the_product_does_not(
    name: str, model: str, card: str
) -> None:
    assert card_of(name, model) == card
