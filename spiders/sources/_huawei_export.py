"""Huawei Cloud's export list: the calculator's compact second answer, a check on the hourly prices read."""

from collections.abc import Iterator

from spiders.base import RegionalSpider, Request, Response
from spiders.huawei_parts import API, disagreements

ASKED = {
    "urlPath": "ecs",
    "sources": [{"param": "hws.resource.type.vm"}],
    "type": "JSON",
    "language": "zh-cn",
}


class HuaweiExport(RegionalSpider):
    """The route `export`: without cards and units it quotes nothing; a price that differs is noted."""

    hours: dict[str, str] = {}  # region/resourceSpecCode → yuan an hour, as read from the other route

    def begin(self, route: str) -> Iterator[Request]:
        if route != "export":
            self.hours = {}
            return super().begin(route)
        url = f"{API}/export/productlist"
        return iter([self.ask(url, self.export, route=route, method="POST", data=ASKED)])

    def export(self, response: Response) -> None:
        for where, here, there in disagreements(self.document(response, {}), self.hours):
            self.run.changed(where, here, there)
