"""Which card an amount is for, how many of them, and whether it covers one or all."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING, Final, NamedTuple

from catalog import families
from catalog.cards import cards, sized
from pipeline.reading.price.found import Count, Scan
from pipeline.reading.price.lexer import NUMBER
from pipeline.reading.price.unit import Unit

if TYPE_CHECKING:
    from pipeline.reading.card import CardHit

_CLOUDS: Final = (
    "tencent",
    "aliyun",
    "aws_cn",
    "huawei",
    "volcengine",
    "baidu",
    "azure_cn",
    "ctyun",
    "ksyun",
    "jdcloud",
)


_MOST: Final = 32  # amounts of a cell; one with more is a page


class Card(NamedTuple):
    """The good, or the reason why there is none. `named` is False where no card is named at all."""

    name: str | None = None
    vram_gb: Decimal | None = None
    problem: str | None = None
    named: bool = True
    sku_count: int | None = None
    sku: bool = False


class Basis(NamedTuple):
    """`basis` is card or server; `problem` a reason code; `certain` False where nothing says which it is."""

    cards: int
    basis: str
    problem: str | None = None
    certain: bool = True


def card(text: Scan, context: Scan, provider: str | None) -> Card:
    """The card of a cell: named in the text itself, else in the nearest part of its context."""
    skus = [*text.skus, *context.skus]
    own = _cards(text)
    if text.slice or (context.slice and not own):
        return Card(problem="fractional_gpu")
    if text.etc or (context.etc and not own):
        return Card(problem="multiple_cards")
    hits = own or _nearest(context)
    if not hits:
        return _by_sku(skus, provider)
    if any(hit.kind == "slice" or _is_vgpu(text if own else context, hit) for hit in hits):
        return Card(problem="fractional_gpu")
    for problem in ("multiple_cards", "card_vram_conflict"):
        if any(hit.problem == problem for hit in hits):
            return Card(problem=problem)
    best = _one(hits)
    if best is None:
        return Card(problem="multiple_cards")
    if best.card is None:
        return Card(named=False)
    count = next((one.n for one in reversed(text.counts or context.counts) if one.style != "single"), 1)
    return _by_family(_with_size(best, text, context, count), skus, provider)


def _cards(found: Scan) -> list[CardHit]:
    return [hit for hit in found.hits if hit.kind != "cpu"]


def _is_vgpu(found: Scan, hit: CardHit) -> bool:
    return hit.card is None and "GPU" in found.text[hit.start : hit.end].upper()


def _nearest(context: Scan) -> list[CardHit]:
    """All hits of the context if they can be one good, else those of its last part that names any."""
    hits = _cards(context)
    if len(hits) < 2 or _one(hits) is not None:
        return hits
    start = context.text.rfind("|", 0, hits[-1].start)
    return [hit for hit in hits if hit.start > start]


def _one(hits: list[CardHit]) -> CardHit | None:
    """The hit that says most where all can be one good; None where they are several goods."""
    best = max(
        hits,
        key=lambda hit: (
            hit.card is not None,
            hit.vram_stated,
            hit.vram_gb is not None,
            hit.count is not None,
        ),
    )
    table = cards()
    for hit in hits:
        if hit.card == best.card or hit.card is None:
            continue
        other, mine = table[hit.card], table[best.card or hit.card]
        bare = other.vram_gb is None and not hit.vram_stated
        if other.family != mine.family or not bare:
            return None
    return best


def _with_size(hit: CardHit, text: Scan, context: Scan, count: int) -> Card:
    """Join the name with a memory size printed apart from it (`A100 | 80GB`, 显存 of the whole instance)."""
    name = hit.card
    assert name is not None
    told = hit.vram_told
    for size in (*text.sizes, *context.sizes):
        larger = max((other.gb for other in context.sizes if other.labelled), default=size.gb)
        if size.edition and size.gb < max(larger, (told or size.gb) if hit.vram_stated else size.gb):
            return Card(problem="fractional_gpu")  # 整卡 64GB, and this is its 32GB 版
        good = sized(name, size.gb)
        if good is None and count > 1:
            good = sized(name, size.gb / count)
        if good is not None:
            return Card(good.name, good.vram_gb)
        whole = cards()[name].vram_gb
        if size.edition and whole is not None and size.gb < whole:
            return Card(problem="fractional_gpu")
        if size.labelled or size.edition:
            return Card(problem="card_vram_conflict")
    return Card(name, told)


def _by_family(named: Card, skus: list[str], provider: str | None) -> Card:
    """A card checked against the instance type beside it."""
    if named.name is None or not skus:
        return named
    for cloud in _clouds(provider):
        for sku in skus:
            inside = families.card_of(cloud, sku)
            if inside is None:
                continue
            mine, other = cards()[named.name], cards()[inside]
            if mine.family != other.family or (
                mine.vram_gb is not None and other.vram_gb not in {None, mine.vram_gb}
            ):
                return Card(problem="card_sku_conflict")
            family = families.lookup(cloud, sku)
            count = int(family.count) if family is not None and family.share == 1 else None
            if family is not None and family.share < 1:
                return Card(problem="fractional_gpu")
            if mine.vram_gb is None and other.vram_gb is not None:
                return Card(other.name, other.vram_gb, sku_count=count, sku=True)
            return Card(named.name, named.vram_gb, sku_count=count, sku=True)
    return Card(named.name, named.vram_gb, sku=True)


def _by_sku(skus: list[str], provider: str | None) -> Card:
    """A cell that names no card but an instance type of the reviewed table."""
    for cloud in _clouds(provider):
        for sku in skus:
            family = families.lookup(cloud, sku)
            if family is None:
                continue
            if family.share < 1:
                return Card(problem="fractional_gpu")
            return Card(family.card, family.vram_gb, sku_count=int(family.count), sku=True)
    return Card(named=False, sku=bool(skus))


def _clouds(provider: str | None) -> tuple[str, ...]:
    return (provider,) if provider in _CLOUDS else _CLOUDS


def basis(unit: Unit, text: Scan, context: Scan, good: Card) -> Basis:
    """How many cards, and whether the amount covers them all."""
    counted = _last(text) or _last(context) or _quantity(unit, text, context)
    if not unit.card and _asides(text) and (counted is None or counted.n == 1):
        return Basis(1, "server", "ambiguous_card_count")
    n = counted.n if counted is not None and counted.style != "single" else good.sku_count
    if unit.card:
        return Basis(1 if counted is not None and counted.style == "single" else n or 1, "card")
    if unit.server:
        if unit.machines > 1:
            return Basis(1, "server", "ambiguous_basis")  # 12400元/月/2台
        n = unit.cards or n or (1 if counted is not None else None)
        return Basis(n, "server") if n else Basis(1, "server", "ambiguous_card_count")
    if good.sku and (counted is None or counted.style != "single"):
        return Basis(n, "server") if n else Basis(1, "server", "ambiguous_card_count")
    if counted is not None:
        several = counted.n > 1 and (text.machines or context.machines)
        return Basis(1, "server", "ambiguous_basis") if several else _counted(counted, context)
    if text.uncounted or context.uncounted:
        return Basis(1, "card", "ambiguous_card_count")
    if "machine" in text.flags or "machine" in context.flags:
        return Basis(1, "server", "ambiguous_card_count")
    return Basis(1, "card", certain="table" in context.flags)


def _last(found: Scan) -> Count | None:
    """The count nearest to the amount; a machine's eight cards only where nothing else is counted."""
    own = found.counts
    if 1 < len(found.amounts) <= _MOST:  # 折合单卡2.74元/时 is about its own clause
        converted = [range(one.lead_from, one.last) for one in found.amounts if one.role == "conv"]
        own = [c for c in own if c.style != "single" or not any(c.at in place for place in converted)]
    aside = _asides(found)
    own = [c for c in own if c.style != "quantity" and not (c.style == "single" and c.at in aside)]
    plain = [one for one in own if one.style != "hgx"]
    return (plain or own or [None])[-1]  # type: ignore[list-item]


def _quantity(unit: Unit, text: Scan, context: Scan) -> Count | None:
    """`L40S | 数量 8`: cards where nothing else counts them, machines where the price is a machine's."""
    found = [one for one in (*context.counts, *text.counts) if one.style == "quantity"]
    return found[-1] if found and not unit.server else None


def _asides(found: Scan) -> frozenset[int]:
    """Places of 单卡 that a number of its own follows: `8卡 15.84元/时（单卡1.98）`, one card's share."""
    if "single" not in found.flags:
        return frozenset()
    priced = {amount.first for amount in found.amounts}
    return frozenset(
        one.at for one in found.counts if one.style == "single" and _shares(found, one.at + 1, priced)
    )


def _shares(found: Scan, i: int, priced: set[int]) -> bool:
    tokens = found.tokens
    if i >= len(tokens) or tokens[i].kind != NUMBER or i in priced:
        return False
    behind = tokens[i + 1].tags if i + 1 < len(tokens) else {}
    return not ("per" in behind or "unit" in behind or behind.get("basis", "server") != "server")


def _counted(counted: Count, context: Scan) -> Basis:
    if counted.style == "single":
        return Basis(1, "card")
    if counted.style == "minimum":
        return Basis(counted.n, "card", certain=False)
    if counted.n > 1 or counted.style in {"column", "hgx"}:
        return Basis(counted.n, "server")
    if counted.style == "times" and "run" not in context.flags:
        # `1× H800` is a machine of a list; beside a job (SFT 7B | 1× A100) it is what the job needs.
        return Basis(1, "server")
    if counted.style == "chips":
        return Basis(1, "server")
    return Basis(1, "card")
