"""Suanjiayun 算家云: the home page, drawn by script, yuan per card-hour.

An aggregator of 26 platforms reads it and names it the price leader of 2026 (4090, 4090D, 5090); markup not
documented, no region shown (prefixes of host names are no places), tax not stated.
"""

from spiders.base import Route, ShownSpider


class Suanjiayun(ShownSpider):
    """What the home page offers."""

    name = "suanjiayun"
    routes = (Route("page"),)
    origins = ("https://www.suanjiayun.com",)
    pages = ("https://www.suanjiayun.com/",)
