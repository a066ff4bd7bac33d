"""Where the browser is. This module imports neither Scrapy nor Playwright."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

NAMES = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


class BrowserMissing(RuntimeError):
    """No browser was found; the message says what would do."""


def find_browser(named: str = "") -> str:
    """Path of a browser: the one named (SUANJIA_BROWSER), else one on PATH, else Playwright's own.

    BrowserMissing if there is none.
    """
    if named:
        found = shutil.which(named) or (
            named if os.access(named, os.X_OK) and Path(named).is_file() else None
        )
        if not found:
            raise BrowserMissing(f"SUANJIA_BROWSER names {named!r}, which is no executable")
        return found
    for name in NAMES:
        if found := shutil.which(name):
            return found
    if own := _playwrights_own():
        return own
    raise BrowserMissing("no browser found: install chromium-headless-shell, or set SUANJIA_BROWSER to one")


def _playwrights_own() -> str | None:
    """The newest browser that `playwright install` has put into its cache."""
    root = Path(os.environ.get("PLAYWRIGHT_BROWSERS_PATH") or Path.home() / ".cache" / "ms-playwright")
    found = [
        path
        for pattern in ("chromium_headless_shell-*/*/*headless*shell*", "chromium-*/*/chrome")
        for path in sorted(root.glob(pattern), reverse=True)
        if path.is_file() and os.access(path, os.X_OK)
    ]
    return str(found[0]) if found else None
