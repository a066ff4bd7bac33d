"""The font of every picture: Noto Sans SC from the package zhplot, so that they are the same everywhere."""

from __future__ import annotations

import importlib.util
from functools import cache
from pathlib import Path

PACKAGE, FILE = "zhplot", "fonts/NotoSansSC-Regular.ttf"


class FontError(RuntimeError):
    """The font is not there, or has no picture of a character."""


@cache
def font_path() -> Path:
    """The file, found without importing the package (which would change matplotlib's settings)."""
    spec = importlib.util.find_spec(PACKAGE)
    for folder in (spec.submodule_search_locations or ()) if spec else ():
        path = Path(folder) / FILE
        if path.is_file():
            return path
    raise FontError(f"no {FILE} in the package {PACKAGE}; install the locked packages")
