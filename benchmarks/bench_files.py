"""A 500 MB price file through FileSpider: peak memory and time of a whole crawl beside a bare streaming read.

    python benchmarks/bench_files.py [--mb 500]

Makes a synthetic AWS price file, serves it on this machine, crawls it in a child process as users do
(download, evidence, parsing) and reads the same file bare with `ijson.parse`. Bounds: 300 MB, three times.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import ijson

from spiders.config import CrawlConfig

SITE = "https://pricing.cn-north-1.amazonaws.com.cn"
EC2 = "offers/v1.0/cn/AmazonEC2"
LONG = {f"attribute{n}": "Up to 10 Gigabit, processor features: AVX; AVX2; Intel Turbo" for n in range(20)}
CODES = ("4NA7Y494T4", "HU7G6KETJZ", "6QCMYABX3D")


def terms(sku: str, codes: tuple[str, ...], lease: dict[str, str]) -> dict[str, Any]:
    """Terms of one SKU."""
    prices = {
        "unit": "Hrs",
        "pricePerUnit": {"CNY": "5.2230000000"},
        "beginRange": "0",
        "description": "per hour",
    }
    return {f"{sku}.{c}": {"sku": sku, "offerTermCode": c, "termAttributes": lease,
                           "priceDimensions": {f"{sku}.{c}.6YS6EN2CT7": prices}} for c in codes}  # fmt: skip


def pieces(size: int) -> Iterator[str]:
    """The file, piece by piece: products, on-demand and reserved terms; one product in 500 has a GPU."""
    yield '{"offerCode":"AmazonEC2","version":"1","products":{'
    skus: list[str] = []
    written = 0
    while written < size * 0.5:
        sku = hashlib.sha256(str(len(skus)).encode()).hexdigest()[:16].upper()
        kind = "g4dn.xlarge" if len(skus) % 500 == 0 else "m5.large"
        about = {"instanceType": kind, "operatingSystem": "Linux", "preInstalledSw": "NA",
                 "tenancy": "Shared", "usagetype": f"CNN1-BoxUsage:{kind}", "regionCode": "cn-north-1",
                 "vcpu": "4", "memory": "16 GiB", **LONG}  # fmt: skip
        product = {"sku": sku, "productFamily": "Compute Instance", "attributes": about}
        piece = f'{"," if skus else ""}"{sku}":{json.dumps(product)}'
        skus.append(sku)
        written += len(piece)
        yield piece
    yield '},"terms":{"OnDemand":{'
    yield from (f'{"," if n else ""}"{s}":{json.dumps(terms(s, CODES[:1], {}))}' for n, s in enumerate(skus))
    yield '},"Reserved":{'
    lease = {"LeaseContractLength": "1yr", "PurchaseOption": "No Upfront", "OfferingClass": "standard"}
    yield from (f'{"," if n else ""}"{s}":{json.dumps(terms(s, CODES, lease))}' for n, s in enumerate(skus))
    yield "}}}"


def build(folder: Path, size: int) -> Path:
    """The site's files; the second region has an empty price file."""
    regions = {r: f"/{EC2}/1/{r}/index.json" for r in ("cn-north-1", "cn-northwest-1")}
    listed = {r: {"regionCode": r, "currentVersionUrl": url} for r, url in regions.items()}
    index = {"offers": {"AmazonEC2": {"currentRegionIndexUrl": f"/{EC2}/current/region_index.json"}}}
    empty = {"products": {}, "terms": {"OnDemand": {}, "Reserved": {}}}
    small = {"offers/v1.0/cn/index.json": index, f"{EC2}/current/region_index.json": {"regions": listed},
             regions["cn-northwest-1"][1:]: empty}  # fmt: skip
    for name, body in small.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(json.dumps(body))
    large = folder / regions["cn-north-1"][1:]
    large.parent.mkdir(parents=True, exist_ok=True)
    with large.open("w") as out:
        for piece in pieces(size):
            out.write(piece)
    return large


class Quiet(SimpleHTTPRequestHandler):
    """A file server that says nothing."""

    def log_message(self, *_: Any) -> None:
        """Nothing."""


def main() -> None:
    """Build, read bare, crawl, report."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--mb", type=int, default=500)
    megabytes = parser.parse_args().mb
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        large = build(folder / "site", int(megabytes * 1e6 * 1.137))
        started, used = time.perf_counter(), time.process_time()
        with large.open("rb") as stream:
            events = sum(1 for _ in ijson.parse(stream))
        bare, bare_cpu = time.perf_counter() - started, time.process_time() - used
        server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(folder / "site")))
        Thread(target=server.serve_forever, daemon=True).start()
        config = CrawlConfig(
            provider="aws_cn", run_id="bench", run_dir=folder / "run", evidence_dir=folder / "evidence",
            now=datetime(2026, 11, 30, tzinfo=UTC), delay=0.0,
            origins={SITE: f"http://127.0.0.1:{server.server_address[1]}"},
        )  # fmt: skip
        started = time.perf_counter()
        command = [sys.executable, "-m", "spiders.child"]
        subprocess.run(command, input=config.to_json(), text=True, check=True, capture_output=True)
        crawl = time.perf_counter() - started
        server.shutdown()
        usage = resource.getrusage(resource.RUSAGE_CHILDREN)
        peak, cpu = usage.ru_maxrss / 1024, usage.ru_utime + usage.ru_stime
        stats = json.loads((folder / "run" / "stats.json").read_text())
        size = large.stat().st_size / 1e6
        print(f"{size:.0f} MB, {events} events, {stats['listings']} listings, problems {stats['problems']}")
        print(f"bare read {bare:.1f} s; crawl {crawl:.1f} s = {crawl / bare:.2f} x; peak {peak:.0f} MiB")
        print(f"processor time: {bare_cpu:.1f} s and {cpu:.1f} s = {cpu / bare_cpu:.2f} x")


if __name__ == "__main__":
    main()
