"""How a provider is asked and where its facts stand on a page: the `[source]` and `[read]` parts of a
provider file.
"""

from __future__ import annotations

import codecs
import re
from typing import Annotated, Literal

from cssselect import SelectorError
from cssselect import parse as parse_css
from pydantic import AfterValidator, BaseModel, ConfigDict, StringConstraints, model_validator

from catalog.billing import BILLING_MODES

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

Url = Annotated[str, StringConstraints(pattern=r"^https?://[^\s/]+(/\S*)?$")]
Origin = Annotated[str, StringConstraints(pattern=r"^https?://[^\s/]+$")]
EnvName = Annotated[str, StringConstraints(pattern=r"^SUANJIA_[A-Z0-9_]+$")]


class Model(BaseModel):
    """Frozen, and an unknown key is an error: a misspelt fact must not vanish."""

    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=True)


# `span.price::attr(data-price)`: the attribute of the element instead of its text.
_ATTRIBUTE = re.compile(r"::attr\(\s*([\w:.-]+)\s*\)\s*$")


def attribute_of(css: str) -> tuple[str, str]:
    """(CSS of the element, name of its attribute or "") of a locator's CSS."""
    found = _ATTRIBUTE.search(css)
    return (css[: found.start()], found[1]) if found else (css, "")


def _check_css(css: str | None, *, attribute: bool = False) -> str | None:
    """CSS that can be selected with; ValueError says what is wrong with it."""
    if css:
        try:
            parsed = parse_css(attribute_of(css)[0] if attribute else css)
        except SelectorError as error:
            raise ValueError(f"not CSS: {css!r} ({error})") from None
        if strange := next((one.pseudo_element for one in parsed if one.pseudo_element), None):
            hint = "" if attribute else "; ::attr(…) is for facts and prices under [read]"
            raise ValueError(f"not CSS of an element: {css!r} (::{strange}{hint})")
    return css


Css = Annotated[str, AfterValidator(_check_css)]


def _known_encoding(name: str) -> str:
    try:
        return codecs.lookup(name).name if name else ""
    except LookupError:
        raise ValueError(f"no encoding: {name!r}") from None


class Locator(Model):
    """Where one fact of a good stands on a page: exactly one of the five ways.

    `label` may go with `css`: the label then stands in the text that `css` gives.
    """

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
        if len(given) != 1 and set(given) != {"label", "css"}:
            raise ValueError("exactly one of column, label, css, text, header")
        _check_css(self.css, attribute=self.label is None)
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
        given = [name for name in ("column", "row", "label", "css") if getattr(self, name) is not None]
        if len(given) != 1 and set(given) != {"label", "css"}:
            raise ValueError("exactly one of column, row, label, css")
        _check_css(self.css, attribute=self.label is None)
        return self


class Read(Model):
    """Where each fact of a good stands; `basis` is what one amount pays for ("" = as its words say)."""

    card: Locator | None = None
    vram: Locator | None = None
    count: Locator | None = None
    region: Locator | None = None
    basis: Literal["card", "server", ""] = ""
    price_css: Css = ""
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
    follow: Css = ""
    rows: Css = ""
    cells: Css = ""
    lines: Css = ""
    options: Css = ""
    encoding: Annotated[str, AfterValidator(_known_encoding)] = ""
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
