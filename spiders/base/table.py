"""HTML tables and fake tables: columns found by their header words, one listing a price cell."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

from scrapy import Request
from scrapy.http import Response

from spiders.base.source import Place, SourceSpider
from spiders.listing import Listing
from spiders.shape import memory
from spiders.signs import is_cut
from spiders.tables import Cell, Grid, fake_grids, grids
from spiders.textio import parse_html

SAYS_NOTHING = frozenset(("", "-", "--", "—", "——", "/", "无"))
"""Cells beside a price that stand for "not given". In a price cell the same words are kept: it is
rejected."""


_OTHER_MODE = re.compile(r"包|预留|竞价|抢占")


@dataclass(frozen=True)
class Row:
    """One row under a header. `columns` maps the spider's words to column numbers."""

    grid: Grid
    number: int
    cells: list[Cell]
    columns: Mapping[str, int]
    price_columns: tuple[int, ...]

    def get(self, word: str) -> str | None:
        """Text of the column that `word` stands for; None if the table has none or the cell says nothing."""
        column = self.columns.get(word)
        text = self.cells[column].text if column is not None else ""
        return None if text in SAYS_NOTHING else text

    @cached_property
    def prices(self) -> list[tuple[str, str, str]]:
        """(column header, cell text, locator of the cell inside the table) of every price column."""
        return [(self.grid.names[c], self.cells[c].text, f"cell={c}") for c in self.price_columns]

    def context(self, header: str, *words: str) -> str:
        """What stands around a price: heading, the cells of `words`, column header, ` | ` between."""
        parts = [self.grid.heading, *(self.get(word) for word in words), header]
        return " | ".join(part for part in parts if part)


class TableSpider(SourceSpider):
    """Tables of one or more pages.

    `columns` maps words to regular expressions that the column's header must contain; `need` are the words
    without which a table is not one of prices; `price` is the expression of price columns. A table that has
    the `need` columns and a price column is read row by row; a page without any is `layout_changed`, naming
    the column that is missing. For boxes instead of a table, set `rows_css` and `cells_css`.
    """

    pages: ClassVar[tuple[str, ...]] = ()
    table_css: ClassVar[str] = "table"
    rows_css: ClassVar[str] = ""
    cells_css: ClassVar[str] = ""
    columns: ClassVar[Mapping[str, str]] = {}
    need: ClassVar[tuple[str, ...]] = ()
    price: ClassVar[str] = r"[元￥¥]|价"
    # Header pattern → unit of the column: of a bare number, and of whatever a cell with words leaves open; ""
    # where every cell says its own.
    units: ClassVar[Mapping[str, str]] = {}
    # Those of `units` that the pages may be without. Any other that heads no price is a layout change.
    optional: ClassVar[tuple[str, ...]] = ()

    def __init__(self, *args: Any, **more: Any) -> None:
        super().__init__(*args, **more)
        self._price_heads: list[str] = []
        self._route = ""

    def read(self, row: Row, at: Place) -> Iterator[Listing]:
        """Listings of one row. The default quotes every price cell with card, count and sku where there are
        such columns; override for anything else."""
        for header, text, locator in row.prices:
            yield at.listing(
                locator,
                **self.money(row, header, text, *self.columns),
                card_text=row.get("card"),
                count_text=row.get("count"),
                sku=row.get("sku"),
                **memory("vram", row.get("vram")),
                region_text=row.get("region"),
            )

    def money(self, row: Row, header: str, text: str, *words: str) -> dict[str, str | None]:
        """`price_text` with its `context`, and under a known header with `unit`, which holds for what the
        cell does not say itself.

        An hourly price under such a header is `on_demand` unless header or cell say otherwise.
        """
        unit = next((unit for pattern, unit in self.units.items() if re.search(pattern, header)), None)
        money: dict[str, str | None] = {"price_text": text, "context": row.context(header, *words)}
        if not unit:
            return money
        hourly = unit.endswith("/hour") and not _OTHER_MODE.search(f"{header} {text}")
        return money | {"unit": unit, "mode": "on_demand" if hourly else None}

    def page_urls(self) -> Iterable[str]:
        """Addresses of the pages, in order."""
        return self.pages

    def begin(self, route: str) -> Iterator[Request]:
        """One request a page."""
        for url in self.page_urls():
            yield self.ask(url, self.page, route=route)
            if self.probing:
                return

    def page(self, response: Response, second: bool = False) -> Iterator[Any]:
        """One page: its tables, row by row."""
        text = self.text_of(response)
        if is_cut(text):
            if second:
                self.run.problem("cut", "the page ends early", response.url, response.meta["route"])
            else:
                yield self.ask(response.url, self.page, route=response.meta["route"], second=True)
                return
        yield from self.read_page(response, text, self.place(response))

    def read_page(self, response: Response, text: str, place: Place) -> Iterator[Listing]:
        """Listings of a page's text."""
        found = self.find_grids(parse_html(text))
        fitting = [(grid, *match) for grid in found if (match := self.match(grid))]
        if not fitting:
            self._name_missing(response, found, text)
            return
        for grid, columns, prices in fitting:
            self.take_heads(grid, prices, place.route)
            for number, cells in grid.body():
                if any(cell.own and cell.text for cell in cells):
                    at = place.at(f"table={grid.number}/row={number}")
                    yield from self.read(Row(grid, number, cells, columns, prices), at)

    def find_grids(self, root: Any) -> list[Grid]:
        """The tables, or fake tables, of a page."""
        if self.rows_css:
            return fake_grids(root, self.rows_css, self.cells_css)
        return grids(root, self.table_css)

    def match(self, grid: Grid) -> tuple[dict[str, int], tuple[int, ...]] | None:
        """Columns of a table by word, and its price columns; None if it is no price table."""
        columns: dict[str, int] = {}
        prices = tuple(c for c, name in enumerate(grid.names) if re.search(self.price, name))
        for word, pattern in self.columns.items():
            for column, name in enumerate(grid.names):
                if column not in columns.values() and column not in prices and re.search(pattern, name, re.I):
                    columns[word] = column
                    break
        if not prices or any(word not in columns for word in self.need):
            return None
        return columns, prices

    def take_heads(self, grid: Grid, prices: Iterable[int], route: str) -> None:
        """Remember the headers of a table that is read."""
        self._route = route
        self.run.columns += [name for name in grid.names if name and name not in self.run.columns]
        self._price_heads += [grid.names[c] for c in prices if grid.names[c] not in self._price_heads]

    def judge(self) -> None:
        """A declared price column that is on none of the pages has moved: its prices are not just fewer."""
        pages_left = self.probing and len(tuple(self.page_urls())) > 1
        unread = any(problem.route == self._route for problem in self.run.problems)
        if not self._price_heads or pages_left or unread:
            return
        names = ", ".join(self.run.columns)[:160]
        for pattern, unit in self.units.items():
            if pattern in self.optional or any(re.search(pattern, name) for name in self._price_heads):
                continue
            told = f"no price column for {pattern} ({unit or 'unit in the cell'}); headers: {names}"
            self.run.changed(
                f"price column {pattern}", f"a header like {pattern}", f"missing; headers: {names}"
            )
            self.run.problem("layout_changed", told, route=self._route)

    def _name_missing(self, response: Response, found: list[Grid], text: str) -> None:
        """Say which column of the nearest table is missing; without tables, what the page is instead."""
        if not found:
            self.no_data(response, text, "a table")
            return
        best = max(found, key=lambda grid: sum(bool(self._has(grid, p)) for p in self.columns.values()))
        missing = [word for word in self.need if not self._has(best, self.columns[word])]
        names = ", ".join(name for name in best.names if name)[:160]
        for word in missing:
            self.run.changed(
                f"column {word}", f"a header like {self.columns[word]}", f"missing; headers: {names}"
            )
        if not any(re.search(self.price, name) for name in best.names):
            self.run.changed("column price", f"a header like {self.price}", f"missing; headers: {names}")
            missing.append("price")
        what = ", ".join(missing) or "columns"
        self.run.problem(
            "layout_changed", f"no column for {what}; headers: {names}", response.url, response.meta["route"]
        )

    @staticmethod
    def _has(grid: Grid, pattern: str) -> bool:
        return any(re.search(pattern, name, re.I) for name in grid.names)
