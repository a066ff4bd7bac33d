"""Which cells an offer belongs to (rule 2 of the region levels): nation, province, city.

National offers count in the nation alone, and so do pools, macro-regions and places that nobody could read.
Hong Kong, Macau, Taiwan and everything abroad stand by themselves, outside the nation.
"""

from __future__ import annotations

from catalog.regions import MUNICIPALITIES, OUTSIDE

NATION = "CN"
_DIRECT = "90"  # counties that a province governs itself: each stands as a city


def cells_of(region_code: str | None, scope: str) -> tuple[str, ...]:
    """Region codes of the cells, widest first. `region_code` as in the offers table.

    >>> cells_of("130728", "region"), cells_of("110105", "zone"), cells_of("440300", "national")
    (('CN', '130000', '130700'), ('CN', '110000'), ('CN',))
    """
    if region_code is None or region_code == NATION or region_code.startswith(NATION + "-"):
        return (NATION,)
    if len(region_code) != 6 or not region_code.isdigit():
        return (region_code,)
    province = region_code[:2] + "0000"
    if province in OUTSIDE:
        return (province,)
    if scope == "national":
        return (NATION,)
    if province in MUNICIPALITIES or region_code[2:4] == "00":
        return (NATION, province)
    if region_code[2:4] == _DIRECT:
        return (NATION, province, *((region_code,) if region_code[4:] != "00" else ()))
    return (NATION, province, region_code[:4] + "00")
