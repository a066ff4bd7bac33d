"""GPUFree 算力自由: the home page, drawn by script, yuan per card-hour; storage is a price of its own.

One user note quotes a 4090 at 1.38; markup not documented, no region shown (host names hint at Zhejiang and
Anhui: a guess, not used), tax not stated.
"""

from spiders.base import Route, ShownSpider


class Gpufree(ShownSpider):
    """What the home page offers."""

    name = "gpufree"
    routes = (Route("page"),)
    origins = ("https://www.gpufree.cn",)
    pages = ("https://www.gpufree.cn/",)
