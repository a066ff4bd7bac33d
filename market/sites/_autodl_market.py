"""AutoDL's market API behind a token: hosts, their paging quirks, stock per model. All rows are `rebuilt
sample`.

Measured habits of the real back end that are kept: HTTP 200 on auth failure with two texts, `page_size`
clamped to 100, a page past the end repeats the last one, the order moves between pages of a first sweep
(one row vanishes, another is seen twice), regions in three namespaces, money in 1/1000 yuan, memory in
bytes, member price floored per card. Base prices are the home page's list prices; monthly 4090 and 4090D
are dated facts of 2026-10-04.
"""

from __future__ import annotations

from typing import Any

from market.site import Answer, Ask, digest, json_answer, pick

TEST_TOKEN = "market-test-token"
GIB = 1 << 30
PAGE_MAX = 100
MODES = {"payg": 1, "daily": 24, "weekly": 168, "monthly": 720, "yearly": 8640}
OFF = {
    "payg": 100,
    "daily": 88,
    "weekly": 85,
    "monthly": 73,
    "yearly": 62,
}  # rebuilt sample, per cent of payg

# (display name, market sign, data centre, hosts): names of 2026; two signs share 西北B区.
REGIONS = (
    ("西北B区", "west-B", "westDC3", 66),
    ("西北B区", "west-C", "westDC3", 31),
    ("北京B区", "beijing-B", "beijingDC2", 40),
    ("北京A区", "beijing-A", "beijingDC1", 18),
    ("L20专区", "beijing-D", "beijingDC4", 12),
    ("V100专区", "beijing-C", "beijingDC3", 11),
    ("内蒙A区", "neimeng-A", "neimengDC1", 12),
    ("内蒙B区", "neimeng-B", "neimengDC3", 23),
    ("佛山区", "foshan-A", "foshanDC1", 9),
    ("重庆A区", "chongqing-A", "chongqingDC1", 17),
    ("3090专区", "yangzhou-A", "yangzhouDC1", 14),
    ("A800专区", "nm-A1", "neimengDC1", 6),
)
# API name → (GiB, the home page's name whose list price it follows)
MODELS: dict[str, tuple[int, str]] = {
    "RTX 4090": (24, "RTX 4090"),
    "RTX 4090D": (24, "RTX 4090D"),
    "RTX 5090": (32, "RTX 5090"),
    "RTX 5090 D": (32, "RTX 5090"),
    "RTX 3090": (24, "RTX 3090"),
    "vGPU-32GB": (32, "RTX 4090"),
    "vGPU-48GB": (48, "RTX 4090"),
    "RTX PRO 6000": (96, "RTX PRO 6000"),
    "V100-32GB": (32, "V100"),
    "L20": (48, "L20"),
    "A800-80GB": (80, "A800-80GB"),
    "A800-80GB-NVLink": (80, "A800-80GB"),
    "A100-PCIE-40GB": (40, "A100 SXM4"),
    "A100-SXM4-80GB": (80, "A100 SXM4"),
    "H800": (80, "H800"),
    "H20-NVLink": (96, "H20"),
    "A40": (48, "A40"),
    "RTX A4000": (16, "RTX A4000"),
    "RTX 3080 Ti": (12, "RTX 3080 Ti"),
    "RTX 2080 Ti": (11, "RTX 2080 Ti"),
    "MTT S4000": (48, "MTT S4000"),
    "Ascend 910B2": (64, "Ascend 910B2"),
    "RTX 6000D": (84, "RTX PRO 6000"),
}
MIX = {  # which models stand in which data centre; the first of a line is the commonest
    "westDC3": "RTX 4090,RTX 5090,vGPU-32GB,RTX 4090D,RTX PRO 6000,vGPU-48GB,CPU",
    "beijingDC2": "RTX 4090,RTX 5090,RTX 4090D,RTX PRO 6000,vGPU-48GB,H800",
    "beijingDC1": "RTX 3090,RTX A4000,A40,CPU",
    "beijingDC4": "L20,A100-SXM4-80GB",
    "beijingDC3": "V100-32GB,RTX 2080 Ti",
    "neimengDC1": "A800-80GB,A800-80GB-NVLink",
    "neimengDC3": "RTX 4090,RTX 5090 D,RTX 6000D,A100-PCIE-40GB",
    "foshanDC1": "RTX 3080 Ti,RTX 4090,MTT S4000",
    "chongqingDC1": "RTX 4090D,RTX 4090,H20-NVLink,Ascend 910B2",
    "yangzhouDC1": "RTX 3090",
}
NO_LOGIN = "登录超时，请重新登录"
BAD_LOGIN = "登录失败，请重试"


def envelope(data: Any, code: str = "Success", msg: str = "") -> Answer:
    """The envelope of every answer; HTTP 200 whatever `code` says."""
    body = {"code": code, "msg": msg, "data": data, "request_id": f"req-{digest(code, msg, data)}"}
    return json_answer(body, headers={"Access-Control-Allow-Origin": "*"})


def refused(ask: Ask) -> Answer | None:
    """The answer to a request without the bare token, None when it may pass."""
    given = ask.header("Authorization")
    if given == TEST_TOKEN:
        return None
    late = not given or given.startswith("Bearer ")
    return envelope(None, "AuthorizeFailed", NO_LOGIN if late else BAD_LOGIN)


def member(milli: int, rate: int) -> int:
    """A level's price in milli-yuan: floored per card."""
    return milli * rate // 100


def base_price(model: str, listed: dict[str, int]) -> int | None:
    """Milli-yuan per card-hour of a model, from the home page's list."""
    if model == "CPU":
        return 300
    return listed.get(MODELS[model][1])


def sku(mode: str, milli: int, model: str) -> dict[str, Any]:
    """One entry of `machine_sku_info`; `origin_price` is 0 as often seen."""
    price = milli * MODES[mode] * OFF[mode] // 100
    if mode == "monthly":
        price = {"RTX 4090": 1_052_000, "RTX 4090D": 946_000}.get(model, price)
    rate = 75 if model == "RTX PRO 6000" and mode == "payg" else 95
    levels = [
        {"level": "normal", "discount": 100, "discounted_price": price},
        {"level": "member", "discount": rate, "discounted_price": member(price, rate)},
    ]
    return {
        "type": mode,
        "origin_price": 0,
        "current_price": price,
        "level_config": levels if mode != "yearly" else [],
    }


def machine(name: str, sign: str, model: str, number: int, milli: int) -> dict[str, Any]:
    """One host as `data.list[]` has it."""
    key = (sign, model, number)
    cards = 0 if model == "CPU" else 4 if pick(6, "n", *key) == 0 else 8
    idle = pick(cards + 1, "idle", *key)
    slots = 16
    full = pick(11, "full", *key) == 0
    memory = 0 if model == "CPU" else MODELS[model][0] * GIB
    chip = {"CPU": "cpu", "MTT S4000": "mthreads", "Ascend 910B2": "ascend"}.get(model, "nvidia")
    return {
        "machine_id": digest(*key),
        "machine_name": f"agent-203-0-113-{pick(250, *key) + 1}",
        "machine_alias": f"{number + 1:03d}机",
        "region_name": name,
        "region_sign": sign,
        "gpu_name": model,
        "gpu_memory": memory,
        "gpu_number": cards,
        "gpu_idle_num": idle,
        "gpu_order_num": 0 if full else idle,
        "chip_corp": chip,
        "cpu_per_gpu": 16,
        "mem_per_gpu": 90 * GIB,
        "highest_cuda_version": "12.8" if "5090" in model or "6000" in model else "12.2",
        "driver_version": "580.105.08",
        "max_data_disk_expand_size": 2000 * GIB,
        "max_instance_num": slots,
        "binding_instance_num": slots if pick(17, "slots", *key) == 0 else pick(slots, "bind", *key),
        "payg": True,
        "payg_price": milli,
        "machine_base_info": {"kernel_version": "5.15.0-88"},
        "machine_sku_info": [
            sku(mode, milli, model) for mode in MODES if mode != "yearly" or number % 3 == 0
        ],
        "machine_tag_name": ["缓存优化"] if number % 5 == 0 else [],
        "rent_deadline": "2027-08-01",
    }


def machines(ask: Ask, listed: dict[str, int]) -> list[dict[str, Any]]:
    """All hosts; empty without samples or before the home page has list prices."""
    rows = []
    for name, sign, centre, hosts in REGIONS if ask.samples else ():
        mix = MIX[centre].split(",")
        for number in range(hosts):
            model = mix[min(pick(2 * len(mix), sign, number), len(mix) - 1) if number >= len(mix) else number]
            milli = base_price(model, listed)
            if milli is not None:
                rows.append(machine(name, sign, model, number, milli))
    return rows


def wanted(row: dict[str, Any], body: dict[str, Any]) -> bool:
    """The request's filters; empty ones select all."""
    signs = [
        *(body.get("region_sign_list") or []),
        *([body["region_sign"]] if body.get("region_sign") else []),
    ]
    mode = body.get("charge_type", "payg")
    return (
        (not signs or row["region_sign"] in signs)
        and (not body.get("gpu_type_name") or row["gpu_name"] in body["gpu_type_name"])
        and row["gpu_idle_num"] >= int(body.get("gpu_idle_num") or 0)
        and any(entry["type"] == mode for entry in row["machine_sku_info"])
    )


def unsteady(ask: Ask, rows: list[dict[str, Any]], key: str, page: int) -> list[dict[str, Any]]:
    """The order of this page: after page 1 of a first sweep, a row of page 2 has moved to the front."""
    sweeps: dict[str, int] = ask.state.setdefault("sweeps", {})
    if page == 1:
        sweeps[key] = sweeps.get(key, 0) + 1
    moved = PAGE_MAX + 7
    if (page == 1 and sweeps[key] == 1) or len(rows) <= moved:
        return rows
    return [rows[moved], *rows[:moved], *rows[moved + 1 :]]


def search(ask: Ask, listed: dict[str, int]) -> Answer:
    """A4 and A5: the paged host list of one `charge_type`."""
    if no := refused(ask):
        return no
    body = ask.json()
    if not isinstance(body, dict) or body.get("charge_type", "payg") not in MODES:
        return envelope(None, "RequestParameterIsWrong", "请求参数错误")
    rows = sorted(
        (r for r in machines(ask, listed) if wanted(r, body)), key=lambda r: digest("order", r["machine_id"])
    )
    size = min(PAGE_MAX, max(1, int(body.get("page_size") or 10)))
    last = max(1, -(-len(rows) // size))
    asked = max(1, int(body.get("page_index") or 1))
    page = min(asked, last)
    key = digest({k: v for k, v in body.items() if k != "page_index"})
    rows = unsteady(ask, rows, key, page)
    start = (page - 1) * size
    data = {
        "page_index": asked,
        "page_size": size,
        "offset": start,
        "max_page": last,
        "result_total": len(rows),
    }
    return envelope(data | {"list": ask.cut(rows[start : start + size])})


def stock(ask: Ask, rows: list[dict[str, Any]], full: bool = False) -> Answer:
    """A3 and A11/A12: a list of one-key objects; an unknown region gives an empty success."""
    found: dict[str, dict[str, Any]] = {}
    for row in rows:
        entry = found.setdefault(row["gpu_name"], {"idle_gpu_num": 0, "total_gpu_num": 0})
        entry["idle_gpu_num"] += row["gpu_idle_num"]
        entry["total_gpu_num"] += row["gpu_number"]
        if full:
            entry |= {"chip_corp": row["chip_corp"], "cpu_arch": "x86"}
    return envelope([{name: entry} for name, entry in ask.cut(list(found.items()))])
