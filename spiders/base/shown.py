"""Rendered pages whose markup nobody has documented: their price tables, or the boxes that name a card."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import ClassVar

from spiders.base.browser import BrowserSpider, Rendered, State
from spiders.base.source import Place
from spiders.base.table import Row, TableSpider
from spiders.boxes import AMOUNT, boxes
from spiders.listing import Listing
from spiders.shape import memory

_IDLE_OF_ALL = re.compile(r"(\d{1,5})\s*/\s*(\d{1,5})")


class ShownSpider(BrowserSpider, TableSpider):
    """A page that shows prices in one of the ways that readers have described: a table with a column for the
    card, or a box a card. Nothing depends on class names; a price beside several cards is quoted without one
    and becomes a rejection. `probe` says which of the two a page is."""

    states = (State("page", ready=AMOUNT),)
    columns: ClassVar[Mapping[str, str]] = {
        "card": r"显卡|GPU|型号|卡型|算力卡|名称",
        "vram": r"显存",
        "stock": r"库存|空闲|可用|剩余",
        "region": r"地区|区域|机房",
    }
    need = ("card",)
    units: ClassVar[Mapping[str, str]] = {
        r"元\s*/\s*(?:卡\s*/?\s*)?(?:小时|时)": "CNY/card/hour",
        r"元\s*/\s*天": "CNY/card/day",
    }
    optional = tuple(units)  # the unit may stand in the cells

    def read(self, state: Rendered, at: Place) -> Iterator[Listing]:  # type: ignore[override]
        """Listings of the page's tables; without any, of its boxes."""
        fitting = [(grid, *match) for grid in self.find_grids(state.root) if (match := self.match(grid))]
        for grid, columns, prices in fitting:
            self.take_heads(grid, prices, at.route)
            for number, cells in grid.body():
                here = at.at(f"{at.locator.removesuffix('text')}html#table={grid.number}/row={number}")
                yield from self.read_row(Row(grid, number, cells, columns, prices), here)
        if not fitting:
            yield from self.read_boxes(state, at)

    def read_row(self, row: Row, at: Place) -> Iterator[Listing]:
        """Listings of a table's row: card, memory, stock, and every price."""
        found = _IDLE_OF_ALL.search(row.get("stock") or "")
        for header, cell, locator in row.prices:
            yield at.listing(
                locator,
                **self.money(row, header, cell, "card"),
                card_text=row.get("card"),
                **memory("vram", row.get("vram")),
                region_text=row.get("region"),
                stock_idle=int(found[1]) if found else None,
                stock_total=int(found[2]) if found else None,
            )

    def read_boxes(self, state: Rendered, at: Place) -> Iterator[Listing]:
        """Listings of the page's boxes."""
        for box in boxes(state.root):
            here = at.at(f"{at.locator.removesuffix('text')}html#box={box.number}")
            idle, total = box.stock
            for number, price in enumerate(box.prices):
                yield here.listing(
                    f"price={number}",
                    price_text=price,
                    context=box.title,
                    card_text=box.title,
                    **memory("vram", box.vram),
                    price_kind=box.kind,
                    status=box.status,
                    stock_idle=idle,
                    stock_total=total,
                )
