"""A mail from an archived issue: its parts as they were written, with the chart by content id."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import datetime

from reports.issue.archive import Archived, read_part
from reports.mail.message import CHART, Envelope, build_message


@dataclass(frozen=True, slots=True)
class Copy:
    """One language of an issue, ready to be put into envelopes."""

    issue: Archived
    lang: str
    subject: str
    text: str
    html: str
    chart: bytes
    at: datetime

    @classmethod
    def of(cls, issue: Archived, lang: str) -> Copy:
        """Read from the archive; ArchiveError when a part is not what was written."""
        data = json.loads(read_part(issue, "report.json"))
        html = read_part(issue, f"report.{lang}.html").decode()
        return cls(
            issue=issue,
            lang=lang,
            subject=data["subject"][lang],
            text=read_part(issue, f"report.{lang}.txt").decode(),
            html=html.replace(f'src="chart.{lang}.png"', 'src="cid:chart"'),
            chart=read_part(issue, f"chart.{lang}.png"),
            at=datetime.fromisoformat(data["as_of"]),
        )

    def mail(self, sender: str, recipient: str, unsubscribe_url: str) -> bytes:
        """The bytes for one recipient."""
        envelope = Envelope(
            sender,
            recipient,
            self.subject,
            self.issue.week,
            self.issue.vintage,
            self.lang,
            self.at,
            unsubscribe_url,
        )
        return build_message(envelope, self.text, self.html, {CHART: self.chart})
