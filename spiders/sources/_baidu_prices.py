"""Baidu's price call: ten flavours at once for several lengths, answered length by length.

An amount is null where the root disk does not fit the flavour: it is asked again with the next kind of disk.
The total holds that disk, so only the machine's own item (`BCC`) is quoted; where an answer has no items, the
flavour is asked alone.
"""

from collections.abc import Iterator
from typing import Any

from spiders.base import (
    LIST,
    NUMBER,
    TABLE,
    TEXT,
    Listing,
    Place,
    RegionalSpider,
    Request,
    Response,
    get,
    text,
)
from spiders.shape import Expectation

URL = "https://cloud.baidu.com/api/calculator/bcc/instance/priceV2"
DISKS = ("enhanced_ssd_pl1", "premium_ssd", "ssd")
DISK_GB = 40
BATCH = 10
LENGTHS = {"postpay": (1,), "prepay": (1, 12)}
ZONES = "result/zoneResources"
GPU: Expectation = {"spec": TEXT, "gpuCardType": TEXT, "gpuCardCount": NUMBER, "cpuCount": NUMBER,
                    "memoryCapacityInGB": NUMBER, "productType": TEXT}  # fmt: skip
BATCHED = "result/bccPayResults/bccResults"


class BaiduPrices(RegionalSpider):
    """`priced` asks for flavours of one way of paying, `read_price` gets the machine's item of each."""

    def read_price(self, flavor: Any, months: int, item: Any, region: str, at: Place) -> Iterator[Listing]:
        """Listings of the price of `flavor` for so many months; `item` None: no disk gave one."""
        raise NotImplementedError

    def priced(
        self, flavors: list[Any], mode: str, region: str, route: str, disk: int = 0
    ) -> Iterator[Request]:
        """Requests for the prices of `flavors`, ten at a time, with one kind of root disk."""
        for first in range(0, len(flavors), BATCH):
            some = flavors[first : first + BATCH]
            asked = {"purchaseLengthList": LENGTHS[mode], "purchaseNum": 1, "region": region,
                     "bccList": [machine(flavor, disk) for flavor in some]}  # fmt: skip
            about: dict[str, Any] = {"flavors": some, "mode": mode, "region": region, "disk": disk}
            yield self.ask(URL, self.batch, route=route, method="POST", data=asked, **about)

    def batch(
        self, response: Response, flavors: list[Any], mode: str, region: str, disk: int
    ) -> Iterator[Request | Listing]:
        """The first length of all flavours, then the next of all."""
        results = get(self.document(response, {BATCHED: LIST}), BATCHED)
        if results is None:
            return
        lengths, route = LENGTHS[mode], response.meta["route"]
        if len(results) != len(flavors) * len(lengths):
            told = f"{len(results)} prices for {len(flavors)} flavours and {len(lengths)} lengths"
            self.run.problem("truncated", told, response.url, route)
            return
        again: list[Any] = []
        for number, result in enumerate(results):
            flavor, months = flavors[number % len(flavors)], lengths[number // len(flavors)]
            at = self.place(response, f"/{BATCHED}/{number}")
            if get(result, "price") is None:
                again += [flavor] if flavor not in again else []
            elif get(result, "priceDetail"):
                yield from self.machine_item(flavor, months, result, region, at)
            else:
                asked = {"bcc": machine(flavor, disk), "cds": {"diskConfigs": []}, "eip": {},
                         "purchaseLength": months, "purchaseNum": 1, "region": region}  # fmt: skip
                about: dict[str, Any] = {"flavor": flavor, "months": months, "region": region}
                yield self.ask(URL, self.single, route=route, method="POST", data=asked, **about)
        if disk + 1 < len(DISKS):
            yield from self.priced(again, mode, region, route, disk + 1)
        else:
            for flavor in again:
                yield from self.read_price(flavor, lengths[0], None, region, self.place(response))

    def single(self, response: Response, flavor: Any, months: int, region: str) -> Iterator[Listing]:
        """One flavour alone: its items."""
        answer = self.document(response, {"result": TABLE})
        if answer is not None:
            at = self.place(response, "/result")
            yield from self.machine_item(flavor, months, answer["result"], region, at)

    def flavors_in(self, answer: Any, at: Place) -> list[Any]:
        """GPU flavours of all zones, each once for a way of paying; a field that has moved is named."""
        found: dict[tuple[str | None, str | None], Any] = {}
        for zone in get(answer, ZONES) or ():
            for group in get(zone, "bccResources/flavorGroups") or ():
                for flavor in get(group, "flavors") or ():
                    found.setdefault((text(flavor, "spec"), text(flavor, "productType")), flavor)
        if found and not any("gpuCardCount" in flavor for flavor in found.values()):
            self.moved("gpuCardCount", "a number", None, at)
        gpus = [
            flavor for flavor in found.values() if flavor.get("gpuCardCount") or flavor.get("gpuCardType")
        ]
        self.skip("no GPU", len(found) - len(gpus))
        return [flavor for flavor in gpus if self.layout(flavor, GPU, at)]

    def machine_item(
        self, flavor: Any, months: int, result: Any, region: str, at: Place
    ) -> Iterator[Listing]:
        """The item of the machine, without disk and address."""
        if not self.layout(result, {"priceDetail": LIST}, at):
            return
        for number, item in enumerate(result["priceDetail"]):
            if text(item, "servicetype") == "BCC":
                here = at.at(f"{at.locator}/priceDetail/{number}")
                yield from self.read_price(flavor, months, item, region, here)
                return
        self.moved("priceDetail/servicetype", "an item BCC", None, at)


def machine(flavor: Any, disk: int) -> dict[str, Any]:
    """A flavour as the price call wants it."""
    named = {"cpu": "cpuCount", "memory": "memoryCapacityInGB", "gpuCard": "gpuCardType",
             "gpuCount": "gpuCardCount"}  # fmt: skip
    found = {theirs: flavor.get(ours) for theirs, ours in named.items()}
    same = {name: flavor.get(name) for name in ("spec", "specId", "instanceType", "productType")}
    return {**found, **same, "rootDiskSizeInGb": DISK_GB, "rootDiskStorageType": DISKS[disk]}
