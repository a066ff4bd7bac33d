"""Shengsuanyun 胜算云: `/hashrate`, a React page; domestic cards, yuan per card-hour, stock as `idle/total`.

The unit stands in most cells, for some only in the header of the column. 天垓 is filed under another maker:
the card alone is quoted, never the maker. Known from daily captures, 2026-07-15 to 08-22; no region shown,
tax not stated.
"""

from spiders.base import Route, ShownSpider


class Shengsuanyun(ShownSpider):
    """The table of cards."""

    name = "shengsuanyun"
    routes = (Route("page"),)
    origins = ("https://www.shengsuanyun.com",)
    pages = ("https://www.shengsuanyun.com/hashrate",)
