"""CTyun's anonymous price call: which pool really sells a flavour, at which price, by the hour and the month.

Any visitor is given the site cookie `ct_tgc`; it is sent back and kept nowhere. An answer has no card: a
price that the document has for the family names the row it is of, and is a list price; others stay without a
count. One unpriced flavour spoils a whole question, which is then asked in halves. Known from one client,
2026-06.
"""

from collections.abc import Iterator
from decimal import Decimal, InvalidOperation
from typing import Any

from catalog.families import card_of
from spiders.base import LIST, NUMBER, TEXT, JsonSpider, Listing, Request, Response, get, text
from spiders.shape import PRICE
from spiders.signs import classify

VISITOR = (
    "https://www.ctyun.cn/v1/portal/menu/GetTree?domain=portal.header-left-menu&topic=portal&qryMode=reduce"
)
POOLS = "https://www.ctyun.cn/v2/portal/region/regionList?productId=10000000"
ECS = "https://console.ctyun.cn/console/compute"
MODES: dict[str, dict[str, Any]] = {
    "hour": {"billMode": 2},
    "month": {"billMode": 1, "cycleCnt": 1, "cycleType": "M"},
}
SENT = {"spec_name": "spec_name", "cpu": "vcpu", "mem": "ram", "flavor_uuid": "flavor_id",
        "flavorType": "flavor_type", "cpuinfo": "cpuinfo"}  # fmt: skip


class CtyunPrice(JsonSpider):
    """Flavours with an accelerator, pool by pool."""

    origins = ("https://www.ctyun.cn", "https://console.ctyun.cn")
    evidence_kind = "catalog"
    scope = "region"

    def begin(self, route: str) -> Iterator[Request]:
        yield self.ask(VISITOR, self.visitor, route=route)

    def visitor(self, response: Response) -> Iterator[Request]:
        cookies = [
            value.decode("latin-1").partition(";")[0] for value in response.headers.getlist("Set-Cookie")
        ]
        self.headers = {"Cookie": next((cookie for cookie in cookies if cookie.startswith("ct_tgc=")), "")}
        self.run.hide(self.headers["Cookie"].partition("=")[2])
        yield self.ask(POOLS, self.pools, route=response.meta["route"], headers=self.headers)

    def pools(self, response: Response) -> Iterator[Request]:
        groups = get(self.document(response, {"data/all": LIST}), "data/all") or ()
        known = {
            text(pool, "id"): text(pool, "name") for group in groups for pool in get(group, "list") or ()
        }
        for pool, name in known.items():
            url = f"{ECS}/ecm/ecs/serverextenddata/?ctyunid={pool}&type=os&regionid={pool}"
            about: dict[str, Any] = {"pool": pool, "name": name}
            yield self.ask(url, self.flavors, route=response.meta["route"], headers=self.headers, **about)

    def flavors(self, response: Response, pool: str, name: str) -> Iterator[Request]:
        rows = get(self.document(response, {"spec_list": LIST}), "spec_list") or ()
        need, at = (
            {"spec_name": TEXT, "flavor_id": TEXT, "flavor_type": TEXT},
            self.place(response, "/spec_list"),
        )
        rows = [row for row in rows if self.layout(row, need, at)]
        found = [r for r in rows if card_of("ctyun", r["spec_name"]) or "GPU" in r["flavor_type"].upper()]
        self.skip("no GPU", len(rows) - len(found))
        for per in MODES if found else ():
            yield self.price(found, per, pool, name, response.meta["route"])

    def price(self, flavors: list[Any], per: str, pool: str, name: str, route: str) -> Request:
        asked = [{theirs: row.get(ours) for theirs, ours in SENT.items()} for row in flavors]
        data: dict[str, Any] = {
            **MODES[per],
            "regionId": pool,
            "resourceType": "ecs_flavor",
            "flavorsInfo": asked,
        }
        about: dict[str, Any] = {"flavors": flavors, "per": per, "pool": pool, "name": name}
        url = f"{ECS}/api/proxyv3/querynew/"
        return self.ask(
            url, self.prices, route=route, method="POST", data=data, headers=self.headers, **about
        )

    def prices(
        self, response: Response, flavors: list[Any], per: str, pool: str, name: str
    ) -> Iterator[Request | Listing]:
        answer = self.document(response, {"statusCode": NUMBER})
        said = f"{get(answer, 'statusCode')} {text(answer, 'message')}"
        if answer is None:
            return
        if answer["statusCode"] == 800:
            yield from self.quoted(answer, {row["flavor_id"]: row for row in flavors}, per, name, response)
        elif classify(said):
            self._refusal(response, said, said)
        elif len(flavors) == 1:
            self.skip("flavour without a price")
        else:
            middle = len(flavors) // 2
            for half in (flavors[:middle], flavors[middle:]):
                yield self.price(half, per, pool, name, response.meta["route"])

    def quoted(
        self, answer: Any, flavors: dict[str, Any], per: str, name: str, response: Response
    ) -> Iterator[Listing]:
        """Only the machine of each order: disk and address are other goods."""
        path = "returnObj/subOrderPrices"
        at = self.place(response, f"/{path}")
        if not self.layout(answer, {path: LIST}, at):
            return
        for number, order in enumerate(get(answer, path)):
            here, items = at.at(f"/{path}/{number}"), list(enumerate(get(order, "orderItemPrices") or ()))
            machine = next((i for i, item in items if text(item, "resourceType") == "VM"), None)
            row = flavors.get(text(order, "flavor_uuid") or "")
            if row is None or machine is None:
                self.moved("orderItemPrices/VM", "the machine's price", text(order, "flavor_uuid"), here)
                continue
            if not self.layout(items[machine][1], {"finalPrice": PRICE}, here):
                continue
            amount, unit = text(items[machine][1], "finalPrice"), f"CNY/instance/{per}"
            known = self.documented(row["spec_name"], unit, amount)
            about = {"card_text": card_of("ctyun", row["spec_name"]), **(known or {})}
            about |= {"sku": row["spec_name"], "vcpu_text": text(row, "vcpu")}
            about |= {"ram_text": text(row, "ram"), "ram_unit": "GB"}
            yield here.listing(
                f"orderItemPrices/{machine}/finalPrice", price_text=amount, unit=unit, region_text=name,
                mode="on_demand" if per == "hour" else None, **about, status="offered",
                price_kind="list" if known else "public_discount",
            )  # fmt: skip

    def documented(self, spec: str, unit: str, amount: str | None) -> dict[str, Any] | None:
        """The row of the price document with this family and price: it has the card and the count."""
        for (family, its_unit, cell), about in self.run.shared.items():
            if (family, its_unit) == (spec.partition(".")[0], unit) and number(cell) == number(amount):
                return dict(about)
        return None


def number(printed: str | None) -> Decimal | None:
    """A bare number, None for anything else."""
    try:
        return Decimal((printed or "").replace(",", ""))
    except InvalidOperation:
        return None
