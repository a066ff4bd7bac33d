"""The small web server: /healthz, /metrics and the static site of the last issue. Read-only, GET and HEAD.

It listens on loopback unless it is told otherwise; put a proxy with TLS before it to show it to others.
"""

from __future__ import annotations

import json
import logging
import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from prometheus_client import CONTENT_TYPE_LATEST

from suanjia.serve.health import Health

log = logging.getLogger("suanjia.web")
TYPES = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".json": "application/json",
    ".csv": "text/csv; charset=utf-8",
    ".txt": "text/plain; charset=utf-8",
    ".svg": "image/svg+xml",
    ".xml": "application/atom+xml; charset=utf-8",
    ".png": "image/png",
    ".ico": "image/x-icon",
    ".woff2": "font/woff2",
    ".xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
}
_HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-cache",
    "X-Frame-Options": "DENY",
}
_SECONDS = 10


def file_of(root: Path, target: str) -> Path | None:
    """The file of the site that a request target names; None for everything that lies outside, is hidden, is
    a link to outside, or has a type the site does not use."""
    path = unquote(urlsplit(target).path, errors="strict") if "%" in target else urlsplit(target).path
    if not path.startswith("/") or any(ord(c) < 32 or c in "\\%" for c in path):
        return None
    parts = [part for part in path.split("/") if part]
    if any(part.startswith(".") for part in parts):
        return None
    found = root.joinpath(*parts)
    if found.is_dir():
        found = found / "index.html"
    real = found.resolve()
    inside = real.is_relative_to(root.resolve())
    return real if inside and real.is_file() and real.suffix in TYPES else None


def serve(
    host: str, port: int, look: Callable[[], Health], metrics: Callable[[], bytes], site: Callable[[], Path]
) -> ThreadingHTTPServer:
    """Start answering in threads; `shutdown()`, `server_close()` end it. OSError when the port is taken."""

    class Handler(_Handler):
        pass

    Handler.look, Handler.metrics, Handler.site = (
        staticmethod(look),
        staticmethod(metrics),
        staticmethod(site),
    )
    server = ThreadingHTTPServer((host, port), Handler)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, name="web", daemon=True).start()
    return server


_NO_PAGE = "not found 没有这一页\n"
_NO_ISSUE = "no issue yet: see /healthz\n还没有出过周报，状态见 /healthz\n"


class _Handler(BaseHTTPRequestHandler):
    look: Any
    metrics: Any
    site: Any
    timeout = _SECONDS
    server_version, sys_version = "suanjia", ""
    protocol_version = "HTTP/1.0"

    def do_GET(self) -> None:
        try:
            status, kind, body = self._answer()
        except Exception:
            log.exception("a request could not be answered")
            status, kind, body = 500, "text/plain; charset=utf-8", b"internal error\n"
        self.send_response(status)
        for name, value in {"Content-Type": kind, "Content-Length": str(len(body)), **_HEADERS}.items():
            self.send_header(name, value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    do_HEAD = do_GET

    def _answer(self) -> tuple[int, str, bytes]:
        path = self.path.partition("?")[0]
        if path == "/healthz":
            health = self.look()
            body = json.dumps(health.as_dict(), ensure_ascii=False, indent=1).encode() + b"\n"
            return (200 if health.ok else 503), "application/json", body
        if path == "/metrics":
            return 200, CONTENT_TYPE_LATEST, self.metrics()
        try:
            found = file_of(self.site(), self.path)
        except (ValueError, OSError):
            found = None
        if found is None:
            words = _NO_PAGE if (self.site() / "index.html").is_file() else _NO_ISSUE
            return 404, "text/plain; charset=utf-8", words.encode()
        return 200, TYPES[found.suffix], found.read_bytes()

    def log_message(self, format: str, *args: Any) -> None:
        """Requests go to the debug log; what a client wrote is one of its arguments, never its format."""
        log.debug("%s %s", self.client_address[0], format % args)
