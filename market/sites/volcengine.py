"""Volcengine: the anonymous pricing portal (template discovery, GetTable, ListTemplate).

Rebuilt after two key-less clients, live-tested 2026-06-03. Real: only the CPU fixture g3i.large (month
and year); no GPU price is public, so all other amounts are `rebuilt sample`. Kept traps: template codes
differ by product and must be discovered (only the entry with Type 1 and a table counts), `Template` is a
JSON *string* and `AvailableZone` inside it another one, the region is what follows the last `_` of the
charge code, hours and months are two lists.
"""

from __future__ import annotations

import json
from typing import Any, NamedTuple

from market.site import Answer, Ask, Route, Site, digest, html_answer, js_json, json_answer, page

ORIGIN = "https://www.volcengine.com"


class Machine(NamedTuple):
    """One configuration: size, card, yuan per hour and month, regions."""

    product: str
    size: str
    vcpu: int
    ram: int
    card: str
    hour: str
    month: str
    regions: str
    real: bool = False


MACHINES = (
    Machine("ECS", "g3i.large", 2, 8, "", "", "253.38", "cn-beijing", real=True),
    Machine("ECS", "c3i.xlarge", 4, 8, "", "0.91", "437.00", "cn-beijing cn-shanghai"),
    Machine(
        "GPU_Server",
        "gni2.3xlarge",
        14,
        56,
        "NVIDIA-A10",
        "12.60",
        "6048.00",
        "cn-beijing cn-shanghai cn-guangzhou",
    ),
    Machine(
        "GPU_Server", "pni2.3xlarge", 14, 245, "NVIDIA-A100", "34.50", "16560.00", "cn-beijing cn-beijing2"
    ),
    Machine("GPU_Server", "g1ie.4xlarge", 16, 64, "NVIDIA-T4", "8.10", "3888.00", "cn-guangzhou"),
    Machine("GPU_Server", "vgn2i.xlarge", 4, 14, "NVIDIA-A10", "3.90", "1872.00", "cn-shanghai"),
    Machine("HPC_GPU", "hpcpni2.28xlarge", 112, 1960, "NVIDIA-A100", "290.00", "139200.00", "cn-beijing2"),
)
PRODUCTS = ("ECS", "GPU_Server", "HPC_GPU", "ECS_BareMetal")


def template_code(product: str) -> str:
    """The template of a product: made up, to be discovered."""
    return f"CLT{int(digest('template', product, length=14), 16) % 10**19:019d}"


def shown(ask: Ask, product: str) -> list[Machine]:
    """The product's machines; only the real CPU fixture without samples."""
    return [m for m in MACHINES if m.product == product and (ask.samples or m.real)]


def pricing_page(ask: Ask) -> Answer:
    """`/pricing`: HTML for people, the page's data with the loader parameters."""
    product = ask.query("product", "ECS")
    if not ask.query("__loader"):
        return html_answer(page("价格 - 火山引擎", '<div id="root"></div>'))
    known = product in PRODUCTS
    tables = [f"TBL{digest(product)}"] if known and product != "ECS_BareMetal" else []
    infos = [
        {"Type": 2, "Name": "计费说明", "TemplateCode": f"CLT{'9' * 19}", "TableCodeList": []},
        {"Type": 1, "Name": "规格价格", "TemplateCode": template_code(product), "TableCodeList": tables},
    ]
    info = {"Product": product, "TemplateInfoList": ask.cut(infos) if known else []}
    return json_answer({"activeProductInfo": info})


def code(machine: Machine, mode: str) -> str:
    """`ecs.g3i.large.month`."""
    return f"ecs.{machine.size}.{mode}"


def table_rows(ask: Ask, product: str, period: str) -> list[dict[str, Any]]:
    """`Rows` of GetTable: a row per configuration, mode and region."""
    rows = []
    for machine in shown(ask, product):
        charge = f"ecs.{machine.size.replace('.', '_')}"
        for region in machine.regions.split():
            for mode, name, amount in (("hour", "hourly", machine.hour), ("month", "monthly", machine.month)):
                if not amount or (period and period != name):
                    continue
                prices = [{"Period": name, "Times": 1, "Price": amount}]
                if mode == "month":
                    # 1915.55 is the real year of the fixture; the others are samples in its proportion.
                    year = "1915.55" if machine.real else f"{float(amount) * 7.56:.2f}"
                    prices.append({"Period": name, "Times": 12, "Price": year})
                rows.append(
                    {
                        "Product": product,
                        "ConfigurationCode": code(machine, mode),
                        "ChargeItemCode": f"{charge}_{region}",
                        "PriceInfoList": prices,
                    }
                )
    return rows


def leaf(machine: Machine, region: str, mode: str) -> dict[str, Any]:
    """One configuration in the template's tree."""
    abilities = [("vcpu", str(machine.vcpu)), ("memory", str(machine.ram))]
    abilities += [("processor", machine.card)] if machine.card else []
    return {
        "Product": machine.product,
        "ConfigurationCode": code(machine, mode),
        "Region": region,
        "AvailableZone": js_json([{"ZoneCode": f"{region}-{letter}"} for letter in "ab"]),
        "BillingMethod": f"configuration_{'hourly' if mode == 'hour' else 'monthly'}",
        "PayType": "post" if mode == "hour" else "pre",
        "AbilityAttrs": [{"Ability": name, "Value": value} for name, value in abilities],
    }


def template(ask: Ask, product: str) -> str:
    """The tree, as the string the API wraps it in."""
    leaves: dict[str, list[dict[str, Any]]] = {}
    for machine in shown(ask, product):
        for region in machine.regions.split():
            for mode, amount in (("hour", machine.hour), ("month", machine.month)):
                if amount:
                    leaves.setdefault(region, []).append(leaf(machine, region, mode))
    tree = {"Product": product, "Children": [{"Region": r, "Children": nodes} for r, nodes in leaves.items()]}
    return json.dumps(tree, ensure_ascii=False)


def error(text: str) -> Answer:
    """The portal's error envelope."""
    return json_answer(
        {"ResponseMetadata": {"Error": {"Code": "InvalidParameter", "Message": text}}}, status=400
    )


def trade_price(ask: Ask) -> Answer:
    """`/anonymous-api/trade/price`: Action GetTable (POST) and ListTemplate (GET)."""
    action, body = ask.query("Action"), ask.json()
    wanted = ask.query("TemplateCode") or (body.get("TemplateCode") if isinstance(body, dict) else "")
    product = next((p for p in PRODUCTS if template_code(p) == wanted), None)
    if ask.query("Version") != "2020-01-01" or product is None:
        return error("TemplateCode or Version is invalid")
    if action == "GetTable" and ask.method == "POST":
        rows = table_rows(ask, product, ask.query("period"))
        return json_answer(
            {"ResponseMetadata": {"Action": action}, "Result": {"TableList": [{"Rows": ask.cut(rows)}]}}
        )
    if action == "ListTemplate" and ask.method == "GET":
        listed = [{"TemplateCode": wanted, "Template": template(ask, product)}]
        return json_answer({"ResponseMetadata": {"Action": action}, "Result": {"List": listed}})
    return error(f"Action {action} is invalid")


SITE = Site(
    slug="volcengine",
    name="火山引擎",
    origins={
        ORIGIN: (
            Route("/pricing", pricing_page),
            Route("/anonymous-api/trade/price", trade_price, "GET POST"),
        ),
    },
    swaps={
        "changed_field": (('"Price":', '"Amount":'), ('"TemplateInfoList"', '"Templates"')),
        "changed_unit": (
            ('"Period":"hourly"', '"Period":"minutely"'),
            ('"Period":"monthly"', '"Period":"weekly"'),
        ),
    },
)
