"""What stops a command that is no mistake of the program, in one plain sentence."""

from __future__ import annotations

import errno
import sqlite3

_FULL = "no space left on the disk 磁盘已满; free a few megabytes, then run it again"
_SENTENCES = {
    errno.ENOSPC: _FULL,
    errno.EDQUOT: "the disk quota is used up 磁盘配额已满; free some and run it again",
    errno.EROFS: "the disk is read-only 磁盘只读",
}
_SQLITE = {sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR}


def plain(error: BaseException) -> str | None:
    """The sentence for an error of the machine, also beneath another one; None for any other."""
    seen: set[int] = set()
    found: BaseException | None = error
    while found is not None and id(found) not in seen:
        seen.add(id(found))
        if isinstance(found, OSError) and found.errno in _SENTENCES:
            where = f"{found.filename}: " if found.filename else ""
            return where + _SENTENCES[found.errno]
        if isinstance(found, sqlite3.Error) and (getattr(found, "sqlite_errorcode", 0) & 0xFF) in _SQLITE:
            return f"{found} — {_FULL}"
        found = found.__cause__ or found.__context__
    return None
