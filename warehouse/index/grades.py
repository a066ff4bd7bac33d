"""The publication gate (rule 17): what a link must rest on, and how a grade moves from week to week.

Grades as numbers so that arrays can be compared: 3 = A, 2 = B, 1 = C, 0 = suppressed; -1 = none yet.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from warehouse.index.fixed import Bools, Ints
from warehouse.index.method import Gate

Grades = NDArray[np.int8]
NONE, SUPPRESSED, C, B, A = -1, 0, 1, 2, 3
LETTERS: dict[int, str | None] = {NONE: None, SUPPRESSED: None, C: "C", B: "B", A: "A"}
STATES = {SUPPRESSED: "suppressed", C: "indicative", B: "published", A: "published"}


def raw_grades(keys: Ints, providers: Ints, imputed: Ints, gate: Gate) -> Grades:
    """The grade a link earns by itself. `keys` counts the imputed ones too."""
    share = imputed / np.maximum(keys, 1)

    def passes(bar_keys: int, bar_providers: int, bar_imputed: float) -> Bools:
        return (keys >= bar_keys) & (providers >= bar_providers) & (share <= bar_imputed)

    out = np.full(len(keys), C, dtype=np.int8)
    out[passes(gate.b.keys, gate.b.providers, gate.b.imputed)] = B
    out[passes(gate.a.keys, gate.a.providers, gate.a.imputed)] = A
    out[(keys < gate.min_keys) | (share > gate.max_imputed)] = SUPPRESSED
    return out


def shown_grades(raw: Grades, raw_before: Grades, shown_before: Grades) -> Grades:
    """The grade that is shown this week, so that a gate at its edge does not flicker.

    A worse one shows at once, but `suppressed` shows C the first time; a better one needs two weeks
    running and shows the lower of the two. `raw_before` is NONE after a week without a grade.
    """
    out = shown_before.copy()
    first = shown_before == NONE
    out[first] = raw[first]

    worse = ~first & (raw < shown_before)
    out[worse] = raw[worse]
    out[worse & (raw == SUPPRESSED) & (raw_before != SUPPRESSED)] = C

    better = ~first & (raw > shown_before) & (raw_before > shown_before)
    out[better] = np.minimum(raw, raw_before)[better]
    return out
