"""AutoDL's market behind the user's own token: every host, asked once for each way of paying.

The token goes bare into `Authorization` (a `Bearer` makes it a login timeout); a refusal is HTTP 200 with
`AuthorizeFailed`. Money is 1/1000 yuan a card and period, memory bytes. A page holds 100 at most, one past
`max_page` repeats the last, the order moves: rows count by `machine_id`, against `result_total`. The last
level is the member's, floored per card by the seller. A host with idle cards is not rentable when none can be
ordered (`gpu_order_num` 0) or its instance slots are full. Rows of CPUs are another kind of goods. Known from
six clients, 2023-03 to 2026-10; scale of prepaid amounts from one reading (4090 at 1052 a month).
"""

from collections.abc import Iterable, Iterator
from typing import Any

from spiders.base import LIST, NUMBER, TEXT, JsonSpider, Listing, Place, Request, Walk, get, text
from spiders.shape import PRICE, linked

PERIODS = {"payg": "hour", "daily": "day", "weekly": "week", "monthly": "month", "yearly": "year"}
FILTERS: dict[str, Any] = {
    "region_sign": "", "region_sign_list": [], "gpu_type_name": [], "machine_tag_name": [], "gpu_idle_num": 0,
    "mount_net_disk": False, "instance_disk_size_order": "", "date_range": "", "date_from": "", "date_to": "",
    "pay_price_order": "", "gpu_idle_type": "", "default_order": True,
}  # fmt: skip
SKU = {"type": TEXT, "current_price": PRICE}


class AutodlMarket(JsonSpider):
    """`machine/search` for every `charge_type`."""

    origins = ("https://www.autodl.com",)
    evidence_kind = "realtime"
    scope = "host"
    rows = "data/list"
    page_count = "data/max_page"
    total = "data/result_total"
    page_size = 100
    row_id = "machine_id"
    success = {"code": ("Success", "OK")}
    expect = {"machine_id": TEXT, "gpu_name": TEXT, "region_name": TEXT, "region_sign": TEXT,
              "gpu_number": NUMBER, "machine_sku_info": LIST}  # fmt: skip
    maybe = {"gpu_memory": NUMBER, "gpu_idle_num": NUMBER, "gpu_order_num": NUMBER, "cpu_per_gpu": NUMBER,
             "mem_per_gpu": NUMBER, "max_instance_num": NUMBER, "binding_instance_num": NUMBER}  # fmt: skip

    def walks(self, route: str) -> Iterable[Walk]:
        return [Walk(route, mode) for mode in PERIODS]

    def page_request(self, walk: Walk) -> Request:
        body = {"charge_type": walk.key, **FILTERS, "page_index": walk.page, "page_size": self.page_size}
        return self.ask(
            "https://www.autodl.com/api/v1/machine/search", self.page, route=walk.route, method="POST",
            data=body, headers={"Authorization": self.credential("AUTODL_TOKEN") or ""}, walk=walk,
        )  # fmt: skip

    def read(self, row: Any, at: Place) -> Iterator[Listing]:
        if text(row, "gpu_name") == "CPU" or text(row, "chip_corp") == "cpu":
            self.skip("cpu")
            return
        for number, sku in enumerate(get(row, "machine_sku_info") or ()):
            if text(sku, "type") == at.key and self.layout(sku, SKU, at):
                yield from self.sku(row, sku, at.at(f"{at.locator}/machine_sku_info/{number}"))

    def sku(self, row: Any, sku: Any, at: Place) -> Iterator[Listing]:
        """List price, today's price where it is lower, and the member's."""
        now, before = get(sku, "current_price"), get(sku, "origin_price")
        levels = get(sku, "level_config") or []
        prices = [("current_price", now, "list")]
        if isinstance(before, int) and isinstance(now, int) and before > now:
            prices = [("origin_price", before, "list"), ("current_price", now, "public_discount")]
        if levels and (member := get(levels[-1], "discounted_price")) not in (None, now):
            prices.append((f"level_config/{len(levels) - 1}/discounted_price", member, "member"))
        idle, free = get(row, "gpu_idle_num"), rentable(row)
        for path, amount, kind in prices:
            yield at.listing(
                path, price_text=text(amount), unit=f"0.001 CNY/card/{PERIODS[at.key]}", price_kind=kind,
                mode="on_demand" if at.key == "payg" else None, card_text=text(row, "gpu_name"),
                vram_text=text(row, "gpu_memory"), vram_unit="bytes", vcpu_text=text(row, "cpu_per_gpu"),
                ram_text=text(row, "mem_per_gpu"), ram_unit="bytes", region_text=text(row, "region_name"),
                zone_text=text(row, "region_sign"), stock_idle=idle if free else 0,
                stock_total=get(row, "gpu_number"), max_cards=get(row, "gpu_number"),
                status=None if free else "sold_out", listing_id=text(row, "machine_id"),
                **linked(text(row, "gpu_name")),
            )  # fmt: skip


def rentable(row: Any) -> bool:
    """Can a card of this host be rented at all, whatever is idle?"""
    slots, used = get(row, "max_instance_num"), get(row, "binding_instance_num")
    full = isinstance(slots, int) and isinstance(used, int) and used >= slots
    return get(row, "gpu_order_num") != 0 and not full
