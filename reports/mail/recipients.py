"""Who gets the issue: `recipients.csv` (email, lang, consent_on), or the comma list of SUANJIA_MAIL_TO.

Only people who asked for it: a row without a day of consent, or with one in the future, is refused.
"""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from reports.mail.message import AddressError, parse_address

FILE = "recipients.csv"
COLUMNS = ("email", "lang", "consent_on")
LANGS = ("zh", "en")


class RecipientsError(ValueError):
    """The file or the list cannot be used; the message names line and reason."""


@dataclass(frozen=True, slots=True)
class Recipient:
    """One reader. `address` as given, `lang` zh or en."""

    address: str
    lang: str


def recipients(home: Path, comma_list: str, today: date) -> list[Recipient]:
    """All readers, each address once, in the order given; the file wins over the list."""
    path = home / FILE
    if path.is_file():
        try:
            return read_recipients(path.read_text(encoding="utf-8-sig"), today)
        except UnicodeDecodeError:
            raise RecipientsError(f"{FILE} is not UTF-8") from None
    found = [part.strip() for part in comma_list.split(",") if part.strip()]
    return _once([Recipient(_address(text, "SUANJIA_MAIL_TO"), "zh") for text in found])


def read_recipients(text: str, today: date) -> list[Recipient]:
    """The rows of the file. RecipientsError for the first that is wrong: nobody is left out in silence."""
    try:
        rows = list(csv.DictReader(io.StringIO(text, newline=""), strict=True))
    except csv.Error as error:
        raise RecipientsError(f"{FILE}: {error}") from None
    found = []
    for line, row in enumerate(rows, 2):
        where = f"{FILE} line {line}"
        if not set(COLUMNS) <= set(row) or None in row or None in row.values():
            raise RecipientsError(f"{where}: the columns are {', '.join(COLUMNS)}")
        lang = row["lang"].strip() or "zh"
        if lang not in LANGS:
            raise RecipientsError(f"{where}: lang is zh or en, not {lang!r}")
        try:
            consent = date.fromisoformat(row["consent_on"].strip())
        except ValueError:
            raise RecipientsError(f"{where}: consent_on is no day such as 2026-09-01") from None
        if consent > today:
            raise RecipientsError(f"{where}: consent_on lies in the future")
        found.append(Recipient(_address(row["email"].strip(), where), lang))
    return _once(found)


def _address(text: str, where: str) -> str:
    try:
        parse_address(text)
    except AddressError as error:
        raise RecipientsError(f"{where}: {error}") from None
    return text


def _once(found: list[Recipient]) -> list[Recipient]:
    seen: dict[str, Recipient] = {}
    for one in found:
        seen.setdefault(parse_address(one.address).addr_spec.lower(), one)
    return list(seen.values())
