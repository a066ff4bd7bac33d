"""Where the files of the data directory stand."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Layout:
    """The folders of one data directory; nothing is created by naming them."""

    home: Path

    @property
    def segments(self) -> Path:
        return self.home / "segments"

    @property
    def warehouse(self) -> Path:
        return self.home / "warehouse"

    @property
    def work(self) -> Path:
        """The append-only store; only the loader and the builder open it."""
        return self.warehouse / "work.duckdb"

    @property
    def load_lock(self) -> Path:
        return self.warehouse / "load.lock"

    @property
    def publish_lock(self) -> Path:
        return self.warehouse / "publish.lock"

    @property
    def spill(self) -> Path:
        """Where DuckDB may put what does not fit into memory."""
        return self.warehouse / "spill"

    @property
    def published(self) -> Path:
        return self.home / "published"

    @property
    def latest(self) -> Path:
        """Pointer file: the name of the newest generation and a newline; written last."""
        return self.published / "LATEST"

    @property
    def evidence(self) -> Path:
        return self.home / "evidence"

    @property
    def reviews(self) -> Path:
        """What people decided about held prices, one JSON object a line, append-only."""
        return self.home / "reviews.jsonl"

    @property
    def fx_rates(self) -> Path:
        return self.home / "fx_rates.csv"


def wal_of(database: Path) -> Path:
    """The write-ahead log that DuckDB keeps beside a database file."""
    return database.with_name(database.name + ".wal")
