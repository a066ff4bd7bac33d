"""OpenBayes 贝式计算: `openbayes.com/pricing`, drawn by script, yuan per card-hour, with promotions (特惠价).

Cited by users in 2025 and 2026 (4090 at 2.70, promotion at 1.15); markup not documented, no region shown, tax
not stated. Its API (GraphQL) needs an account and is not asked.
"""

from spiders.base import Route, ShownSpider


class Openbayes(ShownSpider):
    """List and promotional prices of every card."""

    name = "openbayes"
    routes = (Route("page"),)
    origins = ("https://openbayes.com",)
    pages = ("https://openbayes.com/pricing",)
