"""The answer of `suanjia fit`, as CONTRACT prints it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

from reports.fit.extras import assumptions
from reports.fit.job import Job
from reports.fit.market import Market
from reports.fit.proof import Sources, label
from reports.fit.regions import admits, code_of
from reports.fit.search import JOB_RULES, Asked, GradeOf, Result, search
from reports.fit.sellable import OLD_HOURS, STATIC_RULES, Sellable
from reports.fit.totals import Fit
from reports.fit.use import Planner
from reports.numbers import half_up

LIMIT = 10
SHOWN_UNPRICED = 20


def answer(
    market: Market,
    job: Job,
    planner: Planner,
    sources: Sources,
    *,
    limit: int = LIMIT,
    why: bool = False,
    grade_of: GradeOf | None = None,
) -> dict[str, Any]:
    """One workload's document. RegionError for a region that is no place."""
    # One more than is shown, so that the last shown one has its margin too.
    found = search(market, job, planner, Asked(limit=limit + 1, count=why, grade_of=grade_of))
    rows = fit_rows_of(found.fits, found.checked, sources, market.now)[:limit]
    document: dict[str, Any] = {
        "workload": job.name,
        "requirement": {**planner.requirement(), **_buyer(job)},
        "fits": rows,
        "nothing_fits_because": None,
        "smallest_that_would": None,
        "checked": found.checked,
        "sources": {"complete": list(sources.complete), "missing": list(sources.missing)},
        "unpriced": _unpriced(market, job, found),
    }
    if found.fits and found.fits[0].interruptible:
        safe = search(market, job, planner, Asked(limit=1, keep=_stays, grade_of=grade_of))
        document["cheapest_non_interruptible"] = next(
            iter(fit_rows_of(safe.fits, safe.checked, sources, market.now)), None
        )
    if not found.fits:
        reason, smallest = nothing(market, job, planner, grade_of)
        document["nothing_fits_because"], document["smallest_that_would"] = reason, smallest
    if why:
        document["why"] = removed(market, found)
    return document


def _stays(fit: Fit) -> bool:
    return not fit.interruptible


def fit_rows_of(fits: Sequence[Fit], checked: int, sources: Sources, now: datetime) -> list[dict[str, Any]]:
    """Ranked fits as JSON objects; the margin of the last one is unknown (null)."""
    rows = []
    for rank, fit in enumerate(fits, 1):
        following = fits[rank] if rank < len(fits) else None
        rows.append(
            {
                "rank": rank,
                **fit_json(fit),
                "proof": label(sources, rank, checked),
                "margin_to_next_pct": None if following is None else margin(fit, following),
                "source_url": fit.entry.offer.source_url or None,
            }
        )
    return rows


def margin(fit: Fit, following: Fit) -> Decimal:
    """How far this total may rise, in per cent, before the next one is as cheap."""
    return half_up((following.exact_p50 / fit.exact_p50 - 1) * 100, 1)


def fit_json(fit: Fit) -> dict[str, Any]:
    """One fit without its rank. Money to the cent, hours to four places."""
    offer, extras = fit.entry.offer, fit.extras
    return {
        "offer_id": offer.offer_id,
        "provider": offer.provider,
        "region": offer.region or offer.region_label or offer.region_code,
        "region_code": offer.region_code,
        "card": offer.card,
        "form": offer.form,
        "gpu_count": fit.bought,
        "cards_used": fit.use.cards,
        "nodes": fit.use.nodes,
        "billing_mode": offer.billing_mode,
        "strategy": fit.strategy,
        "assumed": list(fit.assumed),
        "peak_gib_p90": _gib(fit.use.peak_gib),
        "usable_gib": _gib(fit.use.usable_gib),
        "own_runs": fit.use.own_runs,
        "hours_p50": half_up(Decimal(fit.seconds_p50) / 3600, 4),
        "hours_p90": half_up(Decimal(fit.seconds_p90) / 3600, 4),
        "total_cny_p50": half_up(fit.total_p50),
        "total_cny_p90": half_up(fit.total_p90),
        "price_cny_per_card_hour": offer.price_cny_per_card_hour,
        "components": {
            "compute": half_up(fit.compute_p50),
            "storage": None if extras.storage_per_day is None else half_up(fit.storage_p50),
            "traffic": None if extras.traffic is None else half_up(extras.traffic),
            "deposit_held": extras.deposit,
        },
        "tax": offer.tax,
        "price_kind": offer.price_kind,
        "tier": offer.tier,
        "interruptible": fit.interruptible,
        "unknown": list(extras.unknown),
        "notes": [*extras.notes, *([assumptions().words["spot"]] if fit.interruptible else [])],
        "mark": mark(fit),
        "observed_at": offer.observed_at.astimezone(UTC).isoformat(),
        "age_hours": half_up(fit.entry.age_hours, 2),
        "in_stock": True if offer.in_stock is None and offer.stock_idle else offer.in_stock,
    }


def _gib(value: float | None) -> float | None:
    return None if value is None else round(value, 1)


def mark(fit: Fit) -> str | None:
    """Codes of `reports.marks` that the offer itself earns, as a comma list."""
    codes = []
    if fit.entry.age_hours > OLD_HOURS:
        codes.append("old")
    if fit.entry.offer.state == "missing":
        codes.append("missing")
    if fit.interruptible:
        codes.append("interruptible")
    if fit.entry.offer.review:
        codes.append("under_review")
    return ",".join(codes) or None


def _buyer(job: Job) -> dict[str, Any]:
    return {
        "regions": list(job.regions),
        "cards": list(job.cards),
        "billing_modes": list(job.billing_modes),
        "interruptible": job.interruptible,
        "deadline_hours": job.deadline_hours,
        "budget_cny": job.budget_cny,
        "dataset_gb": job.dataset_gb,
    }


def _unpriced(market: Market, job: Job, found: Result) -> list[dict[str, Any]]:
    """Offers that meet the buyer's rules but have no total, with the reason: null, never 0."""
    admit = admits([code_of(region) for region in job.regions])
    rows: list[tuple[Sellable, str]] = [
        (offer, "no price in CNY" if offer.price is not None else "no price")
        for offer in market.unpriced
        if admit(offer.region_code, offer.site)
        and job.allows(offer.billing_mode)
        and (not job.cards or offer.card in job.cards)
    ]
    return [
        {
            "offer_id": offer.offer_id,
            "provider": offer.provider,
            "card": offer.card,
            "billing_mode": offer.billing_mode,
            "total_cny_p50": None,
            "total_cny_p90": None,
            "reason": reason,
        }
        for offer, reason in [*rows, *found.no_total][:SHOWN_UNPRICED]
    ]


def removed(market: Market, found: Result) -> list[dict[str, Any]]:
    """How many offers each rule took out, in the order the rules are asked."""
    counts = {**{rule: market.removed[rule] for rule in STATIC_RULES}, **found.removed}
    words = {**STATIC_RULES, **JOB_RULES}
    return [
        {"rule": rule, "removed": counts[rule], "reason": words[rule]} for rule in words if counts.get(rule)
    ]


def nothing(
    market: Market, job: Job, planner: Planner, grade_of: GradeOf | None = None
) -> tuple[str, dict[str, Any] | None]:
    """Why nothing fits, and the smallest thing that would: a dearer or slower fit, else a machine by plan."""
    goods = market.goods
    if not market.groups:
        total = sum(market.removed.values())
        return f"no live offer can rank ({total} looked at: {_counts(market.removed)})", _machine(
            planner, goods
        )
    found = search(market, job, planner, Asked(limit=1, count=True, grade_of=grade_of))
    if found.removed["budget"] or found.removed["deadline"]:
        return _out_of_reach(market, job, planner, found, grade_of)
    if found.removed["no_plan"] and found.removed["no_plan"] == found.checked:
        reason = "no card that is sold under these conditions holds the job"
    else:
        reason = f"no offer meets the conditions ({_counts(found.removed)})"
    return reason, _machine(planner, goods)


def _machine(planner: Planner, goods: Sequence[Any]) -> dict[str, Any] | None:
    found = planner.smallest(goods)
    return None if found is None else dict(found)


def _counts(removed: Any) -> str:
    return ", ".join(f"{rule} {count}" for rule, count in sorted(removed.items()) if count) or "none"


def _out_of_reach(
    market: Market, job: Job, planner: Planner, found: Result, grade_of: GradeOf | None
) -> tuple[str, dict[str, Any] | None]:
    """The cheapest fit with the deadline kept and no budget, else the fastest with neither."""
    asked = Asked(limit=1, grade_of=grade_of)
    if found.removed["budget"]:
        free = search(market, replace(job, budget_cny=None), planner, asked)
        if free.fits:
            cost = half_up(free.fits[0].total_p90)
            reason = f"the cheapest costs {cost} CNY (p90), over the budget of {job.budget_cny}"
            return reason, fit_json(free.fits[0])
    unbound = replace(job, budget_cny=None, deadline_hours=None)
    quick = search(market, unbound, planner, replace(asked, fastest=True))
    if not quick.fits:
        return f"no offer meets the conditions ({_counts(found.removed)})", None
    hours = half_up(Decimal(quick.fits[0].seconds_p90) / 3600, 2)
    reason = f"the fastest takes {hours} h (p90), past the deadline of {job.deadline_hours} h"
    return reason, fit_json(quick.fits[0])
