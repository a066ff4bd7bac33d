"""CTyun 天翼云: the GPU price document (one HTML table in GBK) and the anonymous price call of the
console.

Rebuilt after two public transcriptions of document 10029787/10047957, dated captures of 2026-07/08 and a
multi-cloud document search: hour = month / 480 on every row but pn8r, whose hourly value looks 10 yuan a
card too high; no region on the page; discount rules in prose. Real: families, cards, both prices. Made
up: the two bundles that tell the half-card g5 rows apart, and (`rebuilt sample`) which region sells what
in the console's answers.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from html import escape
from itertools import groupby
from typing import NamedTuple

from market.facts import Fact, latest, market_day, provider_facts
from market.site import Answer, Ask, Route, Site, digest, html_answer, json_answer

DOCUMENT = "/document/10029787/10047957"
HEAD = ("规格名称", "vCPU", "内存", "显存", "显卡数", "显卡类型", "按需价格（元/小时）", "价格（元/月）")

# What the page calls a family's card, and GB of one whole card.
CARDS: dict[str, tuple[str, int | None]] = {
    "pi2": ("NVIDIA T4", 16),
    "pi7": ("NVIDIA A10", 24),
    "g7": ("NVIDIA A10", 24),
    "g6": ("NVIDIA T4", 16),
    "g5": ("NVIDIA V100", 32),
    "g5s": ("NVIDIA V100S", 32),
    "p2v": ("NVIDIA V100", 32),
    "p2vs": ("NVIDIA V100S", 32),
    "p8a": ("NVIDIA A100", 40),
    "p8av": ("NVIDIA A100 NVLink", 40),
    "pn8i": ("NVIDIA L20", 48),
    "pn8s": ("NVIDIA L40S", 48),
    "pn8r": ("NVIDIA 24GB", 24),
    "pak3": ("昇腾910B", None),
    "pak2": ("Atlas 300I Duo", None),
    "pak1": ("Atlas 300I Pro", None),
    "pch1": ("MLU370-S4", None),
}
BUNDLES = {"smaller": ("8", "32GB"), "larger": ("16", "64GB")}  # made up, see above
REGIONS = ("华东1", "华北2", "西南1", "西南2-贵州", "呼和浩特3", "庆阳2")
SOLD: dict[str, tuple[str, ...]] = {  # rebuilt sample
    "华东1": ("pi2", "pi7", "p8a", "pn8i", "pak3"),
    "华北2": ("pi2", "p2v", "p8av", "pn8s"),
    "西南2-贵州": ("pi7", "pn8i", "pak3", "pch1"),
    "呼和浩特3": ("p8a", "pn8r", "pak3"),
}


class Row(NamedTuple):
    """One line of the document: a spec with both prices (— where one is missing)."""

    spec: str
    vcpu: str
    ram: str
    vram: str
    number: str
    card: str
    hour: str
    month: str


def count_text(cards: str) -> str:
    """`0.0625` as `1/16`, whole cards as they are."""
    return str(Fraction(cards).limit_denominator(16))


def rows(ask: Ask) -> list[Row]:
    """The document's lines at the market's clock, families in the order of the source."""
    found = latest(
        provider_facts("ctyun"),
        ask.now,
        lambda f: (
            (f.sku, f.cards, f.note if "host size" in f.note else "", f.mode)
            if f.fact_id.startswith("CTY-")
            else None
        ),
    )
    pairs: dict[tuple[str, str, str], dict[str, Fact]] = {}
    for fact in found.values():
        size = next((word for word in BUNDLES if word in fact.note), "")
        for sku in fact.sku.split("/"):
            pairs.setdefault((sku, fact.cards, size), {})[fact.mode] = fact
    return sorted(
        (row(*key, pair) for key, pair in pairs.items()), key=lambda r: list(CARDS).index(family(r.spec))
    )


def family(spec: str) -> str:
    """`pch1.21xlarge.3` → `pch1`."""
    return spec.partition(".")[0]


def row(sku: str, cards: str, size: str, pair: dict[str, Fact]) -> Row:
    """One line from the hourly and the monthly fact of a spec."""
    name, whole = CARDS[family(sku)]
    share = min(Fraction(cards).limit_denominator(16), Fraction(1))
    vram = f"{whole * share}GB" if whole else "-"
    vcpu, ram = BUNDLES.get(size, ("-", "-"))
    hour, month = (pair[m].amount_low if m in pair else "—" for m in ("on_demand", "monthly"))
    return Row(sku, vcpu, ram, vram, count_text(cards), name, hour, month)


def table(lines: list[Row]) -> Iterator[str]:
    """The table's rows; the spec cell of one family spans its lines."""
    yield "<tr>" + "".join(f"<th>{escape(h)}</th>" for h in HEAD) + "</tr>"
    for spec, group in groupby(lines, key=lambda r: r.spec):
        members = list(group)
        for index, line in enumerate(members):
            span = f' rowspan="{len(members)}"' if len(members) > 1 else ""
            first = f"<td{span}>{escape(spec)}</td>" if index == 0 else ""
            yield "<tr>" + first + "".join(f"<td>{escape(c)}</td>" for c in line[1:]) + "</tr>"


def updated(ask: Ask) -> str:
    """The day of the newest fact that the page shows."""
    today = market_day(ask.now)
    return max((f.since for f in provider_facts("ctyun") if f.since <= today), default=today).isoformat()


def document(ask: Ask) -> Answer:
    """The price document: GBK bytes, no charset in the header, the charset in a meta tag."""
    body = (
        '<div class="doc-nav">产品文档 &gt; GPU云主机 &gt; 计费说明</div><h1>GPU云主机产品价格</h1>'
        f"<p>更新时间：{updated(ask)}</p>"
        f'<div class="doc-content"><table border="1">{"".join(table(ask.cut(rows(ask))))}</table>'
        "<h2>优惠说明</h2><p>计算加速型、图形加速基础型（NVIDIA）一次性付费1年享8.5折，2年享7折，3年享5折；"
        "国产加速卡1-3年享8.5折。L20、L40S及pn8r规格不参与折扣。云硬盘、弹性IP另行计费。</p></div>"
    )
    text = (
        '<!DOCTYPE html>\n<html>\n<head>\n<meta http-equiv="Content-Type" content="text/html; charset=gbk">\n'
        f"<title>GPU云主机产品价格-天翼云</title>\n</head>\n<body>\n{body}\n</body>\n</html>\n"
    )
    return html_answer(text, "gbk", "text/html")


def visitor(ask: Ask) -> Answer:
    """The menu call that hands any visitor the site cookie."""
    cookie = f"ct_tgc={digest('visitor', market_day(ask.now), length=32)}; Domain=.ctyun.cn; Path=/"
    return json_answer({"statusCode": 800, "returnObj": {"tree": []}}, headers={"Set-Cookie": cookie})


def region_list(ask: Ask) -> Answer:
    """Resource pools: `data.all[].list[]`."""
    pools = [{"id": digest("pool", name, length=32), "name": name, "isRegionV4": True} for name in REGIONS]
    return json_answer({"statusCode": 800, "data": {"all": [{"name": "全部", "list": ask.cut(pools)}]}})


def flavors(ask: Ask, region: str) -> list[tuple[str, Row]]:
    """`(flavor id, document line)` of what a pool sells; nothing without samples."""
    name = next((n for n in REGIONS if digest("pool", n, length=32) == region), "")
    sold = SOLD.get(name, ()) if ask.samples else ()
    return [
        (digest("flavor", region, *line, length=32), line) for line in rows(ask) if family(line.spec) in sold
    ]


def extend_data(ask: Ask) -> Answer:
    """Flavours of one pool; wants the visitor's cookie."""
    if not ask.cookie("ct_tgc"):
        return json_answer({"statusCode": 900, "message": "未登录或登录已过期"})
    specs = [
        {
            "spec_name": line.spec
            if "." in line.spec
            else f"{line.spec}.{2 ** int(Fraction(line.number) * 2)}xlarge.4",
            "flavor_id": uuid,
            "flavor_type": "GPU",
            "vcpu": 8 * int(Fraction(line.number)) or 4,
            "ram": 32 * int(Fraction(line.number)) or 16,
            "cpuinfo": "Intel(R) Xeon(R) Platinum",
        }
        for uuid, line in flavors(ask, ask.query("regionid"))
    ]
    return json_answer({"spec_list": ask.cut(specs)})


def query_new(ask: Ask) -> Answer:
    """Price of flavours: billMode 2 hourly, 1 for `cycleCnt` months."""
    body = ask.json()
    if not ask.cookie("ct_tgc") or not isinstance(body, dict):
        return json_answer({"statusCode": 900, "message": "未登录或登录已过期"})
    known = dict(flavors(ask, str(body.get("regionId"))))
    prices = []
    for wanted in body.get("flavorsInfo") or []:
        line = known.get(str(wanted.get("flavor_uuid")))
        text = "—" if line is None else line.hour if body.get("billMode") == 2 else line.month
        if text == "—" or (body.get("billMode") == 1 and body.get("cycleType") != "M"):
            return json_answer({"statusCode": 900, "message": "产品规格不存在或未定价"})
        amount = float(text) * (1 if body.get("billMode") == 2 else int(body.get("cycleCnt") or 1))
        item = {"resourceType": "VM", "finalPrice": amount}
        prices.append({"flavor_uuid": wanted["flavor_uuid"], "finalPrice": amount, "orderItemPrices": [item]})
    return json_answer({"statusCode": 800, "returnObj": {"subOrderPrices": prices}})


SITE = Site(
    slug="ctyun",
    name="天翼云",
    origins={
        "https://www.ctyun.cn": (
            Route(DOCUMENT, document),
            Route("/v1/portal/menu/GetTree", visitor),
            Route("/v2/portal/region/regionList", region_list),
        ),
        "https://console.ctyun.cn": (
            Route("/console/compute/ecm/ecs/serverextenddata/", extend_data),
            Route("/console/compute/api/proxyv3/querynew/", query_new, "POST"),
        ),
    },
    swaps={
        "changed_field": (("显卡类型", "加速卡"), ('"finalPrice"', '"payPrice"')),
        "changed_header": (("按需价格（元/小时）", "按量计费（元/小时）"),),
        "changed_unit": (("按需价格（元/小时）", "按需价格（元/天）"),),
    },
)
