"""The evidence store: named by content, whole or not at all, never with a secret."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spiders.evidence import EvidenceStore, SecretFound, clean_url

JWT = b"eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJ1c2VyIn0.c2lnbmF0dXJlLXNpZ25hdHVyZQ"


@settings(max_examples=40)
@given(body=st.binary(max_size=20_000))
def test_round_trip(body: bytes, tmp_path_factory: pytest.TempPathFactory) -> None:
    store = EvidenceStore(tmp_path_factory.mktemp("evidence"))
    if store.secret_in(body):
        return
    digest = store.put(body)
    assert digest == hashlib.sha256(body).hexdigest()
    assert store.read(digest) == body
    with store.open(digest) as stream:
        assert b"".join(iter(lambda: stream.read(777), b"")) == body


@settings(max_examples=25)
@given(chunks=st.lists(st.binary(max_size=5000), max_size=12))
def test_streaming_gives_the_same_name(chunks: list[bytes], tmp_path_factory: pytest.TempPathFactory) -> None:
    store = EvidenceStore(tmp_path_factory.mktemp("evidence"))
    whole = b"".join(chunks)
    if store.secret_in(whole):
        return
    with store.writer() as writer:
        for chunk in chunks:
            writer.write(chunk)
        digest = writer.commit()
    assert digest == hashlib.sha256(whole).hexdigest()
    assert store.read(digest) == whole


def test_a_file_is_never_rewritten(tmp_path: Path) -> None:
    store = EvidenceStore(tmp_path)
    digest = store.put(b"body")
    before = store.path(digest).stat()
    assert store.put(b"body") == digest
    with store.writer() as writer:
        writer.write(b"body")
        assert writer.commit() == digest
    after = store.path(digest).stat()
    assert (before.st_ino, before.st_mtime_ns) == (after.st_ino, after.st_mtime_ns)
    assert [p.name for p in tmp_path.rglob("*.part")] == []


def test_an_abandoned_writer_leaves_nothing(tmp_path: Path) -> None:
    store = EvidenceStore(tmp_path)
    with pytest.raises(RuntimeError), store.writer() as writer:
        writer.write(b"half")
        raise RuntimeError
    assert [p for p in tmp_path.rglob("*") if p.is_file()] == []


def test_damage_is_noticed(tmp_path: Path) -> None:
    store = EvidenceStore(tmp_path)
    digest, other = store.put(b"one"), store.put(b"two")
    store.path(digest).write_bytes(store.path(other).read_bytes())
    with pytest.raises(ValueError, match="damaged"):
        store.read(digest)


@pytest.mark.parametrize(
    "body",
    [
        b'{"token": "' + JWT + b'"}',
        b"Authorization: Bearer " + JWT,
        b'{"DownloadUrl": "https://x.blob.core.example/p.csv?sv=2021&sig=abcdefghijkl%3D&se=2026"}',
        b'{"u": "https://x.example/p?a=1\\u0026sig=abcdefghijkl"}',
        b"https://bucket.example/p?OSSAccessKeyId=LTAI5tExample",
        b"my own key: hunter2hunter2",
    ],
)
def test_secrets_are_refused_and_can_be_redacted(tmp_path: Path, body: bytes) -> None:
    store = EvidenceStore(tmp_path, ["hunter2hunter2"])
    with pytest.raises(SecretFound):
        store.put(body)
    assert [p for p in tmp_path.rglob("*") if p.is_file()] == []
    clean = store.redact(body)
    assert store.secret_in(clean) is None
    assert b"[redacted]" in clean
    store.put(clean)


def test_a_secret_across_two_chunks_is_found(tmp_path: Path) -> None:
    store = EvidenceStore(tmp_path, ["hunter2hunter2"])
    with pytest.raises(SecretFound), store.writer() as writer:
        writer.write(b"x" * 5000 + b"hunter2")
        writer.write(b"hunter2" + b"y" * 5000)
    assert [p for p in tmp_path.rglob("*") if p.is_file()] == []


def test_ordinary_bodies_are_no_secrets(tmp_path: Path) -> None:
    store = EvidenceStore(tmp_path)
    for body in (b"https://x.example/?page=1&sign=no", "签名 eyJ".encode(), b'{"sig": 1, "key": "value"}'):
        assert store.secret_in(body) is None


@pytest.mark.parametrize(
    ("url", "clean"),
    [
        ("https://a.example/p?x=1&sig=AAA&se=2", "https://a.example/p?x=1"),
        ("https://a.example/p?token=t#part", "https://a.example/p"),
        ("https://u:p@a.example/p?Signature=s&q=%E5%8D%A1", "https://a.example/p?q=%E5%8D%A1"),
        ("https://a.example/p?machine_category=0&page=1", "https://a.example/p?machine_category=0&page=1"),
    ],
)
def test_addresses_at_rest_have_no_secrets(url: str, clean: str) -> None:
    assert clean_url(url) == clean


@pytest.mark.parametrize(
    "body",
    [
        b'{"list": [{"uuid": "a", "root_password": "not-real", "price": 1}]}',
        b'[{"jupyter_token":"abcd1234"}]',
        b'{"ssh_command" : "ssh -p 10022 root@host"}',
        b' {"data": {"Password": "x1y2z3"}}',
    ],
)
def test_a_way_into_a_machine_is_seen_and_taken_out(tmp_path: Path, body: bytes) -> None:
    store = EvidenceStore(tmp_path)
    assert store.shows_account(body)
    clean = store.redact(body)
    assert not store.shows_account(clean)
    assert not any(secret in clean for secret in (b"not-real", b"abcd1234", b"root@host", b"x1y2z3"))


@pytest.mark.parametrize(
    "body",
    [
        b'{"next_token": "abcdef", "nextToken": "abcdef", "page_token": "abcdef", "items": []}',
        b'{"token": "", "password": false}',
        b"<html>password: hunter2</html>",
        b'{"password_required": "true", "tokens": "12345"}',
        b'{"input_token": 7, "name": "token"}',
    ],
)
def test_no_way_into_a_machine(tmp_path: Path, body: bytes) -> None:
    assert not EvidenceStore(tmp_path).shows_account(body)
