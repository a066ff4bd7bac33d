"""Lanrui 揽睿星舟: the price page of a platform that may be gone. Zones T1 and T2 closed on 2025-06-30.

No public client, API or price table is known; one form is: `￥1.90/时`, the regular price struck out beside a
promotion. A missing name, a redirect to another brand, a farewell or an empty page is a gap with its reason,
never an old price. The page was readable in 2026-06; tax is not stated.
"""

from spiders.base import Route, ShownSpider


class Lanrui(ShownSpider):
    """Whatever the price page still offers."""

    name = "lanrui"
    routes = (Route("page"),)
    origins = ("https://lanrui.co",)
    pages = ("https://lanrui.co/pricing",)
