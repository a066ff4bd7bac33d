"""`python -m market --now 2026-11-30T04:00:00+08:00`: serve until killed; stdout gets the origins as JSON."""

from __future__ import annotations

import argparse
import json
import signal
import sys
import threading
from datetime import UTC, datetime

from market import DEMO_SITES
from market.server import running


def main(argv: list[str] | None = None) -> int:
    """Parse the arguments, serve, end on SIGTERM or SIGINT. Exit codes 0 ok, 2 bad input."""
    parser = argparse.ArgumentParser(prog="python -m market", description=__doc__)
    parser.add_argument("--now", help="the market's clock, ISO 8601 with offset (default: now)")
    parser.add_argument("--site", action="append", help="serve only this site; may be repeated")
    parser.add_argument(
        "--demo", action="store_true", help="only sites with real dated prices, no sample rows"
    )
    parser.add_argument("--fault", action="append", default=[], metavar="SITE=KIND")
    parser.add_argument("--port", type=int, default=0, help="first port (default: any free ones)")
    args = parser.parse_args(argv)
    try:
        now = datetime.fromisoformat(args.now) if args.now else datetime.now(UTC)
        faults = dict(order.split("=", 1) for order in args.fault)
        sites = args.site or (list(DEMO_SITES) if args.demo else None)
        stop = threading.Event()
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, lambda *_: stop.set())
        with running(now, sites, faults, samples=not args.demo, port=args.port) as origins:
            sys.stdout.write(json.dumps(origins, ensure_ascii=False) + "\n")
            sys.stdout.flush()
            stop.wait()
    except (ValueError, KeyError) as error:
        sys.stderr.write(f"market: {error}\n")
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
