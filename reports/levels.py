"""The published rent levels that `buy` compares with."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import TYPE_CHECKING

from reports.buy import BuyError, Range
from reports.fit.regions import NATION, RegionError, code_of

if TYPE_CHECKING:
    import duckdb

MODES = ("on_demand", "monthly")
# The middle half of the sellers' list prices in the last week that has any, over the classes of seller.
_SQL = """
SELECT billing_mode, min(p25), max(p75), max(week)
FROM price_level
WHERE card = $1 AND region_code = $2 AND price_kind = 'list' AND billing_mode IN ('on_demand', 'monthly')
  AND week = (SELECT max(week) FROM price_level AS l
              WHERE l.card = price_level.card AND l.region_code = price_level.region_code
                AND l.price_kind = 'list' AND l.billing_mode = price_level.billing_mode)
GROUP BY billing_mode
"""


def published_rents(
    con: duckdb.DuckDBPyConnection, card: str, region: str | None
) -> tuple[Mapping[str, Range], Mapping[str, str]]:
    """(rents per card-hour, where each is from) by billing mode. BuyError where there is no level."""
    try:
        code = NATION if region is None else code_of(region)
    except RegionError as error:
        raise BuyError(str(error)) from None
    rents, sources = {}, {}
    newest = con.execute("SELECT max(week) FROM price_level").fetchall()[0][0]
    if not con.execute("SELECT 1 FROM duckdb_tables() WHERE table_name = 'price_level'").fetchall():
        raise BuyError("no levels are published yet: give --hourly and --monthly")
    for mode, low, high, week in con.execute(_SQL, [card, code]).fetchall():
        rents[mode] = Range(Decimal(low), Decimal(high))
        behind = (newest - week).days // 7
        sources[mode] = f"price_level {code} {card} {mode}, week of {week}" + (
            f", {behind} weeks before the newest" if behind else ""
        )
    if not rents:
        raise BuyError(f"no published level of {card} in {region or 'CN'}: give --hourly and --monthly")
    return {mode: rents[mode] for mode in MODES if mode in rents}, sources
