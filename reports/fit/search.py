"""The search: every offer that may rank × every plan that fits, cut short only where nothing can be missed.

Best first: each group of offers, then each way to use it (so many cards on so many machines), waits under a
bound that no total of it can beat: the cheapest price there for the time of the fastest imaginable plan. A
way is planned when it comes up, and the search ends when the next bound passes the worst total kept.
"""

from __future__ import annotations

import bisect
import heapq
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import count as counter
from math import inf

from reports.fit.bill import HOUR
from reports.fit.extras import Extras, Spot, extras, spot_of
from reports.fit.job import Job
from reports.fit.market import Entry, Group, Market
from reports.fit.sellable import Sellable
from reports.fit.terms import Terms
from reports.fit.totals import Fit, fit_of
from reports.fit.use import Good, Planner, Shape, Use
from reports.fit.view import view_of

# Rules of a job; the later an offer got, the nearer it came, and the last one is counted.
JOB_RULES: dict[str, str] = {
    "card": "卡型不在名单 / card not allowed",
    "region": "地区不符 / other region",
    "billing_mode": "计费方式不符 / other billing mode",
    "interruptible": "可被回收 / interruptible",
    "provider": "服务商不在名单 / provider not allowed",
    "grade": "指数等级不足 / grade too low",
    "stock_unknown": "库存未知 / stock not shown",
    "no_plan": "跑不动 / no plan fits",
    "shape": "买不到所需卡数或内存 / cannot be bought in that number or with that host memory",
    "no_total": "费用不全 / a part of the total has no price",
    "deadline": "超过期限 / past the deadline",
    "budget": "超过预算 / over the budget",
}
_NEARNESS = {rule: place for place, rule in enumerate(JOB_RULES)}
FLOAT_MARGIN = 1e-9
GradeOf = Callable[[Sellable], str | None]


@dataclass(frozen=True, slots=True)
class Asked:
    """How the search is run.

    `keep` narrows the fits ("that cannot be interrupted"); `count` visits every offer and says how many each
    rule removed; `fastest` ranks by time instead of money (and visits every offer).
    """

    limit: int = 10
    keep: Callable[[Fit], bool] | None = None
    count: bool = False
    fastest: bool = False
    grade_of: GradeOf | None = None


@dataclass(slots=True)
class Result:
    """What the search found. `checked`: offers that meet the buyer's rules, whatever they then cost.

    `removed` is whole only where the search was asked to count.
    """

    job: Job
    fits: list[Fit] = field(default_factory=list)
    checked: int = 0
    removed: Counter[str] = field(default_factory=Counter)
    no_total: list[tuple[Sellable, str]] = field(default_factory=list)


def search(market: Market, job: Job, planner: Planner, asked: Asked | None = None) -> Result:
    """The cheapest fits of a job. RegionError for a region that is no place."""
    run = _Run(market, job, planner, asked or Asked())
    run.go()
    return run.result


@dataclass(slots=True)
class _Way:
    """A group of offers, those the buyer allows, used with so many cards on so many machines."""

    group: Group
    entries: list[Entry]
    cards: int
    nodes: int
    purchases: int


class _Run:
    def __init__(self, market: Market, job: Job, planner: Planner, asked: Asked) -> None:
        self.job, self.planner, self.asked = job, planner, asked
        self.view = view_of(market, job)
        self.deadline_s = None if job.deadline_hours is None else int(job.deadline_hours * 3600)
        self.spot: Spot = spot_of(job.spot_interruptions_per_day)
        self.every = asked.count or asked.fastest
        self.result = Result(job, checked=self.view.checked, removed=Counter(self.view.removed))
        self.best: dict[str, tuple[tuple[object, ...], Fit]] = {}
        self.keys: list[tuple[object, ...]] = []
        self.cutoff = inf
        self.bounds: dict[tuple[Good, int, int], float | None] = {}
        self.shapes: dict[Shape, list[tuple[int, int, int]]] = {}
        self.extras: dict[int, Extras] = {}
        self.fates: dict[str, str] = {}
        self.particular = bool(job.in_stock or job.min_grade)
        self.heap: list[tuple[float, int, Group | _Way]] = []
        self.order = counter()

    def go(self) -> None:
        for good, groups in self.view.groups.items():
            self._start(good, groups)
        heapq.heapify(self.heap)
        while self.heap:
            bound, _, item = heapq.heappop(self.heap)
            if self._hopeless(bound):
                break
            if isinstance(item, Group):
                self._open(item)
            else:
                self._plan(item)
        self.result.removed.update(self.fates.values())
        self.result.no_total.sort(key=lambda row: row[0].offer_id)

    def _hopeless(self, bound: float) -> bool:
        """Whether nothing from this bound on can enter the list."""
        return bound * HOUR > self.cutoff

    # --- what may take part

    def _may(self, entry: Entry) -> bool:
        """Whether the offer meets what is asked of each by itself, beyond its kind."""
        if not self.particular:
            return True
        rule = self._offer_rule(entry.offer)
        if rule is not None:
            self._fate(entry.offer, rule)
        return rule is None

    def _offer_rule(self, offer: Sellable) -> str | None:
        if self.job.in_stock and offer.in_stock is None and offer.stock_idle is None:
            return "stock_unknown"
        if self.job.min_grade is not None:
            grade = None if self.asked.grade_of is None else self.asked.grade_of(offer)
            if grade is None or grade > self.job.min_grade:
                return "grade"
        return None

    def _fate(self, offer: Sellable, rule: str) -> None:
        """Remember the rule that stopped an offer nearest to the goal; a fit wipes it out."""
        old = self.fates.get(offer.offer_id)
        if offer.offer_id not in self.best and (old is None or _NEARNESS[rule] > _NEARNESS[old]):
            self.fates[offer.offer_id] = rule

    # --- groups, ways and plans

    def _start(self, good: Good, groups: list[Group]) -> None:
        card_seconds = self.planner.card_seconds(good)
        if card_seconds is not None:
            self.heap += [(group.least(card_seconds), next(self.order), group) for group in groups]
        elif self.asked.count:
            for entry in (entry for group in groups for entry in group.entries):
                if self._may(entry):
                    self._fate(entry.offer, "no_plan")

    def _open(self, group: Group) -> None:
        """Put the ways to use a group on the heap, each under its own bound."""
        entries = [entry for entry in group.entries if self._may(entry)] if self.particular else group.entries
        if not entries:
            return
        fate = "shape"
        for cards, nodes, purchases in self._ways(group.shape):
            seconds = self._bound(group.good, cards, nodes)
            if seconds is None:
                fate = "no_plan"
            elif self.deadline_s is not None and seconds > self.deadline_s:
                fate = "deadline"
            else:
                bound = entries[0].tariff.least(seconds, purchases)
                if not self._hopeless(bound):
                    way = _Way(group, entries, cards, nodes, purchases)
                    heapq.heappush(self.heap, (bound, next(self.order), way))
        if self.asked.count:
            for entry in entries:
                self._fate(entry.offer, fate)

    def _ways(self, shape: Shape) -> list[tuple[int, int, int]]:
        """(cards, nodes, purchases) that can be bought in a shape."""
        found = self.shapes.get(shape)
        if found is None:
            asked = [(n, k, shape.purchases(n, k)) for n, k in self.planner.counts(shape)]
            found = self.shapes[shape] = [(n, k, bought) for n, k, bought in asked if bought is not None]
        return found

    def _bound(self, good: Good, cards: int, nodes: int) -> float | None:
        key = good, cards, nodes
        if key not in self.bounds:
            self.bounds[key] = self.planner.bound(good, cards, nodes)
        return self.bounds[key]

    def _plan(self, way: _Way) -> None:
        use = self.planner.use(way.group.good, way.cards, way.nodes)
        for entry in way.entries:
            if use is None:
                if not self.asked.count:
                    return
                self._fate(entry.offer, "no_plan")
            elif self._hopeless(entry.tariff.least(use.seconds_p50, way.purchases)):
                return
            else:
                self._try(entry, way.group.shape, use)

    def _try(self, entry: Entry, shape: Shape, use: Use) -> None:
        extra = self._extras(entry.terms)
        if extra.missing:
            if self.fates.get(entry.offer.offer_id) != "no_total":
                self.result.no_total.append((entry.offer, extra.missing))
            self._fate(entry.offer, "no_total")
            return
        fit = fit_of(entry, shape, use, extra, self.spot)
        if fit is None:
            self._fate(entry.offer, "shape")
        elif self.deadline_s is not None and fit.seconds_p90 > self.deadline_s:
            self._fate(entry.offer, "deadline")
        elif self.job.budget_cny is not None and fit.exact_p90 > self.job.budget_cny * HOUR:
            self._fate(entry.offer, "budget")
        elif self.asked.keep is None or self.asked.keep(fit):
            self._insert(fit)

    def _extras(self, terms: Terms) -> Extras:
        found = self.extras.get(id(terms))
        if found is None:
            found = extras(terms, self.job.dataset_gb, self.planner.footprint)
            self.extras[id(terms)] = found
        return found

    # --- the best so far

    def _insert(self, fit: Fit) -> None:
        """Keep the best plan of each offer, and the best offers."""
        ident = fit.entry.offer.offer_id
        time = (fit.seconds_p90,) if self.asked.fastest else ()
        choice: tuple[object, ...] = (*time, *fit.choice_key)
        old = self.best.get(ident)
        if old is not None and old[0] <= choice:
            return
        if old is not None:
            self._drop(old[1])
        self.best[ident] = (choice, fit)
        self.fates.pop(ident, None)
        key: tuple[object, ...] = (*time, *fit.rank_key)
        place = bisect.bisect(self.keys, key)
        self.keys.insert(place, key)
        self.result.fits.insert(place, fit)
        del self.keys[self.asked.limit :], self.result.fits[self.asked.limit :]
        self._cut()

    def _drop(self, fit: Fit) -> None:
        for place, kept in enumerate(self.result.fits):
            if kept is fit:
                del self.keys[place], self.result.fits[place]
                return

    def _cut(self) -> None:
        """Remember the total that a newcomer has to beat, in floats, hence the margin."""
        if not self.every and len(self.keys) >= self.asked.limit:
            self.cutoff = float(self.result.fits[-1].exact_p50) * (1 + FLOAT_MARGIN)
