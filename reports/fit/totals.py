"""One offer bought for one plan: hours, parts and total, for the median and the pessimistic hours."""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal
from math import ceil

from reports.fit.bill import HOUR
from reports.fit.extras import Extras, Spot
from reports.fit.market import Entry
from reports.fit.use import Shape, Use

# What a seller's words on the interconnect settle; what they leave open is assumed, and said so.
_NVLINK = re.compile(r"nvlink|nvswitch|sxm|hgx", re.IGNORECASE)
_RDMA = re.compile(r"rdma|roce|infiniband|\bib\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Fit:
    """A plan on an offer. Seconds paid; money CNY, tax in. The plan may use fewer than `bought` cards."""

    entry: Entry
    use: Use
    purchases: int
    bought: int
    seconds_p50: int
    seconds_p90: int
    parts_p50: Decimal  # of compute, CNY × 3600
    parts_p90: Decimal
    storage_p50: Decimal
    storage_p90: Decimal
    extras: Extras

    @property
    def compute_p50(self) -> Decimal:
        """The cards alone, CNY."""
        return self.parts_p50 / HOUR

    @property
    def exact_p50(self) -> Decimal:
        """The median total × 3600, exact: what fits are ranked by."""
        return self.parts_p50 + (self.storage_p50 + (self.extras.traffic or 0)) * HOUR

    @property
    def exact_p90(self) -> Decimal:
        """The pessimistic total × 3600, exact."""
        return self.parts_p90 + (self.storage_p90 + (self.extras.traffic or 0)) * HOUR

    @property
    def total_p50(self) -> Decimal:
        """The median total; what is unknown of it is named in `extras.unknown`."""
        return self.exact_p50 / HOUR

    @property
    def total_p90(self) -> Decimal:
        """The pessimistic total, which budgets are tested on."""
        return self.exact_p90 / HOUR

    @property
    def assumed(self) -> tuple[str, ...]:
        """Links that the pace counts on and the seller does not state: the buyer has to ask."""
        said = self.entry.offer.interconnect or ""
        found = []
        if self.use.counts_on_nvlink and not _NVLINK.search(said):
            found.append("NVLink in the machine" + "s" * (self.use.nodes > 1))
        if self.use.nodes > 1 and not _RDMA.search(said):
            found.append("RDMA between the machines")
        return tuple(found)

    @property
    def strategy(self) -> str:
        """The plan in words, with what it assumes."""
        assumed = " and ".join(self.assumed)
        return self.use.strategy + (f", {assumed} assumed" if assumed else "")

    @property
    def interruptible(self) -> bool:
        """Whether the seller may take the cards back."""
        return self.entry.offer.billing_mode == "spot"

    @property
    def rank_key(self) -> tuple[Decimal, Decimal, str, str]:
        """Order of fits: total, then age, provider, id."""
        return (self.exact_p50, *self.entry.order)

    @property
    def choice_key(self) -> tuple[Decimal, Decimal, int, str]:
        """Order of plans on one offer: total, pessimistic total, fewer cards, name."""
        return self.exact_p50, self.exact_p90, self.use.cards, self.use.strategy


def fit_of(entry: Entry, shape: Shape, use: Use, extra: Extras, spot: Spot) -> Fit | None:
    """The fit of a plan on an offer; None where the offer cannot be bought for it."""
    purchases = shape.purchases(use.cards, use.nodes)
    if purchases is None or not _holds(entry.ram_gb(purchases), use):
        return None
    lost = entry.offer.billing_mode == "spot"
    p50 = _seconds(use.seconds_p50, spot.loss_p50 if lost else None) + extra.overhead_s
    p90 = _seconds(use.seconds_p90, spot.loss_p90 if lost else None) + extra.overhead_s
    return Fit(
        entry=entry,
        use=use,
        purchases=purchases,
        bought=purchases * (shape.size or 1),
        seconds_p50=p50,
        seconds_p90=p90,
        parts_p50=entry.tariff.parts(p50, purchases),
        parts_p90=entry.tariff.parts(p90, purchases),
        storage_p50=extra.storage(p50),
        storage_p90=extra.storage(p90),
        extras=extra,
    )


def _seconds(work: int, loss: Decimal | None) -> int:
    """Work stretched by what interruptions lose: T / (1 - loss)."""
    return work if loss is None else ceil(work / (1 - min(loss, Decimal("0.95"))))


def _holds(ram_gb: Decimal | None, use: Use) -> bool:
    """Whether the host memory is enough; sellers label GiB as GB, so both are taken as one unit."""
    if ram_gb is None:
        return not use.leans_on_host
    return float(ram_gb) >= use.ram_gib
