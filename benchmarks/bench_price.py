"""The price reader: cells a second cold and repeated, lines a second and memory of the command.

    python benchmarks/bench_price.py [--lines 1000000]

Cold: no text was seen before; contexts (headings, column heads) repeat as on a page. Strange: every context
is new too, so that no cache helps at all. Repeated: the texts of a crawl, most of which were seen before. All
are per second of CPU time, and json.loads of the same cells in the same run stands beside them, because an
absolute number says more about the machine than about the reader.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import time
from pathlib import Path

from pipeline.reading import price

ROWS = Path(__file__).parent.parent / "tests" / "pipeline" / "data" / "price_text.jsonl"
BARS = {"cold": 8_000, "repeated": 200_000, "command": 50_000}


def cells() -> list[tuple[str, str]]:
    """(text, context) of the hand-checked rows."""
    rows = [json.loads(line) for line in ROWS.read_text("utf-8").splitlines()][1:]
    return [(row["text"], row["context"]) for row in rows]


def cold(*, strange: bool, rounds: int = 20) -> tuple[float, float]:
    """Cells a second where no text repeats, and json.loads of the same cells; CPU time of one core."""
    known = cells()
    for text, context in known:  # compile patterns, load tables
        price.read(text, context)
    fresh = [
        (f"{text} 甲{i}", f"{context} | 乙{i}" if strange else context)
        for i in range(rounds)
        for text, context in known
    ]
    encoded = [json.dumps({"text": text, "context": context}) for text, context in fresh]
    start = time.process_time()
    for text, context in fresh:
        price.read(text, context)
    reading = time.process_time() - start
    start = time.process_time()
    for line in encoded:
        json.loads(line)
    return len(fresh) / reading, len(fresh) / (time.process_time() - start)


def repeated(rounds: int = 600) -> float:
    """Cells a second where every text was read before."""
    known = cells()
    start = time.process_time()
    for _ in range(rounds):
        for text, context in known:
            price.read(text, context)
    return rounds * len(known) / (time.process_time() - start)


def command(lines: int) -> tuple[float, int, int]:
    """Lines through `suanjia parse price` per CPU second of it, resident KiB at a tenth and at the end."""
    known = cells()
    process = subprocess.Popen(
        [sys.executable, "-m", "suanjia", "parse", "price"], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL
    )
    assert process.stdin is not None
    early = last = 0
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    step = 10_000
    for low in range(0, lines, step):
        block = []
        for i in range(low, min(low + step, lines)):
            text, context = known[i % len(known)]
            block.append(json.dumps({"id": i, "context": context, "text": text}, ensure_ascii=False) + "\n")
        process.stdin.write("".join(block).encode())
        last = _resident(process.pid) or last
        if low <= lines // 10:
            early = last
    process.stdin.close()
    process.wait()
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return lines / used, early, last


def _resident(pid: int) -> int:
    status = Path(f"/proc/{pid}/status")
    if not status.exists():
        return 0
    return next(
        (int(line.split()[1]) for line in status.read_text().splitlines() if line.startswith("VmRSS")), 0
    )


def main() -> int:
    """Print the figures; 1 where one is under its bar."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--lines", type=int, default=1_000_000)
    lines = options.parse_args().lines
    cells_cold, loads = cold(strange=False)
    cells_strange, _ = cold(strange=True)
    cells_repeated = repeated()
    through, early, last = command(lines)
    ratio = loads / cells_cold
    print(f"cold      {cells_cold:>12,.0f} cells/s   (json.loads {loads:,.0f}/s, ratio {ratio:.0f})")
    print(f"strange   {cells_strange:>12,.0f} cells/s")
    print(f"repeated  {cells_repeated:>12,.0f} cells/s")
    print(f"command   {through:>12,.0f} lines/s   (resident {early:,} → {last:,} KiB over {lines:,} lines)")
    figures = {"cold": cells_cold, "repeated": cells_repeated, "command": through}
    under = [name for name, bar in BARS.items() if figures[name] < bar]
    for name in under:
        print(f"under the bar of {BARS[name]:,}: {name}")
    return 1 if under or last > early * 1.2 else 0


if __name__ == "__main__":
    sys.exit(main())
