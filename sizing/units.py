"""Units. Memory inside this room is bytes; only results are GiB. Sellers print GB = 10**9, cards report GiB
= 2**30."""

from __future__ import annotations

from typing import Final

GIB: Final = 1 << 30
GB: Final = 10**9
TERA: Final = 1e12


def gib(byte_count: float) -> float:
    """Bytes as GiB (2**30)."""
    return byte_count / GIB


def gb_to_gib(gigabytes: float) -> float:
    """Decimal gigabytes (10**9 bytes) as GiB: 24 GB are 22.35 GiB."""
    return gigabytes * GB / GIB
