"""What a shop's order page sells: the region tree, models and packages with a GPU, and how each is asked for.

No Scrapy here: the spider (`spiders.shop`) asks, this reads.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Any

from catalog.regions import MUNICIPALITIES, regions
from spiders.shape import NUMBER, TEXT, get, memory, text

if TYPE_CHECKING:
    from spiders.base.source import Place

NO_CARD = frozenset(("", "-", "--", "无"))


@dataclass(slots=True)
class Sold:
    """A product: where it is asked, and what its page says of stock."""

    ident: int
    name: str
    status: str | None = None
    currency: str = "CNY"
    module: str = ""


@dataclass(slots=True)
class Wish:
    """One model (or package) in one city: the requests that may tell its price, until one does."""

    product: Sold
    fields: Mapping[str, Any]
    city: str
    tries: deque[tuple[str, dict[str, Any]]] = field(default_factory=deque)  # (area, body)
    every_area: bool = False  # the city's name is no city: its areas are places of their own


def cities(answer: Any) -> Iterator[tuple[str, list[Any]]]:
    """(city, areas), the same city under several centres once."""
    found: dict[str, list[Any]] = {}
    for center in get(answer, "data/data_center") or []:
        for city in get(center, "city") or []:
            found.setdefault(text(city, "name") or "", []).extend(get(city, "area") or [])
    yield from found.items()


def models(answer: Any, sold: Sold, place: Place, own: Mapping[str, str]) -> Iterator[Wish]:
    """A wish a bare-metal model and city: every line of every area may sell it."""
    rows = get(answer, "data/model_config") or []
    if rows and not any("gpu" in row for row in rows):
        place.spider.layout(rows[0], {"gpu": TEXT}, place)
        return
    for row in rows:
        card = text(row, "gpu") or ""
        if card in NO_CARD:
            place.spider.skip("model without GPU")
            continue
        fields = {"card_text": card, "sku": _sku(row, rows), **memory("ram", text(row, "memory"))}
        for city, areas in cities(answer):
            bodies = [
                (text(area, "name") or "", {"model_config_id": row["id"], "line_id": line["id"]})
                for area in areas
                for line in get(area, "line") or []
            ]
            yield Wish(sold, fields, city, deque(bodies), not is_place(city, own))


def packages(answer: Any, sold: Sold, place: Place, own: Mapping[str, str]) -> Iterator[Wish]:
    """A wish a cloud package and city; its price does not depend on the line."""
    every = [row for _, areas in cities(answer) for area in areas for row in _recommended(area)]
    if every and not any("gpu_num" in row and "gpu_name" in row for row in every):
        place.spider.layout(every[0], {"gpu_num": NUMBER, "gpu_name": TEXT}, place)
        return
    for city, areas in cities(answer):
        seen: dict[Any, Wish] = {}
        for area in areas:
            rows = _recommended(area)
            for row in rows:
                name, count = text(row, "gpu_name") or "", text(row, "gpu_num") or "0"
                if name in NO_CARD or count in ("0", "0.0"):
                    place.spider.skip("package without GPU")
                    continue
                body = (text(area, "name") or "", {"recommend_config_id": row["id"]})
                if row["id"] in seen:
                    seen[row["id"]].tries.append(body)
                    continue
                fields = {
                    "card_text": name, "count_text": count, "sku": _sku(row, rows),
                    "vcpu_text": text(row, "cpu"), **memory("ram", text(row, "memory")),
                }  # fmt: skip
                seen[row["id"]] = Wish(sold, fields, city, deque([body]), not is_place(city, own))
        yield from seen.values()


def _recommended(area: Any) -> list[Any]:
    """The packages of an area. The key is misspelt in the system itself; a later version may mend it."""
    found: list[Any] = get(area, "reommend_config") or get(area, "recommend_config") or []
    return found


def _sku(row: Any, rows: list[Any]) -> str | None:
    """The name of a model; two of one name are told apart by their number."""
    name = text(row, "name")
    same = sum(text(other, "name") == name for other in rows)
    return f"{name} #{text(row, 'id')}" if name and same > 1 else name


def is_place(city: str, own: Mapping[str, str]) -> bool:
    """Does a city's name say where it is? If not, its areas are asked one by one."""
    return city in own or any(name in city for name in _city_names())


@cache
def _city_names() -> frozenset[str]:
    return frozenset(
        region.short
        for region in regions().values()
        if region.level == "city" or region.code in MUNICIPALITIES or region.code in ("810000", "820000")
        if len(region.short) > 1
    )
