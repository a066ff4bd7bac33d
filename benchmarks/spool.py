"""Memory and time of a bulk file: `python benchmarks/spool.py [MB]` (default 500).

Serves an Aliyun price file of that size on loopback, crawls it with the real child and prints the child's
peak resident memory. The bar: 500 MB in at most 300 MB.
"""

from __future__ import annotations

import json
import os
import resource
import shutil
import sys
import tempfile
import threading
import time
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from spiders.config import CrawlConfig
from suanjia.childproc import Children, run_child

HEAD = b'{"currency":"CNY","version":"2.0.400","publicationDate":"2026-11-29T00:00:00Z","pricingInfo":{'
TAIL = b'"x::y::z":{}}}'
BAR_MB = 300


def row(number: int) -> bytes:
    """One instance type; every hundredth has a GPU."""
    family = "gn7i-c8g1" if number % 100 == 0 else "g7"
    key = f"cn-beijing-{number}::ecs.{family}.{number}xlarge::vpc::linux::optimized"
    one = [{"price": f"{number % 97}.5326", "period": "1"}]
    prices = dict.fromkeys(("hours", "weeks", "months"), one)
    return json.dumps({key: prices})[1:-1].encode() + b","


class Site(BaseHTTPRequestHandler):
    """The price page and a file made while it is sent."""

    size = 0
    protocol_version = "HTTP/1.1"

    def log_message(self, *_: object) -> None:
        pass

    def do_GET(self) -> None:
        if self.path.endswith("instancePrice.json"):
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Connection", "close")
            self.end_headers()
            self.wfile.write(HEAD)
            sent, number = 0, 0
            while sent < self.size:
                block = b"".join(row(n) for n in range(number, number + 1000))
                number += 1000
                sent += len(block)
                self.wfile.write(block)
            self.wfile.write(TAIL)
            self.close_connection = True
            return
        source = b"//g.alicdn.com/aliyun/ecs-price-info/2.0.400/x.js"
        page = b'<html><body><script src="' + source + b'"></script></body></html>'
        body = page if "ecs-pricing" in self.path else b""
        self.send_response(200 if body else 404)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


def main(megabytes: int) -> int:
    """Serve, crawl, measure; 1 if the bar is missed."""
    Site.size = megabytes << 20
    server = ThreadingHTTPServer(("127.0.0.1", 0), Site)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    here = f"http://127.0.0.1:{server.server_address[1]}"
    where = Path(tempfile.mkdtemp())
    config = CrawlConfig(
        provider="aliyun",
        run_id="bench",
        run_dir=where / "run",
        evidence_dir=where / "evidence",
        now=datetime(2026, 11, 30, tzinfo=UTC),
        origins={"https://www.aliyun.com": here, "https://g.alicdn.com": here},
        delay=0.0,
        time_limit=3600.0,
    )
    started = time.monotonic()
    ending = run_child(config, os.environ, Children(), 3600.0)
    took = time.monotonic() - started
    stats = ending.stats or {}
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    kept = sum(path.stat().st_size for path in (where / "evidence").rglob("*.zst")) / 1e6
    print(
        f"{megabytes} MB: peak {peak:.0f} MB resident, {took:.0f} s, {stats.get('listings')} listings, "
        f"evidence {kept:.0f} MB, problems {stats.get('problems')}"
    )
    shutil.rmtree(where)
    server.shutdown()
    return int(peak > BAR_MB or bool(stats.get("problems")))


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 500))
