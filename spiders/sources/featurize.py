"""Featurize: `featurize.cn/vm/available`, drawn by script; prices are floors (`按量起价 ¥1.62/小时`).

Read by hand on 2026-07-02 (three cards); markup not documented, no region shown, tax not stated. Free disk by
card and a permanent cloud disk are facts of the provider file.
"""

from spiders.base import Route, ShownSpider


class Featurize(ShownSpider):
    """Floors of every card."""

    name = "featurize"
    routes = (Route("page"),)
    origins = ("https://featurize.cn",)
    pages = ("https://featurize.cn/vm/available",)
