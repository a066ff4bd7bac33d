"""One run of one provider: listings → offers and rejections, the same whatever the order they came in."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime

from catalog.providers import Provider
from pipeline import metering
from pipeline.collapse import collapse
from pipeline.interpret import Context, interpret
from pipeline.offer import Offer, Rejection
from spiders.listing import Listing

_NAMED = 5  # names in a message
_UNKNOWN = {"unknown_family": "unknown families", "unknown_card": "unknown cards"}


@dataclass(frozen=True, slots=True)
class Processed:
    """What became of `parsed` readings: listings behind the offers + rejections, always that many."""

    offers: list[Offer]
    rejections: list[Rejection]
    parsed: int

    @property
    def reasons(self) -> Counter[str]:
        """How many readings were refused for each reason."""
        return Counter(rejection.reason for rejection in self.rejections)

    @property
    def remark(self) -> str:
        """What a reviewer must look at: instance types and cards that no table knows, prices that break a
        rule of their seller; "" for none."""
        parts = []
        for reason, words in _UNKNOWN.items():
            named = sorted({r.card_text or "" for r in self.rejections if r.reason == reason})
            more = " …" if len(named) > _NAMED else ""
            parts += [f"{words}: {len(named)} ({', '.join(named[:_NAMED])}{more})"] if named else []
        return "; ".join(filter(None, (*parts, metering.told(metering.check(self.offers)))))

    @property
    def distinct_keys(self) -> int:
        """How many different goods."""
        return len({offer.offer_id for offer in self.offers})


def process(
    listings: Iterable[Listing], run_id: str, now: datetime, providers: Mapping[str, Provider]
) -> Processed:
    """Interpret and collapse."""
    context = Context(run_id, now, providers)
    offers: list[Offer] = []
    rejections: list[Rejection] = []
    for listing in listings:
        for made in interpret(listing, context):
            if isinstance(made, Offer):
                offers.append(made)
            else:
                rejections.append(made)
    parsed = len(offers) + len(rejections)
    rejections.sort(key=lambda r: (r.evidence, r.locator, r.reason, r.price_text or ""))
    return Processed(collapse(offers), rejections, parsed)
