"""Upper levels (rule 12): a geometric aggregate of cells with fixed weights, and re-referencing.

Used only where somebody asks for a composite; the nation's own cells are computed from their offers.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence


def geometric_aggregate(
    components: Mapping[str, Sequence[float | None]], weights: Mapping[str, float], base: float = 100.0
) -> list[float]:
    """Chain of the weighted geometric links of the components; None = suppressed in that week.

    Where a component is missing on either side of a link the weights of the others are renormalised over
    the link, never over levels. ValueError when a week has no component left.
    """
    weeks = {len(values) for values in components.values()}
    if len(weeks) != 1:
        raise ValueError("components of different length")
    level = base
    out = [level]
    for t in range(1, weeks.pop()):
        links = {
            name: now / before
            for name, values in components.items()
            if (now := values[t]) is not None and (before := values[t - 1]) is not None
        }
        if not links:
            raise ValueError(f"no component has a link to week {t}")
        total = math.fsum(weights[name] for name in links)
        logs = math.fsum(weights[name] * math.log(link) for name, link in sorted(links.items()))
        level *= math.exp(logs / total)
        out.append(level)
    return out


def rereference(values: Sequence[float | None], week: int) -> list[float | None]:
    """The same series with `week` = 100; every rate of change stays. ValueError where it has no value
    there.
    """
    base = values[week]
    if base is None:
        raise ValueError("a week without a value cannot be the reference")
    return [None if value is None else value * 100.0 / base for value in values]
