"""The HTML part: one template, inline styles, tables."""

from __future__ import annotations

import re
from functools import cache
from importlib.resources import files

import jinja2
from markupsafe import Markup, escape

from reports.render.view import View

_HYPHENATED = re.compile(r"[A-Za-z0-9]+(?:-[A-Za-z0-9]+)+")


def unbroken(text: str) -> Markup:
    """The text with names such as A100-80G kept on one line."""
    if not _HYPHENATED.search(text):
        return escape(text)
    held = _HYPHENATED.sub(lambda name: f"<nobr>{name[0]}</nobr>", str(escape(text)))
    return Markup(held)


@cache
def _template(name: str) -> jinja2.Template:
    text = (files("reports.render") / "templates" / name).read_text(encoding="utf-8")
    environment = jinja2.Environment(
        autoescape=True, undefined=jinja2.StrictUndefined, keep_trailing_newline=True
    )
    environment.filters["unbroken"] = unbroken
    return environment.from_string(text)


def html_part(view: View, chart_src: str) -> str:
    """The issue as a mail's HTML. `chart_src`: a file beside it, or `cid:…` in a mail."""
    return _template("issue.html.j2").render(v=view, chart_src=chart_src)
