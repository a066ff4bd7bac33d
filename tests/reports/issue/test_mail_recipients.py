"""The list of readers, and addresses, as outside bytes."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reports.mail.message import AddressError, Envelope, build_message, parse_address
from reports.mail.recipients import Recipient, RecipientsError, read_recipients, recipients
from tests.reports.issue.issue_world import NOW

TODAY = date(2026, 11, 30)
HEAD = "email,lang,consent_on\n"


def test_the_file_wins_over_the_list(tmp_path: Path) -> None:
    assert recipients(tmp_path, "a@example.com,b@example.com", TODAY) == [
        Recipient("a@example.com", "zh"),
        Recipient("b@example.com", "zh"),
    ]
    (tmp_path / "recipients.csv").write_text(HEAD + "c@example.com,en,2026-01-01\n", encoding="utf-8")
    assert recipients(tmp_path, "a@example.com", TODAY) == [Recipient("c@example.com", "en")]


def test_a_file_from_excel(tmp_path: Path) -> None:
    (tmp_path / "recipients.csv").write_bytes(
        b"\xef\xbb\xbf" + (HEAD + "c@example.com,,2026-01-01\r\n").encode()
    )
    assert recipients(tmp_path, "", TODAY) == [Recipient("c@example.com", "zh")]


def test_one_mailbox_gets_one_mail() -> None:
    rows = "a@example.com,zh,2026-01-01\nA@Example.com,en,2026-01-01\n甲 <a@example.com>,zh,2026-01-01\n"
    assert read_recipients(HEAD + rows, TODAY) == [Recipient("a@example.com", "zh")]


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        ("a@example.com,zh,", "consent_on is no day"),
        ("a@example.com,zh,yes", "consent_on is no day"),
        ("a@example.com,zh,2026-12-01", "lies in the future"),
        ("a@example.com,fr,2026-01-01", "lang is zh or en"),
        ("example.com,zh,2026-01-01", "no mail address"),
        (",zh,2026-01-01", "no mail address"),
        ("a@example.com,zh", "the columns are"),
        ("a@example.com,zh,2026-01-01,more", "the columns are"),
        ("张三@example.com,zh,2026-01-01", "no mail address"),
        ("a@例子.公司,zh,2026-01-01", "beyond ASCII"),
    ],
)
def test_a_row_that_is_wrong_is_named(row: str, reason: str) -> None:
    with pytest.raises(RecipientsError, match=reason) as caught:
        read_recipients(HEAD + "b@example.com,zh,2026-01-01\n" + row + "\n", TODAY)
    assert "line 3" in str(caught.value)


@given(st.text())
def test_any_bytes_give_readers_or_one_sentence(text: str) -> None:
    try:
        found = read_recipients(text, TODAY)
    except RecipientsError as error:
        assert "\n" not in str(error)
    else:
        assert all(parse_address(one.address).domain for one in found)


@given(st.text(max_size=60))
def test_no_address_breaks_out_of_its_header(text: str) -> None:
    try:
        parse_address(text)
    except AddressError:
        return
    envelope = Envelope("w@example.com", text, "主题", "2026-W48", 1, "zh", NOW)
    raw = build_message(envelope, "文本", "<p>文本</p>", {"chart.png": b"\x89PNG"})
    head = raw.split(b"\r\n\r\n")[0]
    assert raw.isascii()
    assert head.count(b"\nTo:") == 1
    assert b"\nBcc:" not in head.replace(b"\r", b"")


@pytest.mark.parametrize(
    "text", ["a@example.com\nBcc: b@example.com", "a@example.com, b@example.com", "a@b", "<>", "@"]
)
def test_no_addresses(text: str) -> None:
    with pytest.raises(AddressError):
        parse_address(text)
