"""The states of a rendered page: clicked into, waited for, scrolled to their end and read."""

from __future__ import annotations

import asyncio
import re
from time import monotonic
from typing import Any

from playwright.async_api import Page

from spiders.base.browser import State
from spiders.signs import classify

_POLL = 0.25
_QUIET = 3  # looks in a row without growth, after a list was scrolled: its next rows may be on their way
_GROWN = 8  # characters; a countdown or a ticker is no growing list
_LONGEST = 4.0  # times the seconds of a state that a list may take that goes on growing

_MARK_HIDDEN = """() => {
  for (const e of document.body ? document.body.querySelectorAll('*') : []) {
    const hidden = e.checkVisibility && !e.checkVisibility({visibilityProperty: true});
    const struck = !hidden && getComputedStyle(e).textDecorationLine.includes('line-through');
    e.toggleAttribute('data-suanjia-hidden', Boolean(hidden || struck));
    e.toggleAttribute('data-suanjia-struck', Boolean(struck));
    const inline = /^(A|B|BUTTON|EM|FONT|I|LABEL|MARK|SMALL|SPAN|STRONG|SUB|SUP|TIME|U)$/;
    const apart = !hidden && /^(block|flex|grid|table)/.test(getComputedStyle(e).display);
    e.toggleAttribute('data-suanjia-apart', apart && inline.test(e.tagName));
  }
  return {text: document.body ? document.body.innerText : '', html: document.documentElement.outerHTML};
}"""
# Rows that are drawn when their list is scrolled to its end: every box that scrolls goes there.
_TO_THE_END = """() => {
  let moved = false;
  for (const e of document.querySelectorAll('*')) {
    if (e.scrollHeight <= e.clientHeight + 1) continue;
    const page = e === document.scrollingElement;
    if (!page && !['auto', 'scroll', 'overlay'].includes(getComputedStyle(e).overflowY)) continue;
    const before = e.scrollTop;
    e.scrollTop = e.scrollHeight;
    moved ||= Math.abs(e.scrollTop - before) > 1;
  }
  const busy = [...document.querySelectorAll('.el-loading-mask, .ant-spin-spinning, [aria-busy="true"]')];
  const shown = e => !e.checkVisibility || e.checkVisibility({visibilityProperty: true});
  return {moved, loading: busy.some(shown)};
}"""


async def _click(page: Page, state: State, end: float) -> bool:
    """Click the first of the state's texts that is there; False if none is in time."""
    while state.click and monotonic() < end:
        for text in state.click:
            target = page.get_by_text(text, exact=True).filter(visible=True).first
            if await target.count():
                await target.click(timeout=max(1.0, end - monotonic()) * 1000)
                return True
        await asyncio.sleep(_POLL)
    return not state.click


async def into_state(page: Page, state: State, seconds: float) -> dict[str, Any]:
    """Bring the page into a state and read it: text, document, whether click and wait succeeded, and whether
    its lists came to an end.

    `seconds` is the time that click and wait may take together. A list that goes on growing while it is
    scrolled gets more, up to four times as much.
    """
    started = monotonic()
    end = started + seconds
    reached = await _click(page, state, end)
    ready, seen, before = False, {"text": "", "html": ""}, ""
    scrolled, still = False, 0  # `still`: looks in a row in which no list moved or grew
    while True:
        seen = await page.evaluate(_MARK_HIDDEN)
        ready = not state.ready or re.search(state.ready, seen["text"]) is not None
        settled = seen["text"] == before
        # A farewell will not turn into prices; a wish for a login may, while the page still loads.
        gone = settled and not ready and (classify(seen["text"]) or ("",))[0] == "gone"
        at = await page.evaluate(_TO_THE_END) if ready and reached else {"moved": False, "loading": False}
        scrolled |= at["moved"]
        grew = scrolled and len(seen["text"]) > len(before) + _GROWN
        if at["moved"] or grew:
            still, end = 0, max(end, min(monotonic() + seconds / 2, started + _LONGEST * seconds))
        else:
            still += not at["loading"]
        done = still >= _QUIET if scrolled else settled
        if (ready and done) or gone or not reached or monotonic() > end:
            break
        before = seen["text"]
        await asyncio.sleep(_POLL)
    whole = not (ready and scrolled and still == 0 and (at["moved"] or grew))
    return {
        "name": state.name, "text": seen["text"], "html": seen["html"], "reached": reached, "ready": ready,
        "whole": whole,
    }  # fmt: skip


class States:
    """The states of one page, read one after the other; once one is not reached, the rest are not tried."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self.status = 200
        self.read: list[dict[str, Any]] = []

    async def into(self, page: Page, state: State) -> None:
        """Page method of scrapy-playwright. A page that is an error page has no states."""
        if self.status < 300 and all(known["reached"] and known["ready"] for known in self.read):
            self.read.append(await into_state(page, state, self.seconds))
