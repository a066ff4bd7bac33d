"""Instance types of clouds → the card inside, how many, or which fraction of one (`families.csv`).

One reviewed map: peers' tables are known wrong, and a size word never tells the number of cards. What the
table does not hold, or holds as a name that the seller withholds, is None and goes to review.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import cache
from types import MappingProxyType

from catalog.cards import cards
from catalog.table import decimal, rows

_PREFIX = {"aliyun": "ecs.", "volcengine": "ecs."}
_SUFFIX = {"huawei": (".linux", ".win")}


@dataclass(frozen=True, slots=True)
class Family:
    """One row. `count`: whole cards, or the fraction of one (`share`, exact; 1 for whole cards).

    `vram_gb` is of one card or of the slice; `vcpu` and `ram_gb` (GiB) are of the instance, where a document
    says them. A withheld name (`card` "") and an unknown number of cards (`count` 0) stand in the table to be
    seen, and are no hit of `lookup`.
    """

    cloud: str
    sku: str
    card: str
    count: Decimal
    share: Fraction
    vram_gb: Decimal | None
    form: str | None
    interconnect: str | None
    vcpu: Decimal | None
    ram_gb: Decimal | None
    source: str
    as_of: str
    confidence: str
    note: str


def lookup(cloud: str, sku: str) -> Family | None:
    """The family of an instance type (`ecs.gn6i-c4g1.xlarge`, `GN7.2XLARGE32`, `Standard_NC6s_v3`).

    An exact row wins over a row for all sizes. None for what is not in the table, has no card name or leaves
    the number of cards open: all of these go to review.
    """
    found = _row(cloud, sku)
    return found if found is not None and found.card and found.count else None


def has_table(cloud: str) -> bool:
    """Is there a reviewed table for the instance types of this provider?"""
    return cloud in _tables()


def card_of(cloud: str, sku: str) -> str | None:
    """The card of an instance type even where its number of cards is not known: a check on a printed name."""
    found = named(cloud, sku)
    return found.card if found is not None else None


def named(cloud: str, sku: str) -> Family | None:
    """The row of an instance type whose card has a name, even where its number of cards (`count` 0) is not
    known: what is said of the card and its links holds for every size."""
    found = _row(cloud, sku)
    return found if found is not None and found.card else None


def _row(cloud: str, sku: str) -> Family | None:
    key = _key(cloud, sku)
    exact, open_ended = _tables().get(cloud, ({}, ()))
    found = exact.get(key)
    if found is None:
        found = next((row for prefix, row in open_ended if key.startswith(prefix)), None)
    return found


@cache
def families() -> tuple[Family, ...]:
    """All rows, the withheld names included."""
    return tuple(_family(row) for row in rows("families.csv"))


@cache
def _tables() -> Mapping[str, tuple[Mapping[str, Family], tuple[tuple[str, Family], ...]]]:
    """By cloud: rows of one size by key, and rows for all sizes by prefix, longest prefix first."""
    found = {}
    for cloud in {family.cloud for family in families()}:
        own = [family for family in families() if family.cloud == cloud]
        exact = {_key(cloud, f.sku): f for f in own if not f.sku.endswith("*")}
        wide = [(_key(cloud, f.sku[:-1]), f) for f in own if f.sku.endswith("*")]
        # The bare name of a family, without a size, is the family.
        exact = {prefix.removesuffix("."): f for prefix, f in wide if prefix.endswith(".")} | exact
        found[cloud] = (MappingProxyType(exact), tuple(sorted(wide, key=lambda pair: -len(pair[0]))))
    return MappingProxyType(found)


def _key(cloud: str, sku: str) -> str:
    key = sku.strip().removeprefix(_PREFIX.get(cloud, ""))
    for suffix in _SUFFIX.get(cloud, ()):
        key = key.removesuffix(suffix)
    return key.lower()


def _family(row: dict[str, str]) -> Family:
    share = Fraction(row["count"]) if "/" in row["count"] else Fraction(1)
    whole = cards()[row["card"]].vram_gb if row["card"] else None
    if "/" in row["count"]:
        count = Decimal(share.numerator) / Decimal(share.denominator)
    else:
        count = Decimal(row["count"] or 0)
    return Family(
        cloud=row["cloud"],
        sku=row["sku"],
        card=row["card"],
        count=count,
        share=share,
        vram_gb=whole * share.numerator / share.denominator if whole is not None else None,
        form=row["form"] or None,
        interconnect=row["interconnect"] or None,
        vcpu=decimal(row["vcpu"]),
        ram_gb=decimal(row["ram_gb"]),
        source=row["source"],
        as_of=row["as_of"],
        confidence=row["confidence"],
        note=row["note"],
    )
