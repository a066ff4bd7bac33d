"""A mail from an archived issue: its parts as they were written, with the chart by content id."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from html import escape

from reports.issue.archive import Archived, read_part
from reports.mail.message import CHART, Envelope, build_message, mailto
from reports.numbers import loads
from reports.render.words import Words

FOOTER = "<!-- footer -->"
_GREY = "#5b6470"
_FACE = "font-family:-apple-system,'PingFang SC','Microsoft YaHei',Arial,sans-serif;font-size:13px;"


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
        data = loads(read_part(issue, "report.json").decode())
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

    def mail(self, sender: str, recipient: str, unsubscribe_url: str = "", corrected: bool = False) -> bytes:
        """The bytes for one recipient. `unsubscribe_url` is the recipient's own, or empty.

        `corrected`: the recipient has an earlier vintage, so the subject says that this one corrects it.
        """
        issue, w = self.issue, Words(self.lang)
        subject = w("head.corrected", subject=self.subject) if corrected else self.subject
        envelope = Envelope(
            sender, recipient, subject, issue.week, issue.vintage, self.lang, self.at, unsubscribe_url
        )
        way_out = unsubscribe_url or mailto(envelope)
        link = f'<a href="{escape(way_out)}" style="color:{_GREY};">{w("word.unsubscribe")}</a>'
        foot = f'<p style="margin:24px 0 0;{_FACE}color:{_GREY};">{w("word.complain")} · {link}</p>'
        text = f"{self.text}\n--\n{w('word.complain')}\n{w('word.unsubscribe')}: {way_out}\n"
        return build_message(envelope, text, self.html.replace(FOOTER, foot), {CHART: self.chart})
