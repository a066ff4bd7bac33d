"""A page in headless Chromium that remembers every error and every address that it asked for."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

HERE = Path(__file__).parent
SMALLEST_TEXT = """Math.min(...[...document.querySelectorAll("td, p, h1, h2, span, a")]
  .filter(e => e.offsetParent && e.textContent.trim()).map(e => parseFloat(getComputedStyle(e).fontSize)))"""
DRAWN_PIXELS = """() => {
  const c = document.querySelector("#chart canvas");
  const data = c.getContext("2d").getImageData(0, 0, c.width, c.height).data;
  return data.filter((v, i) => i % 4 === 3 && v > 0).length;
}"""


def script(name: str) -> str:
    """A check that stands beside this file, without the comment above it."""
    return (HERE / name).read_text(encoding="utf-8").split("\n", 1)[1]


def uri(path: Path, name: str) -> str:
    """The address of a file on this disk."""
    return (path / name).resolve().as_uri()


class Sheet:
    """One page. `close` fails when anything went wrong on it."""

    def __init__(self, engine: Any, width: int, **options: Any) -> None:
        self.context = engine.new_context(viewport={"width": width, "height": 900}, **options)
        self.page = self.context.new_page()
        self.errors: list[str] = []
        self.asked: list[str] = []
        self.page.on("console", self._heard)
        self.page.on("pageerror", lambda error: self.errors.append(str(error)))
        self.page.on("requestfailed", lambda request: self.errors.append(f"failed: {request.url}"))
        self.page.on("request", lambda request: self.asked.append(request.url))

    def _heard(self, message: Any) -> None:
        if message.type in {"error", "warning"}:
            self.errors.append(message.text)

    def open(self, url: str) -> Any:
        self.page.goto(url)
        self.page.wait_for_load_state("load")
        return self.page

    def close(self, host: str = "") -> None:
        """Nothing went wrong, and nobody but `host` (or the disk) was asked."""
        self.context.close()
        assert self.errors == []
        assert {urlsplit(url).netloc for url in self.asked if not url.startswith("data:")} <= {host}

    def fits(self) -> bool:
        """Does nothing stick out to the right?"""
        width: bool = self.page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        return width


def column(page: Any, table: str, place: int) -> list[str]:
    """The texts of a column of a table, as shown."""
    cells = f"rows => rows.map(row => row.cells[{place}].innerText)"
    return list(page.eval_on_selector_all(f"#{table} tbody tr", cells))
