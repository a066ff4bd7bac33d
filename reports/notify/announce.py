"""Telling the groups that an issue is out: each channel once a week, through the same outbox as the mail."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from reports.mail.outbox import NOTIFY, Key, Outbox
from reports.notify.channels import Channel, Told
from reports.notify.summary import summary
from reports.render.words import Words


def announce(
    outbox: Outbox,
    places: Sequence[Channel],
    data: Mapping[str, Any],
    vintage: int,
    now: datetime,
    correction: bool = False,
) -> list[Told]:
    """Send the summary of report.json's document wherever it is due; how each of those ended.

    With `correction` also to groups that were told of an earlier vintage, which the title says.
    """
    title, body = summary(data)
    told = []
    for place in places:
        key = Key(NOTIFY, str(data["week"]), vintage, place.who)
        had = outbox.settled(NOTIFY, key.week, place.who)
        if had is not None and not (correction and had.vintage < key.vintage and had.state == "sent"):
            continue
        if outbox.claim(key, f"{place.kind}/{key.week}", now) != "claimed":
            continue
        # From here on a killed process leaves it open whether the group was told: it is not told twice.
        outbox.entering_data(key)
        done = place.tell(title if had is None else Words("zh")("head.corrected", subject=title), body)
        outbox.mark(key, "sent" if done.ok else "retry", now, None, done.message)
        told.append(done)
    return told
