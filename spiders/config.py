"""What one crawl is told: a JSON document on stdin or in a file, and nothing else but credentials in the
environment.

A child reads no settings, no clock and no ledger of its own, so that the same document and the same answers
give the same listings. This module imports no Scrapy.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field, fields
from datetime import datetime
from pathlib import Path
from typing import Any

MIN_DELAY = 2.0
"""Seconds between two requests to a real host that no setting can undercut (docs: manners)."""


class ConfigError(ValueError):
    """The configuration is not one; the message names the key."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CrawlConfig:
    """One crawl of one provider. Times are aware UTC, `delay` and `timeout` seconds."""

    provider: str
    run_id: str
    run_dir: Path  # listings.jsonl, stats.json, exchanges.jsonl, robots.json
    evidence_dir: Path
    now: datetime  # stamps observed_at, so that a replay equals the run
    spider: str = ""  # name of the source file where it is not the provider's
    origins: dict[str, str] = field(default_factory=dict)
    only_mapped: bool = False  # the stand-in market: what `origins` does not name is not asked
    delay: float = 3.0
    timeout: float = 30.0
    time_limit: float = 900.0  # after that the crawl ends itself, in order
    browser: str = ""
    contact: str = ""  # goes into the user agent
    allow: tuple[str, ...] = ()  # origins of the provider file, besides those of the spider
    provider_file: str = ""  # TOML of a declared provider
    known_files: dict[str, dict[str, str]] = field(default_factory=dict)  # url → {version, evidence}
    limit: int = 0  # stop after so many answers (probe); 0 = no limit
    replay: str = ""  # run directory whose exchanges answer instead of the network
    max_file_mb: int = 4096

    def to_json(self) -> str:
        """The document that `from_json` reads."""
        row = asdict(self) | {"run_dir": str(self.run_dir), "evidence_dir": str(self.evidence_dir)}
        row["now"] = self.now.isoformat()
        return json.dumps(row, ensure_ascii=False, sort_keys=True)

    @classmethod
    def from_json(cls, text: str) -> CrawlConfig:
        """Read the document; ConfigError names an unknown, missing or unusable key."""
        try:
            row: Any = json.loads(text)
        except ValueError as error:
            raise ConfigError(f"not JSON: {error}") from None
        if not isinstance(row, dict):
            raise ConfigError("not a JSON object")
        unknown = sorted(set(row) - {f.name for f in fields(cls)})
        if unknown:
            raise ConfigError(f"unknown key {unknown[0]!r}")
        try:
            row["now"] = datetime.fromisoformat(row["now"])
            row |= {"run_dir": Path(row["run_dir"]), "evidence_dir": Path(row["evidence_dir"])}
            row["allow"] = tuple(row.get("allow", ()))
            config = cls(**row)
        except (KeyError, TypeError, ValueError) as error:
            raise ConfigError(f"unusable: {type(error).__name__}: {error}") from None
        if config.now.tzinfo is None:
            raise ConfigError("now has no offset")
        return config
