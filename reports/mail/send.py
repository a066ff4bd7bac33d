"""Sending an issue to its readers: one message each, nothing twice."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial

from reports.mail.compose import Copy
from reports.mail.message import message_id_of, parse_address, recipient_hash
from reports.mail.outbox import WEEKLY, Key, Outbox
from reports.mail.recipients import Recipient
from reports.mail.smtp import Line


@dataclass(slots=True)
class Tally:
    """How many recipients stand where after a run. `before`: sent earlier; `waiting`: not tried now."""

    sent: int = 0
    before: int = 0
    retry: int = 0
    failed: int = 0
    unknown: int = 0
    waiting: int = 0
    told: list[tuple[str, str, str]] = field(default_factory=list)  # (recipient's hash, state, words)

    @property
    def complete(self) -> bool:
        """Did everybody get it, now or before?"""
        return not (self.retry or self.failed or self.unknown or self.waiting)

    def as_dict(self) -> dict[str, int]:
        """The counts, for `mail --json`."""
        names = ("sent", "before", "retry", "failed", "unknown", "waiting")
        return {name: getattr(self, name) for name in names}


def send_issue(
    outbox: Outbox,
    line: Line,
    copies: Mapping[str, Copy],
    readers: Sequence[Recipient],
    sender: str,
    unsubscribe_url: str,
    now: datetime,
    correction: bool = False,
) -> Tally:
    """Send every reader's copy that is due. With `correction` also to those who have an earlier vintage."""
    outbox.recover()
    tally = Tally()
    domain, envelope_sender = parse_address(sender).domain, parse_address(sender).addr_spec
    reached = True
    for reader in readers:
        copy = copies[reader.lang]
        address = parse_address(reader.address)
        who = recipient_hash(address.addr_spec)
        key = Key(WEEKLY, copy.issue.week, copy.issue.vintage, who)
        had = outbox.settled(WEEKLY, key.week, who)
        if had is not None and not (correction and had.vintage < key.vintage and had.state == "sent"):
            _count(tally, "before" if had.state == "sent" else had.state, f"此前 earlier: {had.message}", who)
            continue
        mail_id = message_id_of(key.week, key.vintage, copy.lang, domain)
        state = outbox.claim(key, mail_id, now) if reached else "retry"
        if state != "claimed":
            _count(tally, "waiting" if state == "retry" else state, "", who)
            continue
        mail = copy.mail(sender, reader.address, unsubscribe_url.replace("{token}", who), had is not None)
        ending = line.send(envelope_sender, address.addr_spec, mail, partial(outbox.entering_data, key))
        outbox.mark(key, ending.state, now, ending.code, ending.message)
        _count(tally, ending.state, f"{ending.code or ''} {ending.message}".strip(), who)
        # A server that cannot be reached is not asked again for every reader.
        reached = ending.reached
    return tally


def _count(tally: Tally, state: str, words: str, who: str) -> None:
    setattr(tally, state, getattr(tally, state) + 1)
    if state not in {"sent", "before", "waiting"}:
        tally.told.append((who, state, words))
