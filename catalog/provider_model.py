"""The shape of a provider file: who sells, how it is asked, what its meter does, what a buyer asks.

Every fact may be a bare value or `{ value, source, as_of }`; an absent fact is unknown.
"""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from typing import Annotated, Any, Generic, Literal, TypeVar

from pydantic import BeforeValidator, Field, StringConstraints, model_validator

from catalog.source_model import (
    DECLARED,
    SLUG,
    Locator,
    Model,
    PriceColumn,
    Read,
    Route,
    Source,
)

__all__ = [
    "DECLARED", "SLUG", "Billing", "Checklist", "Expect", "Fact", "Locator", "Model", "PriceColumn",
    "Provider", "Read", "Robots", "Route", "Source", "Terms",
]  # fmt: skip

# Archetypes whose prices stand under a column, row or label; those whose goods are named by [read] alone.
_PRICED_BY_COLUMN = ("table", "div_table", "per_sku_pages")
_NAMED_BY_READ = ("table", "div_table", "cards", "script_price", "select_period", "per_sku_pages")

T = TypeVar("T")

RegionCode = Annotated[str, StringConstraints(pattern=r"^([0-9]{6}|CN|CN-(N|NE|E|C|S|SW|NW)|[A-Z]{2})$")]


class Fact(Model, Generic[T]):
    """A value with where it comes from and the day it was read ("" = not stated)."""

    value: T
    source: str = ""
    as_of: str = ""


def _as_fact(value: Any) -> Any:
    return value if isinstance(value, dict | Fact) else {"value": value}


_Lift = BeforeValidator(_as_fact)
NumberFact = Annotated[Fact[Decimal], _Lift]
CountFact = Annotated[Fact[Annotated[int, Field(ge=0)]], _Lift]
AmountFact = Annotated[Fact[Annotated[Decimal, Field(ge=0)]], _Lift]
TextFact = Annotated[Fact[str], _Lift]
ListFact = Annotated[Fact[tuple[str, ...]], _Lift]
AnswerFact = Annotated[Fact[bool | str], _Lift]
StartFact = Annotated[Fact[Literal["order", "image_pull", "running"]], _Lift]
StopFact = Annotated[Fact[tuple[Literal["shutdown", "release_gpu", "destroy", "expiry"], ...]], _Lift]


class Expect(Model):
    """What a good run holds: places by their code, at least so many offers. Fewer is a layout change."""

    regions: tuple[RegionCode, ...] = ()
    min_rows: Annotated[int, Field(ge=0)] = 0


class Billing(Model):
    """What the meter does and what is paid beside the price. Money in CNY."""

    granularity_s: CountFact | None = None
    min_charge_s: CountFact | None = None
    starts: StartFact | None = None
    stops: StopFact | None = None
    billed_after_stop: ListFact | None = None
    convertible: ListFact | None = None
    free_disk_gb: AmountFact | None = None
    disk_cny_per_gb_day: AmountFact | None = None
    free_traffic_gb: AmountFact | None = None
    traffic_cny_per_gb: AmountFact | None = None
    upload_mbps: AmountFact | None = None
    deposit_cny: AmountFact | None = None
    retention_days: AmountFact | None = None
    tax: Annotated[Fact[Literal["included", "excluded", "unknown"]], _Lift] | None = None
    note: TextFact | None = None


class Checklist(Model):
    """The buyer's questions: true, false, `unknown` or a short text."""

    vpc: AnswerFact | None = None
    encryption_at_rest: AnswerFact | None = None
    destruction_certificate: AnswerFact | None = None
    data_agreement: AnswerFact | None = None
    response_minutes: AnswerFact | None = None
    interconnect: AnswerFact | None = None
    bgp: AnswerFact | None = None
    test_address: AnswerFact | None = None
    elastic_scaling: AnswerFact | None = None
    vram_cap: AnswerFact | None = None
    invoice: AnswerFact | None = None
    docker_inside: AnswerFact | None = None


class Robots(Model):
    """What robots.txt said on a day; `unknown` until somebody has looked."""

    verdict: Literal["unknown", "allowed", "partial", "disallowed", "none"] = "unknown"
    as_of: str = ""


class Terms(Model):
    """Terms of service and robots.txt of the source."""

    terms_url: TextFact | None = None
    robots: Robots = Robots()


class Provider(Model):
    """One provider file. `builtin` tells a file of the project from one of the user's."""

    slug: Annotated[str, StringConstraints(pattern=SLUG)]
    name: Annotated[str, StringConstraints(min_length=1)]
    class_: Annotated[Literal["marketplace", "cloud", "idc", "assessment", "article"], Field(alias="class")]
    homepage: Annotated[str, StringConstraints(pattern=r"^(https?://\S+)?$")] = ""
    status: Literal["active", "paused", "closed", "not_built", "excluded"] = "active"
    closed_on: date | None = None
    reason: str = ""
    notes: tuple[str, ...] = ()
    as_of: str = ""
    source: Source = Source()
    regions: dict[str, RegionCode] = Field(default_factory=dict)
    read: Read | None = None
    expect: Expect = Expect()
    billing: Billing = Billing()
    checklist: Checklist = Checklist()
    terms: Terms = Terms()
    builtin: bool = False

    @model_validator(mode="after")
    def _askable(self) -> Provider:
        source = self.source
        if self.status == "active" and not (source.archetype or source.spider):
            raise ValueError("an active provider needs source.archetype (or source.spider)")
        self._readable()
        if self.status in ("closed", "excluded", "not_built") and self.builtin and not self.reason:
            raise ValueError("reason is missing")
        return self

    def _readable(self) -> None:
        """What a declared archetype needs of [read]."""
        archetype, read = self.source.archetype, self.read
        columns = archetype == "table" and self.source.goods == "columns"
        if archetype in _NAMED_BY_READ and not (read and read.card):
            raise ValueError("read.card is missing: say where the card is named")
        if archetype in _PRICED_BY_COLUMN and not (read and read.price):
            raise ValueError("read.price is missing: name at least one price column, row or label")
        if archetype in ("table", "div_table") and read and any(price.css for price in read.price):
            raise ValueError("read.price: css is for boxes (cards, per_sku_pages); name a column or row")
        if archetype == "script_price" and not (read and read.price_css):
            raise ValueError("read.price_css is missing")
        if read is None or columns:
            return
        if any(spot and spot.header for spot in (read.card, read.vram, read.count, read.region)):
            raise ValueError('header = true is for tables with goods = "columns" alone')
        if any(price.row is not None for price in read.price):
            raise ValueError('read.price: row is for tables with goods = "columns"; name a column')

    @property
    def routes(self) -> tuple[Route, ...]:
        """The routes of the file; a declared provider has one that needs nothing."""
        if self.source.routes or not self.source.archetype:
            return self.source.routes
        name = "shop" if self.source.archetype == "shop" else "page"
        return (Route(name=name, kind=self.source.archetype, known_as="declared"),)
