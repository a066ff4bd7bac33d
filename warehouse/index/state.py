"""What the recursion remembers from week to week, and the words it uses for what became of a key."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from warehouse.index.fixed import MISSING, Bools, Codes, Floats, Ints
from warehouse.index.grades import NONE, Grades
from warehouse.index.panel import Shape

# What a row of a cell is; GRADED rows have a grade that says the rest.
BASE, GRADED, OUTAGE = range(3)

# What became of a key in a week; the words of the table index_key_weeks.
KEPT, IMPUTED, QUARANTINED, DROPPED = range(4)
STATE_WORDS = ("kept", "imputed", "quarantined", "dropped")

REASON_WORDS = (
    "matched",  # priced in both weeks
    "entered",  # first week, or first after an exit: no relative yet
    "returned",  # linked to the imputed price
    "released",  # out of quarantine: its relative counts, however large
    "bundle_changed",  # other vCPU or RAM come with the card: another good from now on
    "absent",  # not observed
    "provider_outage",  # its provider was not observed at all
    "sold_out",  # listed, but sold out all week
    "held",  # every observation was held back before the statistics
    "outlier",  # the key-week failed the test of its cells
    "gone",  # two complete runs of its provider came without it
    "too_long",  # imputed for as many weeks as is allowed
    "no_class",  # nothing to impute from
)
(
    MATCHED,
    ENTERED,
    RETURNED,
    RELEASED,
    BUNDLE,
    ABSENT,
    PROVIDER_DOWN,
    SOLD_OUT,
    HELD,
    OUTLIER,
    GONE,
    TOO_LONG,
    NO_CLASS,
) = range(len(REASON_WORDS))

RUNG_WORDS = (None, "provider", "region", "nation")
NO_RUNG, BY_PROVIDER, BY_REGION, BY_NATION = range(4)


@dataclass(slots=True)
class KeyMemory:
    """Arrays over series keys."""

    price: Ints  # last price, observed or imputed; MISSING when not in the basket
    observed: Bools  # whether that price was an accepted observation
    streak: Ints  # weeks imputed in a row
    used: Ints  # µs of the last observation that was used
    seen: Ints  # µs of the last observation of any kind; -1 never
    vcpu: Floats
    ram: Floats

    @classmethod
    def empty(cls, size: int) -> KeyMemory:
        return cls(
            price=np.full(size, MISSING),
            observed=np.zeros(size, dtype=bool),
            streak=np.zeros(size, dtype=np.int64),
            used=np.full(size, -1, dtype=np.int64),
            seen=np.full(size, -1, dtype=np.int64),
            vcpu=np.full(size, np.nan),
            ram=np.full(size, np.nan),
        )


@dataclass(slots=True)
class MemberMemory:
    """Arrays over members: the key's price when its cell last had one, so that a gap is linked over."""

    price: Ints
    observed: Bools

    @classmethod
    def empty(cls, shape: Shape) -> MemberMemory:
        n = len(shape.member_key)
        return cls(price=np.full(n, MISSING), observed=np.zeros(n, dtype=bool))


@dataclass(slots=True)
class CellMemory:
    """Arrays over cells."""

    started: Bools
    log: Ints  # fixed-point log of index / 100
    active: Ints  # last week with an accepted price; -1 never
    silent: Ints  # weeks without one since
    raw: Grades
    shown: Grades

    @classmethod
    def empty(cls, size: int) -> CellMemory:
        return cls(
            started=np.zeros(size, dtype=bool),
            log=np.zeros(size, dtype=np.int64),
            active=np.full(size, -1, dtype=np.int64),
            silent=np.zeros(size, dtype=np.int64),
            raw=np.full(size, NONE, dtype=np.int8),
            shown=np.full(size, NONE, dtype=np.int8),
        )


@dataclass(frozen=True, slots=True)
class KeyRows:
    """What became of some keys in one week; columns of equal length."""

    week: int
    key: Ints
    state: Codes
    reason: Codes
    rung: Codes
    price: Ints
    before: Ints


@dataclass(frozen=True, slots=True)
class CellRows:
    """Cells of one week that get a row; columns of equal length."""

    week: int
    cell: Ints
    log: Ints  # MISSING in an outage
    link: Ints  # MISSING in base and outage rows
    state: Codes  # BASE, GRADED, OUTAGE
    grade: Grades
    keys: Ints
    providers: Ints
    imputed: Ints
    quarantined: Ints
    stock_shown: Ints
    in_stock: Ints
    sd: Floats
    low: Floats
    high: Floats
    moved: Floats
    oldest: Ints
    provider_outage: Bools
    composition: Bools
    source_switch: Bools
