"""Where card names stand in a text: the longest alias at each token, and the places that are no card.

Upper-case text in. Every pattern is tried at one position with a bounded look around it.
"""

from __future__ import annotations

import re
from decimal import Decimal

from catalog.card_index import GAPS, VENDORS, Entry, Node, atoms
from catalog.cards import sized

_VENDORS = frozenset(VENDORS)
Name = tuple[int, int, Entry, Decimal | None]  # start, end, what it means, size glued to the digits
_BESIDE = re.compile(r"[ \-_(]{0,2}")
# A token that makes the name before it a different good, when the catalog does not know the pair.
_VARIANTS = frozenset(
    ("D", "S", "TI", "TIS", "SUPER", "PRO", "V", "DV", "XT", "XL", "LAPTOP", "MOBILE", "CLASS", "ADA")
)
_CPU_MAKERS = frozenset(
    ("GOLD", "SILVER", "PLATINUM", "BRONZE", "XEON", "EPYC", "RYZEN", "CORE", "I", "E", "AMPERE")
)
_PRICE_BEFORE = re.compile(
    r"(?:[¥￥$€]|RMB|CNY|USD|价格?|(?<![出求转招诚分])租金?|费用?|付|仅|低至|[0-9]\s?[-~～—–至到])\s?[:：]?\s?$"
)
_PRICE_AFTER = re.compile(
    r"\s?(?:[元块万千%％折]|年(?!\s?[付租费价缴])|(?:RMB|CNY)(?!\s?[0-9]))|[.,][0-9]{2}(?![0-9A-Z])|,[0-9]{3}|\s?/\s?(?:[月时天日年周小台卡]|H(?:R|OUR)?(?![A-Z0-9]))|\s?[-~～—–至到]\s?[¥￥$]?[0-9]{3,}(?!\s?G)"
)
# Machine, room and shelf numbers (`A16机`, `A2区`), classes of cards (`T4级`), cache levels (`L2缓存`).
_NOT_A_CARD = re.compile(
    r"\s?(?:级|[区栋楼室号层座馆排柜架期](?!\w?域)|机(?![器型房架柜组时群箱])|缓存|CACHE|型号以外)|类(?!型)|-CLASS"
)
# Huawei's second generation (Atlas 900 A2 PoDc, 昇腾 A2) is no NVIDIA A2.
_GENERATION = re.compile(r"(?:ATLAS[ -]?[0-9]{0,4}[A-Z]{0,3}|昇腾|升腾|ASCEND|华为|HUAWEI)[ -]?$")
_SKU_AFTER = re.compile(r"\.(?![0-9]+C[0-9]+G)[A-Z0-9]*[A-Z]|-[A-Z]+[0-9]+[A-Z]+[0-9]|\.[0-9]+X?LARGE")
_RESOLUTION = re.compile(r"[0-9]{3,}\s?[*×X]\s?$")
_COUNT_BEFORE = re.compile(r"(?<![0-9.])[0-9]{1,2}\s?[*×X]\s?$")
_SEPARATOR = re.compile(r"\s[-—–]\s")
_COUNTED = re.compile(r"[0-9][ \-]?$")
_GLUED_ON = re.compile(r"X\s?[0-9]{1,3}(?![0-9A-Z])|SXM|PCI-?E|NV-?LINK|[0-9]{2,3}GI?B?(?![A-Z0-9])")


def names(upper: str, root: Node) -> list[Name]:
    """Names of the trie in the text: start (vendor words included), end, entry, size glued to the digits.

    The word vGPU is left out where it only says how another card is sold (`1/4 T4 vGPU`, `vGPU A10 4G`).
    """
    found = _all_names(upper, root)
    if len(found) < 2:
        return found
    kept = []
    for i, name in enumerate(found):
        if name[2].kind == "slice" and name[2].card is None:
            before = upper[found[i - 1][1] : name[0]] if i else "|"
            after = upper[name[1] : found[i + 1][0]] if i + 1 < len(found) else "|"
            if _BESIDE.fullmatch(before) or _BESIDE.fullmatch(after):
                continue
        kept.append(name)
    return kept


def _all_names(upper: str, root: Node) -> list[Name]:
    found = atoms(upper)
    names: list[Name] = []
    lead: tuple[int, int] | None = None  # span of the vendor words just before
    i, n = 0, len(found)
    while i < n:
        atom = found[i]
        word, start = atom.group(), atom.start()
        if lead is not None and upper[lead[1] : start] not in GAPS:
            lead = None
        node = root.edges.get(word)
        hit = None
        if node is not None and _may_start(upper, start, lead, i and found[i - 1]):
            hit = _longest(upper, found, i, node)
        elif node is None and word not in _VENDORS:
            lead = None
            i += 1
            continue
        if hit is not None:
            last, end, entry, split = hit
            if _is_card(upper, found, i, last, end, entry):
                names.append((lead[0] if lead else start, end, entry, split))
            i, lead = last + 1, None
            continue
        if word in ("GPU", "GPUS") and start and _COUNTED.search(upper, max(0, start - 2), start):
            lead = None  # `8-GPU H100`: the word belongs to the count
        else:
            lead = (lead[0] if lead else start, atom.end()) if word in _VENDORS else None
        i += 1
    return names


def _may_start(
    upper: str, start: int, lead: tuple[int, int] | None, before: re.Match[str] | int | None
) -> bool:
    """Whether a token begins here: nothing glued before it but a vendor word or a count sign."""
    if start == 0:
        return True
    char = upper[start - 1]
    if char.isascii() and char.isalnum():
        if lead is not None and lead[1] == start:
            return True
        return isinstance(before, re.Match) and before.group() == "X" and before.end() == start
    # `ecs.a10.large`: a part of an instance name
    return not (char == "." and start > 1 and upper[start - 2].isalnum())


def _longest(
    upper: str, found: list[re.Match[str]], i: int, node: Node
) -> tuple[int, int, Entry, Decimal | None] | None:
    """The longest alias from atom `i` that ends where a token may end: last atom, end, entry, glued size."""
    best = None
    last = i
    while True:
        end = found[last].end()
        if node.entry is not None and _may_end(upper, end):
            best = (last, end, node.entry, None)
        if last + 1 >= len(found):
            return best
        gap = upper[end : found[last + 1].start()]
        if gap not in GAPS:
            return best
        word = found[last + 1].group()
        following = node.edges.get(word if not gap else " " + word)
        if following is None:
            return (
                best
                if best is not None and best[0] == last
                else _split(upper, found, last, node, gap) or best
            )
        node, last = following, last + 1


def _split(
    upper: str, found: list[re.Match[str]], last: int, node: Node, gap: str
) -> tuple[int, int, Entry, Decimal | None] | None:
    """`H10080GB`, `RTX 409024G`: digits of a name and of a size run together before a G."""
    digits = found[last + 1]
    word = digits.group()
    if (
        not word.isdigit()
        or len(word) < 3
        or last + 2 >= len(found)
        or found[last + 2].start() != digits.end()
    ):
        return None
    if found[last + 2].group() not in ("G", "GB", "GIB"):
        return None
    for cut in range(len(word) - 1, 0, -1):
        following = node.edges.get(word[:cut] if not gap else " " + word[:cut])
        entry = following.entry if following else None
        if entry is None or entry.card is None or word[cut] == "0":
            continue
        size = Decimal(word[cut:])
        if sized(entry.card, size) is not None:
            return last + 2, found[last + 2].end(), entry, size
    return None


def _may_end(upper: str, end: int) -> bool:
    """Whether a name may end here: nothing glued on but a count, a form, a size or an interconnect."""
    if end >= len(upper) or not (upper[end].isascii() and upper[end].isalnum()):
        return True
    return _GLUED_ON.match(upper, end) is not None and not (upper[end].isdigit() and upper[end - 1].isdigit())


def _is_card(upper: str, found: list[re.Match[str]], first: int, last: int, end: int, entry: Entry) -> bool:
    """Whether the place lets the name be a card: no price, phone, SKU, machine number or other variant."""
    start = found[first].start()
    if entry.card == "A2" and _GENERATION.search(upper, max(0, start - 16), start):
        return False
    if _NOT_A_CARD.match(upper, end) or _SKU_AFTER.match(upper, end):
        return False
    if last + 1 < len(found):
        after = found[last + 1]
        gap = upper[end : after.start()]
        if after.group() in _VARIANTS and gap in GAPS and gap and not _is_count(upper, after):
            return False
    if not entry.number:
        return True
    if first and found[first - 1].group() in _CPU_MAKERS and start - found[first - 1].end() <= 2:
        return False
    if start and upper[start - 1] in ".,-+#" and start > 1 and upper[start - 2].isdigit():
        return False
    if entry.card == "GTX1080" and _RESOLUTION.search(upper, max(0, start - 6), start):
        return False
    if _COUNT_BEFORE.search(upper, max(0, start - 8), start) and _SEPARATOR.match(upper, end):
        return True  # 8x4090 - 7300/月
    return not (_PRICE_BEFORE.search(upper, max(0, start - 8), start) or _PRICE_AFTER.match(upper, end))


def _is_count(upper: str, after: re.Match[str]) -> bool:
    return after.group() == "X" and upper[after.end() : after.end() + 1].isdigit()
