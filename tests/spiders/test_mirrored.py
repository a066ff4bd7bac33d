"""Price tables whose columns stand in the opposite order: found by their heads, so nothing changes."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import ExitStack
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any
from urllib.request import Request, urlopen

import lxml.html
import pytest

from market.server import running
from tests.spiders.clouds import NOW, Cloud, crawl_cloud
from tests.spiders.site import Answer, serving


class Everywhere(dict[str, Any]):
    """Routes of a site that answers every path in one way."""

    def __init__(self, answer: Any) -> None:
        super().__init__()
        self.answer = answer

    def get(self, key: str, default: Any = None) -> Any:
        return self.answer


def mirrored(body: bytes, encoding: str) -> bytes:
    """The page with the cells of every row in the opposite order."""
    root = lxml.html.document_fromstring(body.decode(encoding))
    for row in root.iter("tr"):
        cells = [cell for cell in row if cell.tag in ("td", "th")]
        for cell in cells:
            row.remove(cell)
        row.extend(reversed(cells))
    return bytes(lxml.html.tostring(root, encoding=encoding, doctype="<!DOCTYPE html>"))


def relay(real: str, encoding: str) -> Any:
    """Pass requests on to the stand-in, and its pages back mirrored."""

    def answer(handler: BaseHTTPRequestHandler) -> Answer:
        passed = {k: v for k, v in handler.headers.items() if k.lower() in ("content-type", "cookie")}
        sent = getattr(handler, "sent", None) or None
        with urlopen(Request(real + handler.path, sent, passed, method=handler.command)) as got:
            body, headers = got.read(), got.headers
        cookie = headers.get("Set-Cookie")
        body = mirrored(body, encoding) if b"<tr" in body else body
        return Answer(body, type=headers["Content-Type"], headers={"Set-Cookie": cookie} if cookie else {})

    return answer


def crawl_mirrored(slug: str, folder: Path, encoding: str) -> Cloud:
    with running(NOW, [slug], samples=True) as origins, ExitStack() as stack:
        mapped: dict[str, str] = {}
        for origin, real in origins.items():
            site = stack.enter_context(serving({}))
            site.routes = Everywhere(relay(real, encoding))
            mapped[origin] = site.origin
        return crawl_cloud(slug, folder, origins=mapped)


def told(cloud: Cloud) -> Mapping[str, Any]:
    return {o.offer_id: (o.price, o.billing_mode, o.price_kind) for o in cloud.offers}


@pytest.mark.parametrize(
    ("slug", "encoding"),
    [
        ("wangsu", "utf-8"), ("compshare", "utf-8"),
        pytest.param("ctyun", "gbk", marks=pytest.mark.slow),
        *(pytest.param(slug, "utf-8", marks=pytest.mark.slow) for slug in ("jdcloud", "jygpu", "gongji")),
    ],
)  # fmt: skip
def test_columns_in_the_opposite_order(slug: str, encoding: str, tmp_path: Path) -> None:
    plain = crawl_cloud(slug, tmp_path / "plain")
    other = crawl_mirrored(slug, tmp_path / "other", encoding)
    assert other.judged.outcome == "ok", other.judged
    assert told(plain)
    assert told(other) == told(plain)
