"""What a crawl leaves behind: `listings.jsonl` and `stats.json`, the latter written last."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from time import monotonic
from typing import IO, Any

from scrapy import signals
from scrapy.crawler import Crawler
from twisted.python.failure import Failure

from spiders.handlers import run_of
from spiders.listing import Listing
from spiders.profile import check, load, unit_of


class ListingWriter:
    """Item pipeline: one line a listing, under a temporary name until the crawl closes."""

    def __init__(self, crawler: Crawler) -> None:
        self.crawler = crawler
        self._out: IO[str] | None = None

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> ListingWriter:
        """Scrapy's constructor."""
        return cls(crawler)

    def open_spider(self) -> None:
        """Open the file."""
        folder = run_of(self.crawler).config.run_dir
        folder.mkdir(parents=True, exist_ok=True)
        self._out = (folder / "listings.jsonl.part").open("w", encoding="utf-8", newline="\n")

    def process_item(self, item: Any) -> Any:
        """Write a listing; TypeError for anything else, since a spider may yield nothing else."""
        if not isinstance(item, Listing):
            raise TypeError(f"a spider yields listings, not {type(item).__name__}")
        if self._out is None:
            raise RuntimeError("the crawl is not open")
        run = run_of(self.crawler)
        run.listings += 1
        if item.price_kind != "promo":  # a discount comes and goes: its unit is no part of the profile
            run.units.setdefault(item.route, Counter())[unit_of(item)] += 1
        run.by_route[item.route] += 1
        self._out.write(item.to_json() + "\n")
        return item

    def close_spider(self) -> None:
        """Give the file its name."""
        if self._out is not None:
            self._out.close()
            folder = run_of(self.crawler).config.run_dir
            (folder / "listings.jsonl.part").replace(folder / "listings.jsonl")


class Recorder:
    """Extension: exceptions of callbacks become problems, and `stats.json` ends the run."""

    def __init__(self, crawler: Crawler) -> None:
        self.crawler = crawler
        self._started = monotonic()
        crawler.signals.connect(self.spider_error, signal=signals.spider_error)
        crawler.signals.connect(self.item_error, signal=signals.item_error)
        crawler.signals.connect(self.spider_closed, signal=signals.spider_closed)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Recorder:
        """Scrapy's constructor."""
        return cls(crawler)

    def spider_error(self, failure: Failure, response: Any) -> None:
        """A callback raised."""
        run = run_of(self.crawler)
        what = f"{failure.type.__name__ if failure.type else 'error'}: {failure.getErrorMessage()}"
        run.exceptions[what[:200]] += 1
        route = response.meta.get("route", "") if getattr(response, "request", None) else ""
        run.problem("exception", f"{what} at {_where(failure)}", getattr(response, "url", ""), route)

    def item_error(self, failure: Failure, response: Any) -> None:
        """A listing could not be written."""
        self.spider_error(failure, response)

    def spider_closed(self, reason: str) -> None:
        """Write `stats.json` whole."""
        run = run_of(self.crawler)
        run.close()
        if (expected := load(run.config.spider or run.config.provider)) is not None:
            check(run, expected)
        stats = run.stats() | {
            "finish_reason": reason,
            "seconds": round(monotonic() - self._started, 3),
            "parser_version": getattr(self.crawler.spider, "parser_version", ""),
            "scrapy": _plain(self.crawler.stats.get_stats()),
        }
        write_json(run.config.run_dir / "stats.json", stats)


def write_json(path: Path, document: Any) -> None:
    """Write a JSON document whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(path.name + ".part")
    temporary.write_text(json.dumps(document, ensure_ascii=False, sort_keys=True, indent=1), encoding="utf-8")
    temporary.replace(path)


def _where(failure: Failure) -> str:
    trace = failure.getTracebackObject()  # type: ignore[no-untyped-call]
    where = "unknown place"
    while trace is not None:
        code = trace.tb_frame.f_code
        if f"spiders{'/'}" in code.co_filename:
            where = f"{Path(code.co_filename).name}:{trace.tb_lineno}"
        trace = trace.tb_next
    return where


def _plain(stats: dict[str, Any]) -> dict[str, Any]:
    return {k: v for k, v in sorted(stats.items()) if isinstance(v, (int, float, str))}
