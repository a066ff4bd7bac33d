"""A data directory holds either the real market or the rebuilt one, never both.

`suanjia demo` and `crawl --market` mark their home; a real crawl there, or a stand-in crawl in a home that
has real data, is refused.
"""

from __future__ import annotations

from pathlib import Path

MARK = "REBUILT"
_TEXT = (
    "This data directory was filled from the stand-in market: rebuilt sites with real dated prices.\n"
    "本数据目录来自模拟市场：站点为重建，价格为真实且有日期的挂牌价。\n"
)


class WrongHome(Exception):
    """The home belongs to the other market; the message says which and what to do."""


def is_rebuilt(home: Path) -> bool:
    """Was this home filled from the stand-in market?"""
    return (home / MARK).is_file()


def claim(home: Path, rebuilt: bool) -> None:
    """Take the home for one market. WrongHome when it already belongs to the other."""
    if rebuilt:
        if not is_rebuilt(home) and _has_runs(home):
            raise WrongHome(f"{home} holds real data; give the stand-in market another --home")
        home.mkdir(parents=True, exist_ok=True)
        (home / MARK).write_text(_TEXT, encoding="utf-8")
    elif is_rebuilt(home):
        raise WrongHome(f"{home} was filled from the stand-in market; crawl into another --home")


def _has_runs(home: Path) -> bool:
    segments = home / "segments"
    return segments.is_dir() and any(segments.iterdir())
