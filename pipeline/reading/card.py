"""Cards in text: which goods a text names, by whole token against the catalog, never by substring.

`find` lists every card name of a text with its place; `read` decides what one card text means as a whole.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction

from catalog.card_index import Entry, index, literals
from catalog.cards import cards, sized
from pipeline.reading.card_names import names
from pipeline.reading.card_parts import COUNTED_SIZE, Parts, around, form_of
from pipeline.reading.normalise import normalise

_FORM_IN_NAME = re.compile(r"SXM|PCI-?E|NVL(?![A-Z0-9])")
_MOST_IN_A_MACHINE = 16
_SIZED = re.compile(r"-[0-9]+G$")
_SIZE_CELL = re.compile(r"\s?\|\s?(?:显存\s?)?([0-9]{1,3})\s?G(?:I?B)?\s?(?=\||$)")
_BARE_SIZE = re.compile(r"-([0-9]{2,3})(?![0-9A-Z.,~\-]|\s?[卡张块颗片台机元万千年月日号个%/])")
_CPU_ONLY = re.compile(
    r"^\s*(?:CPU|无卡|纯CPU)(?![A-Z])|(?:无|不带|不含|没有)\s?(?:GPU|显卡)(?![A-Z])|纯CPU|无卡模式|CPU(?:型|云|服务器|实例|主机|计算|独享|ONLY)|海光\s?CPU"
    r"|(?:INTEL|AMD)\s?(?:XEON|EPYC|CORE|RYZEN)|(?:^|[^A-Z])(?:XEON|EPYC|KUNPENG|E[357]-[0-9]{4}(?:L?V[0-9])?)(?![A-Z])|鲲鹏|飞腾|至强|酷睿"
)


@dataclass(frozen=True, slots=True)
class CardHit:
    """One card name in a text.

    `start`, `end`: its span in the text, words that belong to it included. `card`: canonical name, None for
    a CPU or for a name that needs a size to mean one card. `vram_gb` of one card or of the slice: as printed,
    else the good's only size, else None; `vram_stated` tells which. `count`: cards named beside it, for a
    slice the fraction of one card, None where the text names none. `problem`: `card_vram_conflict`,
    `multiple_cards` or `unknown_card`, when the name and its surroundings do not fit one good.
    """

    start: int
    end: int
    card: str | None
    vram_gb: Decimal | None
    count: Decimal | None
    form: str | None
    kind: str  # whole | slice | cpu
    vram_stated: bool
    problem: str | None = None

    @property
    def vram_told(self) -> Decimal | None:
        """The size that a free text tells: printed, part of the name, or implied by the bare name."""
        if self.card is None or self.vram_stated or _SIZED.search(self.card):
            return self.vram_gb
        good = cards().get(self.card)
        return self.vram_gb if good is None or good.vram_implied else None


@dataclass(frozen=True, slots=True)
class CardReading:
    """What a card text means: `count` is 1 where none is named, and then `count_stated` is False.

    `kind` is `whole`, `slice` (then `count` is the fraction where the text gives it) or `cpu` (no card).
    """

    card: str | None
    vram_gb: Decimal | None
    count: Decimal
    form: str | None
    kind: str
    count_stated: bool

    def row(self) -> dict[str, object]:
        """The fields that `suanjia parse card` prints beside the id; numbers are exact to four decimals."""
        if self.kind == "cpu":
            return {"card": None, "kind": "cpu"}
        return {
            "card": self.card,
            "vram_gb": _plain(self.vram_gb),
            "count": _plain(self.count),
            "form": self.form,
            "kind": self.kind,
        }


@dataclass(frozen=True, slots=True)
class CardReject:
    """Why a card text is no card: `unknown_card`, `multiple_cards`, `card_vram_conflict`."""

    reject: str

    def row(self) -> dict[str, object]:
        """The fields that `suanjia parse card` prints beside the id."""
        return {"reject": self.reject}


def _plain(value: Decimal | None) -> int | float | None:
    if value is None:
        return None
    rounded = round(value, 4)
    return int(rounded) if rounded == rounded.to_integral_value() else float(rounded)


def find(text: str, provider: str | None = None) -> list[CardHit]:
    """Every card named in an already normalised text, in order. Never raises; linear in the text.

    With `provider`, that seller's own meanings of a name apply (CompShare's `A100` is the 80 GB card).
    """
    upper = text.upper()
    if len(upper) != len(text):  # a letter whose capital is longer: positions would move
        upper = "".join(c.upper() if len(c.upper()) == 1 else c for c in text)
    if provider is not None and (own := literals(provider).get(upper.strip())) is not None:
        return [_resolve(upper, own, Parts(0, len(text)), name_end=len(text))]
    found = names(upper, index(provider))
    hits = []
    for i, (start, end, entry, split) in enumerate(found):
        limit = found[i + 1][0] if i + 1 < len(found) else len(upper)
        parts = around(upper, start, end, limit, sliceable=_sliceable(entry))
        if split is not None and parts.vram_gb is None:
            parts.vram_gb = split
        if parts.form is None and (m := _FORM_IN_NAME.search(upper, start, end)):
            parts.form = form_of(m[0])  # `H100 NVL` is a name of its own
        if (
            parts.vram_gb is None
            and entry.card is not None
            and not _counted_size(upper, entry.card, parts, limit)
        ):
            parts.vram_gb = _loose_size(upper, entry.card, parts.end)
        hits.append(_resolve(upper, entry, parts, name_end=end))
    if not hits and (m := _CPU_ONLY.search(upper)):
        return [CardHit(m.start(), m.end(), None, None, None, None, "cpu", False)]
    return hits


def read(text: str, provider: str | None = None) -> CardReading | CardReject:
    """One card text as a whole, as `suanjia parse card` prints it. Never raises."""
    hits = find(normalise(text), provider)
    if not hits:
        return CardReject("unknown_card")
    if hits[0].kind == "cpu":
        return CardReading(None, None, Decimal(1), None, "cpu", False)
    for problem in ("multiple_cards", "card_vram_conflict"):
        if any(hit.problem == problem for hit in hits):
            return CardReject(problem)
    named = [hit for hit in hits if hit.card is not None]
    if not named:
        return CardReject("unknown_card")
    best = _one_good(named)
    if best is None:
        return CardReject("multiple_cards")
    count = next((hit.count for hit in [best, *named] if hit.count is not None), None)
    form = next((hit.form for hit in [best, *named] if hit.form), None)
    kind = "slice" if any(hit.kind == "slice" for hit in named) else "whole"
    return CardReading(best.card, best.vram_gb, count or Decimal(1), form, kind, count is not None)


def _one_good(hits: list[CardHit]) -> CardHit | None:
    """The hit that says most, when all hits can be the same good; None when they name several."""
    goods = {hit.card for hit in hits}
    best = max(
        hits,
        key=lambda hit: (
            hit.kind == "slice",
            hit.vram_stated,
            hit.vram_gb is not None,
            hit.count is not None,
        ),
    )
    table = cards()
    best = next((hit for hit in hits if table[hit.card or ""].bin_of in goods), best)
    mine = table[best.card or ""]
    for name in goods - {best.card}:
        other = table[name or ""]
        # `V100 | Tesla V100-32G`, `910B (910B3)`: a barer name beside its good names no second one.
        if other.card != mine.bin_of and other.family != mine.family:
            return None
        if any(hit.vram_stated and hit.vram_gb != best.vram_gb for hit in hits if hit.card == name):
            return None
    return best


def _loose_size(upper: str, card: str, end: int) -> Decimal | None:
    """A size in the next cell of a row (`A100 | 80GB`) or without a unit (`A100-80`), if the card has it."""
    m = _SIZE_CELL.match(upper, end) or _BARE_SIZE.match(upper, end)
    if m is None or sized(card, Decimal(m[1])) is None:
        return None
    return Decimal(m[1])


def _counted_size(upper: str, card: str, parts: Parts, limit: int) -> bool:
    """`A100 8*80G`: so many cards of that size, where the card has it; host memory is printed alike."""
    m = COUNTED_SIZE.match(upper, parts.end, limit) if parts.count is None else None
    if m is None or not 1 < int(m[1]) <= _MOST_IN_A_MACHINE or sized(card, Decimal(m[2])) is None:
        return False
    parts.count, parts.vram_gb, parts.end = int(m[1]), Decimal(m[2]), m.end()
    return True


def _sliceable(entry: Entry) -> bool:
    return entry.card is not None and bool(cards()[entry.card].slice_gb)


def _resolve(upper: str, entry: Entry, parts: Parts, *, name_end: int) -> CardHit:
    """The good that the name and what stands around it make together."""
    name = entry.card
    stated = parts.vram_gb
    if entry.when or name is None:
        size = _pick(entry, stated, parts.count)
        if size is None and name is None:
            return _hit(parts, None, stated, "whole", "unknown_card")
        name = entry.when[size] if size is not None else name
    assert name is not None
    kind = "slice" if entry.kind == "slice" or parts.slice_word or parts.share is not None else "whole"
    if upper.startswith("(S)", name_end) or (parts.other_gb is not None and parts.other_gb != stated):
        return _hit(parts, name, stated, kind, "multiple_cards")
    if kind == "slice":
        return _slice(parts, name)
    if stated is None:
        return _hit(parts, name, cards()[name].vram_gb, kind)
    fitting = sized(name, stated)
    if fitting is None and parts.count and parts.count > 1 and not parts.apart:
        fitting = sized(name, stated / parts.count)  # memory of all cards together
    if fitting is not None:
        return _hit(parts, fitting.card, fitting.vram_gb, kind)
    if stated in cards()[name].slice_gb and (parts.cut or cards()[name].slice_by_size):
        return _hit(parts, name, stated, "slice")
    if parts.machine:  # `RTX 4090 服务器 64G`: the machine's memory, which says nothing of the card's
        parts.vram_gb = None
        return _hit(parts, name, cards()[name].vram_gb, kind)
    return _hit(parts, name, stated, kind, "card_vram_conflict")


def _pick(entry: Entry, stated: Decimal | None, count: int | None) -> Decimal | None:
    """The size of `entry.when` that the printed memory means: of one card, else of all together."""
    if stated is None:
        return None
    for value in (stated, stated / count if count else stated):
        for size, name in entry.when.items():
            fitting = sized(name, value)
            if fitting is not None and fitting.card == name:
                return size
    return None


def _slice(parts: Parts, name: str) -> CardHit:
    """A slice: its own memory where printed, else the fraction of the card's."""
    good = cards()[name]
    if good.name.startswith("vGPU"):
        return _hit(parts, name, good.vram_gb, "slice")
    stated = parts.vram_gb
    fitting = sized(name, stated) if stated is not None else good
    if fitting is None:
        return _hit(parts, name, stated, "slice")
    whole = fitting.vram_gb
    if whole is not None and parts.share is not None:
        return _hit(parts, fitting.card, whole * parts.share.numerator / parts.share.denominator, "slice")
    return _hit(parts, fitting.card, stated, "slice")


def _hit(
    parts: Parts, card: str | None, vram: Decimal | None, kind: str, problem: str | None = None
) -> CardHit:
    count = _decimal(parts.share) if parts.share is not None else None
    if count is None and parts.count is not None:
        count = Decimal(parts.count)
    return CardHit(
        parts.start, parts.end, card, vram, count, parts.form, kind, parts.vram_gb is not None, problem
    )


def _decimal(share: Fraction) -> Decimal:
    return Decimal(share.numerator) / Decimal(share.denominator)
