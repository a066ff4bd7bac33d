"""AWS price list files as streams: products, terms and savings plans. This module imports no Scrapy."""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Iterator, Mapping
from dataclasses import dataclass, field
from typing import IO, Any

import ijson

from spiders.sections import Sections
from spiders.shape import memory, pointer

_PATHS = ("products", "terms.OnDemand", "terms.Reserved")
_NEXT = ("terms", "Reserved", "")
_BEHIND = (b"", b'{"terms":{', b'{"terms":{"Reserved":{')
_PLAN = "terms.savingsPlan.item"
_RATE = f"{_PLAN}.rates.item"
_HEAD = {
    f"{_PLAN}.sku": "sku",
    f"{_PLAN}.description": "description",
    f"{_PLAN}.leaseContractLength.duration": "duration",
    f"{_PLAN}.leaseContractLength.unit": "unit",
}
_GPU = re.compile(r"[gp]\d")
_ABOUT = {
    "products.item.attributes.purchaseOption": "option",
    "products.item.attributes.purchaseTerm": "term",
}


Quote = tuple[str, dict[str, Any]]
"""Where a price stands in its file, and the fields of its listing."""


def prices(
    opened: Callable[[], IO[bytes]], types: dict[str, dict[str, Any]], skip: Callable[[str], None]
) -> Iterator[Quote]:
    """The prices of a region's file. `types` takes its GPU products by SKU, `skip` counts the others.

    KeyError or TypeError for another layout, and the errors of `price_list`.
    """
    for section, sku, value in price_list(opened):
        if section == "products":
            about = value.get("attributes", {})
            if why := other(about):
                skip(why)
            else:
                types[sku] = bundle(about)
        elif sku in types:
            for key, term in value.items():
                for place, fields in quotes(section, term):
                    yield pointer("terms", section, sku, key) + place, fields | types[sku]


def plan_prices(stream: IO[bytes], types: Mapping[str, dict[str, Any]]) -> Iterator[Quote]:
    """The rates that a savings plan file has for `types`."""
    for plan in savings_plans(stream, types):
        for rate in plan.rates:
            place = pointer(
                "terms", "savingsPlan", plan.number, "rates", rate.number, "discountedRate", "price"
            )
            fields = {"mode": "reserved", "term_text": plan.term, "tier": plan.tier}
            unit = f"{rate.currency}/instance/hour"
            yield place, fields | types[rate.sku] | {"price_text": rate.price, "unit": unit}


def price_list(opened: Callable[[], IO[bytes]]) -> Iterator[tuple[str, str, Any]]:
    """(`products` | `OnDemand` | `Reserved`, SKU, value) of a price file, products first, in one pass.

    `opened` gives the file from its start; one in another order is read again, section by section.
    IncompleteJSONError for a file that ends early, JSONError for what is no JSON.
    """
    met: set[str] = set()
    with opened() as stream:
        sections = Sections(stream)
        for path, until, head in zip(_PATHS, _NEXT, _BEHIND, strict=True):
            for sku, value in sections.pairs(path, until, head):
                met.add(path)
                yield _last(path), sku, value
    again = _PATHS if _PATHS[0] not in met else () if _PATHS[1] in met else (_PATHS[1],)
    for path in again:
        with opened() as stream:
            for sku, value in ijson.kvitems(stream, path):
                yield _last(path), sku, value


def regional(answer: Any) -> Iterator[tuple[str, str]]:
    """(region, address) of a region index: an object by region for prices, a list for savings plans."""
    regions = answer.get("regions") if isinstance(answer, dict) else None
    rows = regions.values() if isinstance(regions, dict) else regions or ()
    for row in rows:
        address = row.get("currentVersionUrl") or row.get("versionUrl")
        if isinstance(address, str) and "regionCode" in row:
            yield row["regionCode"], address


def version(address: str) -> str:
    """`20241106181523` of `…/20241106181523/cn-north-1/index.json`."""
    return (["", "", "", *address.split("/")])[-3]


def is_gpu(kind: str) -> bool:
    """Is `g5.xlarge` a type with GPUs, by its family?"""
    return _GPU.match(kind) is not None


def other(about: Mapping[str, str]) -> str:
    """Why a product is none of ours, "" for a plain Linux instance with GPUs. KeyError for another layout."""
    kind = about.get("instanceType", "")
    if not is_gpu(kind) and not about.get("gpu"):
        return "no GPU"
    if about["operatingSystem"] != "Linux" or about["preInstalledSw"] != "NA":
        return "other system or software"
    return "" if about["tenancy"] == "Shared" and "BoxUsage" in about["usagetype"] else "other tenancy or use"


def bundle(about: Mapping[str, str]) -> dict[str, Any]:
    """The fields of a listing that a product states."""
    disk = about.get("storage", "EBS only")
    return {
        "sku": about["instanceType"],
        "region_text": about.get("regionCode") or about.get("location"),
        "os": "linux",
        "vcpu_text": about.get("vcpu"),
        **memory("ram", (about.get("memory") or "").replace(",", "") or None),
        "extra": {} if disk == "EBS only" else {"local_disk": disk},
    }


def quotes(kind: str, term: Mapping[str, Any]) -> Iterator[tuple[str, dict[str, str | None]]]:
    """(place in the term, fields of a listing) of each price of a term, yuan where it has several currencies.

    What is paid by the hour and once at the start is one price with an upfront part; what is paid at the
    start alone is a price of the whole term. KeyError naming what is not there, or is another unit.
    """
    by_unit: dict[str, tuple[str, str, str]] = {}
    for rate, dimension in term["priceDimensions"].items():
        prices, unit = dimension["pricePerUnit"], dimension["unit"]
        if unit not in ("Hrs", "Quantity"):
            raise KeyError(f"unit {unit}")
        currency = "CNY" if "CNY" in prices else next(iter(prices))
        place = pointer("priceDimensions", rate, "pricePerUnit", currency)
        by_unit[unit] = (place, prices[currency], currency)
    about = term.get("termAttributes") or {}
    fields: dict[str, str | None] = {"mode": "on_demand"}
    if kind == "Reserved":
        words = [about["PurchaseOption"], about["OfferingClass"].replace("standard", "")]
        fields = {
            "mode": "reserved",
            "term_text": about["LeaseContractLength"],
            "tier": "_".join(" ".join(words).lower().split()),
        }
    hourly, once = by_unit.get("Hrs"), by_unit.get("Quantity")
    if hourly is not None and (once is None or float(hourly[1]) > 0):
        fields |= {"unit": f"{hourly[2]}/instance/hour", "upfront_text": once[1] if once else None}
        yield hourly[0], fields | {"price_text": hourly[1]}
    elif once is not None:
        years = re.match(r"\d+", about["LeaseContractLength"] or "")
        unit = f"{once[2]}/instance/{years[0] if years else ''} year"
        yield once[0], fields | {"unit": unit, "price_text": once[1]}


def _last(path: str) -> str:
    return path.rpartition(".")[2]


@dataclass(slots=True)
class Rate:
    """One discounted price. `number` is its place in the plan's list."""

    number: int
    sku: str = ""
    price: str = ""
    currency: str = ""


@dataclass(slots=True)
class Plan:
    """One savings plan: what the file says of it, and its wanted rates."""

    number: int
    about: dict[str, str] = field(default_factory=dict)
    rates: list[Rate] = field(default_factory=list)
    seen: int = 0

    @property
    def term(self) -> str:
        """`3 year`, from the lease length or the words of the plan; "" if neither says it."""
        if "duration" in self.about:
            return f"{self.about['duration']} {self.about.get('unit', 'year').lower()}"
        found = re.search(r"(\d)\s*-?\s*ye?a?r", self._words, re.I)
        return f"{found[1]} year" if found else ""

    @property
    def tier(self) -> str:
        """`savings_plan`; paid at the start, or for one family of instances only, are plans of their own."""
        paid = re.search(r"(partial|all)\s*_?upfront", self._words, re.I)
        parts = ["savings_plan", f"{paid[1].lower()}_upfront" if paid else ""]
        parts.append("instance" if re.search(r"instance savings", self._words, re.I) else "")
        return " ".join(part for part in parts if part)

    @property
    def _words(self) -> str:
        return " ".join(self.about.get(name, "") for name in ("description", "term", "option"))


def savings_plans(stream: IO[bytes], wanted: Container[str]) -> list[Plan]:
    """The plans of a file with the rates of `wanted` SKUs; errors as of `price_list`."""
    found: list[Plan] = []
    products: dict[str, dict[str, str]] = {}
    product: dict[str, str] = {}
    for prefix, event, value in ijson.parse(stream):
        if prefix.startswith(_RATE):
            _rate(found[-1], wanted, prefix, event, value)
        elif prefix == _PLAN and event == "start_map":
            found.append(Plan(len(found)))
        elif prefix in _HEAD:
            found[-1].about[_HEAD[prefix]] = str(value)
        elif prefix == "products.item" and event == "start_map":
            product = {}
        elif prefix == "products.item.sku":
            products[str(value)] = product
        elif prefix in _ABOUT:
            product[_ABOUT[prefix]] = str(value)
    for plan in found:
        plan.about = products.get(plan.about.get("sku", ""), {}) | plan.about
    return found


def _rate(plan: Plan, wanted: Container[str], prefix: str, event: str, value: Any) -> None:
    name = prefix.removeprefix(_RATE)
    if not name and event == "start_map":
        plan.rates.append(Rate(plan.seen))
        plan.seen += 1
    elif not name and event == "end_map" and plan.rates[-1].sku not in wanted:
        plan.rates.pop()
    elif name == ".discountedSku":
        plan.rates[-1].sku = str(value)
    elif name == ".discountedRate.price":
        plan.rates[-1].price = value if isinstance(value, str) else format(value, "f")
    elif name == ".discountedRate.currency":
        plan.rates[-1].currency = str(value)
