"""An AWS price list as a stream, JSON or CSV; the CSV form is read here. This module imports no Scrapy.

A few lines about the file, a header that begins with SKU, then one line a price: the product's attributes
stand in every line of it, and a reserved instance that is paid by the hour and at the start has a line for
each. Only the terms of GPU products are kept until the end of the file.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterator, Mapping
from typing import IO, Any

from spiders import aws_files
from spiders.aws_files import Quote, bundle, is_gpu, other, quotes
from spiders.shape import pointer

_HEAD_LINES = 20  # the header stands within them
# Attribute of the JSON form → column of the CSV form. The second table's say nothing in some words.
_COLUMNS = {
    "instanceType": "Instance Type",
    "operatingSystem": "Operating System",
    "preInstalledSw": "Pre Installed S/W",
    "tenancy": "Tenancy",
    "usagetype": "usageType",
    "location": "Location",
    "vcpu": "vCPU",
    "memory": "Memory",
}
_MAYBE = {"regionCode": "Region Code", "storage": "Storage", "gpu": "GPU"}
_NOTHING = (None, "", "0", "NA", "N/A")
_PRICED = ("SKU", "OfferTermCode", "RateCode", "TermType", "Unit", "PricePerUnit", "Currency")
_LEASE = ("LeaseContractLength", "PurchaseOption", "OfferingClass")


def prices(
    opened: Callable[[], IO[bytes]], types: dict[str, dict[str, Any]], skip: Callable[[str], None]
) -> Iterator[Quote]:
    """The prices of a region's file, whichever of the two forms it has; errors as of the readers of both."""
    with opened() as stream:
        is_json = stream.read(64).lstrip(b"\xef\xbb\xbf \r\n")[:1] == b"{"
    if is_json:
        yield from aws_files.prices(opened, types, skip)
        return
    with opened() as stream:
        yield from csv_prices(stream, types, skip)


def csv_prices(
    stream: IO[bytes], types: dict[str, dict[str, Any]], skip: Callable[[str], None]
) -> Iterator[Quote]:
    """The prices of a region's CSV file, as `aws_files.prices` gives those of its JSON file.

    KeyError for a column that is missing, EOFError for a line of another width or a file without one price.
    """
    lines = csv.reader(io.TextIOWrapper(stream, "utf-8-sig", "replace", newline=""))
    names = _header(lines)
    for column in (*_PRICED, *_COLUMNS.values(), *_LEASE):
        if column not in names:
            raise KeyError(f"column {column}")
    terms: dict[tuple[str, str, str], dict[str, Any]] = {}
    places: dict[str, int] = {}
    width, type_at = len(names), names.index(_COLUMNS["instanceType"])
    gpu_at = names.index(_MAYBE["gpu"]) if _MAYBE["gpu"] in names else type_at
    left_out = ""
    for cells in lines:
        if len(cells) != width:
            raise EOFError(f"line {lines.line_num} has {len(cells)} of {width} cells")
        sku = cells[0]
        if sku == left_out:
            continue
        if sku not in types:
            # Of a hundred lines one has a GPU: only that is taken apart.
            why = "no GPU" if not has_gpu(cells[type_at], cells[gpu_at] if gpu_at != type_at else "") else ""
            about = {} if why else _about(dict(zip(names, cells, strict=True)))
            if why := why or other(about):
                skip(why)
                left_out = sku
                continue
            types[sku] = bundle(about)
        _add(terms, places, dict(zip(names, cells, strict=True)), lines.line_num)
    for (kind, sku, _), term in terms.items():
        for place, fields in quotes(kind, term):
            line = places[_rate_of(place)]
            yield f"line={line}/PricePerUnit", fields | types[sku]


def _header(lines: Iterator[list[str]]) -> list[str]:
    for _ in range(_HEAD_LINES):
        cells = next(lines, None)
        if cells is None:
            raise EOFError("the file ends before its header")
        if cells and cells[0] == "SKU":
            return cells
    raise KeyError("header that begins with SKU")


def has_gpu(kind: str, count: str) -> bool:
    """Does the type's name or its column say so?"""
    return count not in _NOTHING or is_gpu(kind)


def _about(row: Mapping[str, str]) -> dict[str, str]:
    """A product's attributes under the names of the JSON form."""
    about = {name: row[column] for name, column in _COLUMNS.items()}
    return about | {name: row[column] for name, column in _MAYBE.items() if row.get(column) not in _NOTHING}


def _add(
    terms: dict[tuple[str, str, str], dict[str, Any]],
    places: dict[str, int],
    row: Mapping[str, str],
    line: int,
) -> None:
    """One line is one price dimension of a term."""
    kind, sku, code, rate = row["TermType"], row["SKU"], row["OfferTermCode"], row["RateCode"]
    term = terms.setdefault(
        (kind, sku, code),
        {"priceDimensions": {}, "termAttributes": {name: row[name] for name in _LEASE}},
    )
    price = {row["Currency"]: row["PricePerUnit"]}
    known = term["priceDimensions"].setdefault(rate, {"unit": row["Unit"], "pricePerUnit": {}})
    known["pricePerUnit"] |= price
    places[pointer("priceDimensions", rate)] = line


def _rate_of(place: str) -> str:
    return place.partition("/pricePerUnit")[0]
