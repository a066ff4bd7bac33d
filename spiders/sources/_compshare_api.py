"""CompShare's API, signed in UCloud's way: zones, instance types of a zone, prices of a shape in all modes.

A query for one region brings other zones along: rows of another zone are left out. Memory is GB in the list
of types and MB in the price call. `Instance` is yuan for CPU, memory and all cards of the machine; a fee of a
community image stands in a field of its own. Three arrays: the list price is the base, what the account pays
beside it is `member`, a night (1) or festival (2) discount `promo`. `Dynamic` is a *prepaid* hour. Documented
by the vendor, 2026-06-26; tax is not stated.
"""

import hashlib
from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import urlencode

from spiders.base import LIST, NUMBER, TEXT, JsonSpider, Listing, Place, Request, Response, get, text
from spiders.shape import Expectation

REGIONS = ("cn-wlcb", "cn-sh2", "cn-bj2")
MODES = {"Postpay": ("on_demand", "hour"), "Dynamic": ("prepaid_hour", "hour"), "Day": (None, "day"),
         "Month": (None, "month"), "Year": (None, "year"), "Spot": ("spot", "hour")}  # fmt: skip
STATUS = {"Normal": "available", "SoldOut": "sold_out"}
DISCOUNTS = {"1": "night", "2": "festival"}
ARRAYS = {"ListPriceDetails": None, "OriginalPriceDetails": "account", "PriceDetails": "account_discount"}
SOLD = {"ListPriceDetails": LIST, "PriceDetails": LIST}
NOT_SOLD = 230


class CompshareApi(JsonSpider):
    """Every shape on sale, priced in every mode."""

    origins = ("https://api.compshare.cn",)
    evidence_kind = "pricing"
    scope = "zone"
    success = {"RetCode": (0, NOT_SOLD)}

    def begin(self, route: str) -> Iterator[Request]:
        for region in REGIONS[:1] if self.probing else REGIONS:
            yield self.call("DescribeCompShareSupportZone", self.zones, route, Region=region)

    def call(self, action: str, then: Any, route: str, /, carry: Any = None, **params: str) -> Request:
        """A signed GET: SHA-1 over the parameters sorted by name, run together, and the private key."""
        sent = {"Action": action, "PublicKey": self.credential("COMPSHARE_PUBLIC_KEY") or "", **params}
        line = "".join(name + sent[name] for name in sorted(sent))
        line += self.credential("COMPSHARE_PRIVATE_KEY") or ""
        sent["Signature"] = hashlib.sha1(line.encode(), usedforsecurity=False).hexdigest()
        return self.ask(f"https://api.compshare.cn/?{urlencode(sent)}", then, route=route, goods=carry)

    def all_of(self, response: Response, path: str, row: Expectation) -> list[Any]:
        """The rows of a list that are as expected; a probe goes on with the first of them."""
        answer = self.document(response, {path: LIST})
        at = self.place(response, f"/{path}")
        rows = [entry for entry in get(answer, path) or () if self.layout(entry, row, at)]
        return rows[:1] if self.probing else rows

    def zones(self, response: Response, goods: Any) -> Iterator[Request]:
        met: set[str] = self.run.shared.setdefault("zones met", set())
        for zone in self.all_of(response, "ZoneInfo", {"Region": TEXT, "Zone": TEXT, "Describe": TEXT}):
            if zone["Zone"] in met:
                self.skip("zone that another region named too")
                continue
            met.add(zone["Zone"])
            where = {"Region": zone["Region"], "Zone": zone["Zone"]}
            action = "DescribeAvailableCompShareInstanceTypes"
            yield self.call(action, self.types, response.meta["route"], zone, **where)

    def types(self, response: Response, goods: Mapping[str, Any]) -> Iterator[Request]:
        for row in self.all_of(response, "AvailableInstanceTypes", {"Name": TEXT, "MachineSizes": LIST}):
            if text(row, "Zone") != goods["Zone"]:
                self.skip("type of another zone")
                continue
            for card, shape in shapes(row):
                asked = {"Region": goods["Region"], "Zone": goods["Zone"], "GpuType": text(row, "Name") or ""}
                carry = {**asked, "type": row, "shape": shape, "place": text(goods, "Describe")}
                yield self.call(
                    "GetCompShareInstancePrice", self.prices, response.meta["route"], carry, **asked, **card
                )

    def prices(self, response: Response, goods: Mapping[str, Any]) -> Iterator[Listing]:
        answer = self.document(response, {"RetCode": NUMBER})
        if get(answer, "RetCode") == NOT_SOLD:
            self.skip("shape that is not sold")
        elif answer is not None and self.layout(answer, SOLD, self.place(response)):
            yield from self.amounts(answer, goods, self.place(response))

    def amounts(self, answer: Any, goods: Mapping[str, Any], at: Place) -> Iterator[Listing]:
        """List price, the account's, and a timed discount of every mode; equal amounts once."""
        told: set[tuple[str | None, str | None]] = set()
        for array in ARRAYS:
            for number, entry in enumerate(get(answer, array) or ()):
                charge, amount = text(entry, "ChargeType"), text(entry, "Instance")
                if charge not in MODES:
                    self.skip(f"charge type {charge}")
                elif (charge, amount) not in told:
                    told.add((charge, amount))
                    yield self.listing(array, entry, MODES[charge], goods, at.at(f"/{array}/{number}"))

    def listing(
        self, array: str, entry: Any, mode: tuple[str | None, str], goods: Mapping[str, Any], at: Place
    ) -> Listing:
        """One amount of one array."""
        paid = ARRAYS[array]  # a list price is one by night too
        discount = DISCOUNTS.get(text(entry, "InstanceDiscountType") or "") if paid else None
        kind = "promo" if discount else "member" if paid else "list"
        cpu, memory, count = goods["shape"]
        return at.listing(
            "Instance", price_text=text(entry, "Instance"), unit=f"CNY/instance/{mode[1]}", mode=mode[0],
            price_kind=kind, tier=discount or paid,
            card_text=goods["GpuType"], count_text=count, vcpu_text=cpu, ram_text=memory, ram_unit="GB",
            vram_text=text(goods["type"], "GraphicsMemory/Value"), vram_unit="GB",
            region_text=goods["place"], zone_text=goods["Zone"],
            status=STATUS.get(text(goods["type"], "Status") or ""),
        )  # fmt: skip


def shapes(row: Any) -> Iterator[tuple[dict[str, str], tuple[str, str, str]]]:
    """(parameters of the price call, (cpu, GB, cards)) of every machine size of a type."""
    for size in get(row, "MachineSizes") or ():
        for part in get(size, "Collection") or ():
            for memory in get(part, "Memory") or ():
                count, cpu = text(size, "Gpu") or "", text(part, "Cpu") or ""
                if not isinstance(memory, int):
                    continue
                yield {"Gpu": count, "Cpu": cpu, "Memory": str(memory * 1024)}, (cpu, str(memory), count)
