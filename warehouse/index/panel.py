"""The shape of the market that the recursion runs over: keys, cells, who is in which, and what each week saw.

Keys are numbered by their names, cells by (series, card, mode, kind, region); nothing here depends on the
order in which rows came in. A key of price kind `list` stands twice: in the series `list`, and in
`rentable` with the prices it had while in stock.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from warehouse.index.fixed import Bools, Floats, Ints
from warehouse.index.places import cells_of

RENTABLE = "rentable"
LIST = "list"


@dataclass(frozen=True, slots=True)
class KeyRow:
    """One key: its name and what decides its cells."""

    name: str
    provider: str
    card: str
    billing_mode: str
    price_kind: str
    region_code: str | None
    scope: str


@dataclass(frozen=True, slots=True)
class Cell:
    """One series of one good in one place."""

    series: str
    card: str
    billing_mode: str
    price_kind: str
    region_code: str


@dataclass(frozen=True, slots=True)
class Shape:
    """Numbers that tie keys, cells and providers together. Arrays are indexed by key, member, pair or cell.

    A member is a (cell, key); members are sorted by cell, provider, key. A pair is a (cell, provider)
    with members.
    """

    cells: tuple[Cell, ...]
    providers: tuple[str, ...]
    key_no: Ints  # of each series key: its row among the key rows
    provider: Ints  # of each series key
    twin: Ints  # of a rentable key: its list key; -1 for the others
    top: Ints  # of each series key: its widest cell
    own: Ints  # of each series key: its narrowest cell
    pool: Ints  # of each series key: (widest cell, provider), for the first rung of the ladder
    pools: int
    member_key: Ints
    member_cell: Ints
    member_pair: Ints
    pair_cell: Ints
    pair_provider: Ints
    cell_top: Ints  # of each cell: the widest one above it

    @property
    def size(self) -> int:
        """Number of series keys."""
        return len(self.key_no)


@dataclass(frozen=True, slots=True)
class Week:
    """What one ISO week saw. Index arrays name series keys; the others run beside them."""

    number: int  # weeks since Monday 1969-12-29
    end: int  # µs: its last moment, or the clock for the running week
    priced: Ints
    price: Ints  # fixed-point log of the weekly price
    last: Ints  # µs of the latest observation in it
    vcpu: Floats  # per card, NaN where not shown
    ram: Floats
    sold_out: Ints  # listed, but sold out all week
    sold_out_price: Ints
    seen: Ints  # with any observation, held ones included
    seen_last: Ints
    held: Ints  # with an observation held back before the statistics
    stock_shown: Ints
    in_stock: Bools  # beside stock_shown
    providers: Ints  # providers with any observation


def shape_of(rows: list[KeyRow]) -> Shape:
    """Numbers for key rows that are sorted by name."""
    series = [(i, row.price_kind) for i, row in enumerate(rows)]
    series += [(i, RENTABLE) for i, row in enumerate(rows) if row.price_kind == LIST]
    providers = sorted({row.provider for row in rows})
    provider_no = {name: i for i, name in enumerate(providers)}
    places = [cells_of(row.region_code, row.scope) for row in rows]

    def cell(i: int, name: str, place: str) -> Cell:
        row = rows[i]
        return Cell(name, row.card, row.billing_mode, row.price_kind, place)

    cells = sorted({cell(i, s, place) for i, s in series for place in places[i]}, key=_cell_order)
    cell_no = {c: n for n, c in enumerate(cells)}
    of_key = [[cell_no[cell(i, s, place)] for place in places[i]] for i, s in series]
    provider = np.array([provider_no[rows[i].provider] for i, _ in series], dtype=np.int64)
    key_no = np.array([i for i, _ in series], dtype=np.int64)
    members = sorted((c, provider[k], k) for k, cs in enumerate(of_key) for c in cs)
    member = np.array(members, dtype=np.int64).reshape(-1, 3)
    pairs, member_pair = _numbered(member[:, 0], member[:, 1])
    top = np.array([cs[0] for cs in of_key], dtype=np.int64)
    pools, pool = _numbered(top, provider)
    listed = {i: k for k, (i, s) in enumerate(series) if s != RENTABLE}
    cell_top = np.zeros(len(cells), dtype=np.int64)
    for cs in of_key:
        cell_top[cs] = cs[0]
    return Shape(
        cells=tuple(cells),
        providers=tuple(providers),
        key_no=key_no,
        provider=provider,
        twin=np.array([listed[i] if s == RENTABLE else -1 for i, s in series], dtype=np.int64),
        top=top,
        own=np.array([cs[-1] for cs in of_key], dtype=np.int64),
        pool=pool,
        pools=len(pools),
        member_key=member[:, 2],
        member_cell=member[:, 0],
        member_pair=member_pair,
        pair_cell=pairs[:, 0],
        pair_provider=pairs[:, 1],
        cell_top=cell_top,
    )


def _cell_order(cell: Cell) -> tuple[str, ...]:
    return (cell.series, cell.card, cell.billing_mode, cell.price_kind, cell.region_code)


def _numbered(first: Ints, second: Ints) -> tuple[NDArray[np.int64], Ints]:
    """Distinct pairs in order, and the number of each row's pair."""
    distinct, where = np.unique(first << 32 | second, return_inverse=True)
    return np.stack((distinct >> 32, distinct & (2**32 - 1)), axis=1), where
