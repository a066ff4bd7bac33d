"""An issue in one language: every text made once, for the HTML and the plain text to set out."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Cell:
    """Two lines of a table. `tone`: up, down, strong, muted or "". `href` belongs to the first line."""

    top: str
    under: str = ""
    href: str | None = None
    tone: str = ""
    right: bool = False


@dataclass(frozen=True, slots=True)
class Line:
    """A row; `quiet` rows belong to the row above (a runner-up)."""

    cells: tuple[Cell, ...]
    quiet: bool = False


@dataclass(frozen=True, slots=True)
class Table:
    """A table with heads of two lines, or `nothing` to say where it has no rows. `widths` are per cent.

    `small`: many columns of money, set a size smaller.
    """

    title: str
    heads: tuple[Cell, ...]
    lines: tuple[Line, ...]
    nothing: str
    notes: tuple[str, ...] = ()
    widths: tuple[int, ...] = ()
    small: bool = False


@dataclass(frozen=True, slots=True)
class Section:
    """A title and sentences."""

    title: str
    lines: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class View:
    """All texts of one issue in one language, in reading order. `brief`: a line a job, for messages."""

    lang: str
    subject: str
    title: str
    week: str
    rebuilt: str
    running: str
    coverage: str
    low: bool
    sentences: tuple[str, ...]
    brief: tuple[str, ...]
    fits: Table
    chart_title: str
    chart_alt: str
    movers: Table
    regions: Table
    parity: Section
    exclusions: Section
    marks: Section
    held: Table
    sources: Section
    corrections: Section
    method: Section
