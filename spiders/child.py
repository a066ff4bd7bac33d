"""`python -m spiders.child [FILE]`: one crawl of one provider, told by one JSON document (`CrawlConfig`) on
stdin or in FILE; credentials come from the environment.

Writes `listings.jsonl`, `exchanges.jsonl` and, last, `stats.json` into the run directory. The exit code
says only whether the crawl could be started (0, 2 for a bad document); what became of it is in
`stats.json`.
"""

from __future__ import annotations

import logging
import os
import resource
import shutil
import signal
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from catalog.providers import ProviderFileError
from spiders import masked_log
from spiders.config import ConfigError, CrawlConfig
from spiders.recorder import write_json
from spiders.registry import declared_class, spider_class
from spiders.settings import settings_for

if TYPE_CHECKING:
    from spiders.base import SourceSpider


MEMORY_MB = 1024


def crawl(config: CrawlConfig, spider: type[SourceSpider]) -> None:
    """Run one crawl to its end in this process (a reactor starts once in a process)."""
    from scrapy.crawler import AsyncCrawlerProcess

    browser = ""
    if spider.needs_browser and not config.replay:
        from spiders.browser_path import BrowserMissing, find_browser

        try:
            browser = find_browser(config.browser)
        except BrowserMissing as error:
            _could_not_start(config, str(error))
            return
    # The limit is of the whole process, so only a process that is a crawl has one. The peak that is measured
    # is inherited from the parent across fork and exec, hence the start value on top.
    peak_mb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    settings = settings_for(config, browser=browser) | {"MEMUSAGE_LIMIT_MB": MEMORY_MB + peak_mb}
    process = AsyncCrawlerProcess(settings)
    process.crawl(spider)
    process.start()


def _could_not_start(config: CrawlConfig, why: str) -> None:
    problem = {"kind": "failed", "message": why, "url": "", "route": ""}
    write_json(
        config.run_dir / "stats.json",
        {"provider": config.provider, "run_id": config.run_id, "listings": 0, "requests": 0,
         "finish_reason": "not_started", "problems": [problem]},
    )  # fmt: skip


def _follow_parent(parent: int) -> None:
    """End with the process that asked for the crawl: nobody would read what an orphan writes."""
    while os.getppid() == parent:
        time.sleep(1)
    own = Path(os.environ.get("TMPDIR", ""))
    if own.name.startswith("suanjia-"):
        shutil.rmtree(own, ignore_errors=True)
    with suppress(ProcessLookupError):
        os.killpg(os.getpid(), signal.SIGKILL)
    os._exit(1)


def main(arguments: list[str]) -> int:
    """Read the document, crawl."""
    text = Path(arguments[0]).read_text(encoding="utf-8") if arguments else sys.stdin.read()
    try:
        config = CrawlConfig.from_json(text)
        if config.provider_file:
            spider = declared_class(Path(config.provider_file))
        else:
            spider = spider_class(config.spider or config.provider)
    except (ConfigError, LookupError, ProviderFileError) as error:
        print(f"spiders.child: {error}", file=sys.stderr)  # noqa: T201
        return 2
    masked_log.install()
    logging.getLogger("asyncio").setLevel(logging.WARNING)
    threading.Thread(target=_follow_parent, args=(os.getppid(),), daemon=True).start()
    crawl(config, spider)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
