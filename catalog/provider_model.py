"""The shape of a provider file: who sells, how it is asked, what its meter does, what a buyer asks.

Every fact may be a bare value or `{ value, source, as_of }`; an absent fact is unknown.
"""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from typing import Annotated, Any, Generic, Literal, TypeVar

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    StringConstraints,
    model_validator,
)

from catalog.billing import BILLING_MODES

T = TypeVar("T")

SLUG = r"^[a-z][a-z0-9_]*$"
DECLARED = ("table", "div_table", "cards", "text", "script_price", "select_period", "per_sku_pages")
# Keys that each declared archetype cannot do without, beside `pages`.
_NEEDED: dict[str, tuple[str, ...]] = {
    "shop": ("origin",),
    "table": ("rows",),
    "div_table": ("rows", "cells"),
    "cards": ("rows",),
    "text": ("lines",),
    "script_price": ("rows",),
    "select_period": ("options",),
    "per_sku_pages": ("follow",),
}

_PRICED_BY_COLUMN = ("table", "div_table", "cards", "per_sku_pages")

Url = Annotated[str, StringConstraints(pattern=r"^https?://[^\s/]+(/\S*)?$")]
Origin = Annotated[str, StringConstraints(pattern=r"^https?://[^\s/]+$")]
RegionCode = Annotated[str, StringConstraints(pattern=r"^([0-9]{6}|CN|CN-(N|NE|E|C|S|SW|NW)|[A-Z]{2})$")]
EnvName = Annotated[str, StringConstraints(pattern=r"^SUANJIA_[A-Z0-9_]+$")]


class Model(BaseModel):
    """Frozen, and an unknown key is an error: a misspelt fact must not vanish."""

    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=True)


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


class Locator(Model):
    """Where one fact of a good stands on a page: exactly one of the five ways."""

    column: str | None = None
    label: str | None = None
    css: str | None = None
    text: str | None = None
    header: bool | None = None

    @model_validator(mode="after")
    def _one(self) -> Locator:
        given = [
            name for name in ("column", "label", "css", "text", "header") if getattr(self, name) is not None
        ]
        if len(given) != 1:
            raise ValueError("exactly one of column, label, css, text, header")
        return self


def _known_mode(mode: str) -> str:
    if mode and mode not in BILLING_MODES:
        raise ValueError(f"no billing mode; one of {', '.join(BILLING_MODES)}")
    return mode


class PriceColumn(Model):
    """One price of a good: where it stands, the unit where the cell has none of its own, the mode."""

    column: str | None = None
    row: str | None = None
    label: str | None = None
    css: str | None = None
    unit: str = ""
    mode: Annotated[str, AfterValidator(_known_mode)] = ""

    @model_validator(mode="after")
    def _one(self) -> PriceColumn:
        if sum(value is not None for value in (self.column, self.row, self.label, self.css)) != 1:
            raise ValueError("exactly one of column, row, label, css")
        return self


class Read(Model):
    """Where each fact of a good stands; `basis` is what one amount pays for."""

    card: Locator | None = None
    vram: Locator | None = None
    count: Locator | None = None
    region: Locator | None = None
    basis: Literal["card", "server"] = "server"
    price_css: str = ""
    tax: Literal["included", "excluded", "unknown"] = "unknown"
    price: tuple[PriceColumn, ...] = ()


class Route(Model):
    """One way to ask the provider. `needs`: environment variables that must be set; `known_as`: how sure."""

    name: str
    kind: str
    needs: tuple[EnvName, ...] = ()
    known_as: Annotated[
        str, StringConstraints(pattern=r"^(verified_live \d{4}-\d{2}-\d{2}|documented .+|declared)$")
    ]
    url: str = ""


def _known_archetype(archetype: str) -> str:
    if archetype not in _NEEDED:
        raise ValueError(f"no archetype; one of {', '.join(_NEEDED)}")
    return archetype


class Source(Model):
    """How the provider is asked: a declared archetype, or the name of a spider of its own."""

    archetype: Annotated[str, AfterValidator(_known_archetype)] | None = None
    spider: Annotated[str, StringConstraints(pattern=SLUG)] | None = None
    origin: Origin | None = None
    products: tuple[int, ...] = ()
    goods: Literal["rows", "columns"] = "rows"
    pages: tuple[Url, ...] = ()
    follow: str = ""
    rows: str = ""
    cells: str = ""
    lines: str = ""
    options: str = ""
    encoding: str = ""
    browser: bool = False
    cadence: Literal["hourly", "daily", "weekly", "monthly"] = "daily"
    routes: tuple[Route, ...] = ()

    @model_validator(mode="after")
    def _complete(self) -> Source:
        if self.archetype and self.spider:
            raise ValueError("archetype or spider, not both")
        needed = () if self.archetype is None else _NEEDED[self.archetype]
        missing = [key for key in needed if not getattr(self, key)]
        if self.archetype in DECLARED and not self.pages:
            missing.append("pages")
        if missing:
            raise ValueError(f"archetype {self.archetype!r} needs {', '.join(missing)}")
        return self


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
    regions: dict[str, RegionCode] = {}
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
        if source.archetype in _PRICED_BY_COLUMN and not (self.read and self.read.price):
            raise ValueError("read.price is missing: name at least one price column, row or label")
        if source.archetype == "script_price" and not (self.read and self.read.price_css):
            raise ValueError("read.price_css is missing")
        if self.status in ("closed", "excluded", "not_built") and self.builtin and not self.reason:
            raise ValueError("reason is missing")
        return self

    @property
    def routes(self) -> tuple[Route, ...]:
        """The routes of the file; a declared provider has one that needs nothing."""
        if self.source.routes or not self.source.archetype:
            return self.source.routes
        name = "shop" if self.source.archetype == "shop" else "page"
        return (Route(name=name, kind=self.source.archetype, known_as="declared"),)
