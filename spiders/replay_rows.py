"""The exchanges of a folder, found by request. This module imports no Scrapy."""

from __future__ import annotations

import hashlib
import json
from collections import defaultdict, deque
from pathlib import Path
from typing import Any

from spiders.evidence import clean_url

EXCHANGES = "exchanges.jsonl"


def read_rows(folder: Path) -> list[dict[str, Any]]:
    """The lines of `exchanges.jsonl`, in order; none for a crawl that asked nothing."""
    path = folder / EXCHANGES
    if not path.is_file():
        return []
    # The file's own lines: an address may hold what Unicode calls a line break.
    with path.open(encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


class Recording:
    """Answers by request. Each answer is given once, the last one of an address again and again."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._rows: dict[tuple[Any, ...], deque[dict[str, Any]]] = defaultdict(deque)
        for row in read_rows(folder):
            exact = (row["method"], row["url"], bool(row.get("browser")), row["sent"])
            # A request whose body carries a time or a signature is found by its address alone.
            for key in (exact, exact[:-1]):
                self._rows[key].append(row)

    def find(self, method: str, url: str, sent: bytes, browser: bool) -> dict[str, Any] | None:
        """The next answer to a request, None if there never was one."""
        digest = hashlib.sha256(sent).hexdigest() if sent else ""
        exact = (method, clean_url(url), browser, digest)
        for key in (exact, exact[:-1]):
            rows = self._rows.get(key)
            if rows:
                return rows.popleft() if len(rows) > 1 else rows[0]
        return None
