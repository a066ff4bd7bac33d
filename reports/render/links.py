"""Addresses that a reader can follow."""

from __future__ import annotations

import re

# What answers programs: hosts and paths of interfaces, and files of data. No person can read those.
_MACHINE = re.compile(
    r"^https?://[^/]*(?<![a-z])(?:open)?api(?![a-z])"
    r"|^https?://[^/]+(?=/)[^?#]*(?:(?<![a-z])(?:open)?api(?![a-z])|/cgi/|/console/v\d)"
    r"|^[^?#]+\.(?:json|jsonl|js|csv|xlsx?|xml|zip|gz)(?:[?#]|$)",
    re.IGNORECASE,
)


def link(url: str | None) -> str | None:
    """The address where it can be followed from a mail: absolute https, nothing that breaks a line."""
    return url if url and re.fullmatch(r"https://[^\s/<>\"']+\S*", url) else None


def is_machine(url: str) -> bool:
    """Whether the address answers programs: an interface or a file of data."""
    return _MACHINE.search(url) is not None


def seller_page(source_url: str | None, homepage: str | None) -> str | None:
    """Where a person finds an offer: the page that was read, else the seller's site."""
    source = link(source_url)
    if source is not None and not is_machine(source):
        return source
    return link(homepage)
