"""Small IDCs, one host an archetype (A2 to A12 of the page inventory): pages with the traps that real
ones plant.

Structures follow the source code of real regional IDCs and dated page texts; names, hosts, goods and
amounts are all `rebuilt sample` (without samples every page is 404). What a right reader gets from each
page stands in `market/data/idc_truth.csv`. Page files are in `market/pages/idc/`.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from market.faults import LIST_KINDS
from market.site import Answer, Ask, Handler, Route, Site, Swap, html_answer, js_answer, not_found, page_file


class Page(NamedTuple):
    """One page: file, and how its bytes and header are written."""

    file: str
    encoding: str = "utf-8"
    content_type: str | None = None


class Idc(NamedTuple):
    """One host with its pages; query strings choose between the pages of one path."""

    slug: str
    name: str
    origin: str
    pages: dict[str, Page]
    field: Swap = ()
    header: Swap = ()
    unit: Swap = ()
    rows: str = ""  # what one good looks like in the source, for emptied and cut lists


UNIT_MONTH: Swap = (("元/月", "元/天"),)
# The meta tag says gb2312, the bytes are GBK (昇 is not in GB2312); one page's header is wrong on purpose.
GBK = ("gbk", "text/html")

IDCS = (
    Idc(
        "idc_div_table",
        "腾云互联（A2）",
        "https://www.tengyun-idc.example",
        {
            "/zuyong/bgp/hengyang": Page("a2_bgp_hengyang.html"),
            "/zuyong/bgp/huizhou": Page("a2_bgp_huizhou.html"),
            "/zuyong/telecom/huizhou": Page("a2_telecom_huizhou.html"),
            "/zuyong/hkt": Page("a2_hkt.html"),
        },
        (("data-table-row", "table-row"),),
        ((">月付<", ">月租<"),),
        ((">月付<", ">日付<"),),
        rows=r"""<div class="data-table-row"><div class="data-table-col thead">(?!线路).*""",
    ),
    Idc(
        "idc_table",
        "贵云互联（A3）",
        "https://www.guiyun-idc.example",
        {"/gpu/xingyi.html": Page("a3_xingyi.html"), "/gpu/rooms.html": Page("a3_rooms.html")},
        (("<table", "<div"),),
        (("租用价格（月）", "月租"), (">月付<", ">月租<")),
        UNIT_MONTH,
        rows=r"""<tr><td.*</tr>""",
    ),
    Idc(
        "idc_script_price",
        "蓉城数据（A4）",
        "https://www.rongcheng-idc.example",
        {
            "/city/chengdu.html": Page("a4_chengdu.html"),
            "/city/hongkong.html": Page("a4_hongkong.html"),
            "/js/price.js": Page("a4_price.js"),
        },
        (('"cprice"', '"price"'),),
        (),
        (('"cycle"', '"days"'),),
        rows=r"""<ul>\n<li>(?:.*\n)*?</ul>""",
    ),
    Idc(
        "idc_cards",
        "促销互联（A5）",
        "https://www.cuxiao-idc.example",
        {"/": Page("a5_promo.html")},
        (('class="card"', 'class="box"'),),
        (),
        UNIT_MONTH,
        rows=r"""<div class="item">.*""",
    ),
    Idc(
        "idc_select_period",
        "选配互联（A6）",
        "https://www.xuanpei-idc.example",
        {
            "/gpu/4090.html": Page("a6_4090.html"),
            "/gpu/config.html": Page("a6_config.html"),
            "/gpu/a100.html": Page("a6_lines.html"),
            "/gpu/l40s.html": Page("a6_radio.html"),
        },
        (("product-row", "row-product"),),
        (),
        (("个月", "天"), ("/月", "/天")),
        rows=r"""(?<!>)<option>.*</option>|<dd>.*</dd>|<label.*</label>""",
    ),
    Idc(
        "idc_mobile",
        "腾云互联手机版（A7）",
        "https://m.tengyun-idc.example",
        {"/m/zuyong/bgp/huizhou": Page("a7_huizhou.html")},
        (('class="good"', 'class="item"'),),
        (),
        (("月付", "日付"),),
        rows=r"""<li class="good">.*""",
    ),
    Idc(
        "idc_market_cards",
        "算力聚（A8）",
        "https://www.suanliju.example",
        {
            "/market": Page("a8_market.html"),
            "/js/market.js": Page("a8_market.js"),
            "/hosts": Page("a8_hosts.html"),
            "/js/hosts.js": Page("a8_hosts.js"),
        },
        (("host-card", "host-box"),),
        (),
        (("/时", "/分"),),
        rows=r"""\{ room:.*""",
    ),
    Idc(
        "idc_text",
        "文本算力（A9）",
        "https://www.wenben-idc.example",
        {"/price.html": Page("a9_lines.html")},
        (('class="content"', 'class="article"'),),
        (),
        (("/月", "/年"),),
        rows=r"""<p>(?!7月|现货|期货|联系).*?</p>""",
    ),
    Idc(
        "idc_per_sku",
        "广佛数据（A10）",
        "https://www.gbk-idc.example",
        {
            "/list.asp?page=1": Page("a10_list_1.html", *GBK),
            "/list.asp?page=2": Page("a10_list_2.html", *GBK),
            "/show.asp?id=11": Page("a10_show_11.html", *GBK),
            "/show.asp?id=12": Page("a10_show_12.html", *GBK),
            "/show.asp?id=13": Page("a10_show_13.html", "gbk", "text/html; charset=utf-8"),
            "/show.asp?id=14": Page("a10_show_14.html", *GBK),
        },
        (("显卡", "型号"),),
        (("价格(元/月)", "月租(元/月)"),),
        (("元/月", "元/年"),),
        rows=r"""<tr>.*class="sku".*""",
    ),
    Idc(
        "idc_article",
        "文章站（A11）",
        "https://www.wenzhang.example",
        {"/article/756332.html": Page("a11_article.html"), "/news/714474": Page("a11_spam.html")},
    ),
    Idc(
        "idc_no_price",
        "无价互联（A12）",
        "https://www.wujia-idc.example",
        {
            f"/{kind}.html": Page(f"a12_{kind}.html")
            for kind in ("image", "login", "quote", "calculator", "soldout", "tag")
        },
    ),
)


def cut(ask: Ask, text: str, rows: str) -> str:
    """The page with as many goods as the ask lets through."""
    found = re.findall(rows, text) if rows and ask.fault in LIST_KINDS else []
    for row in found[len(ask.cut(found)) :]:
        text = text.replace(row, "", 1)
    return text


def answer(page: Page, ask: Ask, rows: str) -> Answer:
    """A page's bytes; 404 without samples."""
    if not ask.samples:
        return not_found()
    text = cut(ask, page_file(f"idc/{page.file}"), rows)
    if page.file.endswith(".js"):
        return js_answer(text)
    return html_answer(text, page.encoding, page.content_type)


def handler(choices: dict[str, Page], rows: str) -> Handler:
    """The handler of one path, choosing by query string."""

    def serve(ask: Ask) -> Answer:
        page = choices.get(ask.query_string, choices.get(""))
        return answer(page, ask, rows) if page else not_found()

    return serve


def site(idc: Idc) -> Site:
    """The Site of one IDC."""
    paths: dict[str, dict[str, Page]] = {}
    for target, page in idc.pages.items():
        path, _, query = target.partition("?")
        paths.setdefault(path, {})[query] = page
    routes = tuple(Route(path, handler(choices, idc.rows)) for path, choices in paths.items())
    swaps = {"changed_field": idc.field, "changed_header": idc.header, "changed_unit": idc.unit}
    return Site(idc.slug, idc.name, {idc.origin: routes}, swaps={k: v for k, v in swaps.items() if v})


SITES = [site(idc) for idc in IDCS]
