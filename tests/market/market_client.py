"""A small client of the stand-in market, by real origins over loopback."""

from __future__ import annotations

import http.client
import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from urllib.parse import urlsplit

from market.server import Origins

NOW = datetime.fromisoformat("2026-11-30T04:00:00+08:00")


@dataclass(frozen=True)
class Got:
    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def text(self) -> str:
        return self.body.decode()

    def json(self) -> Any:
        return json.loads(self.body)


class Client:
    """GET and POST by real origin; redirects are not followed."""

    def __init__(self, origins: Origins) -> None:
        self.origins = origins

    def get(self, url: str, headers: Mapping[str, str] | None = None) -> Got:
        return self.send("GET", url, None, headers)

    def post(self, url: str, body: Any, headers: Mapping[str, str] | None = None) -> Got:
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        return self.send("POST", url, data, {"Content-Type": "application/json", **(headers or {})})

    def send(self, method: str, url: str, body: bytes | None, headers: Mapping[str, str] | None) -> Got:
        parts = urlsplit(url)
        target = urlsplit(self.origins[f"{parts.scheme}://{parts.netloc}"])
        connection = http.client.HTTPConnection(target.netloc, timeout=10)
        try:
            path = parts.path + ("?" + parts.query if parts.query else "")
            connection.request(method, path or "/", body, dict(headers or {}))
            answer = connection.getresponse()
            return Got(answer.status, {k.lower(): v for k, v in answer.getheaders()}, answer.read())
        finally:
            connection.close()
