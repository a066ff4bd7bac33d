"""Opening the published generation for a query command, with the provider files beside it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING

from suanjia.cli import Failure
from suanjia.settings import Settings

if TYPE_CHECKING:
    import duckdb

    from catalog.providers import Provider


@contextmanager
def opened(settings: Settings) -> Iterator[tuple[duckdb.DuckDBPyConnection, Mapping[str, Provider]]]:
    """(read-only connection, providers); Failure with the right exit code where one of them cannot be had."""
    from suanjia.provider_files import providers_of
    from warehouse.errors import WarehouseError
    from warehouse.reader import open_latest

    providers = providers_of(settings)
    try:
        con, _ = open_latest(settings.home)
    except WarehouseError as error:
        raise Failure(str(error), error.exit_code) from None
    try:
        yield con, providers
    finally:
        con.close()
