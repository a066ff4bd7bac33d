"""Logs show no credential, no hidden value and no signed query."""

from __future__ import annotations

import logging

import pytest

from spiders import masked_log


def test_records_are_masked(monkeypatch: pytest.MonkeyPatch) -> None:
    before = logging.getLogRecordFactory()
    monkeypatch.setattr(masked_log, "_hidden", set())
    masked_log.hide("hunter2hunter2")
    masked_log.hide("abc")  # too short to be told from a word
    try:
        masked_log.install()
        make = logging.getLogRecordFactory()
        told = [
            make("x", logging.ERROR, "f", 1, message, args, None).getMessage()
            for message, args in (
                ("Gave up retrying <GET https://b.example/a.csv?sv=1&sig=AAAA%3D&se=2>", ()),
                ("key %s", ("hunter2hunter2",)),
                ("plain %d abc https://b.example/?page=2", (7,)),
            )
        ]
    finally:
        logging.setLogRecordFactory(before)
    assert told == [
        "Gave up retrying <GET https://b.example/a.csv?[redacted]>",
        "key [redacted]",
        "plain 7 abc https://b.example/?page=2",
    ]
