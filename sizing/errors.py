"""The one exception of this room: what a user asked for cannot be sized, said in a sentence."""

from __future__ import annotations


class SizingError(ValueError):
    """Bad or contradictory input. `str(error)` is one sentence for the user, never a traceback."""
