"""JD Cloud: two server-rendered price documents, years old, with merged cells.

Rebuilt after the seller's own documents (github jdcloudcom/en, about 2019; stored voucher page, about
2020). Real: all amounts and regions. Kept traps: two header rows with spans, the family cell spans its
sizes, the voucher page's group cell spans three lines while `--` marks what is not sold and the unit
stands in a header far away. The page's own date is that of the facts: a reader must see that they are
old.
"""

from __future__ import annotations

from collections.abc import Iterator
from html import escape
from itertools import groupby

from market.facts import Fact, latest, market_day, provider_facts
from market.site import Answer, Ask, Route, Site, html_answer, page

ORIGIN = "https://docs.jdcloud.com"
OVERVIEW = "/cn/virtual-machines/price-overview"
VOUCHER = "/cn/virtual-machines/instance-voucher-price"
REGIONS = {
    "cn-north-1": "华北-北京",
    "cn-east-2": "华东-上海",
    "cn-south-1": "华南-广州",
    "cn-east-1": "华东-宿迁",
}
CARDS = {"p.n1p40": "NVIDIA Tesla P40", "p.n1p40h": "NVIDIA Tesla P40", "p.n1v100": "NVIDIA Tesla V100"}


def updated(ask: Ask) -> str:
    """Year of the newest fact shown; the documents carry no finer date."""
    today = market_day(ask.now)
    years = [f.observed_on for f in provider_facts("jdcloud") if f.since <= today]
    return max(years, default="")


def regional(ask: Ask) -> dict[tuple[str, str, str], Fact]:
    """`(sku, region, mode)` → fact of the regional table."""
    found = latest(
        provider_facts("jdcloud"),
        ask.now,
        lambda f: (f.sku, f.region_raw, f.mode) if f.region_raw and f.mode != "reserved" else None,
    )
    return {(f.sku, f.region_raw, f.mode): f for f in found.values()}


def overview_rows(ask: Ask) -> Iterator[str]:
    """Two header rows, then one line a size; the family cell spans its sizes."""
    heads = "".join(f'<th colspan="2">{name}</th>' for name in REGIONS.values())
    tall = "".join(f'<th rowspan="2">{name}</th>' for name in ("实例规格类型", "规格", "GPU"))
    yield f"<tr>{tall}{heads}</tr>"
    yield "<tr>" + "<th>包年包月（元/月）</th><th>按配置（元/小时）</th>" * len(REGIONS) + "</tr>"
    prices = regional(ask)
    skus = ask.cut(list(dict.fromkeys(sku for sku, _, _ in prices)))
    for family, group in groupby(skus, key=lambda s: s.rpartition(".")[0]):
        sizes = list(group)
        for index, sku in enumerate(sizes):
            fact = next(f for (s, _, _), f in prices.items() if s == sku)
            first = f'<td rowspan="{len(sizes)}">GPU型 {escape(family)}</td>' if index == 0 else ""
            line = [f"<td>{sku}</td><td>{fact.cards} * {CARDS[family]}</td>"]
            for region in REGIONS:
                for mode in ("monthly", "on_demand"):
                    found = prices.get((sku, region, mode))
                    line.append(f'<td align="right">{found.amount_low if found else "--"}</td>')
            yield "<tr>" + first + "".join(line) + "</tr>"


def overview(ask: Ask) -> Answer:
    """The price overview of the GPU machines."""
    body = (
        f"<h1>价格总览</h1><p class='update'>最近更新：{updated(ask)}年</p>"
        "<p>GPU型实例价格包含本地数据盘。</p>"
        f'<table border="1">{"".join(overview_rows(ask))}</table>'
    )
    return html_answer(page("价格总览 - 京东云文档", body))


def voucher_rows(ask: Ask) -> Iterator[str]:
    """Group cell over three lines; one-year and three-year columns are not priced in the stored copy."""
    facts = latest(provider_facts("jdcloud"), ask.now, lambda f: f.sku if f.mode == "reserved" else None)
    rows = ask.cut(list(facts.values()))
    yield "<tr><th>实例类型</th><th>规格族</th><th>1个月</th><th>1年</th><th>3年</th></tr>"
    for index, fact in enumerate(rows):
        first = f'<td rowspan="{len(rows)}">GPU型</td>' if index == 0 else ""
        cells = f'<td>{escape(fact.sku)}</td><td align="right">{fact.amount_low}</td>'
        yield f'<tr>{first}{cells}<td align="right">--</td><td align="right">--</td></tr>'


def voucher(ask: Ask) -> Answer:
    """Instance vouchers: the unit stands in the heading, not in the table."""
    body = (
        "<h1>实例抵扣券价格（单位：元/计算力/月，1计算力=1张GPU卡）</h1>"
        f"<p class='update'>最近更新：{updated(ask)}年</p>"
        f'<p>以下价格适用于全部地域。</p><table border="1">{"".join(voucher_rows(ask))}</table>'
    )
    return html_answer(page("实例抵扣券价格 - 京东云文档", body))


def index(ask: Ask) -> Answer:
    """The entry of the documents, with links to both."""
    links = f'<a href="{OVERVIEW}">价格总览</a> <a href="{VOUCHER}">实例抵扣券价格</a>'
    return html_answer(page("云主机 - 京东云文档", f"<h1>云主机</h1>{links}"))


SITE = Site(
    slug="jdcloud",
    name="京东云",
    origins={ORIGIN: (Route("/", index), Route(OVERVIEW, overview), Route(VOUCHER, voucher))},
    swaps={
        "changed_field": (("按配置（元/小时）", "按量（元/小时）"), ("规格族", "类型")),
        "changed_header": (("包年包月（元/月）", "包月价（元/月）"),),
        "changed_unit": (("按配置（元/小时）", "按配置（元/天）"), ("元/计算力/月", "元/计算力/年")),
    },
)
