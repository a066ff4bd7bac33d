"""One file that holds a data directory, and the way back.

A plain tar (Parquet and evidence are compressed already): every file, then `MANIFEST.json` with the SHA-256
and size of each. SQLite files are copied through SQLite's own backup. The working store
(`warehouse/work.duckdb`), locks and half-written files stay out: the segments are the truth, and `suanjia
load` builds the store from them.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
import shutil
import sqlite3
import stat
import tarfile
import tempfile
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path, PurePosixPath
from typing import IO, Any

from warehouse.layout import Layout
from warehouse.locks import held

MANIFEST = "MANIFEST.json"
FORMAT = 1
LEFT_OUT = ("warehouse", "locks", "site")
_SIDE = ("-wal", "-shm", "-journal", ".lock", ".wal", ".part", ".tmp")
_CHUNK = 1 << 20
_MANIFEST_LIMIT = 256 << 20


class BackupError(Exception):
    """The backup cannot be made, or is not what was written; the message names the file."""


@dataclass(frozen=True, slots=True)
class Copied:
    """What a backup holds."""

    files: int
    bytes: int


def backup(home: Path, target: Path, now: datetime, code_version: str) -> Copied:
    """Write the home into `target`, read it back, and only then give it its name. Mode 0600: it can hold
    secrets. BackupError when the home is none or the target stands inside it or exists."""
    if not home.is_dir():
        raise BackupError(f"{home} is no data directory")
    if target.exists():
        raise BackupError(f"{target} exists already")
    if target.resolve().is_relative_to(home.resolve()):
        raise BackupError(f"{target} lies in the data directory itself")
    target.parent.mkdir(parents=True, exist_ok=True)
    draft = target.with_name(f".{target.name}.{os.getpid()}")
    try:
        with os.fdopen(os.open(draft, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600), "wb") as out:
            with tarfile.open(fileobj=out, mode="w", format=tarfile.PAX_FORMAT) as tar:
                # While it is held no generation is renamed in or pruned away under our hands.
                with held(Layout(home).publish_lock, "a publish"):
                    listed = {name: _add(tar, path, name) for name, path in _files(home)}
                _add_manifest(tar, listed, now, code_version)
            out.flush()
            os.fsync(out.fileno())
        verify(draft)
        draft.rename(target)
    finally:
        draft.unlink(missing_ok=True)
    kept = [entry for entry in listed.values() if entry]
    return Copied(len(kept), sum(entry["size"] for entry in kept))


def _files(home: Path) -> Iterator[tuple[str, Path]]:
    for folder, names, files in os.walk(home):
        here = Path(folder).relative_to(home)
        names[:] = sorted(
            n for n in names if not n.startswith(".") and not (here == Path() and n in LEFT_OUT)
        )
        for name in sorted(files):
            path = home / here / name
            if not name.startswith(".") and not name.endswith(_SIDE) and stat.S_ISREG(path.lstat().st_mode):
                yield (here / name).as_posix(), path


def _add(tar: tarfile.TarFile, path: Path, name: str) -> dict[str, Any] | None:
    """Add a file as it is now; None when it is gone meanwhile."""
    with tempfile.TemporaryDirectory(prefix="suanjia-backup-") as folder:
        source = path
        if path.suffix == ".sqlite":
            source = Path(folder) / path.name
            _copy_sqlite(path, source)
        try:
            handle = source.open("rb")
        except FileNotFoundError:
            return None
        with handle:
            size = os.fstat(handle.fileno()).st_size
            # A file that grows while it is read is cut at what it was.
            reader = _Hashing(handle, size)
            info = tarfile.TarInfo(name)
            info.size, info.mode = size, stat.S_IMODE(path.stat().st_mode) & 0o700
            info.mtime = int(path.stat().st_mtime)
            tar.addfile(info, reader)
    return {"sha256": reader.digest.hexdigest(), "size": size}


def _copy_sqlite(path: Path, target: Path) -> None:
    with closing(sqlite3.connect(path, timeout=30)) as source, closing(sqlite3.connect(target)) as copy:
        source.backup(copy)


class _Hashing(io.RawIOBase):
    def __init__(self, inner: IO[bytes], size: int) -> None:
        self._inner, self._left, self.digest = inner, size, hashlib.sha256()

    def read(self, size: int = -1) -> bytes:
        chunk = self._inner.read(self._left if size < 0 else min(size, self._left))
        self._left -= len(chunk)
        self.digest.update(chunk)
        return chunk


def _add_manifest(tar: tarfile.TarFile, listed: dict[str, Any], now: datetime, version: str) -> None:
    kept = {name: entry for name, entry in listed.items() if entry}
    told = {"format": FORMAT, "made_at": now.isoformat(), "code_version": version, "files": kept}
    body = json.dumps(told, ensure_ascii=False, indent=0, sort_keys=True).encode()
    info = tarfile.TarInfo(MANIFEST)
    info.size, info.mode = len(body), 0o600
    tar.addfile(info, io.BytesIO(body))


def verify(source: Path, into: Path | None = None) -> Copied:
    """Read a backup through; with `into`, write its files there. BackupError for anything that is not what
    the manifest says, a name that leads outside, a link, a device, a file twice."""
    seen: dict[str, dict[str, Any]] = {}
    manifest: dict[str, Any] | None = None
    try:
        with tarfile.open(source, mode="r|") as tar:
            for member in tar:
                if manifest is not None:
                    raise BackupError(f"{member.name}: stands after the manifest")
                if member.name == MANIFEST:
                    manifest = _read_manifest(tar, member)
                    continue
                _refuse_odd(member, seen)
                body = tar.extractfile(member)
                assert body is not None
                seen[member.name] = _copy(body, into / member.name if into else None, member)
    except (tarfile.TarError, OSError, EOFError, ValueError, OverflowError) as error:
        raise BackupError(f"{source} cannot be read: {error}") from None
    if manifest is None:
        raise BackupError(f"{source} has no manifest: it ends early, or is no backup")
    _compare(manifest["files"], seen)
    return Copied(len(seen), sum(entry["size"] for entry in seen.values()))


def _read_manifest(tar: tarfile.TarFile, member: tarfile.TarInfo) -> dict[str, Any]:
    body = tar.extractfile(member)
    if body is None or member.size > _MANIFEST_LIMIT:
        raise BackupError(f"{MANIFEST} is no manifest")
    found = json.load(body)
    if not isinstance(found, dict) or not isinstance(found.get("files"), dict):
        raise BackupError(f"{MANIFEST} is no manifest")
    if found.get("format") != FORMAT:
        raise BackupError(f"the backup has format {found.get('format')!r}; this version reads {FORMAT}")
    return found


def _refuse_odd(member: tarfile.TarInfo, seen: dict[str, Any]) -> None:
    name, path = member.name, PurePosixPath(member.name)
    plain = member.isreg() and not member.issparse()
    inside = not path.is_absolute() and ".." not in path.parts and path.parts and str(path) == name
    if not plain or not inside or "\\" in name or any(ord(c) < 32 for c in name):
        raise BackupError(f"{name!r} is no plain file of a data directory")
    if name in seen or path.parts[0] in LEFT_OUT:
        raise BackupError(f"{name!r} does not belong into a backup, or stands in it twice")


def _copy(body: IO[bytes], target: Path | None, member: tarfile.TarInfo) -> dict[str, Any]:
    digest, size = hashlib.sha256(), 0
    out: IO[bytes] | None = None
    try:
        if target is not None:
            target.parent.mkdir(parents=True, exist_ok=True)
            mode = (member.mode & 0o700) | 0o600
            out = os.fdopen(os.open(target, os.O_CREAT | os.O_EXCL | os.O_WRONLY, mode), "wb")
        while chunk := body.read(_CHUNK):
            digest.update(chunk)
            size += len(chunk)
            if out is not None:
                out.write(chunk)
        if out is not None:
            out.flush()
            os.fsync(out.fileno())
    finally:
        if out is not None:
            out.close()
    if target is not None:
        os.utime(target, (member.mtime, member.mtime))
    return {"sha256": digest.hexdigest(), "size": size}


def _compare(told: dict[str, Any], seen: dict[str, Any]) -> None:
    for name in sorted(set(told) | set(seen)):
        if told.get(name) != seen.get(name):
            what = "is missing" if name not in seen else "is not what was written"
            raise BackupError(f"{name} {what}")


def restore(source: Path, home: Path) -> Copied:
    """Fill an empty or absent home, all or nothing. BackupError for a home that holds anything."""
    if home.exists() and (not home.is_dir() or any(home.iterdir())):
        raise BackupError(f"{home} is not empty; restore into another --home")
    home.parent.mkdir(parents=True, exist_ok=True)
    draft = Path(tempfile.mkdtemp(prefix=f".{home.name}.restore-", dir=home.absolute().parent))
    try:
        done = verify(source, draft)
        if home.exists():
            home.rmdir()
        draft.chmod(0o755)
        draft.rename(home)
    finally:
        shutil.rmtree(draft, ignore_errors=True)
    return done
