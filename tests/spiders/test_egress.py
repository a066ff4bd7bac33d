"""The egress guard: who may be asked, and where a name may lead."""

from __future__ import annotations

import asyncio
import gzip
import socket
import tracemalloc
import zlib
from typing import Any

import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from spiders.egress import Egress, EgressRefused, is_public, origin_of
from spiders.fetch import Fetched, Fetcher, FetchError, unpacked
from tests.spiders.site import Answer, serving

REAL = "https://matgo.cn"


@pytest.mark.parametrize(
    "address",
    [
        "127.0.0.1", "10.0.0.1", "172.16.9.9", "192.168.1.1", "169.254.169.254", "100.64.0.1", "0.0.0.0",
        "224.0.0.1", "255.255.255.255", "::1", "fe80::1", "fc00::1", "::ffff:127.0.0.1", "::ffff:10.0.0.1",
        "2002:7f00:0001::", "64:ff9b::7f00:1", "::7f00:1", "::127.0.0.1", "64:ff9b:1::7f00:1", "fec0::1",
        "::ffff:0:127.0.0.1", "2001:db8::1", "ff02::1", "198.18.0.1", "240.0.0.1", "192.88.99.1",
        "0177.0.0.1", "192.0.2.1", "not an address", "",
    ],
)  # fmt: skip
def test_private_addresses_are_not_public(address: str) -> None:
    assert not is_public(address)


@pytest.mark.parametrize("address", ["8.8.8.8", "223.5.5.5", "2400:3200::1"])
def test_public_addresses_are(address: str) -> None:
    assert is_public(address)


@pytest.mark.parametrize(
    ("url", "reason"),
    [
        ("file:///etc/passwd", "scheme"),
        ("ftp://matgo.cn/x", "scheme"),
        ("data:text/html,x", "scheme"),
        ("https:///nowhere", "scheme"),
        ("https://other.example/", "host"),
        ("http://matgo.cn/", "host"),  # another scheme is another origin
        ("https://matgo.cn:8443/", "host"),
        ("https://matgo.cn.evil.example/", "host"),
        ("https://matgo.cn@evil.example/", "userinfo"),
        ("https://user:pass@matgo.cn/", "userinfo"),
        ("http://127.0.0.1:9/", "host"),
        ("http://169.254.169.254/latest", "host"),
    ],
)
def test_refused(url: str, reason: str) -> None:
    with pytest.raises(EgressRefused) as caught:
        Egress([REAL]).check(url)
    assert caught.value.reason == reason


@pytest.mark.parametrize(
    "literal",
    [
        "127.0.0.1",
        "10.1.2.3",
        "2130706433",
        "127.1",
        "0x7f.1",
        "[::1]",
        "0x7f000001",
        "017700000001",
        "127.0x1",
        "[::ffff:127.0.0.1]",
        "[::ffff:7f00:1]",
        "0.0.0.0",
        "0",
        "[::]",
        "169.254.169.254",
        "127.0.0.1.",
    ],
)
def test_an_allowed_private_address_is_refused_unless_it_was_mapped(literal: str) -> None:
    with pytest.raises(EgressRefused, match="address"):
        Egress([f"http://{literal}"]).check(f"http://{literal}/")
    mapped = Egress([REAL], {REAL: f"http://{literal}"})
    assert mapped.check(f"{REAL}/a?b=1") == f"http://{literal}/a?b=1"


def test_mapping_keeps_path_and_query_and_leads_back() -> None:
    egress = Egress([REAL], {REAL: "http://127.0.0.1:8901"})
    assert egress.check(f"{REAL}/a/b?c=%E5%8D%A1&d=1") == "http://127.0.0.1:8901/a/b?c=%E5%8D%A1&d=1"
    assert egress.unmap("http://127.0.0.1:8901/x?y=1") == f"{REAL}/x?y=1"
    assert egress.unmap("https://elsewhere.example/x") == "https://elsewhere.example/x"
    two = Egress([], {REAL: "http://127.0.0.1:1", "https://b.example": "http://127.0.0.1:1"})
    assert two.unmap("http://127.0.0.1:1/x") == "http://127.0.0.1:1/x"  # whose it is cannot be told


def test_only_mapped() -> None:
    egress = Egress([REAL, "https://b.example"], {REAL: "http://127.0.0.1:1"}, only_mapped=True)
    assert egress.check(f"{REAL}/x")
    with pytest.raises(EgressRefused, match="stand-in"):
        egress.check("https://b.example/x")


def test_hosts_under_a_domain() -> None:
    egress = Egress(["https://*.blob.core.chinacloudapi.cn"])
    assert egress.check("https://prices.blob.core.chinacloudapi.cn/x.csv")
    for bad in (
        "https://blob.core.chinacloudapi.cn.evil.example/",
        "https://evilblob.core.chinacloudapi.cn.x/",
    ):
        with pytest.raises(EgressRefused):
            egress.check(bad)


@given(st.text(max_size=60))
def test_origin_of_never_raises(text: str) -> None:
    origin = origin_of(text)
    assert origin == "" or origin.startswith(("http://", "https://"))
    assert origin_of(origin) == origin


def fetch(egress: Egress, url: str, **more: Any) -> Any:
    async def run() -> Any:
        fetcher = Fetcher(egress, user_agent="test")
        try:
            return await fetcher.fetch(url, timeout=3, max_size=1000, **more)
        finally:
            await fetcher.close()

    return asyncio.run(run())


def test_a_name_that_resolves_to_a_private_address_is_not_connected_to(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def private(*_: Any, **__: Any) -> Any:
        return [
            (socket.AF_INET, socket.SOCK_STREAM, 6, "", ("8.8.8.8", 443)),
            (socket.AF_INET, socket.SOCK_STREAM, 6, "", ("10.0.0.7", 443)),
        ]

    monkeypatch.setattr(asyncio.base_events.BaseEventLoop, "getaddrinfo", private)
    with pytest.raises(EgressRefused, match=r"10\.0\.0\.7"):
        fetch(Egress([REAL]), f"{REAL}/")


def test_fetch_errors_are_named() -> None:
    with serving(
        {"/cut": Answer("half", cut=True), "/slow": Answer("", hang=5), "/big": Answer("x" * 2000)}
    ) as site:
        egress = Egress([REAL], {REAL: site.origin})
        for path, kind in (("/cut", "cut"), ("/slow", "timeout"), ("/big", "too_large")):
            with pytest.raises(FetchError) as caught:
                fetch(egress, REAL + path)
            assert caught.value.kind == kind
        assert fetch(egress, f"{REAL}/none").status == 404
    with pytest.raises(FetchError) as caught:
        fetch(Egress([REAL], {REAL: "http://127.0.0.1:9"}), REAL)
    assert caught.value.kind == "refused"


def test_a_gzip_bomb_meets_the_size_cap() -> None:
    import gzip

    class Sink:
        size = 0

        def write(self, chunk: bytes) -> None:
            self.size += len(chunk)

    bomb = gzip.compress(b"\0" * 5_000_000)
    sink = Sink()
    answer = Answer(bomb, headers={"Content-Encoding": "gzip"})
    with serving({"/": answer}) as site, pytest.raises(FetchError) as caught:
        fetch(Egress([REAL], {REAL: site.origin}), f"{REAL}/", sink=sink)
    assert caught.value.kind == "too_large"
    assert sink.size <= 1000 + 65536


@pytest.mark.parametrize("encoding", ["gzip", "deflate", "zstd"])
def test_a_bomb_in_one_answer_is_met_before_it_is_in_memory(encoding: str) -> None:
    blank = b"\0" * (256 << 20)
    body = zstandard.compress(blank, 19) if encoding == "zstd" else zlib.compress(blank, 9)
    if encoding == "gzip":
        body = gzip.compress(blank, 9)
    del blank
    assert len(body) < 300_000
    tracemalloc.start()
    try:
        with pytest.raises(FetchError) as caught:
            unpacked(Fetched(200, [("Content-Encoding", encoding)], body, len(body)), 1 << 20)
        assert caught.value.kind == "too_large"
        assert tracemalloc.get_traced_memory()[1] < 24 << 20
    finally:
        tracemalloc.stop()


def test_other_encodings_and_endless_windows_are_refused() -> None:
    wide = zstandard.ZstdCompressor(
        compression_params=zstandard.ZstdCompressionParameters(window_log=27, write_content_size=False)
    ).compressobj()
    body = wide.compress(b"x" * 1000) + wide.flush()
    for encoding, sent in (("br", b"x"), ("compress", b"x"), ("gzip, gzip", b"x"), ("zstd", body)):
        with pytest.raises(FetchError):
            unpacked(Fetched(200, [("Content-Encoding", encoding)], sent, len(sent)))
