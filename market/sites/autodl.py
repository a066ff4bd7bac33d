"""AutoDL: a home page whose prices live in a hashed bundle, two public lists, and the market behind a
token.

Rebuilt after a bundle survey of 2026-09-24, clones of the page, and API clients of 2023-2026. Public:
home page, `region/list`, `machine/gpu_type`, `aiserver`; everything else answers HTTP 200 with
`AuthorizeFailed`. The member tab is shown first. Real: list prices of 2026-09-24, member prices of
2026-03-28 and 2026-08-18 (their list prices are not known: the other tab then shows `￥-.--`). Member
prices beside a list price are computed as the page does (95 % floored to 1/1000 yuan, shown half-up).
The market's hosts are `rebuilt sample` (`_autodl_market`).
"""

from __future__ import annotations

from collections import Counter
from decimal import Decimal

from market.facts import Fact, market_day, provider_facts
from market.site import Answer, Ask, Route, Site, digest, html_answer, js_answer, js_json, page, script
from market.sites import _autodl_market as host_market

WWW = "https://www.autodl.com"
SNAPSHOT_MIN = 10  # a day with at least so many national prices is a reading of the whole table

TITLES = {  # survey's name → (name in our tables, title on the page)
    "3080Ti": "RTX 3080 Ti",
    "A4000": "RTX A4000",
    "2080Ti": "RTX 2080 Ti",
    "3090": "RTX 3090",
    "4090": "RTX 4090",
    "5090": "RTX 5090",
    "PRO 6000": "RTX PRO 6000",
    "A800-80GB": "A800",
    "H800 SXM": "H800",
    "A100": "A100 PCIE",
    "A100 40G": "A100 PCIE",
}
HALF = {
    "H800": "989",
    "A100 SXM4": "312",
    "A100 PCIE": "312",
    "NVIDIA RTX 4090": "165.2",
    "A40": "150",
    "V100": "125",
}


def title(card: str) -> str:
    """The page's name of a card: vendor prefix on GeForce and RTX A cards, none on the others."""
    name = TITLES.get(card, card)
    if name == "RTX PRO 6000":
        return "PRO 6000"
    return f"NVIDIA {name}" if name.startswith("RTX ") else name


def snapshot(ask: Ask) -> list[Fact]:
    """The facts of the last day on which the whole table was read."""
    today = market_day(ask.now)
    usable = [
        f
        for f in provider_facts("autodl")
        if f.scope == "national"
        and f.mode == "on_demand"
        and f.price_kind in {"list", "member"}
        and f.amount_low == f.amount_high
        and f.since <= today
    ]
    days = Counter(f.since for f in usable)
    last = max((day for day, count in days.items() if count >= SNAPSHOT_MIN), default=None)
    return [f for f in usable if f.since == last]


def listed(ask: Ask) -> dict[str, int]:
    """List price in milli-yuan by the survey's card name; empty while only member prices are known."""
    return {f.card_raw: int(f.amount * 1000) for f in snapshot(ask) if f.price_kind == "list"}


def price_list(ask: Ask) -> str:
    """The bundle's table, a minified JavaScript array."""
    rows = []
    for fact in ask.cut(sorted(snapshot(ask), key=lambda f: f.amount)):
        amount = f"{Decimal(fact.amount_low).normalize():f}"
        own, other = (amount, "null") if fact.price_kind == "list" else ("null", amount)
        half = HALF.get(title(fact.card_raw), "")
        # The 75 % of the PRO 6000 was live in August 2026 (only its member price of that day is known).
        rate = 75 if fact.price_kind == "member" and title(fact.card_raw) == "PRO 6000" else 95
        single = "82.58" if title(fact.card_raw) == "NVIDIA RTX 4090" else ""
        rows.append(
            f"{{gpuName:{js_json(title(fact.card_raw))},memory:{js_json(fact.vram_gb + 'GB')},"
            f"single:{js_json(single)},half:{js_json(half)},originalPrice:{own},memberPrice:{other},discount:{rate}}}"
        )
    return "[" + ",".join(rows) + "]"


def bundles(ask: Ask) -> dict[str, str]:
    """Name → text of the two scripts; names carry a hash of what they hold, so a release renames them."""
    service = 'window.SERVICE={"FeConfig":"https://fe-config-backend.autodl.com","base":"/api/v1"};\n'
    index = script("autodl_home.js").replace("[/* PRICES */]", price_list(ask))
    texts = {"service-code": service, "index": index}
    return {f"{stem}.{digest(text, length=8)}.js": text for stem, text in texts.items()}


def home(ask: Ask) -> Answer:
    """`/` and `/home`: an entry page without a word of text."""
    tags = "".join(f'<script defer src="/assets/{name}"></script>\n' for name in bundles(ask))
    return html_answer(page("AutoDL算力云 | 弹性、好用、省钱", '<div id="app"></div>', tags))


def bundle(ask: Ask) -> Answer:
    """A script of the current release; older names are gone."""
    text = bundles(ask).get(ask.match["name"])
    return js_answer(text) if text is not None else html_answer(page("404", "<h1>404</h1>"), status=404)


def region_list(ask: Ask) -> Answer:
    """A1, public."""
    rows = [{"region_name": name, "region_sign": sign} for name, sign, _, _ in host_market.REGIONS]
    return host_market.envelope(ask.cut(rows))


def gpu_type(ask: Ask) -> Answer:
    """A2, public: names and memory in bytes, no price."""
    rows = [
        {"gpu_name": name, "gpu_memory": gib * host_market.GIB}
        for name, (gib, _) in host_market.MODELS.items()
    ]
    return host_market.envelope(ask.cut([*rows, {"gpu_name": "CPU", "gpu_memory": 0}]))


def region_tag(ask: Ask) -> Answer:
    """A9: regions grouped by name, `region_sign` is an array here."""
    grouped: dict[tuple[str, str], list[str]] = {}
    for name, sign, centre, _ in host_market.REGIONS:
        grouped.setdefault((name, centre), []).append(sign)
    rows = [
        {
            "region_sign": signs,
            "region_name": name,
            "data_center": centre,
            "visible": "all",
            "used_for": "all",
            "setting": {"clone_instance": True},
            "clone_instance": True,
            "tag_name": "",
            "tag_color": "#FF0000",
        }
        for (name, centre), signs in grouped.items()
    ]
    return host_market.envelope(ask.cut(rows))


def region_stock(ask: Ask) -> Answer:
    """A3: stock per model of some regions."""
    body = ask.json() or {}
    rows = [r for r in host_market.machines(ask, listed(ask)) if host_market.wanted(r, body)]
    return host_market.refused(ask) or host_market.stock(ask, rows)


def dev_stock(ask: Ask) -> Answer:
    """A11/A12: regions are data-centre names here; anything else is an empty success."""
    centre = (ask.json() or {}).get("region_sign") if ask.method == "POST" else None
    signs = {sign for _, sign, dc, _ in host_market.REGIONS if centre in {None, dc}}
    rows = [r for r in host_market.machines(ask, listed(ask)) if r["region_sign"] in signs]
    return host_market.refused(ask) or host_market.stock(ask, rows, full=True)


def detail(ask: Ask) -> Answer:
    """A6: one machine (the shape of the answer is not documented; the list's row is used)."""
    wanted = (ask.json() or {}).get("machine_id") or ask.query("machine_id")
    rows = {r["machine_id"]: r for r in host_market.machines(ask, listed(ask))}
    if no := host_market.refused(ask):
        return no
    found = rows.get(str(wanted))
    return (
        host_market.envelope(found)
        if found
        else host_market.envelope(None, "RequestParameterIsWrong", "请求参数错误")
    )


def own_instances(ask: Ask) -> Answer:
    """The account's own instances: an answer that shows secrets and must never be kept."""
    row = {
        "uuid": "a1b2c3d4e5-0f0f0f0f",
        "ssh_command": "ssh -p 10022 root@region.example",
        "root_password": "not-real",
        "jupyter_token": "not-real",
        "payg_price": 1881,
        "region_name": "西北B区",
    }
    return host_market.refused(ask) or host_market.envelope({"list": [row], "result_total": 1})


def server_goods(ask: Ask) -> Answer:
    """A10, public: whole servers for *sale*, not for rent."""
    return host_market.envelope([{"name": "AI服务器 8×RTX 4090", "price": 268000, "unit": "元/台"}])


def price_docs(ask: Ask) -> Answer:
    """A18: the price page of the documentation names no card price."""
    body = "<h1>计费说明</h1><p>各型号GPU的价格请以官网及控制台展示为准。</p><p>无卡模式开机 ¥0.1/时。</p>"
    return html_answer(page("计费方式 - AutoDL帮助文档", body))


def order_preview(ask: Ask) -> Answer:
    """A7 and the account's other routes: closed without a token, their answers are not documented."""
    return host_market.refused(ask) or host_market.envelope(None, "RequestParameterIsWrong", "请求参数错误")


def search(ask: Ask) -> Answer:
    """A4/A5."""
    return host_market.search(ask, listed(ask))


API = (
    Route("/api/v1/region/list", region_list),
    Route("/api/v1/machine/gpu_type", gpu_type),
    Route("/api/v1/machine/search", search, "POST"),
    Route("/api/v1/user/machine/list", search, "POST"),
    Route("/api/v1/machine/region/gpu_type", region_stock, "POST"),
    Route("/api/v1/machine/detail", detail, "GET POST"),
    Route("/api/v1/dev/machine/region/gpu_stock", dev_stock, "POST"),
    Route("/api/v1/dev/machine/gpu_stock", dev_stock, "GET"),
    Route("/api/v1/instance", own_instances, "POST"),
    Route("/api/v1/order/price/preview", order_preview, "POST"),
    Route("/api/v1/wallet", order_preview),
    Route("/api/v1/user/member/detail", order_preview),
    Route("/docs/price/", price_docs),
)

SITE = Site(
    slug="autodl",
    name="AutoDL",
    origins={
        WWW: (Route("/", home), Route("/home", home), Route("/assets/{name}", bundle), *API),
        "https://api.autodl.com": API,
        "https://fe-config-backend.autodl.com": (
            Route("/api/v1/autodl/region/tag", region_tag),
            Route("/api/v1/autodl/aiserver", server_goods),
        ),
    },
    robots="User-agent: *\nDisallow: /console\n",
    swaps={
        "changed_field": (
            ("originalPrice", "listPrice"),
            ("payg_price", "price_payg"),
            ("gpu-price", "gpu-cost"),
        ),
        "changed_unit": (("/时", "/天"),),
    },
)
