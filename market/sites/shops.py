"""Shops that run 智简魔方 (ZJMF-CBAP 10.4.6): region tree, models and the price of every period by JSON
(archetype A1).

Rebuilt after the open-source system's route file and public reseller clients; hosts, goods and amounts
are `rebuilt sample`. Shop A sells bare metal (`mf_dcim`), shop B cloud packages (`mf_cloud`, with the
misspelt `reommend_config`) and resold bare metal (`remf_dcim`). Every error is HTTP 200 with `status`
400. Kept traps: `gpu` as free text, `--`, `无` and empty; a card only as an add-on (the price is a CPU
price); a line or model that is not allowed; `qty` 0 under stock control; a hidden product; country above
city, a room or `A区` as city; edited period names; 0.00; prices net of `discount`; one price set under
two cities.
"""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from market.site import Answer, Ask, Route, Site, html_answer, json_answer, page
from market.sites._shop_goods import PERIODS, SHOPS, Good, Product, Shop

PREFIX = "/console/v1"
WORDS = {"hour": "小时", "day": "天", "month": "月"}


def good_answer(data: Any) -> Answer:
    """`status` 200 inside HTTP 200."""
    return json_answer({"status": 200, "msg": "请求成功", "data": data})


def bad_answer(text: str) -> Answer:
    """`status` 400 inside HTTP 200."""
    return json_answer({"status": 400, "msg": text})


class Desk:
    """The handlers of one shop."""

    def __init__(self, shop: Shop) -> None:
        self.shop = shop

    def product(self, ask: Ask) -> Product | None:
        """The product of `{id}`, hidden ones too; none without samples."""
        ident = ask.match["id"]
        return next((p for p in self.shop.products if ask.samples and str(p.ident) == ident), None)

    def common(self, ask: Ask) -> Answer:
        """Currency of the shop."""
        return good_answer(
            {
                "currency_code": "CNY",
                "currency_prefix": "￥",
                "currency_suffix": "元",
                "website_name": self.shop.name,
            }
        )

    def groups_first(self, ask: Ask) -> Answer:
        """First-level groups."""
        return good_answer({"list": [{"id": 1, "name": "GPU服务器"}], "count": 1})

    def groups_second(self, ask: Ask) -> Answer:
        """Second-level groups."""
        return good_answer({"list": [{"id": 2, "name": "裸金属", "parent_id": 1}], "count": 1})

    def products(self, ask: Ask) -> Answer:
        """All products; `price` is the lowest of any configuration and period (a CPU floor for some)."""
        rows = [
            {
                "id": p.ident,
                "name": p.name,
                "description": p.description,
                "pay_type": "recurring_prepayment",
                "price": p.floor,
                "cycle": "月付",
            }
            for p in self.shop.products
            if ask.samples
        ]
        return good_answer({"list": ask.cut(rows), "count": len(rows)})

    def one(self, ask: Ask) -> Answer:
        """A product; its fields are nested under `product` for even ids."""
        found = self.product(ask)
        if found is None:
            return bad_answer("商品不存在")
        row = {
            "id": found.ident,
            "name": found.name,
            "description": found.description,
            "qty": found.qty,
            "stock_control": int(found.stock_control),
            "hidden": int(found.hidden),
            "pay_type": "recurring_prepayment",
        }
        return good_answer({"product": row} if found.ident % 2 == 0 else row)

    def stock(self, ask: Ask) -> Answer:
        """Stock of a product."""
        found = self.product(ask)
        if found is None:
            return bad_answer("商品不存在")
        return good_answer({"stock_control": int(found.stock_control), "qty": found.qty})

    def order_page(self, ask: Ask) -> Answer:
        """The tree and what stands in it; a module that is not the product's own is an error."""
        found = self.product(ask)
        if found is None or found.module != ask.match["module"]:
            return bad_answer("商品错误")
        cloud = found.module.endswith("cloud")
        cities = []
        for city, areas in found.cities.items():
            rows = []
            for area in areas:
                lines = [{"id": line, "name": name, "bill_type": "bw"} for line, name in area.lines.items()]
                row: dict[str, Any] = {"id": area.ident, "name": area.name, "line": lines}
                if cloud:
                    row["reommend_config"] = [
                        self.package(g) for g in ask.cut(found.goods) if area.ident in g.areas
                    ]
                rows.append(row)
            cities.append({"name": city, "area": rows})
        data: dict[str, Any] = {
            "data_center": [{"id": 1, "iso": "CN", "name": "中国", "city": cities}],
            "config_limit": [],
        }
        if not cloud:
            data["model_config"] = [self.model(g) for g in ask.cut(found.goods)]
            data["limit_rule"] = []
        return good_answer(data)

    @staticmethod
    def model(good: Good) -> dict[str, Any]:
        """One bare-metal model."""
        optional = [{"id": 900 + good.ident, "value": good.add_on}] if good.add_on else []
        return {
            "id": good.ident,
            "name": good.name,
            "cpu": good.cpu,
            "cpu_param": "",
            "memory": good.memory,
            "disk": "1T NVMe",
            "gpu": good.gpu,
            "max_gpu_num": 8 if good.add_on else 0,
            "optional_gpu": optional,
            "support_optional": int(bool(good.add_on)),
        }

    @staticmethod
    def package(good: Good) -> dict[str, Any]:
        """One cloud package; it has no price."""
        count, _, name = good.gpu.partition("*")
        return {
            "id": good.ident,
            "name": good.name,
            "description": "",
            "cpu": int(good.cpu),
            "memory": int(good.memory),
            "gpu_num": int(count or 0),
            "gpu_name": name,
            "bw": 20,
            "ip_num": 1,
        }

    def duration(self, ask: Ask) -> Answer:
        """Prices of all periods of one model (or package) on one line."""
        found, body = self.product(ask), ask.json()
        if found is None or found.module != ask.match["module"] or not isinstance(body, dict):
            return bad_answer("商品错误")
        cloud = found.module.endswith("cloud")
        wanted = body.get("recommend_config_id" if cloud else "model_config_id")
        good = next((g for g in found.goods if str(g.ident) == str(wanted)), None)
        if good is None:
            return bad_answer("套餐不存在" if cloud else "机型规格不存在")
        if not cloud:
            area = next(
                (
                    a
                    for areas in found.cities.values()
                    for a in areas
                    if _as_int(body.get("line_id")) in a.lines
                ),
                None,
            )
            if area is None or area.ident not in good.areas:
                return bad_answer("线路不支持该机型")
            if _as_int(body.get("line_id")) in good.refused_lines:
                return bad_answer("当前线路暂不可购买该机型")
        return good_answer(ask.cut(self.periods(found, good, body)))

    @staticmethod
    def periods(product: Product, good: Good, body: dict[str, Any]) -> list[dict[str, Any]]:
        """`id, name, price, discount, num, unit, client_level_discount`; add-ons raise the price."""
        extra = sum(_as_int(n) for n in (body.get("optional_gpu") or {}).values()) * Decimal(2600)
        rows = []
        for ident, (label, num, unit, months) in enumerate(PERIODS[product.periods], 1):
            base = (Decimal(good.month) + extra) * Decimal(months)
            discount = base * product.discount if num > 1 else Decimal(0)
            price = Decimal(0) if unit in product.unpriced else base - discount
            rows.append(
                {
                    "id": ident,
                    "name": label,
                    "price": f"{price:.2f}",
                    "discount": f"{discount:.2f}",
                    "num": num,
                    "unit": unit,
                    "client_level_discount": "0.00",
                }
            )
        return rows

    def goods_page(self, ask: Ask) -> Answer:
        """The shop's HTML: a Vue shell without a price."""
        table = '<div id="goods" v-cloak><el-table :data="modelList"></el-table></div>'
        body = table + '<script src="/cart/js/goods.js"></script>'
        return html_answer(page(f"{self.shop.name} - 订购", body))

    def routes(self) -> tuple[Route, ...]:
        """All routes of the shop."""
        one = f"{PREFIX}/product/{{id:[0-9]+}}"
        return (
            Route(f"{PREFIX}/common", self.common),
            Route(f"{PREFIX}/product/group/first", self.groups_first),
            Route(f"{PREFIX}/product/group/second", self.groups_second),
            Route(f"{PREFIX}/product", self.products),
            Route(one, self.one),
            Route(one + "/stock", self.stock),
            Route(one + "/{module}/order_page", self.order_page),
            Route(one + "/{module}/duration", self.duration, "POST"),
            Route("/cart/goods.htm", self.goods_page),
        )


def _as_int(value: Any) -> int:
    text = str(value)
    return int(text) if text.isdigit() else 0


SITES = [
    Site(
        slug=shop.slug,
        name=shop.name,
        origins={shop.origin: Desk(shop).routes()},
        swaps={
            "changed_field": (('"price"', '"amount"'), ('"gpu"', '"gpu_card"')),
            "changed_unit": (('"unit":"month"', '"unit":"week"'),),
        },
    )
    for shop in SHOPS
]
