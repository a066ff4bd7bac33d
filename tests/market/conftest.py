"""One running stand-in market for all its tests."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from market.server import running
from tests.market.market_client import NOW, Client


@pytest.fixture(scope="session")
def market() -> Iterator[Client]:
    """The whole market at the demo's clock, samples included; tests must not set faults on it."""
    with running(NOW) as origins:
        yield Client(origins)
