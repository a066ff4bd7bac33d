"""What one text says, as far as the decision needs it: the records that a scan fills."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import TYPE_CHECKING, Any, Final

from pipeline.reading.price.amounts import Amount
from pipeline.reading.price.lexer import Token
from pipeline.reading.price.unit import Unit

if TYPE_CHECKING:
    from pipeline.reading.card import CardHit


@dataclass(slots=True)
class UnitWord:
    """A unit that belongs to no amount: of a header or heading. `scale` for `万元/月`."""

    currency: str | None
    scale: Decimal | None
    unit: Unit
    at: int


@dataclass(slots=True)
class Mode:
    """A billing word: `per`/`count` where it names a period."""

    mode: str
    per: str | None
    count: int
    at: int


@dataclass(slots=True)
class Count:
    """Cards counted. `style`: cards (8卡), chips (8颗), times (8×), column (显卡数 8), quantity (数量 8),
    minimum, single."""

    n: int
    style: str
    at: int


@dataclass(slots=True)
class Size:
    """Gigabytes that may be card memory: `labelled` 显存, behind a card, or of an `edition` (64GB 版)."""

    gb: Decimal
    labelled: bool
    edition: bool


@dataclass(slots=True)
class Scan:
    """What one text says. Places are token numbers, `flags` those of the first word with the flag."""

    text: str
    tokens: Sequence[Token]
    hits: Sequence[CardHit]
    amounts: list[Amount] = field(default_factory=list)
    bare: list[Amount] = field(default_factory=list)
    units: list[UnitWord] = field(default_factory=list)
    modes: list[Mode] = field(default_factory=list)
    counts: list[Count] = field(default_factory=list)
    sizes: list[Size] = field(default_factory=list)
    spans: list[tuple[int, str]] = field(default_factory=list)  # (3, "year"): lengths of time
    flags: dict[str, int] = field(default_factory=dict)
    rejects: dict[str, list[str]] = field(default_factory=dict)  # where → reasons in order
    ratios: list[tuple[str, Decimal | None]] = field(default_factory=list)
    skus: list[str] = field(default_factory=list)
    tax: str | None = None
    term: bool = False
    vague: bool = False
    formula: bool = False
    machines: bool = False  # several machines, of which the amount may be the sum: 2台共12400元/月, 8卡*2节点
    slice: bool = False
    uncounted: bool = False  # 双路 behind a card (cards or CPUs?), a column of counts whose cell is not told
    etc: bool = False  # A100等: that card and others
    models: int = 0  # names of cards that the catalog does not know
    loose: bool = False  # a number counts something that no table knows: 60帧
    page: bool = False  # more tokens than any cell has: not read to its end

    def slim(self) -> Scan:
        """Without what only the reading itself needs, so that remembered contexts stay small."""
        self.tokens, self.amounts = (), _EMPTY
        for name in _LISTS:
            if not getattr(self, name):
                setattr(self, name, _EMPTY)
        return self


_EMPTY: Final[list[Any]] = []
_LISTS: Final = ("bare", "units", "modes", "counts", "sizes", "spans", "ratios", "skus")
