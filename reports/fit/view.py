"""What a buyer's rules leave of the market: the offers that take part, and how many each rule removes.

Jobs with the same rules share a view, so fifty jobs sort the offers out once.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from reports.fit.job import Job
from reports.fit.market import Group, Kind, Market
from reports.fit.regions import Admits, admits, code_of
from reports.fit.use import Good


@dataclass(frozen=True, slots=True)
class View:
    """Offers that meet the rules: how many, and in groups by good; `removed`: the others, by rule."""

    checked: int
    removed: Mapping[str, int]
    groups: Mapping[Good, list[Group]]


def view_of(market: Market, job: Job) -> View:
    """The market as this buyer may use it. RegionError for a region that is no place."""
    codes = tuple(code_of(region) for region in job.regions)
    rules = codes, job.cards, job.billing_modes, job.providers, job.interruptible
    found = market.views.get(rules)
    if not isinstance(found, View):
        found = market.views[rules] = _view(market, job, admits(codes))
    return found


def _view(market: Market, job: Job, admit: Admits) -> View:
    allowed: set[Kind] = set()
    removed: Counter[str] = Counter()
    checked = 0
    for kind, cards in market.kinds.items():
        rule = _rule(job, admit, *kind)
        wanted = cards.total()
        if job.cards:
            removed["card"] += wanted
            wanted = sum(cards[card] for card in job.cards)
            removed["card"] -= wanted
        if rule is None:
            allowed.add(kind)
            checked += wanted
        else:
            removed[rule] += wanted
    groups: dict[Good, list[Group]] = {}
    for good, offered in market.groups.items():
        if not job.cards or good.card in job.cards:
            left = [group for group in (whole.only(allowed) for whole in offered) if group is not None]
            if left:
                groups[good] = left
    return View(checked, removed, groups)


def _rule(job: Job, admit: Admits, region: str | None, site: str, mode: str, provider: str) -> str | None:
    """The buyer's rule that keeps a kind of offer out."""
    if not admit(region, site):
        return "region"
    if not job.allows(mode):
        return "interruptible" if mode == "spot" and not job.interruptible else "billing_mode"
    return "provider" if job.providers and provider not in job.providers else None
