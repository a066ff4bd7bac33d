"""The parts of Volcengine's pricing portal: templates, doubly encoded trees, charge codes. No Scrapy here."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from spiders.shape import get, loads, text

_TERM = re.compile(r"\.(?:hour|month|year)$")
_GPU_FAMILY = re.compile(r"(?:ecs\.)?(?:ebm|hpc)?(?:[a-z]ni\d|g1v\b|g1ie\b|g3ib|v?gn\d)")
_GPU_NAME = re.compile(r"NVIDIA|Tesla|昇腾|Ascend", re.I)


def template_of(answer: Any) -> tuple[bool, str]:
    """(does the page list templates at all, code of the one with the prices or ""): Type 1 and a table."""
    info = _inside(answer, "activeProductInfo")
    listed = get(info, "TemplateInfoList")
    if not isinstance(listed, list):
        return False, ""
    for entry in listed:
        if text(entry, "Type") == "1" and get(entry, "TableCodeList") and text(entry, "TemplateCode"):
            return True, text(entry, "TemplateCode") or ""
    return True, ""


def _inside(node: Any, name: str, depth: int = 6) -> Any:
    """The first value under this name, however deep the loader wraps it."""
    if isinstance(node, dict):
        if name in node:
            return node[name]
        return next((v for v in (_inside(n, name, depth - 1) for n in node.values() if depth) if v), None)
    return None


@dataclass(frozen=True, slots=True)
class Configuration:
    """What the template says of one configuration in one region."""

    code: str
    region: str
    abilities: Mapping[str, str] = field(default_factory=dict)
    zones: tuple[str, ...] = ()


def configurations(encoded: str) -> list[Configuration]:
    """The leaves of a template: a JSON string that holds a tree, in which zones are a JSON string again.

    A leaf takes what it does not say itself from the branches above it. ValueError for what is no JSON.
    """
    return list(_leaves(loads(encoded), {}))


def _leaves(node: Any, above: dict[str, Any]) -> Iterator[Configuration]:
    if isinstance(node, list):
        for entry in node:
            yield from _leaves(entry, above)
    elif isinstance(node, dict):
        known = above | {name: value for name, value in node.items() if not isinstance(value, (dict, list))}
        if text(node, "ConfigurationCode"):
            attrs = get(node, "AbilityAttrs")
            listed = attrs if isinstance(attrs, list) else []
            abilities = {text(a, "Ability") or "": text(a, "Value") or "" for a in listed}
            region = str(known.get("Region") or "")
            zones = tuple(_zones(known.get("AvailableZone")))
            yield Configuration(str(node["ConfigurationCode"]), region, abilities, zones)
        for value in node.values():
            if isinstance(value, (dict, list)):
                yield from _leaves(value, known)


def _zones(encoded: Any) -> Iterator[str]:
    try:
        found = json.loads(encoded) if isinstance(encoded, str) else encoded
    except ValueError:
        return
    for entry in found if isinstance(found, list) else ():
        if code := text(entry, "ZoneCode"):
            yield code


def sku_of(code: str) -> str:
    """`ecs.gni2.3xlarge` of `ecs.gni2.3xlarge.month`."""
    return _TERM.sub("", code)


def region_of(charge_code: str) -> str:
    """`cn-beijing` of `ecs.gni2_3xlarge_cn-beijing`: what follows the last underscore."""
    return charge_code.rpartition("_")[2]


def gpu_name(abilities: Mapping[str, str]) -> str | None:
    """The card that the template names; its `processor` may as well be a CPU's."""
    name = abilities.get("processor", "")
    return name if _GPU_NAME.search(name) else None


def is_gpu(code: str, product: str, abilities: Mapping[str, str]) -> bool:
    """Is a configuration one with GPUs? The two GPU products sell nothing else."""
    return "GPU" in product or bool(_GPU_FAMILY.match(code)) or gpu_name(abilities) is not None
