"""Shops of 智简魔方 that behave in other ways than the two of the market."""

from __future__ import annotations

import json
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any

import pytest

from tests.spiders.idc_runs import ORIGIN, Idc, crawl_pages
from tests.spiders.site import Answer

API = "/console/v1"
SHOP = f'[source]\narchetype = "shop"\norigin = "{ORIGIN}"\nproducts = [7]\n'
DURATION = f"{API}/product/7/mf_dcim/duration"
MONTH = {"id": 1, "name": "随便", "price": "7600.00", "discount": "0.00", "num": 1, "unit": "month"}
MODEL = {"id": 1, "name": "M1", "gpu": "RTX 4090*8", "memory": "512G"}


def good(data: Any) -> Answer:
    return Answer(
        json.dumps({"status": 200, "msg": "ok", "data": data}, ensure_ascii=False), type="application/json"
    )


def bad(words: str, status: int = 400) -> Answer:
    return Answer(json.dumps({"status": status, "msg": words}, ensure_ascii=False), type="application/json")


def tree(cities: dict[str, dict[str, list[int]]], country: str = "日本") -> list[dict[str, Any]]:
    """data_center of city → area → lines."""
    made = [
        {
            "name": city,
            "area": [
                {"id": 1, "name": area, "line": [{"id": n} for n in lines]} for area, lines in areas.items()
            ],
        }
        for city, areas in cities.items()
    ]
    return [{"id": 1, "name": country, "city": made}]


def shop(
    where: Path,
    *,
    cities: dict[str, dict[str, list[int]]] | None = None,
    models: list[dict[str, Any]] | None = None,
    prices: Callable[[dict[str, Any]], Answer] | None = None,
    product: dict[str, Any] | None = None,
    toml: str = SHOP,
    more: dict[str, Any] | None = None,
) -> tuple[Idc, list[dict[str, Any]]]:
    """Crawl a shop with one bare-metal product (7); what was sent to `duration`."""
    sent: list[dict[str, Any]] = []

    def duration(handler: BaseHTTPRequestHandler) -> Answer:
        body = json.loads(handler.sent)  # type: ignore[attr-defined]
        sent.append(body)
        return prices(body) if prices else good([MONTH])

    routes: dict[str, Any] = {
        f"{API}/common": good({"currency_code": "CNY"}),
        f"{API}/product/7": good(product or {"id": 7, "name": "P", "stock_control": 0, "qty": 0}),
        f"{API}/product/7/mf_dcim/order_page": good(
            {"data_center": tree(cities or {"韶关": {"A": [1]}}), "model_config": models or [MODEL]}
        ),
        f"{API}/product/7/mf_dcim/duration": duration,
    }
    return crawl_pages(toml, routes | (more or {}), where), sent


def test_the_next_line_is_tried_where_one_refuses_and_one_is_enough(tmp_path: Path) -> None:
    idc, sent = shop(
        tmp_path, cities={"韶关": {"A": [1, 2, 3]}, "中卫": {"B": [4]}},
        prices=lambda body: bad("线路不支持") if body["line_id"] in (1, 4) else good([MONTH]),
    )  # fmt: skip
    assert sorted(body["line_id"] for body in sent) == [1, 2, 4]
    assert all(set(body) == {"model_config_id", "line_id"} for body in sent)
    assert [(o.region_code, int(o.price)) for o in idc.offers] == [("440200", 7600)]
    assert (idc.kinds, idc.stats["skipped"]) == ([], {"model not sold in a city": 1})


@pytest.mark.parametrize(
    ("cities", "own", "codes"),
    [
        ({"衡阳": {"惠州机房": [1]}}, "", {"430400"}),  # the city goes before the area
        ({"核心机房": {"惠州机房": [1]}}, "", {"441300"}),
        ({"核心机房": {"惠州机房": [1], "中卫机房": [2]}}, "", {"441300", "640500"}),
        ({"A区": {"一号": [1]}}, '[regions]\n"A区" = "430400"\n', {"430400"}),
        ({"核心": {"A区": [1]}}, '[regions]\n"A区" = "430400"\n', {"430400"}),
        ({"核心": {"一号": [1]}}, "", {None}),  # never the country
    ],
)
def test_the_region_is_the_city_then_the_area(
    cities: dict[str, dict[str, list[int]]], own: str, codes: set[str | None], tmp_path: Path
) -> None:
    idc, _ = shop(tmp_path, cities=cities, toml=SHOP + own)
    assert {offer.region_code for offer in idc.offers} == codes


@pytest.mark.parametrize(
    ("num", "unit", "mode", "hours"),
    [
        (1, "month", "monthly", 730), (3, "month", "reserved", 2190), (6, "month", "reserved", 4380),
        (12, "month", "yearly", 8760), (24, "month", "reserved", 17520), (1, "day", "daily", 24),
        ("1", "hour", "on_demand", 1),
    ],
)  # fmt: skip
def test_num_and_unit_make_the_period_and_names_are_ignored(
    num: Any, unit: str, mode: str, hours: int, tmp_path: Path
) -> None:
    price = {1: "12.00", 24: "250.00"}.get(hours, f"{hours * 10}.00")
    row = MONTH | {"name": "年付", "num": num, "unit": unit, "price": price}
    idc, _ = shop(tmp_path, prices=lambda _: good([row]))
    assert [(o.billing_mode, int(o.per_hours)) for o in idc.offers] == [(mode, hours)]


@pytest.mark.parametrize(
    ("price", "reason"), [("0.00", "price_zero"), (0, "price_zero"), (None, "price_missing")]
)
def test_zero_is_no_price(price: Any, reason: str, tmp_path: Path) -> None:
    idc, _ = shop(
        tmp_path, prices=lambda _: good([MONTH | {"price": price}, MONTH | {"num": 12, "price": "80000"}])
    )
    assert (idc.reasons(), len(idc.offers)) == ([reason], 1)


@pytest.mark.parametrize(
    ("product", "expected"),
    [
        ({"stock_control": 1, "qty": 3}, True), ({"stock_control": 1, "qty": 0}, False),
        ({"stock_control": 0, "qty": 0}, None), ({"product": {"stock_control": 1, "qty": 2}}, True),
    ],
)  # fmt: skip
def test_stock(product: dict[str, Any], expected: bool | None, tmp_path: Path) -> None:
    idc, _ = shop(tmp_path, product=product)
    assert [offer.in_stock for offer in idc.offers] == [expected]


def test_models_without_a_card_are_not_asked_for(tmp_path: Path) -> None:
    models = [{**MODEL, "id": n, "gpu": gpu} for n, gpu in enumerate(("", "--", "无", None))]
    models.append({**MODEL, "id": 9, "gpu": "", "optional_gpu": [{"id": 1, "value": "RTX 4090"}]})
    idc, sent = shop(tmp_path, models=[*models, {**MODEL, "id": 10}])
    assert [body["model_config_id"] for body in sent] == [10]
    assert (len(idc.offers), idc.stats["skipped"]) == (1, {"model without GPU": 5})


def test_modules_are_tried_in_order_also_past_error_pages(tmp_path: Path) -> None:
    package = {"id": 5, "name": "单卡", "gpu_num": 2, "gpu_name": "RTX 4090", "cpu": 16, "memory": 64}
    area = {
        "id": 1,
        "name": "一区",
        "reommend_config": [package, package | {"id": 6, "gpu_num": 0, "gpu_name": ""}],
    }
    page = {"data_center": [{"name": "中国", "city": [{"name": "庆阳", "area": [area]}]}]}
    bodies: list[Any] = []

    def duration(handler: BaseHTTPRequestHandler) -> Answer:
        bodies.append(json.loads(handler.sent))  # type: ignore[attr-defined]
        return good([MONTH | {"price": "2100"}])

    more = {
        f"{API}/product/7/mf_dcim/order_page": bad("商品错误"),
        f"{API}/product/7/mf_cloud/order_page": Answer("not found", 404),
        f"{API}/product/7/remf_dcim/order_page": bad("模块不存在"),
        f"{API}/product/7/remf_cloud/order_page": good(page),
        f"{API}/product/7/remf_cloud/duration": duration,
    }
    idc, _ = shop(tmp_path, more=more)
    assert bodies == [{"recommend_config_id": 5}]
    (offer,) = idc.offers
    assert (offer.card, offer.gpu_count, offer.region_code, offer.vcpu, offer.ram_gb) == (
        "RTX4090",
        2,
        "621000",
        16,
        64,
    )
    assert idc.kinds == []


def test_all_products_over_several_pages_hidden_ones_left_out(tmp_path: Path) -> None:
    def products(handler: BaseHTTPRequestHandler) -> Answer:
        second = "page=2" in handler.path
        return good({"list": [{"id": 8}] if second else [{"id": 7}], "count": 2})

    more = {f"{API}/product": products, f"{API}/product/8": good({"id": 8, "hidden": 1})}
    idc, _ = shop(tmp_path, toml=SHOP.replace("[7]", "[]"), more=more)
    assert (len(idc.offers), idc.stats["skipped"], idc.kinds) == (1, {"hidden product": 1}, [])


@pytest.mark.parametrize(
    ("more", "kind"),
    [
        ({f"{API}/product/7": bad("商品不存在")}, "failed"),
        ({f"{API}/product/7": bad("请先登录", 401)}, "auth_needed"),
        ({f"{API}/product/7": Answer("<html>维护中</html>")}, "layout_changed"),
        ({f"{API}/product/7/mf_dcim/order_page": good({"data_center": []})}, "layout_changed"),
        ({DURATION: good([{"amount": "7600", "num": 1, "unit": "month"}])}, "layout_changed"),
        ({DURATION: good([MONTH | {"unit": "week"}])}, "layout_changed"),
        ({DURATION: Answer('{"status":200,"data":[{"id":', type="application/json")}, "cut"),
        ({DURATION: bad("系统错误", 500)}, "failed"),
    ],
)  # fmt: skip
def test_what_goes_wrong_is_named(more: dict[str, Any], kind: str, tmp_path: Path) -> None:
    idc, _ = shop(tmp_path, more=more)
    assert (idc.kinds, idc.offers) == ([kind], [])


def test_a_shop_without_a_currency_call_sells_in_yuan(tmp_path: Path) -> None:
    idc, _ = shop(tmp_path, more={f"{API}/common": Answer("no", 404)})
    assert [offer.currency for offer in idc.offers] == ["CNY"]
    dollars, _ = shop(tmp_path / "b", more={f"{API}/common": good({"currency_code": "USD"})})
    assert [(o.currency, o.price_cny_per_card_hour) for o in dollars.offers] == [("USD", None)]
