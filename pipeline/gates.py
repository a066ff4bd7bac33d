"""Gates: what a crawl of one provider must show before it counts.

A run that fails one keeps its rows (they are evidence of what went wrong) but not its outcome: it is stored
as `partial`, `empty` or `layout_changed`, and the last good run of the provider stays in force with its age.
Sheets pass no gates: they are judged row by row.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import datetime, timedelta
from decimal import Decimal
from pathlib import Path
from statistics import median
from typing import Any

from catalog.provider_model import Expect
from pipeline import metering, page
from pipeline.manifest import RunMeta
from pipeline.offer import Offer, Rejection
from pipeline.past import Past, load_past, medians
from pipeline.profile import fingerprint, levels
from pipeline.run import names
from spiders.listing import Listing


@dataclass(frozen=True, slots=True)
class Limits:
    """Where the gates stand. Shares are of 1, ratios are to the reference."""

    unknown_cards: float = 0.2  # above, and many of them: the page or the reader has changed
    unknown_few: int = 3  # different names: fewer are new cards, not another column
    unknown_most: float = 0.5  # above, however few names
    unknown_cards_warn: float = 0.01  # from here on the run is called degraded
    missing_regions: float = 0.25
    level_band: tuple[Decimal, Decimal] = (Decimal("0.33"), Decimal(3))
    level_off: float = 0.5  # share of levels outside the band that fails the run
    drift_rows: float = 0.5  # more than this share of the last good run's offers: hosts come and go
    drift_list: float = 0.8  # at least this share where a list is quoted: it does not lose a fifth overnight
    drift_few: int = 3  # offers: fewer may go of a short list, whatever share of it they are
    drift_price: tuple[Decimal, Decimal] = (Decimal("0.5"), Decimal(2))
    same_count: float = 0.2  # runs that agree this far confirm a new number of rows
    stalled: timedelta = timedelta(hours=72)
    stalled_runs: int = 8
    oldest: timedelta = timedelta(hours=168)


@dataclass(frozen=True, slots=True)
class Verdict:
    """One gate: passed or not, what was found, and the outcome a failure gives. `warn`: passed, degraded."""

    gate: str
    ok: bool
    found: str
    outcome: str = "partial"
    warn: bool = False

    def as_dict(self) -> dict[str, Any]:
        """The row that the manifest keeps."""
        return asdict(self)


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """What is judged: a crawl's rows beside what is expected of it and what came before."""

    meta: RunMeta
    offers: Sequence[Offer]
    rejections: Sequence[Rejection]
    listings: Sequence[Listing]
    expect: Expect
    past: Past
    limits: Limits = Limits()


def settle(
    home: Path,
    meta: RunMeta,
    offers: Sequence[Offer],
    rejections: Sequence[Rejection],
    listings: Sequence[Listing],
    expect: Expect,
    limits: Limits | None = None,
) -> RunMeta:
    """The run's facts after its gates: outcome, `complete`, message and verdicts.

    `home` is where earlier segments stand. A run that the spider already called not ok, and an import, come
    back with `complete` as it was given or False, and without verdicts.
    """
    if meta.kind != "crawl":
        return meta
    if meta.outcome != "ok":
        return replace(meta, complete=False)
    past = load_past(home, meta.provider, meta.provider_class, meta.started_at)
    run = Run(
        meta=meta,
        offers=offers,
        rejections=rejections,
        listings=listings,
        expect=expect,
        past=past,
        limits=limits or Limits(),
    )
    verdicts = judge(run)
    failed = [verdict for verdict in verdicts if not verdict.ok]
    told = {v.gate: f"{v.gate}: {v.found}" for v in verdicts if not v.ok or v.warn}
    own = "known_cards" in told  # names the cards itself
    said = [p for p in (meta.message or "").split("; ") if not (own and p.startswith("unknown cards: "))]
    return replace(
        meta,
        outcome=failed[0].outcome if failed else "ok",
        complete=meta.complete and not failed,
        message="; ".join(filter(None, (*said, *told.values()))) or None,
        verdicts=tuple(verdict.as_dict() for verdict in verdicts),
    )


def judge(run: Run) -> list[Verdict]:
    """Every gate that applies to the run, in the order in which their outcomes count."""
    return [verdict for gate in GATES if (verdict := gate(run)) is not None]


def not_empty(run: Run) -> Verdict | None:
    """Listings without one offer are a changed page; no listings at all an empty one."""
    outcome = "layout_changed" if run.listings else "empty"
    return Verdict(
        "not_empty", bool(run.offers), f"{len(run.listings)} listings, {len(run.offers)} offers", outcome
    )


def min_rows(run: Run) -> Verdict | None:
    """At least as many offers as the provider file expects."""
    if not run.expect.min_rows:
        return None
    found = sum(offer.listings for offer in run.offers)
    return Verdict(
        "min_rows", found >= run.expect.min_rows, f"{found} of {run.expect.min_rows}", "layout_changed"
    )


def regions(run: Run) -> Verdict | None:
    """The places the provider file expects, each by its code or a place inside it."""
    if not run.expect.regions:
        return None
    seen = {offer.region_code for offer in run.offers if offer.region_code}
    missing = [code for code in run.expect.regions if not any(_inside(place, code) for place in seen)]
    share = len(missing) / len(run.expect.regions)
    found = f"missing {', '.join(missing)}" if missing else f"all {len(run.expect.regions)}"
    return Verdict("regions", share <= run.limits.missing_regions, found, warn=bool(missing))


def declared_total(run: Run) -> Verdict | None:
    """As many rows as the source says it has: a list that was cut short is not a list."""
    if run.meta.declared_total is None:
        return None
    read = len(run.listings) if run.meta.readings is None else run.meta.readings
    found = max(read, run.meta.distinct_keys or 0)  # a row that is no offer is read too
    return Verdict(
        "declared_total", found >= run.meta.declared_total, f"{found} of {run.meta.declared_total}"
    )


def distinct_keys(run: Run) -> Verdict | None:
    """As many different rows as declared: paging over moving data repeats one row and skips another."""
    if run.meta.declared_total is None or run.meta.distinct_keys is None:
        return None
    found, total = run.meta.distinct_keys, run.meta.declared_total
    return Verdict("distinct_keys", found >= total, f"count_mismatch: {found} distinct of {total}")


def known_cards(run: Run) -> Verdict | None:
    """Few rows may name a card that the catalog does not know; they are kept and counted."""
    named, limits = [r.card_text or "" for r in run.rejections if r.reason == "unknown_card"], run.limits
    unknown = len(named)
    known = sum(offer.listings for offer in run.offers)
    if not unknown:
        return None
    share = unknown / (unknown + known)
    few = len(set(named)) < limits.unknown_few and share <= limits.unknown_most
    return Verdict(
        "known_cards",
        few or share <= limits.unknown_cards,
        f"{unknown} of {unknown + known} rows name an unknown card ({names(named)})",
        "layout_changed",
        warn=share >= limits.unknown_cards_warn,
    )


def level_bands(run: Run) -> Verdict | None:
    """Medians beside those of the other sellers of the class: a slipped unit moves them all."""
    low, high = run.limits.level_band
    ratios = {
        key: Decimal(own) / median(others)
        for key, (_, own) in levels(run.offers).items()
        if len(others := run.past.class_levels.get(key, [])) >= 2
    }
    if not ratios:
        return None
    off = [f"{key} × {ratio:.2f}" for key, ratio in sorted(ratios.items()) if not low <= ratio <= high]
    ok = len(off) <= run.limits.level_off * len(ratios)
    found = f"{len(off)} of {len(ratios)} outside {low}–{high}" + (f": {'; '.join(off[:3])}" if off else "")
    return Verdict("level_bands", ok, found)


def drift_rows(run: Run) -> Verdict | None:
    """Not suddenly half of the last good run (of a price list: four fifths), unless the runs since agree on
    the new number. A list that was cut and says nothing of its length shows here alone."""
    if run.past.last_good is None:
        return None
    now, before = len(run.offers), run.past.last_good.counts["offers"]
    if not _cut(now, before, run):
        return Verdict("drift_rows", True, f"{now}, last good run {before}")
    since = run.past.counts_since_good[-2:]
    agreed = len(since) == 2 and all(abs(n - now) <= run.limits.same_count * max(n, now) for n in since)
    return Verdict(
        "drift_rows", agreed, f"{now}, last good run {before}" + ("; agreed by two runs" if agreed else "")
    )


def _cut(now: int, before: int, run: Run) -> bool:
    """Are so many offers gone that the list was cut rather than changed? One of a few may always go."""
    limits, lost = run.limits, before - now
    if now < limits.drift_rows * before:
        return True
    live = any(offer.evidence_kind == "realtime" for offer in run.offers)
    halved = now <= limits.drift_rows * before and lost >= limits.drift_few
    return halved or (not live and now < limits.drift_list * before and lost > limits.drift_few + 1)


def drift_price(run: Run) -> Verdict | None:
    """Levels beside the last good run's. Seeing a wrong unit again does not make it right: no release."""
    if run.past.last_good is None:
        return None
    before = run.past.last_good.levels
    ratios = [
        Decimal(own) / Decimal(before[key][1])
        for key, (_, own) in levels(run.offers).items()
        if key in before
    ]
    if not ratios:
        return None
    low, high = run.limits.drift_price
    middle = median(ratios)
    return Verdict("drift_price", low <= middle <= high, f"× {middle:.3f} over {len(ratios)} levels")


def look(run: Run) -> Verdict | None:
    """Single prices far off what the others of the class ask: for a person to look at, they stay in.

    Held back they are at publishing, where every observation is at hand (docs/method.md, rule 9).
    """
    known = run.past.class_levels
    odd = [verdict.detail for verdict in metering.servers(run.offers, medians(known, "on_demand"))]
    odd += [verdict.detail for verdict in page.off_level(run.offers, medians(known))]
    return Verdict("look", True, metering.counted(odd), warn=True) if odd else None


def stalled(run: Run) -> Verdict | None:
    """A live market whose stock never moves is a cache. Price lists may stand still."""
    live = any(offer.evidence_kind == "realtime" and offer.stock_idle is not None for offer in run.offers)
    same = run.past.same_as(fingerprint(run.offers))
    if not live or not same:
        return None
    for_long = (
        run.meta.started_at - same[0] >= run.limits.stalled and len(same) + 1 >= run.limits.stalled_runs
    )
    return Verdict("stalled", not for_long, f"unchanged since {same[0].isoformat()}, {len(same) + 1} runs")


def age(run: Run) -> Verdict | None:
    """What the source dates by the day must not be old. A page that says "prices of 2019" is old by its own
    word: its rows carry that date, and nothing current is made of them."""
    if not run.offers:
        return None
    newest: datetime = max(offer.observed_at for offer in run.offers)
    fresh = run.meta.started_at - newest <= run.limits.oldest
    by_day = any(offer.date_precision == "day" for offer in run.offers)
    return Verdict("age", fresh or not by_day, f"newest row is of {newest.isoformat()}", warn=not fresh)


GATES: tuple[Callable[[Run], Verdict | None], ...] = (
    not_empty,
    min_rows,
    known_cards,
    declared_total,
    distinct_keys,
    regions,
    level_bands,
    drift_rows,
    drift_price,
    look,
    stalled,
    age,
)


def _inside(place: str, code: str) -> bool:
    """Whether a GB/T 2260 code lies in another: 130700 in 130000."""
    if place == code or len(place) != 6 or len(code) != 6:
        return place == code
    stem = code[:2] if code.endswith("0000") else code[:4] if code.endswith("00") else code
    return place.startswith(stem)
