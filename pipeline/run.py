"""One run of one provider: listings → offers and rejections, the same whatever the order they came in."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from catalog.providers import Provider
from catalog.reasons import reason_text
from pipeline import metering
from pipeline.collapse import collapse
from pipeline.interpret import Context, interpret, reject
from pipeline.offer import Offer, Rejection
from pipeline.page import Made, contradictions
from spiders.listing import Listing

_NAMED = 5  # names in a message
_TOP = 3  # reasons in a message
_UNKNOWN = {"unknown_family": "unknown families", "unknown_card": "unknown cards"}
# Reasons that say "there is no price to read here", as a page does that has stopped to show its prices.
NO_PRICE: Final = frozenset(
    "quote_required login_required no_number js_calculator price_in_image price_missing price_zero sold_out "
    "no_public_price discount_only delisted".split()
)
_NOT_MEANT: Final = frozenset(("not_gpu", "cpu_row"))  # says nothing of the page
_TOLD_FROM = 4  # one reading in so many without a price is worth a word


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
        """What a reviewer must look at: instance types and cards that no table knows, how many readings have
        no price, prices that break a rule of their seller; "" for none."""
        parts = []
        for reason, words in _UNKNOWN.items():
            named = {r.card_text or "" for r in self.rejections if r.reason == reason}
            parts += [f"{words}: {len(named)} ({names(named)})"] if named else []
        if self._mostly_unpriced:
            parts.append(f"no price: {_counted(self.unpriced)}")
        return "; ".join(filter(None, (*parts, metering.told(metering.check(self.offers)))))

    @property
    def refused(self) -> str:
        """The most frequent reasons of rejections that `remark` does not tell, with counts; "" for none."""
        told = _NOT_MEANT | set(_UNKNOWN) | (NO_PRICE if self._mostly_unpriced else frozenset())
        open_ = [(reason, n) for reason, n in self.reasons.items() if reason not in told]
        top = sorted(open_, key=lambda item: (-item[1], item[0]))
        more = " …" if len(top) > _TOP else ""
        said = [f"{n} × {reason} ({reason_text(reason)})" for reason, n in top[:_TOP]]
        return f"rejected: {', '.join(said)}{more}" if said else ""

    @property
    def _mostly_unpriced(self) -> bool:
        return sum(self.unpriced.values()) * _TOLD_FROM >= self.parsed > 0

    @property
    def unpriced(self) -> Counter[str]:
        """Readings without a price by reason: a page that turns to 面议 or to a login shows here."""
        return Counter({reason: n for reason, n in self.reasons.items() if reason in NO_PRICE})

    @property
    def without_offers(self) -> tuple[str, str]:
        """(outcome, why) of a run that read listings and made no offer of them: `auth_needed` where the
        prices stand behind a login, `empty` where there are none at present, else `layout_changed`."""
        told = f"no offer: {_counted(self.reasons) or 'no listings'}"
        meant = {reason: n for reason, n in self.reasons.items() if reason not in _NOT_MEANT}
        if self.reasons["login_required"] * 2 > sum(meant.values()):
            return "auth_needed", told
        empty = set(meant) <= NO_PRICE or set(meant) == {"not_an_offer"}
        return ("empty" if empty else "layout_changed"), told

    @property
    def distinct_keys(self) -> int:
        """How many different goods."""
        return len({offer.offer_id for offer in self.offers})


def names(texts: Iterable[str]) -> str:
    """The first few of what is named, for a message."""
    found = sorted(set(texts))
    return ", ".join(found[:_NAMED]) + (" …" if len(found) > _NAMED else "")


def _counted(reasons: Counter[str]) -> str:
    return ", ".join(f"{n} × {reason}" for reason, n in sorted(reasons.items()))


def process(
    listings: Iterable[Listing], run_id: str, now: datetime, providers: Mapping[str, Provider]
) -> Processed:
    """Interpret, hold the prices of each page against each other, and collapse."""
    context = Context(run_id, now, providers)
    made = [Made(listing, one) for listing in listings for one in interpret(listing, context)]
    refused = contradictions(made)
    offers: list[Offer] = []
    rejections: list[Rejection] = []
    for i, one in enumerate(made):
        if isinstance(one.result, Rejection):
            rejections.append(one.result)
        elif i in refused:
            rejections.append(reject(one.listing, context, refused[i].reason))
        else:
            offers.append(one.result)
    parsed = len(offers) + len(rejections)
    rejections.sort(key=lambda r: (r.evidence, r.locator, r.reason, r.price_text or ""))
    return Processed(collapse(offers), rejections, parsed)
