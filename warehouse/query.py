"""`suanjia sql`: one SELECT of a stranger on the published generation, shut in.

The query runs in a process of its own (`warehouse.asked`), which has a limit on its memory and is ended when
the time is over, whatever DuckDB is busy with. Nothing but the answer comes back.
"""

from __future__ import annotations

import pickle
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from warehouse.errors import BadRequest, WarehouseError

SECONDS = 30.0
# The other process stops the query by itself; where DuckDB does not listen it is ended so much later.
GRACE_SECONDS = 2.0
TOO_LARGE = "the query needed more memory than it may have and was stopped"


@dataclass(frozen=True, slots=True)
class Answer:
    """Column names, rows as Python values, and the generation that gave them."""

    names: tuple[str, ...]
    rows: list[tuple[Any, ...]]
    generation: str


def select(home: Path, sql: str, seconds: float = SECONDS) -> Answer:
    """Run one SELECT. BadRequest for anything else, for SQL errors, after `seconds`, and for an answer or a
    computation that is too large."""
    asked = subprocess.Popen(
        [sys.executable, "-m", "warehouse.asked", str(home), str(seconds)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    with asked:
        try:
            out, err = asked.communicate(sql.encode("utf-8", "surrogatepass"), seconds + GRACE_SECONDS)
        except subprocess.TimeoutExpired:
            raise BadRequest(too_long(seconds)) from None
        finally:
            asked.kill()
    if asked.returncode != 0:
        told = err.decode("utf-8", "replace").strip().splitlines()
        if asked.returncode == 1 and told and "MemoryError" not in told[-1]:
            raise WarehouseError(f"the query could not be run: {told[-1]}")
        raise BadRequest(TOO_LARGE)
    answer = pickle.loads(out)  # plain values, written by our own process
    if isinstance(answer, WarehouseError):
        raise answer
    return Answer(*answer)


def too_long(seconds: float) -> str:
    """The sentence for a query that was stopped."""
    return f"the query took longer than {seconds:g} s and was stopped"
