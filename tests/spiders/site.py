"""A local site for tests: routes to answers, a log of what was asked and when, in a thread of this
process."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import urlsplit


@dataclass
class Answer:
    """What a route says. `cut` announces more bytes than it sends; `hang` keeps silent for so many
    seconds."""

    body: bytes | str = b""
    status: int = 200
    type: str = "text/html; charset=utf-8"
    headers: dict[str, str] = field(default_factory=dict)
    cut: bool = False
    hang: float = 0.0


@dataclass
class Site:
    """`routes[path]` is an Answer or a function of the handler; `log` has (method, path with query, time)."""

    routes: dict[str, Answer | Callable[[BaseHTTPRequestHandler], Answer]]
    log: list[tuple[str, str, float]] = field(default_factory=list)
    bodies: list[bytes] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)
    port: int = 0

    @property
    def origin(self) -> str:
        """Where it listens."""
        return f"http://127.0.0.1:{self.port}"

    def paths(self) -> list[str]:
        """Asked paths, robots.txt left out."""
        return [path for _, path, _ in self.log if path != "/robots.txt"]


@contextmanager
def serving(routes: dict[str, Any]) -> Iterator[Site]:
    """Serve `routes` on a free port of 127.0.0.1."""
    site = Site(routes)

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *_: Any) -> None:
            pass

        def do_GET(self) -> None:
            self.answer()

        def do_POST(self) -> None:
            self.answer()

        def answer(self) -> None:
            site.log.append((self.command, self.path, time.monotonic()))
            site.headers.append(dict(self.headers))
            self.sent = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            site.bodies.append(self.sent)
            found = site.routes.get(self.path) or site.routes.get(urlsplit(self.path).path)
            answer = found(self) if callable(found) else found or Answer("not here", 404)
            if answer.hang:
                time.sleep(answer.hang)
            body = answer.body.encode() if isinstance(answer.body, str) else answer.body
            self.send_response(answer.status)
            self.send_header("Content-Type", answer.type)
            self.send_header("Content-Length", str(len(body) * 2 if answer.cut else len(body)))
            for name, value in answer.headers.items():
                self.send_header(name, value)
            if answer.cut:
                self.send_header("Connection", "close")
            self.end_headers()
            self.wfile.write(body)
            if answer.cut:
                self.wfile.flush()
                self.close_connection = True

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    site.port = server.server_address[1]
    thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
    thread.start()
    try:
        yield site
    finally:
        server.shutdown()
        server.server_close()
        thread.join(5)
