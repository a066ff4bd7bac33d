"""Single-page shells: an HTML page without text and a hashed script that draws it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from market.site import Answer, Ask, Route, digest, html_answer, js_answer, js_json, not_found, page, script


def shell(title: str, path: str, root: str, text: Callable[[Ask], str]) -> tuple[Route, Route]:
    """The page at `path` and its script under `/assets/app.<hash>.js`, renamed whenever its text changes."""

    def name(ask: Ask) -> str:
        return f"app.{digest(text(ask), length=8)}.js"

    def html(ask: Ask) -> Answer:
        head = f'<script defer src="/assets/{name(ask)}"></script>\n'
        return html_answer(page(title, f'<div id="{root}"></div>', head))

    def asset(ask: Ask) -> Answer:
        return js_answer(text(ask)) if ask.match["name"] == name(ask) else not_found()

    return Route(path, html), Route("/assets/{name}", asset)


def cards(items: list[dict[str, Any]], **names: str) -> str:
    """The script of a list of cards: items `{title, lines, price, badge}`, `names` the page's own class
    names.
    """
    return (
        script("cards.js").replace("[/* ITEMS */]", js_json(items)).replace("{/* NAMES */}", js_json(names))
    )
