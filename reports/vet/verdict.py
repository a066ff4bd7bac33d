"""`suanjia vet`: text in, verdict out."""

from __future__ import annotations

import re
from typing import Any

from reports.vet.check import as_json
from reports.vet.checks import examine
from reports.vet.hints import hint
from reports.vet.lists import read_bare_csv, read_csv, read_list, read_topology
from reports.vet.machine import Machine, clean
from reports.vet.query import read_query
from reports.vet.sold import Sold
from reports.vet.table import read_table

# No number that nvidia-smi prints is longer; Python refuses to read very long ones.
_LONG = re.compile(r"\d{25,}")


class NothingRead(ValueError):
    """The text holds no output of `nvidia-smi` that names a card."""


def read(text: str) -> Machine:
    """Every kind of `nvidia-smi` output in the text, joined; NothingRead where no card is in it."""
    machine = Machine()
    cleaned = _LONG.sub("?", clean(text))
    for reader in (read_table, read_query, read_csv, read_list, read_topology):
        reader(cleaned, machine)
    if not machine.gpus:
        read_bare_csv(cleaned, machine)
    if not machine.gpus:
        why = "topo -m alone names no card" if machine.links else hint(cleaned)
        raise NothingRead("no nvidia-smi output with a card in it" + (f": {why}" if why else ""))
    return machine


def vet(text: str, sold: Sold) -> dict[str, Any]:
    """`{"verdict", "checks": [{"name", "expected", "found", "ok", "note"?}]}` of CONTRACT."""
    verdict, checks = examine(read(text), sold)
    return {"verdict": verdict, "checks": [as_json(check) for check in checks]}
