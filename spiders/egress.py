"""The egress guard: where a crawl may connect to. One object decides for every request, browser included.

Two questions, asked on every hop: may this *origin* be asked (the provider's allow-list, or an origin that
the user named in SUANJIA_ORIGINS), and is the *address* it resolves to a public one. The address that was
checked is the address that is connected to, so a name cannot change its mind in between.
"""

from __future__ import annotations

import asyncio
import ipaddress
import socket
from collections.abc import Iterable, Mapping
from urllib.parse import urlsplit, urlunsplit

from aiohttp.abc import AbstractResolver, ResolveResult

_NAT64 = ipaddress.IPv6Network("64:ff9b::/96")
_GLOBAL_UNICAST = ipaddress.IPv6Network("2000::/3")
_RELAYS = ipaddress.IPv4Network("192.88.99.0/24")
_PORTS = {"http": 80, "https": 443}


class EgressRefused(Exception):
    """A request that must not leave: `reason` is scheme, host, address or userinfo; the message says
    which."""

    def __init__(self, url: str, reason: str, detail: str) -> None:
        super().__init__(f"{reason}: {detail}")
        self.url, self.reason = url, reason


def origin_of(url: str) -> str:
    """`scheme://host[:port]`, lower case, default ports left out; "" for what is no http(s) address."""
    try:
        parts = urlsplit(url)
        host, port = parts.hostname, parts.port
    except ValueError:
        return ""
    if parts.scheme not in _PORTS or not host:
        return ""
    shown = f"[{host}]" if ":" in host else host
    return f"{parts.scheme}://{shown}" + (f":{port}" if port not in (None, _PORTS[parts.scheme]) else "")


def is_public(address: str) -> bool:
    """True only for addresses of the public internet (no loopback, private, link-local, multicast,
    mapped)."""
    try:
        parsed = ipaddress.ip_address(address.split("%")[0])
    except ValueError:
        return False
    if isinstance(parsed, ipaddress.IPv6Address):
        inner = parsed.ipv4_mapped or parsed.sixtofour or (parsed.teredo[1] if parsed.teredo else None)
        if parsed in _NAT64:
            inner = ipaddress.IPv4Address(int(parsed) & 0xFFFFFFFF)
        if inner is not None:
            return is_public(str(inner))
        return parsed in _GLOBAL_UNICAST and parsed.is_global
    return parsed.is_global and not parsed.is_multicast and parsed not in _RELAYS


class Egress:
    """The allow-list of one crawl and the user's mapping of origins.

    `allow` holds origins (`https://matgo.cn`), or `https://*.example.cn` for any host under it. `mapping`
    is SUANJIA_ORIGINS. Only targets of the mapping may have private addresses. With `only_mapped` nothing
    else may be asked at all.
    """

    def __init__(
        self, allow: Iterable[str], mapping: Mapping[str, str] | None = None, *, only_mapped: bool = False
    ) -> None:
        self._only_mapped = only_mapped
        self._exact: set[str] = set()
        self._under: list[tuple[str, str]] = []
        self.mapping = {origin_of(k): origin_of(v) for k, v in (mapping or {}).items()}
        self._back: dict[str, str] = {}
        for real, local in self.mapping.items():
            # Two real origins on one local port cannot be told apart on the way back.
            self._back[local] = real if local not in self._back else ""
        self._private_hosts = {urlsplit(target).hostname for target in self.mapping.values()}
        for entry in allow:
            self.grant(entry)

    def grant(self, entry: str) -> None:
        """Add an origin, or the origin of a URL, to the allow-list (a spider whose answer names its file
        host)."""
        scheme, _, rest = entry.partition("://")
        if rest.startswith("*."):
            self._under.append((scheme, rest[1:].lower().rstrip("/")))
        elif origin_of(entry):
            self._exact.add(origin_of(entry))
        else:
            raise ValueError(f"not an origin: {entry!r}")

    def allowed(self, url: str) -> bool:
        """Is the real origin of `url` on the allow-list?"""
        origin = origin_of(url)
        if not origin:
            return False
        host = urlsplit(origin).hostname or ""
        return origin in self._exact or any(
            origin.startswith(scheme + "://") and host.endswith(tail) for scheme, tail in self._under
        )

    def map(self, url: str) -> str:
        """Where a request to the real `url` is really sent: path and query unchanged."""
        target = self.mapping.get(origin_of(url))
        if target is None:
            return url
        scheme, netloc = target.split("://", 1)
        return urlunsplit(urlsplit(url)._replace(scheme=scheme, netloc=netloc))

    def unmap(self, url: str) -> str:
        """The real address of one that a mapped site printed with its own local origin."""
        real = self._back.get(origin_of(url))
        if not real:
            return url
        scheme, netloc = real.split("://", 1)
        return urlunsplit(urlsplit(url)._replace(scheme=scheme, netloc=netloc))

    def is_loopback(self, url: str) -> bool:
        """Is the origin of `url` mapped to this machine?"""
        target = self.mapping.get(origin_of(url))
        host = urlsplit(target).hostname if target else None
        if host is None:
            return False
        try:
            return ipaddress.ip_address(host).is_loopback
        except ValueError:
            return host == "localhost" or host.endswith(".localhost")

    def check(self, url: str) -> str:
        """The address to send a request for `url` to; EgressRefused if it may not be sent.

        A name is checked again by `resolver` when it is resolved.
        """
        parts = urlsplit(url)
        if not origin_of(url):
            raise EgressRefused(url, "scheme", f"{parts.scheme or 'no scheme'} is not http or https")
        if parts.username or parts.password:
            raise EgressRefused(url, "userinfo", "credentials in the address")
        if not self.allowed(url):
            raise EgressRefused(url, "host", f"{origin_of(url)} is not on the allow-list")
        target = self.map(url)
        host = urlsplit(target).hostname or ""
        if self._only_mapped and origin_of(url) not in self.mapping:
            raise EgressRefused(url, "host", f"{origin_of(url)} has no stand-in")
        if target == url and _is_literal(host) and not is_public(host):
            raise EgressRefused(url, "address", f"{host} is not a public address")
        return target

    def resolver(self) -> AbstractResolver:
        """Resolver for aiohttp that hands out checked addresses only."""
        return _GuardedResolver(self)

    def may_connect(self, host: str, address: str) -> bool:
        """May a connection for `host` go to `address`?"""
        return host in self._private_hosts or is_public(address)


class _GuardedResolver(AbstractResolver):
    def __init__(self, egress: Egress) -> None:
        self._egress = egress

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_INET
    ) -> list[ResolveResult]:
        loop = asyncio.get_running_loop()
        found = await loop.getaddrinfo(host, port, type=socket.SOCK_STREAM, family=family)
        addresses = [(entry[0], str(entry[4][0])) for entry in found]
        bad = [address for _, address in addresses if not self._egress.may_connect(host, address)]
        if bad:
            # One private address among public ones is an attack or a broken zone, never ours to use.
            raise EgressRefused(host, "address", f"{host} resolves to {bad[0]}, not a public address")
        return [
            ResolveResult(
                hostname=host,
                host=address,
                port=port,
                family=kind,
                proto=socket.IPPROTO_TCP,
                flags=socket.AI_NUMERICHOST,
            )
            for kind, address in addresses
        ]

    async def close(self) -> None:
        """Nothing is held."""


def _is_literal(host: str) -> bool:
    try:
        ipaddress.ip_address(host)
    except ValueError:
        pass  # "0x7f.1", "127.1" and "2130706433" are names to ipaddress and addresses to the C library
    else:
        return True
    try:
        socket.inet_aton(host.rstrip("."))
    except (OSError, ValueError):
        return False
    return True
