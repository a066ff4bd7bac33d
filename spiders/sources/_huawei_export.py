"""Huawei Cloud's export list: the calculator's compact second answer, a check on the hourly prices read."""

from collections.abc import Iterator
from decimal import Decimal

from spiders.base import RegionalSpider, Request, Response
from spiders.huawei_parts import API, exported

ASKED = {
    "urlPath": "ecs",
    "sources": [{"param": "hws.resource.type.vm"}],
    "type": "JSON",
    "language": "zh-cn",
}


class HuaweiExport(RegionalSpider):
    """The route `export`: without cards and units it quotes nothing; a price that differs is noted."""

    def begin(self, route: str) -> Iterator[Request]:
        if route != "export":
            self.hours: dict[str, list[str]] = {}  # region/resourceSpecCode → yuan an hour, once a route
            return super().begin(route)
        url = f"{API}/export/productlist"
        return iter([self.ask(url, self.export, route=route, method="POST", data=ASKED)])

    def export(self, response: Response) -> None:
        for key, amount in exported(self.document(response, {})):
            self.hourly(key, amount)

    def hourly(self, key: str, amount: str) -> None:
        """An hourly price as one of the two routes has it, whichever comes first."""
        known = self.hours.setdefault(key, [])
        known.append(amount)
        if len({Decimal(each) for each in known}) > 1:
            self.run.changed(f"export of {key}", known[0], amount)
