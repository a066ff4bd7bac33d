"""The parts of Huawei's calculator answers: region menu, unit ids, free-text accelerators. No Scrapy here."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from spiders.shape import counted, get, text

API = "https://portal.huaweicloud.com/api/calculator/rest/cbc/portalcalculatornodeservice/v4/api"
_SIZE = re.compile(r"(?P<number>[\d.]+)\s*(?:BSSUNIT\.pluralUnit\.(?P<unit>\d+))?")
_MEMORY_UNITS = {"102": "GB", "21": "MB"}
_CARDS = re.compile(
    r"(?P<count>\d+(?:/\d+)?)\s*\*\s*(?P<card>[^/*]+?)\s*(?:/\s*(?:\d+\s*\*\s*)?(?P<vram>[\d.]+)\s*G[Bi]*)?",
    re.I,
)
_REGION = ("", "regionId", "id", "region", "code", "value")


def regions_of(menu: Any, service: str) -> Iterator[str]:
    """Mainland regions of a service: it stands in `menuInfos`, or one level down in `subCategoryLists`."""
    entries = [entry for entry in menu if isinstance(entry, dict)]
    inner = [one for entry in entries for one in entry.get("subCategoryLists") or () if isinstance(one, dict)]
    found = next((one for one in (*entries, *inner) if one.get("urlPath") == service), None)
    for region in get(found, "regionOnline/regionList") or ():
        code = next(filter(None, (text(region, name) for name in _REGION)), "")
        if code.startswith("cn-"):
            yield code


def accelerator(printed: str) -> dict[str, str]:
    """`2 * NVIDIA T4 / 2 * 16G` as listing fields; what is written in another way stays whole."""
    found = _CARDS.fullmatch(printed.strip())
    if found is None:
        return {"card_text": printed}
    vram = {"vram_text": found["vram"], "vram_unit": "GB"} if found["vram"] else {}
    return {"card_text": found["card"], **counted(found["count"]), **vram}


def bundle(cpu: str | None, memory: str | None) -> dict[str, str | None]:
    """vCPU and memory without their unit ids; a unit id that is not known leaves the memory open."""
    cores, size = _SIZE.fullmatch(cpu or ""), _SIZE.fullmatch(memory or "")
    unit = _MEMORY_UNITS.get(size["unit"] or "102") if size else None
    ram = {"ram_text": size["number"], "ram_unit": unit} if size and unit else {}
    return {"vcpu_text": cores["number"] if cores else None, **ram}


def exported(answer: Any) -> Iterator[tuple[str, str]]:
    """(`region/resourceSpecCode`, yuan an hour) of the export list, which has neither cards nor units."""
    for region, rows in answer.items() if isinstance(answer, dict) else ():
        for row in rows if isinstance(rows, list) else ():
            code, amount = text(row, "resourceSpecCode"), text(row, "ONDEMAND")
            if code and amount and re.fullmatch(r"[\d.]+", amount):
                yield f"{region}/{code}", amount


def way_of_paying(plan: Any) -> str:
    """`ONDEMAND`, `MONTHLY`, … ; a reserved instance has its kind of amount beside it (`RI perPrice`)."""
    mode = text(plan, "billingMode") or ""
    return f"{mode} {text(plan, 'originType')}" if mode == "RI" else mode
