"""The one client that talks to the network: spiders, robots.txt, bulk files and the browser's sub-requests.

No redirects, cookies, proxies or credentials of the machine are used here; every request passes the egress
guard and every connection its resolver. This module imports no Scrapy.
"""

from __future__ import annotations

import ssl
import zlib
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Protocol

import aiohttp
import certifi
import yarl
import zstandard

from spiders.egress import Egress, EgressRefused

_CHUNK = 1 << 16
# Four bytes of zstd can stand for 128 KiB, so it is fed little by little; the window is what RFC 9659 allows.
_ZSTD_BITE = 128
_ZSTD_WINDOW = 8 << 20
_POURED = 1 << 20  # what is handed to a sink at a time: fewer, larger pieces halve the time of a bulk file
# Never forwarded: they belong to the hop.
_HOP = frozenset(
    "connection proxy-connection keep-alive transfer-encoding upgrade host content-length".split()
)


class FetchError(Exception):
    """No usable answer. `kind`: timeout, dns, refused, cut (body ended early), too_large, tls, failed."""

    def __init__(self, kind: str, message: str) -> None:
        super().__init__(message)
        self.kind = kind


class Sink(Protocol):
    """Where a body goes that is too large to hold."""

    def write(self, chunk: bytes) -> None:
        """Take the next bytes."""


@dataclass(frozen=True, slots=True)
class Fetched:
    """An answer. `body` is as sent (still content-encoded) and empty when a sink took it decoded."""

    status: int
    headers: list[tuple[str, str]]
    body: bytes
    size: int

    def header(self, name: str) -> str:
        """First value of a header, "" if absent."""
        return next((v for k, v in self.headers if k.lower() == name.lower()), "")


class Fetcher:
    """HTTP with the guard built in. Make it inside a running loop; `close` it there."""

    def __init__(self, egress: Egress, *, user_agent: str, connections: int = 4) -> None:
        self.egress = egress
        self.user_agent = user_agent
        self._tls = ssl.create_default_context(cafile=certifi.where())
        self._tls.load_default_certs()
        connector = aiohttp.TCPConnector(
            resolver=egress.resolver(), limit=connections, use_dns_cache=True, ttl_dns_cache=300
        )
        self._session = aiohttp.ClientSession(
            connector=connector,
            cookie_jar=aiohttp.DummyCookieJar(),
            auto_decompress=False,
            trust_env=False,
            skip_auto_headers=("User-Agent", "Accept", "Accept-Encoding", "Content-Type"),
        )

    async def fetch(
        self,
        url: str,
        *,
        method: str = "GET",
        headers: Iterable[tuple[str, str]] = (),
        body: bytes = b"",
        timeout: float,
        max_size: int,
        sink: Sink | None = None,
    ) -> Fetched:
        """One request to the real `url`, sent where the guard says.

        EgressRefused before anything leaves; FetchError without a whole answer. `timeout` covers the whole
        answer (with a sink: any silence of that length). A body over `max_size` bytes, sent or decoded, is
        too_large.
        """
        target = self.egress.check(url)
        sent = [(k, v) for k, v in headers if k.lower() not in _HOP]
        if not any(k.lower() == "user-agent" for k, _ in sent):
            sent.append(("User-Agent", self.user_agent))
        limit = (
            aiohttp.ClientTimeout(total=None, sock_connect=timeout, sock_read=timeout)
            if sink is not None
            else aiohttp.ClientTimeout(total=timeout)
        )
        try:
            async with self._session.request(
                method,
                yarl.URL(target, encoded=True),
                data=body or None,
                headers=sent,
                timeout=limit,
                ssl=self._tls,
                allow_redirects=False,
                read_bufsize=_CHUNK if sink is None else _POURED,
            ) as response:
                found = list(response.headers.items())
                if sink is None or not 200 <= response.status < 300:
                    whole = await _collect(response, max_size)
                    return Fetched(response.status, found, whole, len(whole))
                size = await _pour(response, sink, max_size)
                return Fetched(response.status, found, b"", size)
        except (FetchError, EgressRefused):
            raise
        except TimeoutError:
            raise FetchError("timeout", f"{url} took longer than {timeout:g} s") from None
        except aiohttp.ClientConnectorCertificateError as error:
            raise FetchError("tls", f"{url}: {error.certificate_error}") from None
        except aiohttp.ClientConnectorDNSError:
            raise FetchError("dns", f"the name in {url} does not resolve") from None
        except aiohttp.ClientConnectorError as error:
            raise FetchError("refused", f"{url}: {error.os_error.strerror or error.os_error}") from None
        except aiohttp.ClientPayloadError:
            raise FetchError("cut", f"{url}: the body ended early") from None
        except (aiohttp.ClientError, OSError, ValueError) as error:
            raise FetchError("failed", f"{url}: {type(error).__name__}: {error}") from None

    async def close(self) -> None:
        """Close every connection."""
        await self._session.close()


async def _collect(response: aiohttp.ClientResponse, max_size: int) -> bytes:
    if (response.content_length or 0) > max_size:
        raise FetchError("too_large", f"{response.content_length} bytes announced, {max_size} allowed")
    parts = bytearray()
    async for chunk in response.content.iter_chunked(_CHUNK):
        parts += chunk
        if len(parts) > max_size:
            raise FetchError("too_large", f"more than {max_size} bytes")
    return bytes(parts)


async def _pour(response: aiohttp.ClientResponse, sink: Sink, max_size: int) -> int:
    decoder = _Decoder(response.headers.get("Content-Encoding", "").strip().lower())
    size = 0
    async for chunk in response.content.iter_chunked(_POURED):
        for piece in decoder.feed(chunk):
            size += len(piece)
            if size > max_size:
                raise FetchError("too_large", f"more than {max_size} bytes")
            sink.write(piece)
    decoder.finish()
    return size


def unpacked(fetched: Fetched, max_size: int = 64 << 20) -> Fetched:
    """The answer with its Content-Encoding undone; FetchError for a damaged or exploding body."""
    encoding = fetched.header("content-encoding").strip().lower()
    if encoding in ("", "identity"):
        return fetched
    decoder, body = _Decoder(encoding), bytearray()
    for piece in decoder.feed(fetched.body):
        body += piece
        if len(body) > max_size:
            raise FetchError("too_large", f"more than {max_size} bytes")
    decoder.finish()
    return Fetched(fetched.status, fetched.headers, bytes(body), len(body))


class _Decoder:
    """Content-Encoding undone piece by piece, so that a bomb is met by the size cap and not by the memory."""

    def __init__(self, encoding: str) -> None:
        self._zlib = None
        self._zstd = None
        if encoding in ("gzip", "x-gzip", "deflate"):
            self._zlib = zlib.decompressobj(47)
        elif encoding == "zstd":
            self._zstd = zstandard.ZstdDecompressor(max_window_size=_ZSTD_WINDOW).decompressobj()
        elif encoding not in ("", "identity"):
            raise FetchError("failed", f"content encoding {encoding!r} cannot be read as a stream")

    def feed(self, chunk: bytes) -> Iterable[bytes]:
        """The decoded pieces of one chunk, each at most 64 KiB (gzip) or some MiB (zstd)."""
        try:
            if self._zstd is not None:
                for at in range(0, len(chunk), _ZSTD_BITE):
                    yield self._zstd.decompress(chunk[at : at + _ZSTD_BITE])
            elif self._zlib is not None:
                piece = self._zlib.decompress(chunk, _CHUNK)
                while piece:
                    yield piece
                    piece = self._zlib.decompress(self._zlib.unconsumed_tail, _CHUNK)
            else:
                yield chunk
        except (zlib.error, zstandard.ZstdError) as error:
            raise FetchError("cut", f"damaged compressed body: {error}") from None

    def finish(self) -> None:
        """FetchError `cut` if the compressed stream did not end."""
        if self._zlib is not None and not self._zlib.eof:
            raise FetchError("cut", "the compressed body ended early")
