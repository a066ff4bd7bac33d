"""The settings of every crawl, in one table. A spider has none of its own (guard test).

Each line that departs from Scrapy's default says why; `tests/spiders/test_settings.py` compares what a
crawl really runs with against this table.
"""

from __future__ import annotations

from typing import Any

from spiders.config import CrawlConfig
from spiders.run import package_version

ROBOTS_AGENT = "suanjia"
"""The product token that robots.txt groups are matched against."""

MAX_BODY = 16 * 1024 * 1024
"""Bytes of one answer held in memory; bulk files go another way (`FileSpider`)."""

BASE: dict[str, Any] = {
    "BOT_NAME": "suanjia",
    # Scrapy's own robots middleware lets requests through while robots.txt loads: ours stands in its place.
    "ROBOTSTXT_OBEY": True,
    "ROBOTSTXT_USER_AGENT": ROBOTS_AGENT,
    "CONCURRENT_REQUESTS": 1,
    "CONCURRENT_REQUESTS_PER_DOMAIN": 1,
    "DOWNLOAD_DELAY": 3.0,
    # `spiders.manners` adds the spread upwards only: a jitter here would cut a delay that was asked for.
    "DOWNLOAD_DELAY_JITTER": 0.0,
    "AUTOTHROTTLE_ENABLED": False,  # it would cut Crawl-delay; `spiders.manners` slows with latency
    "RETRY_TIMES": 1,
    "RETRY_HTTP_CODES": [408, 502, 503, 504, 522, 524],  # not 429: the source is stopped instead
    "DOWNLOAD_TIMEOUT": 30,
    "DOWNLOAD_MAXSIZE": MAX_BODY,
    "DOWNLOAD_WARNSIZE": MAX_BODY // 4,
    "DOWNLOAD_VERIFY_CERTIFICATES": True,  # the default is not to
    "DOWNLOAD_HANDLERS": {
        "http": "spiders.handlers.HttpHandler",
        "https": "spiders.handlers.HttpHandler",
        "file": None,
        "data": None,
        "ftp": None,
        "s3": None,
    },
    "DOWNLOADER_MIDDLEWARES": {
        "scrapy.downloadermiddlewares.robotstxt.RobotsTxtMiddleware": None,
        "spiders.robots.RobotsMiddleware": 100,
        "scrapy.downloadermiddlewares.offsite.OffsiteMiddleware": None,  # drops without a word
        "spiders.middlewares.GateMiddleware": 50,
        "scrapy.downloadermiddlewares.redirect.MetaRefreshMiddleware": None,
        "scrapy.downloadermiddlewares.httpproxy.HttpProxyMiddleware": None,
        # Answers pass from high numbers to low: unpacked, then kept (every hop, robots.txt too), then
        # redirected.
        "scrapy.downloadermiddlewares.httpcompression.HttpCompressionMiddleware": 620,
        "spiders.middlewares.EvidenceMiddleware": 610,
    },
    "EXTENSIONS": {"spiders.manners.Manners": 10, "spiders.recorder.Recorder": 20},
    "ITEM_PIPELINES": {"spiders.recorder.ListingWriter": 100},
    "TELNETCONSOLE_ENABLED": False,
    "REMOTE_CONTROL_ENABLED": False,
    "COOKIES_ENABLED": False,
    "TLDEXTRACT_PUBLIC_SUFFIX_LIST_URLS": [],
    "REDIRECT_MAX_TIMES": 5,
    "CLOSESPIDER_ERRORCOUNT": 5,
    "REFERRER_POLICY": "same-origin",
    "FEED_EXPORT_ENCODING": "utf-8",
    "DEFAULT_REQUEST_HEADERS": {"Accept": "*/*", "Accept-Language": "zh-CN,zh;q=0.9,en;q=0.5"},
    "TWISTED_REACTOR": "twisted.internet.asyncioreactor.AsyncioSelectorReactor",
    "LOG_LEVEL": "INFO",
    "STATS_DUMP": False,
    "LOG_VERSIONS": [],
}

PLAYWRIGHT: dict[str, Any] = {
    "PLAYWRIGHT_BROWSER_TYPE": "chromium",
    "PLAYWRIGHT_MAX_PAGES_PER_CONTEXT": 2,
    "PLAYWRIGHT_DEFAULT_NAVIGATION_TIMEOUT": 20_000,
    "PLAYWRIGHT_CONTEXTS": {
        "default": {"locale": "zh-CN", "timezone_id": "Asia/Shanghai", "service_workers": "block"}
    },
    "PLAYWRIGHT_PROCESS_REQUEST_HEADERS": None,
}


def user_agent(contact: str = "") -> str:
    """Who we are, honestly; `contact` (an address of the operator) is added when it is set."""
    return f"suanjia/{package_version()} (GPU rental price index{'; +' + contact if contact else ''})"


BROWSER_ARGUMENTS = (
    "--disable-quic",
    "--no-proxy-server",
    "--disable-background-networking",
    "--host-resolver-rules=MAP * ~NOTFOUND",
)
"""The browser has no network of its own: `spiders.browser` answers what a page asks."""


def launch_options(executable: str) -> dict[str, Any]:
    """How Playwright starts the browser."""
    return {
        "executable_path": executable,
        "headless": True,
        "chromium_sandbox": False,
        "args": list(BROWSER_ARGUMENTS),
    }


def settings_for(config: CrawlConfig, *, browser: str = "") -> dict[str, Any]:
    """Settings of one crawl. `browser` is the executable for a browser spider, "" for the others."""
    table = BASE | {
        "USER_AGENT": user_agent(config.contact),
        "DOWNLOAD_DELAY": config.delay,
        "DOWNLOAD_TIMEOUT": config.timeout,
        "CLOSESPIDER_TIMEOUT": config.time_limit,
        "SUANJIA_CONFIG": config,
    }
    if config.replay:
        handler = "spiders.replay.ReplayHandler"
        table["DOWNLOAD_HANDLERS"] = BASE["DOWNLOAD_HANDLERS"] | {"http": handler, "https": handler}
    elif browser:
        handler = "spiders.browser.BrowserHandler"
        table["DOWNLOAD_HANDLERS"] = BASE["DOWNLOAD_HANDLERS"] | {"http": handler, "https": handler}
        table |= PLAYWRIGHT | {
            "CONCURRENT_REQUESTS": 2,
            "PLAYWRIGHT_LAUNCH_OPTIONS": launch_options(browser),
        }
    return table
