"""A way to run a job, as far as fit needs it: machines, cards, hours; and who answers for it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, NamedTuple, Protocol

NODE_SIZES = (1, 2, 4, 8)  # of a whole machine's cards, so many may be used
MOST_CARDS = 16  # the largest machine that is sold card by card
NODE_COUNTS = (2, 3, 4, 6, 8)  # whole machines that are tried beside one
# Smaller machines are not joined: nobody sells them with the network that a sharded job needs between them.
CLUSTER_SIZE = 8


@dataclass(frozen=True, slots=True)
class Use:
    """One plan that fits (p90). Seconds of the run without transfer and start-up; host memory per machine."""

    cards: int
    nodes: int
    strategy: str
    seconds_p50: int
    seconds_p90: int
    ram_gib: float = 0.0
    leans_on_host: bool = False  # states or weights in host memory: runs only where enough of it is known
    counts_on_nvlink: bool = False  # the pace is that of linked cards, though the card is made without too
    peak_gib: float | None = None  # of the fullest card, p90, and what of a card can be used
    usable_gib: float | None = None
    own_runs: Mapping[str, Any] | None = None  # what finished runs of the user's own moved

    @property
    def per_node(self) -> int:
        """Cards that each machine must have."""
        return -(-self.cards // self.nodes)


class Good(NamedTuple):
    """What plans depend on: the card and its form (None: the slowest it is made in)."""

    card: str
    form: str | None


class Shape(NamedTuple):
    """What one can buy of an offer: machines of `size` cards, or `low`..`high` cards in one machine."""

    size: int | None
    low: int
    high: int

    def purchases(self, cards: int, nodes: int) -> int | None:
        """How many purchases (machines, or cards) hold a plan; None where the offer cannot."""
        per_node = -(-cards // nodes)
        if self.size is None:
            bought = max(cards, self.low)
            return bought if nodes == 1 and bought <= self.high else None
        return nodes if per_node <= self.size and nodes * self.size <= self.high else None

    def counts(self) -> list[tuple[int, int]]:
        """(cards, nodes) worth trying: each number of single cards; of machines a part, all, and several."""
        return _counts(self)


@cache
def _counts(shape: Shape) -> list[tuple[int, int]]:
    if shape.size is None:
        return [(n, 1) for n in range(max(1, shape.low), min(shape.high, MOST_CARDS) + 1)]
    single = {n for n in NODE_SIZES if n <= shape.size} | {shape.size}
    joined = NODE_COUNTS if shape.size >= CLUSTER_SIZE else ()
    many = [(k * shape.size, k) for k in joined if k * shape.size <= shape.high]
    return [(n, 1) for n in sorted(single)] + many


@dataclass(frozen=True, slots=True)
class Footprint:
    """GB besides the dataset: weights fetched, checkpoints kept, result taken home."""

    weights_gb: float
    checkpoint_gb: float
    result_gb: float


class Planner(Protocol):
    """Plans of one job; `reports.fit.planner` answers with the sizing room."""

    @property
    def footprint(self) -> Footprint: ...

    def counts(self, shape: Shape) -> Sequence[tuple[int, int]]:
        """(cards, nodes) to try on offers of this shape."""

    def card_seconds(self, good: Good) -> float | None:
        """Card-seconds that no plan on this good goes below, cheap to ask; None: it cannot do the work."""

    def bound(self, good: Good, cards: int, nodes: int) -> float | None:
        """Seconds that no plan on exactly so many cards can beat, cheap to ask."""

    def use(self, good: Good, cards: int, nodes: int) -> Use | None:
        """The plan on exactly so many cards that fits, else None."""

    def requirement(self) -> dict[str, Any]:
        """What the job needs, for the answer."""

    def smallest(self, goods: Sequence[Good]) -> Mapping[str, Any] | None:
        """The smallest machine of any known card that would run it; None where none is known."""
