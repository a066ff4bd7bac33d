"""Evidence: every answer as it came, compressed with zstd, named by the SHA-256 of its bytes, never
rewritten.

A body that holds a secret is refused; `redact` makes a copy without it. This module imports no Scrapy.
"""

from __future__ import annotations

import hashlib
import io
import os
import re
from collections.abc import Iterable
from pathlib import Path
from typing import IO
from urllib.parse import parse_qsl, urlencode, urlsplit, urlunsplit
from uuid import uuid4

import zstandard

_LEVEL = 9
_OVERLAP = 4096
# Bearer tokens, and signed query strings of object stores. An account's own keys are given as values.
_JWT = rb"eyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{16,}"
_SIGNED = (
    rb"(?:[?&;]|\\u0026|&amp;)(?:sig|Signature|X-Amz-Signature|AccessKeyId|OSSAccessKeyId|X-Amz-Credential)"
    rb"=(?!\[redacted\])[^\"'&\s<>\\]{8,}"
)
_SECRET = re.compile(_JWT + b"|" + _SIGNED)
_WORDS = (b"eyJ", b"sig=", b"Signature=", b"KeyId=", b"Credential=")  # one stands in whatever _SECRET finds
# The whole query of a signed address: what stands beside the signature says until when and for what it holds.
_IN_URL = rb"(?:[^\"'\s<>?\\]|\\u0026|\\/)"
_SIGNED_QUERY = re.compile(
    rb"\?" + _IN_URL + rb"*?(?<=[?&;6])(?:sig|Signature|X-Amz-Signature)=" + _IN_URL + b"+"
)
_ANY_QUERY = re.compile(rb"(https?:(?:\\?/){2}" + _IN_URL + rb"+)\?" + _IN_URL + b"+")
# An account's own machines: how to get into them stands in the answer. Tokens of paging are none.
_ACCOUNT = re.compile(
    rb'"(?:(?:[a-z]{1,12}_){0,2}(?:password|passwd|pwd|secret|private_?key)|ssh_(?:command|cmd)|'
    rb'(?:(?:access|api|auth|bearer|id|jupyter|login|refresh|session|user|vnc)_?)?token)"\s*:\s*'
    rb'"(?!\[redacted\])([^"\\]{4,})"',
    re.I,
)
_SECRET_PARAMS = re.compile(
    r"(?i)^(sig|signature|token|access_?token|api_?key|key|secret|password|accesskeyid|ossaccesskeyid|"
    r"\[redacted\]|x-amz-.*|se|sp|sv|sr|st|skoid|sktid|skt|ske|sks|skv|spr|public_?key|privatekey)$"
)
_MIN_SECRET = 8


class SecretFound(Exception):
    """The bytes hold a secret and were not stored. `what` says which kind, never the secret."""

    def __init__(self, what: str) -> None:
        super().__init__(f"body holds a secret ({what}); not stored")
        self.what = what


def clean_url(url: str) -> str:
    """The address without fragment and without signatures, tokens and keys in its query."""
    parts = urlsplit(url)
    pairs = parse_qsl(parts.query, keep_blank_values=True)
    if any(_SECRET_PARAMS.match(name) for name, _ in pairs):
        kept = urlencode([(n, v) for n, v in pairs if not _SECRET_PARAMS.match(n)])
        parts = parts._replace(query=kept)
    netloc = parts.netloc.rpartition("@")[2]
    return urlunsplit(parts._replace(fragment="", netloc=netloc))


class EvidenceStore:
    """`<root>/ab/abcdef….zst`. Safe for several writers: a file appears whole or not at all."""

    def __init__(self, root: Path, secrets: Iterable[str] = ()) -> None:
        self.root = root
        self._secrets = [value.encode() for value in secrets if len(value) >= _MIN_SECRET]

    def path(self, digest: str) -> Path:
        """Where the body with this SHA-256 lies, or would lie. ValueError for what is no digest."""
        if not re.fullmatch(r"[0-9a-f]{64}", digest):
            raise ValueError(f"not a SHA-256: {digest!r}")
        return self.root / digest[:2] / f"{digest}.zst"

    def has(self, digest: str) -> bool:
        """Is it stored?"""
        return self.path(digest).is_file()

    def secret_in(self, body: bytes) -> str | None:
        """Kind of the first secret in `body`, or None."""
        if any(value in body for value in self._secrets):
            return "credential"
        if b"=" in body:
            if not any(word in body for word in _WORDS):
                return None  # the expression below costs ten times as much
        elif _WORDS[0] not in body:
            return None  # no signature without its =
        found = _SECRET.search(body)
        return None if found is None else ("token" if found.group().startswith(b"eyJ") else "signed address")

    @staticmethod
    def shows_account(body: bytes) -> bool:
        """Does a JSON answer show a password, a token or a way into a machine?"""
        return body.lstrip()[:1] in (b"{", b"[") and _ACCOUNT.search(body) is not None

    def hide(self, secret: str) -> None:
        """One more value that no body may hold."""
        if len(secret) >= _MIN_SECRET:
            self._secrets.append(secret.encode())

    def redact(self, body: bytes, *, links: bool = False) -> bytes:
        """`body` with every secret replaced; what is stored in its place is marked as redacted. With `links`,
        every address in it loses its query, however its signature is called."""
        for value in self._secrets:
            body = body.replace(value, b"[redacted]")
        if self.shows_account(body):
            body = _ACCOUNT.sub(lambda found: found.group().replace(found[1], b"[redacted]"), body)
        body = (_ANY_QUERY.sub(rb"\1?[redacted]", body)) if links else _SIGNED_QUERY.sub(b"?[redacted]", body)
        return _SECRET.sub(lambda found: _redacted(found.group()), body)

    def put(self, body: bytes) -> str:
        """Store `body`, return its SHA-256. SecretFound if it holds a secret; OSError if the disk refuses."""
        if what := self.secret_in(body):
            raise SecretFound(what)
        digest = hashlib.sha256(body).hexdigest()
        target = self.path(digest)
        if not target.is_file():
            packed = zstandard.ZstdCompressor(level=_LEVEL).compress(body)
            self._place(target, packed)
        return digest

    def writer(self) -> EvidenceWriter:
        """A sink for a body too large to hold: `write` chunks, then `commit`."""
        return EvidenceWriter(self)

    def open(self, digest: str) -> IO[bytes]:
        """A stream of the body's bytes. FileNotFoundError if it is not (or no longer) stored."""
        raw = self.path(digest).open("rb")
        return io.BufferedReader(_Reader(raw), 1 << 16)  # type: ignore[type-var]

    def read(self, digest: str) -> bytes:
        """The whole body, checked against its name. ValueError if the file is damaged."""
        with self.open(digest) as stream:
            body = stream.read()
        if hashlib.sha256(body).hexdigest() != digest:
            raise ValueError(f"evidence {digest[:12]}… is damaged")
        return body

    def _place(self, target: Path, packed: bytes) -> None:
        target.parent.mkdir(parents=True, exist_ok=True)
        temporary = target.with_name(f".{uuid4().hex}.part")
        try:
            with temporary.open("wb") as out:
                out.write(packed)
                out.flush()
                os.fsync(out.fileno())
            temporary.replace(target)
        finally:
            temporary.unlink(missing_ok=True)


class EvidenceWriter:
    """Streams one body into the store with constant memory. Use as a context manager; without `commit`
    nothing remains."""

    def __init__(self, store: EvidenceStore) -> None:
        self._store = store
        self._hash = hashlib.sha256()
        store.root.mkdir(parents=True, exist_ok=True)
        self._temporary = store.root / f".{uuid4().hex}.part"
        self._file = self._temporary.open("wb")
        self._zstd = zstandard.ZstdCompressor(level=3).stream_writer(self._file, closefd=False)
        self._tail = b""
        self.size = 0

    def __enter__(self) -> EvidenceWriter:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()
        self._temporary.unlink(missing_ok=True)

    def write(self, chunk: bytes) -> None:
        """Add bytes. SecretFound if a secret shows, also one that lies across two chunks."""
        window = self._tail + chunk
        if what := self._store.secret_in(window):
            raise SecretFound(what)
        self._tail = window[-_OVERLAP:]
        self._hash.update(chunk)
        self.size += len(chunk)
        self._zstd.write(chunk)

    def commit(self) -> str:
        """Finish and give the file its name; returns the SHA-256."""
        self._zstd.flush(zstandard.FLUSH_FRAME)
        self._file.flush()
        os.fsync(self._file.fileno())
        digest = self._hash.hexdigest()
        target = self._store.path(digest)
        if not target.is_file():
            target.parent.mkdir(parents=True, exist_ok=True)
            self._temporary.replace(target)
        return digest


class _Reader(io.RawIOBase):
    """zstd's reader as a RawIOBase that closes its file."""

    def __init__(self, raw: IO[bytes]) -> None:
        self._raw = raw
        self._zstd = zstandard.ZstdDecompressor().stream_reader(raw, read_across_frames=True)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: bytearray) -> int:  # type: ignore[override]
        chunk = self._zstd.read(len(buffer))
        buffer[: len(chunk)] = chunk
        return len(chunk)

    def close(self) -> None:
        if not self.closed:
            self._zstd.close()  # type: ignore[no-untyped-call]
            self._raw.close()
        super().close()


def _redacted(found: bytes) -> bytes:
    name, equals, _ = found.partition(b"=")
    return name + equals + b"[redacted]" if equals else b"[redacted]"
