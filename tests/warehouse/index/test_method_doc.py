"""Every marked figure in docs/method.md is what the code and the parameter file give."""

from __future__ import annotations

import itertools
import math
import random
import re
from collections.abc import Callable
from decimal import ROUND_HALF_UP, Decimal
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.warehouse.index.market import at, build, records, series, values, vectors
from warehouse.index.formulas import carli, dutot, jevons
from warehouse.index.method import load_method
from warehouse.index.parity import country_product_dummy
from warehouse.index.transition import PARALLEL_WEEKS
from warehouse.index.uncertainty import student_t

DOC = Path(__file__).parents[3] / "docs" / "method.md"
MARK = re.compile(r"(?P<shown>[−+]?[\d.]+)<!--=(?P<name>[\w.]+)(?::(?P<form>\w+))?-->")
METHOD = load_method()


def vector(name: str) -> Any:
    return vectors()[name]["input"]


def v01() -> tuple[list[float], list[float]]:
    given = vector("V01")
    return list(given["prices_t0"].values()), list(given["prices_t1"].values())


def v02_dutot() -> float:
    given = vector("V02")
    return dutot(list(given["prices_t0"].values()), list(given["prices_t1"].values()))


def v03_chained_carli() -> float:
    weeks = [list(week.values()) for week in vector("V03")["weeks"]]
    return 100 * math.prod(carli(a, b) for a, b in itertools.pairwise(weeks))


def v06(by_listing: bool) -> float:
    weeks = vector("V06")["weeks_by_listing_id"]
    rows = [
        {
            "provider": name if by_listing else name[0],
            "sku": name,
            "price": price,
            "observed_at": at(w),
            "run": w,
        }
        for w, prices in enumerate(weeks)
        for name, price in prices.items()
    ]
    return float(values(build(rows))[-1] or 0)


def v07(how: str) -> float:
    weeks = vector("V07")["weeks"]
    if how == "carry":
        weeks = [weeks[0], {**weeks[1], "C": weeks[0]["C"]}]
        return 100 * jevons(list(weeks[0].values()), list(weeks[1].values()))
    if how == "drop":
        kept = [[week[key] for key in "AB"] for week in weeks]
        return 100 * jevons(kept[0], kept[2])
    return float(values(build(records(weeks)))[1 if how == "impute" else 2] or 0)


def v09(pooled: bool) -> float:
    pairs = vector("V09")["price_pairs"]
    if pooled:
        flat = [pair for keys in pairs.values() for pair in keys.values()]
        return jevons([a for a, _ in flat], [b for _, b in flat])
    rows = [
        {"provider": p, "zone": key, "price": prices[w], "observed_at": at(w, day), "run": (w, day)}
        for p, keys in pairs.items()
        for key, prices in keys.items()
        for w in (0, 1)
        for day in (0, 1)
    ]
    return float(series(build(rows))[1]["link"])


def v13(column: str) -> float:
    relatives = vector("V13")["relatives"]
    weeks = [{f"k{i}": 2.0 for i in range(6)}, {f"k{i}": 2.0 * r for i, r in enumerate(relatives)}]
    return float(series(build(records(weeks)))[1][column])


def v16(week: int) -> float:
    return float(values(build(records(vector("V16")["weeks"])))[week] or 0)


def v18(kind: str) -> float:
    rows = [
        {"price": vector("V18")[f"week{w}"][kind], "price_kind": kind, "observed_at": at(w), "run": w}
        for w in (0, 1)
    ]
    return float(values(build(rows), series=kind)[1] or 0)


def v19_minimum() -> float:
    weeks = vector("V19")["weeks"]
    return 100 * min(weeks[1].values()) / min(weeks[0].values())


def v20(wrong: bool) -> float:
    prices = vector("V20")["prices"]
    if wrong:
        means = {region: sum(cards.values()) / len(cards) for region, cards in prices.items()}
        return 100 * float(means["guangdong"]) / float(means["beijing"])
    cells = {(region, card): price for region, cards in prices.items() for card, price in cards.items()}
    return country_product_dummy(cells, "beijing")["guangdong"]


@cache
def coverage(sellers: int, keys: int, shared: float) -> tuple[float, float]:
    """How often 95 % intervals of a link hold the truth, in %: Student's t on keys, bootstrap over sellers.

    Drawn: log relatives of `keys` keys of each seller, of whose variance the share `shared` is the seller's.
    The bootstrap is exact: every multiset of sellers with its probability, percentile ends.
    """
    luck = random.Random(1)
    draws = 1500
    own = np.array([[luck.gauss(0, 1) for _ in range(sellers)] for _ in range(draws)])
    each = np.array([[[luck.gauss(0, 1) for _ in range(keys)] for _ in range(sellers)] for _ in range(draws)])
    moves = math.sqrt(shared) * own[:, :, None] + math.sqrt(1 - shared) * each
    by_seller = moves.mean(axis=2)
    n = sellers * keys
    se = moves.reshape(draws, n).std(axis=1, ddof=1) * math.sqrt(sellers / keys) / sellers
    by_t = np.abs(by_seller.mean(axis=1)) <= student_t(n - 1, METHOD.uncertainty.confidence) * se
    drawn = list(itertools.combinations_with_replacement(range(sellers), sellers))
    times = np.array([[pick.count(i) for i in range(sellers)] for pick in drawn])
    ways = np.array([math.factorial(sellers) / math.prod(map(math.factorial, t)) for t in times.tolist()])
    means = by_seller @ times.T / sellers
    order = means.argsort(axis=1)
    below = (ways / ways.sum())[order].cumsum(axis=1)
    means = np.take_along_axis(means, order, axis=1)
    rows = np.arange(draws)
    low = means[rows, (below >= 0.025).argmax(axis=1)]
    high = means[rows, (below >= 0.975 - 1e-9).argmax(axis=1)]
    return 100 * float(by_t.mean()), 100 * float(((low <= 0) & (high >= 0)).mean())


FIGURES: dict[str, Callable[[], float]] = {
    "v01.carli_reversal": lambda: carli(*v01()) * carli(*reversed(v01())),
    "v01.dutot": lambda: dutot(*v01()),
    "v02.dutot": v02_dutot,
    "v03.carli": v03_chained_carli,
    "v03.chain": lambda: float(values(build(records(vector("V03")["weeks"])))[-1] or 0),
    "v06.by_listing": lambda: v06(by_listing=True),
    "v06.by_key": lambda: v06(by_listing=False),
    "v07.carry": lambda: v07("carry"),
    "v07.impute": lambda: v07("impute"),
    "v07.drop": lambda: v07("drop"),
    "v07.end": lambda: v07("end"),
    "v09.pooled": lambda: v09(pooled=True),
    "v09.two_stage": lambda: v09(pooled=False),
    "v13.link": lambda: v13("link"),
    "v13.low": lambda: v13("ci_low"),
    "v13.high": lambda: v13("ci_high"),
    "v16.held": lambda: v16(1),
    "v16.after": lambda: v16(2),
    "v18.list": lambda: v18("list"),
    "v18.member": lambda: v18("member"),
    "v19.minimum": v19_minimum,
    "v20.guangdong": lambda: v20(wrong=False),
    "v20.wrong": lambda: v20(wrong=True),
    "x.t.apart": lambda: coverage(4, 2, 0.0)[0],
    "x.boot.apart": lambda: coverage(4, 2, 0.0)[1],
    "x.t.together": lambda: coverage(4, 2, 1.0)[0],
    "x.boot.together": lambda: coverage(4, 2, 1.0)[1],
    "x.boot.two": lambda: coverage(2, 3, 0.0)[1],
    "x.low_move": lambda: 100 * (math.exp(-METHOD.outlier.z * METHOD.outlier.floor_log) - 1),
    "x.parallel_weeks": lambda: PARALLEL_WEEKS,
    "x.high_move": lambda: 100 * (math.exp(METHOD.outlier.z * METHOD.outlier.floor_log) - 1),
}


def parameter(name: str) -> Any:
    found: Any = METHOD
    for part in name.removeprefix("p.").split("."):
        found = getattr(found, part)
    return found


def wanted(name: str, form: str | None) -> str:
    """The figure as the page should show it."""
    if not name.startswith("p."):
        value = Decimal(FIGURES[name]()).quantize(Decimal(1).scaleb(-int(form or 0)), ROUND_HALF_UP)
        return str(value)
    value = parameter(name)
    if form == "pct":
        return f"{float(value) * 100:g}"
    return f"{value:g}" if isinstance(value, float) else str(value)


def marks() -> list[tuple[str, str, str | None]]:
    text = DOC.read_text(encoding="utf-8")
    return [(m["shown"], m["name"], m["form"]) for m in MARK.finditer(text)]


@pytest.mark.parametrize(("shown", "name", "form"), marks())
def test_figure(shown: str, name: str, form: str | None) -> None:
    assert shown.lstrip("+").replace("−", "-") == wanted(name, form)


def test_every_figure_is_used_and_every_mark_is_read() -> None:
    names = {name for _, name, _ in marks()}
    assert set(FIGURES) <= names
    assert len(marks()) == DOC.read_text(encoding="utf-8").count("<!--=")
