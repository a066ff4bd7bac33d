"""What stands around a card name: count, fraction, memory, form, slice words. Upper-case text in, parts out.

Every pattern is anchored at a position and has no nested repetition, so reading is linear in the text.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction

_NUMERALS = {c: n for n, c in enumerate("零一二三四五六七八九")} | {"两": 2, "双": 2, "单": 1, "俩": 2}
_ZH = "一二两三四五六七八九十双单"
_UNIT = r"(?:GIB|GB|G|MIB|MB)"
_OPEN = r"[ \t\u00a0\-_/,，(（\[【)）\]】:：+、·*]{0,3}"
# Host memory and disks stand beside cards as often as card memory does.
_NOT_VRAM = (
    r"(?![A-Z0-9]|/S|\s?(?:内存|主存|RAM|DDR|硬盘|磁盘|SSD|NVME|HDD|带宽|网络|系统盘|数据盘|云盘|MEM|CPU|核))"
)
_NOT_COUNT = r"(?!\s?(?:可租|时|小时|空闲|/|·))"
_CARD_WORD = r"(?:卡|张|块|颗|片|枚|GPUS?(?![A-Z])|CARDS?(?![A-Z])|-GPU)"

# `×3/8` idle of all; `*8/16*32G`, `*8/64核` go on with the next part of a machine.
_STOCK_TOTAL = r"/[0-9]{1,4}(?![0-9A-Z*×✕核线])"

TAIL = re.compile(
    _OPEN + r"(?:"
    r"(?P<form>SXM(?:[2-6](?![0-9]))?(?![A-Z])|PCI-?E(?![A-Z])(?:\s?[345]\.0)?(?:\s?X\s?16(?![0-9]))?"
    r"|NVL(?![A-Z0-9]))"
    r"|(?P<mig>[1-7]G\.(?P<mig_gb>[0-9]{1,2})GB?)(?![A-Z0-9])"
    rf"|(?:显存|VRAM)?[:：\s]*(?P<either>[0-9]{{2,3}})\s?{_UNIT}?\s?(?:[/或、~～]|-(?!\s?[0-9]{{3}}))\s?"
    rf"(?P<other>[0-9]{{2,3}})\s?G(?:I?B)?{_NOT_VRAM}"
    rf"|(?:显存|VRAM)?[:：\s]*(?P<vram>[0-9]{{1,6}}(?:\.[0-9]{{1,2}})?)\s?(?P<unit>{_UNIT}){_NOT_VRAM}"
    r"(?P<cut>\s?版)?"
    r"|(?P<slice>V-?GPU(?![0-9])|MIG|VWS|VDWS|GRID|切片|切分|虚拟化|分片|虚拟卡|共享型)(?![A-Z])"
    r"|(?P<times>[*×X✕])\s?(?P<n>[0-9]{1,4})(?![0-9.A-Z%]|\s?(?:G|MB|"
    + _STOCK_TOTAL
    + r"))(?:\s?"
    + _CARD_WORD
    + r")?"
    rf"|(?:共|合计|满配)?(?P<n2>[0-9]{{1,4}}|[{_ZH}]{{1,3}})\s?{_CARD_WORD}{_NOT_COUNT}"
    r"|(?P<num>[0-9])\s?/\s?(?P<den>[0-9]{1,2})(?![0-9.A-FH-Z*×✕核线]|GI?B?(?![A-Z]))(?:\s?[卡张块颗个])?"
    r"|(?P<dec>0?\.[0-9]{1,4})\s?(?:[卡张块颗])"
    r"|(?P<noise>显存|VRAM|NV-?LINK|NVSWITCH|NVL[0-9]{2}|IB(?![A-Z])|ROCE|HBM[0-9]?[A-Z]?|GDDR[0-9]?X?|TENSOR\s?CORES?"
    r"|GPUS?(?![A-Z])|GRAPHICS|BLACKWELL|HOPPER|AMPERE|SERVER|WORKSTATION|MAX-?Q|EDITION|GENERATION|[1-9][0-9]{2}W(?![A-Z0-9])"
    r"|显卡|加速卡|算力卡|计算卡|专业卡|芯片|版本?|满血版?|魔改版?|改装|涡轮版?|公版|水冷|风冷|整机|整卡|服务器|裸金属|节点|云主机|独享|直通"
    r"|机型|单机|的|型)"
    r")"
)

COUNTED_SIZE = re.compile(
    rf"[ \u00a0(:]{{0,2}}(?:显存[: ]?)?([0-9]{{1,2}})\s?[*×X✕]\s?([0-9]{{2,3}})\s?G(?:I?B)?{_NOT_VRAM}"
)
HEAD = re.compile(
    r"(?:(?<![0-9.A-Z])(?P<n>[0-9]{1,4})\s?(?P<times>[*×X✕])"
    rf"|(?<![0-9.A-Z])(?P<n2>[0-9]{{1,4}}|[{_ZH}]{{1,3}})\s?(?:[卡张块颗片枚个路]|[-\s]?GPUS?)的?"
    r"|(?<![0-9./A-Z])(?P<num>[0-9])\s?/\s?(?P<den>[0-9]{1,2})\s?[张卡块颗个]?\s?[卡*×X的]?"
    r"|(?<![0-9.])(?P<dec>0?\.[0-9]{1,4})\s?[*×X卡张块颗]"
    r"|(?P<half>半)[卡张块]"
    rf"|(?<![0-9.])(?P<vram>[0-9]{{2,3}})\s?(?P<unit>GIB|GB|G)(?:\s?显存|版|的)*"
    r"|(?P<form>SXM[2-6]?|PCI-?E)版?"
    r"|(?P<slice>V-?GPU|MIG)"
    r")[\s\-_:：的]{0,2}$"
)
QUARTER = re.compile(r"/(2|3|4|6|8|12|16|24)(?![0-9A-Z.*×✕核线]|\s?(?:[卡张块颗片台机月时天年元]|G|X))")
PROFILE = re.compile(r"-([0-9]{1,2})[QCBA](?![A-Z0-9])")  # NVIDIA's vGPU profiles: `T4-4Q`
_HEAD_LAST = frozenset("*×X✕0123456789卡张块颗片枚个路GBPUSMIE存版的V半")
_MACHINE_WORDS = frozenset(
    ("整机", "服务器", "裸金属", "节点", "云主机", "机型", "单机", "SERVER", "WORKSTATION")
)
_STOCK = ("总量", "空闲", "库存", "可租", "剩余", "余量", "占用", "在线")
_HEAD_SPAN = 24
_LARGEST_GB = 384  # no card has more; a machine's memory does


@dataclass(slots=True)
class Parts:
    """What was found around one name. `count` is cards named, `share` the fraction of one card."""

    start: int
    end: int
    count: int | None = None
    share: Fraction | None = None
    vram_gb: Decimal | None = None
    other_gb: Decimal | None = None
    cut: bool = False
    machine: bool = False  # a word for the whole machine stood before the memory
    apart: bool = False  # the memory stood behind a count and a stroke: `8*A100/512G`, more likely the host's
    slice_word: bool = False
    form: str | None = None


def around(upper: str, start: int, end: int, next_start: int, *, sliceable: bool) -> Parts:
    """Parts before `start` and after `end` (at most up to `next_start`, where the next name stands)."""
    parts = Parts(start, end)
    _after(upper, parts, next_start, sliceable=sliceable)
    _before(upper, parts)
    return parts


def gigabytes(number: str, unit: str) -> Decimal:
    """A printed memory size in GB (GiB are taken as GB; MB and MiB are divided by 1024)."""
    value = Decimal(number)
    return value / 1024 if unit.startswith("M") else value


def numeral(text: str) -> int | None:
    """A small count in digits or Chinese numerals (`8`, `八`, `双`, `十六`); None if it is neither."""
    if text.isdigit():
        return int(text)
    tens, ten, ones = text.rpartition("十")
    if ten:
        return (_NUMERALS.get(tens, 1) if tens else 1) * 10 + (_NUMERALS.get(ones, 0) if ones else 0)
    return _NUMERALS.get(text)


def _after(upper: str, parts: Parts, limit: int, *, sliceable: bool) -> None:
    pos = parts.end
    if (
        sliceable and (m := QUARTER.match(upper, pos, limit)) is not None
    ):  # UCloud and Aliyun write a quarter card as `T4/4`
        parts.share = Fraction(1, int(m[1]))
        pos = parts.end = m.end()
    elif sliceable and (m := PROFILE.match(upper, pos, limit)) is not None:
        parts.slice_word, parts.vram_gb = True, Decimal(m[1])
        pos = parts.end = m.end()
    while pos < limit and (m := TAIL.match(upper, pos, limit)) is not None:
        if not _take(m, parts):
            break
        pos = parts.end = m.end()


def _take(m: re.Match[str], parts: Parts) -> bool:
    """Put one match into `parts`; False where it says something a second time and so belongs elsewhere."""
    g = m.groupdict()
    if g["form"]:
        parts.form = parts.form or form_of(g["form"])
    elif g["either"]:
        if parts.vram_gb is not None:
            return False
        parts.vram_gb, other = Decimal(g["either"]), Decimal(g["other"])
        parts.other_gb = other if other <= _LARGEST_GB else None  # 48G/512G: the host's memory behind
    elif g["vram"]:
        if parts.vram_gb is not None:
            return False
        parts.vram_gb, parts.cut = gigabytes(g["vram"], g["unit"]), bool(g["cut"])
        between = m[0][: m.start("vram") - m.start()]
        parts.apart = parts.count is not None and parts.count > 1 and "/" in between and "显存" not in between
        parts.machine = parts.machine or parts.apart or parts.vram_gb > _LARGEST_GB
    elif g["slice"]:
        parts.slice_word = True
    elif g["mig"]:
        parts.slice_word, parts.vram_gb = True, Decimal(g["mig_gb"])
    elif g["n"] or g["n2"]:
        n = numeral(g["n"] or g["n2"])
        if not n or parts.count is not None or (g["times"] and n in (64, 86)):
            return False
        parts.count = n
    elif g["num"]:
        return _share(parts, int(g["num"]), int(g["den"]))
    elif g["dec"]:
        parts.share = Fraction(g["dec"])
    elif parts.vram_gb is None and g["noise"] in _MACHINE_WORDS:
        parts.machine = True
    return True


def _share(parts: Parts, num: int, den: int) -> bool:
    if parts.share is not None or not 0 < num < den <= 64 or (num > 1 and (num, den) not in ((2, 3), (3, 4))):
        return False
    parts.share = Fraction(num, den)
    return True


def form_of(word: str) -> str:
    """`SXM4` → `SXM`, `PCI-E` → `PCIE`, `NVL` → `NVL`."""
    return "SXM" if word.startswith("SXM") else "PCIE" if word.startswith("PCI") else "NVL"


def _before(upper: str, parts: Parts) -> None:
    for _ in range(3):
        edge = upper[max(0, parts.start - 3) : parts.start].rstrip(" \t\u00a0-_:：")
        if not edge or edge[-1] not in _HEAD_LAST:
            return
        low = max(0, parts.start - _HEAD_SPAN)
        m = HEAD.search(upper, low, parts.start)
        if m is None or not _take_before(upper, m, parts):
            return
        parts.start = m.start()


def _take_before(upper: str, m: re.Match[str], parts: Parts) -> bool:
    g = m.groupdict()
    if g["n"] or g["n2"]:
        n = numeral(g["n"] or g["n2"])
        if not n or parts.count is not None:
            return False
        parts.count = n
    elif g["num"]:
        if any(word in upper[max(0, m.start() - 8) : m.start()] for word in _STOCK):
            return False
        return _share(parts, int(g["num"]), int(g["den"]))
    elif g["dec"] or g["half"]:
        if parts.share is not None:
            return False
        parts.share = Fraction(g["dec"]) if g["dec"] else Fraction(1, 2)
    elif g["vram"]:
        if parts.vram_gb is not None:
            return False
        parts.vram_gb = Decimal(g["vram"])
    elif g["form"]:
        parts.form = parts.form or form_of(g["form"])
    elif g["slice"]:
        parts.slice_word = True
    return True
