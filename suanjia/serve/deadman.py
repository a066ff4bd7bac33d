"""The dead man's switch: no issue for eight days is told to the operator, once a day, until there is one."""

from __future__ import annotations

import logging
from collections.abc import Callable
from datetime import datetime, timedelta

from suanjia.serve.health import silent_since
from suanjia.serve.joblog import JobLog
from suanjia.settings import Settings

log = logging.getLogger("suanjia.serve")
AGAIN = timedelta(hours=23)
MARK = "dead_man_told"
Tell = Callable[[str, str], bool]


class Deadman:
    """`look` is called every few hours."""

    def __init__(
        self, settings: Settings, joblog: JobLog, now: Callable[[], datetime], tell: Tell | None = None
    ) -> None:
        self.settings, self.joblog, self.now, self._tell = settings, joblog, now, tell

    def look(self) -> bool:
        """Tell if it is time to; True when somebody was told now."""
        now = self.now()
        since = silent_since(self.settings, self.joblog, now)
        told = self.joblog.marked(MARK)
        if since is None or (told is not None and now - told < AGAIN):
            return False
        days = (now - since).days
        title = f"算价：{days} 天没有新一期 / suanjia: no issue for {days} days"
        body = (
            f"上一期之后已过 {days} 天（自 {since:%Y-%m-%d}）。请看 /healthz 与日志。\n"
            f"No issue since {since:%Y-%m-%d}. Look at /healthz and the log; `suanjia doctor` helps.\n"
        )
        log.error("no issue for %d days", days)
        try:
            taken = (self._tell or self._teller())(title, body)
        except Exception:
            # Telling must never end the service; it is tried again at the next look.
            log.exception("the operator could not be told")
            return False
        if taken:
            self.joblog.mark(MARK, now)
        return taken

    def _teller(self) -> Tell:
        from reports.alerts.tell import teller
        from reports.mail.deliver import MailSettings

        wanted = MailSettings(
            smtp_url=self.settings.text("smtp_url"),
            mail_from=self.settings.text("mail_from"),
            mail_to=self.settings.text("mail_to"),
            unsubscribe_url=self.settings.text("unsubscribe_url"),
            notify=self.settings.text("notify"),
            timeout=self.settings.number("timeout") or 30.0,
        )
        problems: list[str] = []
        tell = teller(wanted, self.now(), problems)

        def told(title: str, body: str) -> bool:
            taken = tell(title, body)
            for problem in problems:
                log.error("%s", problem)
            return taken

        return told
