"""What a provider bills beside the price, as far as its file says; None is unknown."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from decimal import Decimal
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from catalog.providers import Provider


@dataclass(frozen=True, slots=True)
class Terms:
    """Billing facts of PROVIDER files. Money in CNY, sizes in GB, speed in Mbit/s."""

    granularity_s: int | None = None
    min_charge_s: int | None = None
    starts: str | None = None
    stops: tuple[str, ...] | None = None
    convertible: tuple[str, ...] | None = None
    free_disk_gb: Decimal | None = None
    disk_cny_per_gb_day: Decimal | None = None
    free_traffic_gb: Decimal | None = None
    traffic_cny_per_gb: Decimal | None = None
    upload_mbps: Decimal | None = None
    deposit_cny: Decimal | None = None

    @property
    def storage_known(self) -> bool:
        """Whether the file says anything of disks."""
        return self.free_disk_gb is not None or self.disk_cny_per_gb_day is not None

    @property
    def traffic_known(self) -> bool:
        """Whether the file says anything of traffic."""
        return self.free_traffic_gb is not None or self.traffic_cny_per_gb is not None


UNKNOWN = Terms()


def terms_of(providers: Mapping[str, Provider]) -> dict[str, Terms]:
    """Terms by provider slug."""
    return {slug: _terms(provider) for slug, provider in providers.items()}


def _terms(provider: Provider) -> Terms:
    values: dict[str, Any] = {}
    for field in fields(Terms):
        fact = getattr(provider.billing, field.name)
        values[field.name] = None if fact is None else fact.value
    return Terms(**values)
