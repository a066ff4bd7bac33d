"""What an issue says, without a language: rows of SQL with their exact numbers.

Money is CNY as Decimal, times aware UTC, unknown is None.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal

from reports.issue.clock import IssueWeek

LOW_COVERAGE = Decimal("0.9")


@dataclass(frozen=True, slots=True)
class Coverage:
    """Who was to answer this week and who did. `never`: active sources that were never asked here."""

    planned: tuple[str, ...]
    complete: tuple[str, ...]
    never: tuple[str, ...]
    offers: int
    sellers: int

    @property
    def missing(self) -> tuple[str, ...]:
        done = set(self.complete)
        return tuple(slug for slug in self.planned if slug not in done)

    @property
    def share(self) -> Decimal | None:
        """Complete ÷ planned; None where nothing was planned."""
        return Decimal(len(self.complete)) / len(self.planned) if self.planned else None

    @property
    def low(self) -> bool:
        return self.share is None or self.share < LOW_COVERAGE


@dataclass(frozen=True, slots=True)
class Fit:
    """A row of `cheapest_fit`, with what the same offer cost the week before.

    `price_before`: unheld price in the last week; None without one. `is_new`: first seen in this week.
    `valid`: the seller's own date of expiry lies ahead.
    """

    workload: str
    region_code: str
    rank: int
    offer_id: str
    obs_id: str | None
    provider: str
    place: str | None
    scope: str | None
    card: str
    form: str | None
    gpu_count: Decimal
    cards_used: int
    nodes: int
    billing_mode: str
    strategy: str | None
    hours_p50: Decimal
    hours_p90: Decimal
    total_cny_p50: Decimal
    total_cny_p90: Decimal
    price_cny_per_card_hour: Decimal
    price_before: Decimal | None
    is_new: bool
    observed_at: datetime
    age_hours: Decimal
    stock_idle: int | None
    grade: str | None
    mark: str | None
    proof: str | None
    margin_to_next_pct: Decimal | None
    source_url: str | None
    homepage: str | None
    valid: bool


@dataclass(frozen=True, slots=True)
class Cell:
    """A row of `price_index`, list series. `level`: median over sellers of their median, CNY a card-hour."""

    region_code: str
    card: str
    billing_mode: str
    value: Decimal | None
    link: Decimal | None
    state: str
    grade: str | None
    direction: str | None
    n_offers: int
    n_providers: int
    n_imputed: int
    in_stock_share: Decimal | None
    flags: str
    level: Decimal | None


@dataclass(frozen=True, slots=True)
class Parity:
    """A province against Beijing = 100, like for like."""

    region_code: str
    billing_mode: str
    value: Decimal
    n_cards: int


@dataclass(frozen=True, slots=True)
class Count:
    """How many of one reason, in the week and in all. `kind`: held (kept, not used) or refused (no offer)."""

    kind: str
    reason: str
    week: int
    total: int


@dataclass(frozen=True, slots=True)
class Held:
    """A price that is held back: seen, kept, and not used until someone confirms it."""

    obs_id: str
    provider: str
    card: str
    region_code: str | None
    billing_mode: str
    price_cny_per_card_hour: Decimal | None
    reason: str
    observed_at: datetime
    source_url: str


@dataclass(frozen=True, slots=True)
class Correction:
    """A final value that was corrected since the last issue."""

    region_code: str
    card: str
    billing_mode: str
    week: date
    old_value: Decimal | None
    new_value: Decimal | None
    reason: str


@dataclass(frozen=True, slots=True)
class CellChange:
    """An index cell of the week: value and link (this week ÷ last) as they were told, and now."""

    region_code: str
    card: str
    billing_mode: str
    old_value: Decimal | None
    old_link: Decimal | None
    new_value: Decimal | None
    new_link: Decimal | None


@dataclass(frozen=True, slots=True)
class FitChange:
    """The cheapest total of a job on the mainland as it was told, and now."""

    workload: str
    old: Decimal | None
    new: Decimal | None


@dataclass(frozen=True, slots=True)
class Revision:
    """`vintage` takes the place of `supersedes`. `reasons`: codes of `words.toml`, section reason."""

    vintage: int
    supersedes: int
    reasons: tuple[str, ...]
    cells: tuple[CellChange, ...]
    fits: tuple[FitChange, ...]


@dataclass(frozen=True, slots=True)
class BreakEven:
    """Hours on demand that cost as much as a month of the same good at the same seller; under 730."""

    card: str
    provider: str
    hours: Decimal


@dataclass(frozen=True, slots=True)
class Workload:
    """A job of the table and its names; `spec` is what it asks for."""

    name: str
    title_zh: str
    title_en: str
    spec: Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Issue:
    """Everything an issue says. `revision`: what it corrects; None for the first issue of a week."""

    week: IssueWeek
    rebuilt: bool
    generation: str
    input_hash: str
    code_version: str
    method_version: str
    coverage: Coverage
    workloads: tuple[Workload, ...]
    fits: tuple[Fit, ...]
    cells: tuple[Cell, ...]
    history: Mapping[tuple[str, str, str], tuple[tuple[date, Decimal | None, str], ...]]
    parity: tuple[Parity, ...]
    break_even: tuple[BreakEven, ...]
    counts: tuple[Count, ...]
    held: tuple[Held, ...]
    corrections: tuple[Correction, ...]
    providers: Mapping[str, str]
    regions: Mapping[str, tuple[str, str]]
    revision: Revision | None = None
