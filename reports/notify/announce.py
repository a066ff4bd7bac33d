"""Telling the groups that an issue is out: each channel once a week, through the same outbox as the mail."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from reports.mail.outbox import NOTIFY, Key, Outbox
from reports.notify.channels import Channel, Told
from reports.notify.summary import summary


def announce(
    outbox: Outbox, places: Sequence[Channel], data: Mapping[str, Any], vintage: int, now: datetime
) -> list[Told]:
    """Send the summary of report.json's document wherever it is due; how each of those ended."""
    title, body = summary(data)
    told = []
    for place in places:
        key = Key(NOTIFY, str(data["week"]), vintage, place.who)
        if outbox.settled(NOTIFY, key.week, place.who) is not None:
            continue
        if outbox.claim(key, f"{place.kind}/{key.week}", now) != "claimed":
            continue
        # From here on a killed process leaves it open whether the group was told: it is not told twice.
        outbox.entering_data(key)
        done = place.tell(title, body)
        outbox.mark(key, "sent" if done.ok else "retry", now, None, done.message)
        told.append(done)
    return told
