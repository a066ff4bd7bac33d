"""Base spiders, by how a site serves its prices. A source is a declaration of at most 60 lines over one of
them.

    JsonSpider     JSON lists: paging, truncation guard, schema check          (example: sources/matpool.py)
    TableSpider    HTML tables and fake tables, merged cells, GB encodings      (example: sources/ctyun.py)
    RegionalSpider the seller's list of regions first, then a list for each     (example: sources/tencent.py)
    FileSpider     bulk files, spooled to evidence and read as a stream         (example: sources/aliyun.py)
    BrowserSpider  pages that need JavaScript, rendered by a real browser       (example: sources/autodl.py)
    ShownSpider    rendered pages of unknown markup: tables or boxes        (example: sources/featurize.py)
    TextSpider     lines of text                                            (example: sources/omniyq.py)

What a source file says, and nothing more: `name` (= file = class in lower case), `origins` (the
allow-list), `routes` (how it can be asked, and which credentials each needs), `evidence_kind`, `scope`, the
addresses, the field names it reads with their types (`expect`), and one hook `read` that yields listings. A
spider quotes: it never converts (give the bare number and its `unit`), never guesses (leave the field out)
and never drops a row (a row without a price is a listing with `price_text=""`; only what is plainly another
kind of goods is counted with `self.skip`).

    class Example(JsonSpider):
        \"\"\"What the page is, unit printed, tax, traps, when last checked.\"\"\"

        name = "example"
        origins = ("https://api.example.cn",)
        evidence_kind = "realtime"
        scope = "region"
        rows = "data/list"                       # where the list is in the answer
        total = "data/total"                     # declared number of rows: fewer is a problem
        row_id = "id"                            # so that unstable order does no harm
        success = {"code": (0,)}                 # anything else is auth_needed or failed
        expect = {"gpu": TEXT, "price": NUMBER}  # every row has these; a missing one is named

        def page_request(self, walk):
            return self.ask(f"https://api.example.cn/list?page={walk.page}", self.page, route=walk.route,
            walk=walk)

        def read(self, row, at):
            yield at.listing("price", price_text=text(row, "price"), unit="CNY/card/hour",
            card_text=text(row, "gpu"))

Bases never need a setting, a delay, a retry, a user agent or a storage path: those belong to the crawl. A
route that needs a key is asked only when the user has set it: `routes = (Route("market",
needs=("EXAMPLE_TOKEN",)),)`, and `self.credential("EXAMPLE_TOKEN")` gives it.
Where the routes of a provider serve their prices in different ways, the second is a class of its own in
`sources/_<name>_<route>.py`, and `Route("market", needs=…, by=ExampleMarket)` joins it to the first.
"""

from scrapy import Request
from scrapy.http import Response

from spiders.base.browser import BrowserSpider, Rendered, State
from spiders.base.file import FileSpider, published
from spiders.base.json import JsonSpider, Walk
from spiders.base.regional import RegionalSpider
from spiders.base.shown import ShownSpider
from spiders.base.source import Place, Route, SourceSpider
from spiders.base.table import Row, TableSpider
from spiders.base.text import TextSpider
from spiders.listing import Listing
from spiders.shape import ANY, FLAG, LIST, NUMBER, TABLE, TEXT, get, loads, memory, pointer, text

__all__ = [
    "ANY", "FLAG", "LIST", "NUMBER", "TABLE", "TEXT", "BrowserSpider", "FileSpider", "JsonSpider", "Listing",
    "Place", "RegionalSpider", "Rendered", "Request", "Response", "Route", "Row", "ShownSpider",
    "SourceSpider", "State", "TableSpider", "TextSpider", "Walk", "get", "loads", "memory", "pointer",
    "published", "text",
]  # fmt: skip
