"""Fifty workloads × 5,000 offers: how long the search takes after start-up, planning included.

    python benchmarks/bench_fit.py [--offers 5000] [--jobs 50] [--bar 1.0]

Offers are generated: prices around a level per card, sixteen sellers, eleven places, six billing modes.
Start-up is importing, reading the offers into the market and reading the workloads; the bar is on the rest.
"""

from __future__ import annotations

import argparse
import random
import time
from datetime import UTC, datetime, timedelta
from decimal import Decimal

from reports.fit.job import Job, job_of
from reports.fit.market import Market
from reports.fit.planner import SizingPlanner
from reports.fit.search import Asked, search
from reports.fit.sellable import Sellable
from reports.fit.terms import Terms

NOW = datetime(2026, 11, 30, tzinfo=UTC)
LEVELS = {
    "RTX3090": 1.1,
    "RTX4090": 2.0,
    "RTX4090D": 1.8,
    "RTX4090-48G": 3.0,
    "RTX5090": 3.2,
    "L20": 3.3,
    "L40S": 5.0,
    "A10": 3.0,
    "A30": 4.0,
    "T4": 1.6,
    "V100-16G": 2.2,
    "V100-32G": 3.1,
    "A100-40G": 4.9,
    "A100-80G": 6.8,
    "A800-80G": 6.5,
    "H100-80G": 14.0,
    "H800-80G": 12.5,
    "H20-96G": 7.6,
    "H20-141G": 9.0,
    "H200": 18.0,
    "910B-64G": 5.5,
    "910B-32G": 4.0,
    "RTXA6000": 3.4,
    "RTX6000Ada": 5.2,
    "RTXPRO6000": 7.5,
    "A40": 3.6,
    "L40": 4.5,
    "RTX2080Ti": 0.8,
    "P40": 0.7,
    "RTXA5000": 1.5,
    "RTX3090Ti": 1.3,
    "L4": 2.4,
    "MTT-S4000": 3.0,
    "K100_AI": 3.2,
}
MODES = {
    "on_demand": (1, 1.0),
    "daily": (24, 0.92),
    "weekly": (168, 0.85),
    "monthly": (730, 0.7),
    "yearly": (8760, 0.55),
    "spot": (1, 0.6),
}
REGIONS = [
    None,
    "CN",
    "110000",
    "440000",
    "440300",
    "130700",
    "150000",
    "310000",
    "320500",
    "510100",
    "500000",
]
MODELS = ("Qwen2.5-7B", "Qwen2.5-14B", "Qwen2.5-32B", "Llama-3.1-8B", "Yi-34B", "Qwen2.5-72B")
METHODS = ("lora", "qlora", "full", "inference")


def offers(count: int, seed: int = 1) -> list[Sellable]:
    """Generated offers, the same for the same seed."""
    rng = random.Random(seed)
    made = []
    for number in range(count):
        card = rng.choice(list(LEVELS))
        mode = rng.choice(list(MODES))
        hours, factor = MODES[mode]
        size = rng.choice([1, 1, 1, 8, 8, 4, 2])
        price = Decimal(str(round(LEVELS[card] * factor * rng.uniform(0.8, 1.6) * hours * size, 2)))
        made.append(
            Sellable(
                offer_id=f"offer:{number:016x}",
                provider=f"seller_{rng.randrange(16)}",
                card=card,
                billing_mode=mode,
                price_kind="list",
                currency="CNY",
                price=price,
                per_hours=Decimal(hours),
                gpu_count=Decimal(size),
                basis="card" if size == 1 else "server",
                max_cards=rng.choice([4, 8, 10]) if size == 1 else None,
                observed_at=NOW - timedelta(hours=rng.randrange(150)),
                region_code=rng.choice(REGIONS),
                form=rng.choice([None, "SXM"]) if card.startswith(("A100", "H100")) else None,
                stock_idle=rng.choice([None, 8, 16, 2]),
                price_cny_per_card_hour=price / hours / size,
                price_cny_per_card_hour_gross=price / hours / size,
            )
        )
    return made


def jobs(count: int) -> list[Job]:
    """Workloads over models, methods, sizes of data and limits; each different."""
    made = []
    for number in range(count):
        row: dict[str, object] = {
            "name": f"job-{number}",
            "model": MODELS[number % len(MODELS)],
            "method": METHODS[number % len(METHODS)],
            "seq_len": (1024, 2048, 4096)[number % 3],
        }
        if row["method"] == "inference":
            row |= {"hours": 24 * (1 + number % 30), "concurrency": 8}
        else:
            row |= {"tokens": 5_000_000 * (1 + number), "epochs": 1 + number % 3}
        if number % 5 == 1:
            row["regions"] = ["广东"]
        if number % 7 == 2:
            row["deadline_hours"] = 48
        if number % 6 == 3:
            row["interruptible"] = True
        made.append(job_of(row))
    return made


def terms() -> dict[str, Terms]:
    """A few sellers with known terms, the rest unknown."""
    return {
        f"seller_{n}": Terms(granularity_s=1, free_disk_gb=Decimal(50), disk_cny_per_gb_day=Decimal("0.0066"))
        for n in range(0, 16, 2)
    }


def main() -> int:
    """Time it; exit 1 when over the bar."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--offers", type=int, default=5000)
    parser.add_argument("--jobs", type=int, default=50)
    parser.add_argument("--limit", type=int, default=3)
    parser.add_argument("--bar", type=float, default=1.0)
    asked = parser.parse_args()
    started = time.perf_counter()
    market = Market.build(offers(asked.offers), terms(), NOW)
    planners = [(job, SizingPlanner.of(job)) for job in jobs(asked.jobs)]
    ready, ready_cpu = time.perf_counter(), time.process_time()
    results = [search(market, job, planner, Asked(limit=asked.limit)) for job, planner in planners]
    took, cpu = time.perf_counter() - ready, time.process_time() - ready_cpu
    planned = sum(len(planner._uses) for _, planner in planners)
    fitting = sum(bool(result.fits) for result in results)
    print(f"start-up {ready - started:.2f} s; {asked.jobs} workloads × {asked.offers} offers: {took:.2f} s")
    print(f"of it on the processor: {cpu:.2f} s")
    print(f"{planned} plans made, {fitting} workloads fit; bar {asked.bar} s")
    return int(took > asked.bar)


if __name__ == "__main__":
    raise SystemExit(main())
