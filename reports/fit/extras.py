"""What a job costs a provider's customer beside the cards: start-up, transfer, disks, traffic."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from decimal import Decimal
from functools import cache
from importlib.resources import files
from math import ceil

from reports.fit.terms import Terms
from reports.fit.use import Footprint

DAY_S = 86_400
BITS_PER_BYTE = 8


@dataclass(frozen=True, slots=True)
class Spot:
    """Share of time lost to interruptions, median and pessimistic."""

    loss_p50: Decimal
    loss_p90: Decimal


@dataclass(frozen=True, slots=True)
class Assumptions:
    """`assumptions.toml`, read."""

    image_pull_s: int
    interruptions_per_day: Decimal
    spot: Spot
    words: dict[str, str]


@cache
def assumptions() -> Assumptions:
    """The built-in assumptions."""
    table = tomllib.loads((files("reports.fit") / "assumptions.toml").read_text(encoding="utf-8"))
    spot = {name: Decimal(str(value)) for name, value in table["spot"].items()}
    lost_minutes = spot["restart_minutes"] + spot["checkpoint_every_minutes"] / 2
    loss = spot["interruptions_per_day"] * lost_minutes / (24 * 60)
    pull = Decimal(str(table["start"]["image_pull_minutes"]))
    return Assumptions(
        image_pull_s=int(pull * 60),
        interruptions_per_day=spot["interruptions_per_day"],
        spot=Spot(loss, loss * spot["p90_factor"]),
        words={
            "image_pull": f"image pull of {pull} min paid (assumed)",
            "spot": f"{spot['interruptions_per_day'].normalize():f} interruption a day assumed, "
            f"{lost_minutes.normalize():f} min lost each",
        },
    )


@dataclass(frozen=True, slots=True)
class Extras:
    """Per provider and job. `storage_per_day` and `traffic` in CNY; None is unknown and named in `unknown`.

    `missing` says why no total can be given at all.
    """

    overhead_s: int
    storage_per_day: Decimal | None
    traffic: Decimal | None
    deposit: Decimal | None
    unknown: tuple[str, ...]
    notes: tuple[str, ...]
    missing: str | None

    def storage(self, seconds: int) -> Decimal:
        """CNY of disks for so long: disks are charged by the day begun, on or off."""
        return (self.storage_per_day or Decimal(0)) * ceil(seconds / DAY_S)


def extras(terms: Terms, dataset_gb: Decimal | None, footprint: Footprint) -> Extras:
    """What this provider adds to this job.

    A dataset that was stated needs known terms to be priced; terms of which nothing is known leave the part
    unknown. Weights and checkpoints of a job without a dataset are taken as fitting the machine's disk.
    """
    unknown: list[str] = []
    notes: list[str] = []
    storage, missing = _storage(terms, dataset_gb, footprint, unknown, notes)
    traffic, missing_traffic = _traffic(terms, dataset_gb, footprint, unknown)
    overhead = _overhead(terms, dataset_gb, footprint, unknown, notes)
    if terms.deposit_cny is None:
        unknown.append("deposit")
    return Extras(
        overhead_s=overhead,
        storage_per_day=storage,
        traffic=traffic,
        deposit=terms.deposit_cny,
        unknown=tuple(unknown),
        notes=tuple(notes),
        missing=missing or missing_traffic,
    )


def _storage(
    terms: Terms, dataset_gb: Decimal | None, footprint: Footprint, unknown: list[str], notes: list[str]
) -> tuple[Decimal | None, str | None]:
    own = Decimal(str(footprint.weights_gb)) + Decimal(str(footprint.checkpoint_gb))
    if not terms.storage_known:
        if dataset_gb:
            unknown.append("storage")
            return None, None
        notes.append("storage taken as on the machine's own disk")
        return Decimal(0), None
    beyond = max(Decimal(0), (dataset_gb or Decimal(0)) + own - (terms.free_disk_gb or Decimal(0)))
    if beyond == 0:
        return Decimal(0), None
    if terms.disk_cny_per_gb_day is None:
        if not dataset_gb or dataset_gb <= (terms.free_disk_gb or Decimal(0)):
            notes.append(
                "weights and checkpoints beyond the free disk, whose price is not stated, not counted"
            )
            return Decimal(0), None
        return None, f"price of disk beyond {terms.free_disk_gb:f} GB is not known"
    return beyond * terms.disk_cny_per_gb_day, None


def _traffic(
    terms: Terms, dataset_gb: Decimal | None, footprint: Footprint, unknown: list[str]
) -> tuple[Decimal | None, str | None]:
    """Dataset in and result out, both over the public line."""
    crossing = (dataset_gb or Decimal(0)) + Decimal(str(footprint.result_gb))
    if not terms.traffic_known:
        if dataset_gb:
            unknown.append("traffic")
            return None, None
        return Decimal(0), None
    beyond = max(Decimal(0), crossing - (terms.free_traffic_gb or Decimal(0)))
    if beyond == 0:
        return Decimal(0), None
    if terms.traffic_cny_per_gb is None:
        if not dataset_gb:
            return Decimal(0), None
        return None, f"price of traffic beyond {terms.free_traffic_gb:f} GB is not known"
    return beyond * terms.traffic_cny_per_gb, None


def _overhead(
    terms: Terms, dataset_gb: Decimal | None, footprint: Footprint, unknown: list[str], notes: list[str]
) -> int:
    """Paid seconds that are no work: image pull while the meter runs, dataset up, result down."""
    seconds = 0
    if terms.starts in {"order", "image_pull"}:
        seconds += assumptions().image_pull_s
        notes.append(assumptions().words["image_pull"])
    moved = (dataset_gb or Decimal(0)) + Decimal(str(footprint.result_gb))
    if terms.upload_mbps:
        seconds += ceil(moved * 1000 * BITS_PER_BYTE / terms.upload_mbps)
    elif dataset_gb:
        unknown.append("transfer_time")
    return seconds


def spot_of(interruptions_per_day: Decimal | None) -> Spot:
    """The loss to interruptions, by the job's own count a day where it states one."""
    spot = assumptions().spot
    if interruptions_per_day is None:
        return spot
    assumed = assumptions().interruptions_per_day
    return Spot(*(loss * interruptions_per_day / assumed for loss in (spot.loss_p50, spot.loss_p90)))
