"""Bulk files: found through their version, spooled straight into the evidence store, read as a stream."""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import IO, Any, ClassVar
from urllib.parse import urlsplit

import ijson
from scrapy import Request
from scrapy.http import Response

from spiders.base.source import Place, SourceSpider
from spiders.listing import Listing
from spiders.shape import TEXT, json_is_cut
from spiders.signs import is_cut
from spiders.textio import decode

_HEAD = 200_000  # bytes of a file that are looked at to see whether it is one


class FileSpider(SourceSpider):
    """One file or a few, each too large to hold in memory.

    Either `files` are fixed addresses, or `index` is a page whose answer `find_files` turns into (address,
    version) pairs. A file whose version is known from the last run is not downloaded again: its kept
    evidence is read instead, so that the prices are confirmed for today. `read_file` gets a byte stream;
    `self.fresh(date, …)` refuses one that says itself that it is old. One file may fail without the others.
    """

    index: ClassVar[tuple[str, ...]] = ()
    files: ClassVar[tuple[str, ...]] = ()
    max_age_days: ClassVar[int] = 90
    max_file_mb: ClassVar[int] = 1024  # a larger file is not taken
    # The index names signed links: neither its stored answer nor anything else keeps their queries.
    signed_links: ClassVar[bool] = False

    def __init__(self, *args: Any, **more: Any) -> None:
        super().__init__(*args, **more)
        self._due: Counter[str] = Counter()  # route → files found and not yet read

    def find_files(self, response: Response) -> Iterator[tuple[str, str] | Request]:
        """(address, version) of each file that an index answer names, version "" if it has none; or the
        request of a further index."""
        raise NotImplementedError

    def read_file(self, stream: IO[bytes], at: Place) -> Iterator[Listing]:
        """Listings of a file, read piece by piece. EOFError where it ends before its end."""
        raise NotImplementedError

    def after(self, route: str) -> Iterator[Request]:
        """Requests that follow when every file of a route has been read."""
        yield from ()

    def begin(self, route: str) -> Iterator[Request]:
        """The index pages, or the files themselves."""
        for url in self.index:
            yield self.ask(url, self.index_page, route=route, meta={"signed_links": self.signed_links})
        for url in self.files:
            yield self.file_request(url, "", route)

    def index_page(self, response: Response, second: bool = False) -> Iterator[Any]:
        """An index answer: the files it names, known versions from the evidence store."""
        text, route = self.text_of(response), response.meta["route"]
        found: list[tuple[str, str] | Request] = []
        cut = is_cut(text)
        try:
            found = [] if cut else list(dict.fromkeys(self.find_files(response)))
        except ValueError as error:  # no JSON, or no address
            cut = json_is_cut(text, error)
        if cut and second:
            self.run.problem("cut", "the page ends early", response.url, route)
            return
        if cut:
            meta = {"signed_links": self.signed_links}
            yield self.ask(response.url, self.index_page, route=route, meta=meta, second=True)
            return
        if not found:
            self.no_data(response, text, "the address of a file")
        files = [entry for entry in found if not isinstance(entry, Request)]
        self._due[route] += len(files)
        yield from (entry for entry in found if isinstance(entry, Request))
        for url, version in files:
            known = self.config.known_files.get(self.run.address(url), {})
            digest = known.get("evidence", "")
            if version and known.get("version") == version and digest and self.run.evidence.has(digest):
                self.skip("unchanged file")
                yield from self._read(digest, url, version, route)
                yield from self._done(route)
            else:
                yield self.file_request(url, version, route)

    def file_request(self, url: str, version: str, route: str) -> Request:
        """The spooled download of one file."""
        meta = {"spool": True, "max_file_mb": self.max_file_mb}
        return self.ask(url, self.file, route=route, meta=meta, version=version)

    def file(self, response: Response, version: str) -> Iterator[Any]:
        """A spooled file: its evidence is read as a stream."""
        digest = response.meta["evidence"]
        with self.run.evidence.open(digest) as stream:
            head = stream.read(_HEAD)
        if head.lstrip()[:1] == b"<":  # a page in place of the file
            self.no_data(response, decode(head, "")[0], "a price file")
            return
        etag = (response.headers.get("ETag") or b"").decode("latin-1")
        yield from self._read(digest, response.url, version or etag, response.meta["route"])
        yield from self._done(response.meta["route"])

    def _done(self, route: str) -> Iterator[Request]:
        self._due[route] -= 1
        if not self._due[route]:
            yield from self.after(route)

    def fresh(self, published: datetime | None, at: Place) -> bool:
        """False, and a problem, for a file published more than `max_age_days` ago or without a date."""
        if published is None:
            self.run.problem(
                "layout_changed", "the file does not say when it was published", at.url, at.route
            )
            return False
        if self.config.now - published > timedelta(days=self.max_age_days):
            age = (self.config.now - published).days
            self.run.problem(
                "stale", f"published {published.date()}, {age} days ago: refused", at.url, at.route
            )
            return False
        return True

    def heads(self, at: Place, *names: str) -> dict[str, str]:
        """Scalars at the top of a JSON file by name, wherever in it they stand; absent ones are left out."""
        found: dict[str, str] = {}
        with self.reopen(at) as stream:
            for prefix, event, value in ijson.parse(stream):
                if prefix in names and event in ("string", "number"):
                    found[prefix] = str(value)
                    if len(found) == len(names):
                        break
        return found

    def table(self, stream: IO[bytes], at: Place, *need: str) -> Iterator[tuple[int, dict[str, str]]]:
        """(line, row) of a CSV file whose first line names the columns. A column that is missing is a layout
        change, a line of another width a file that ends early."""
        lines = csv.reader(io.TextIOWrapper(stream, "utf-8-sig", "replace", newline=""))
        try:
            names = next(lines, [])
            if not names:
                self.run.problem("cut", "an empty file", at.url, at.route)
            elif set(need) - set(names):
                self.layout({name: name for name in names}, dict.fromkeys(need, TEXT), at)
            else:
                for row in lines:
                    if len(row) != len(names):
                        told = f"line {lines.line_num} has {len(row)} of {len(names)} cells"
                        self.run.problem("cut", told, at.url, at.route)
                        return
                    yield lines.line_num, dict(zip(names, row, strict=True))
        except csv.Error as error:
            self.run.problem("layout_changed", f"not the CSV that was expected: {error}", at.url, at.route)

    def signed_link(self, link: str) -> str:
        """A signed link that an answer gave: its host may be asked now, its query is kept nowhere.

        ValueError for what is no http(s) address.
        """
        url = self.run.egress.unmap(link)
        self.run.egress.grant(url)
        if (query := urlsplit(url).query) and query != "[redacted]":
            self.run.hide(query)
        return url

    def reopen(self, at: Place) -> IO[bytes]:
        """The same file from its start."""
        return self.run.evidence.open(at.evidence)

    def _read(self, digest: str, url: str, version: str, route: str) -> Iterator[Listing]:
        self.run.files[self.run.address(url)] = {"version": version, "evidence": digest}
        at = Place(self, route, self.run.address(url), digest)
        count = 0
        try:
            with self.run.evidence.open(digest) as stream:
                for listing in self.read_file(stream, at):
                    count += 1
                    yield listing
        except ijson.JSONError as error:
            said = str(error).partition("\n")[0].strip()
            ended = any(word in said.lower() for word in ("premature", "incomplete"))
            what = "the file ends early" if ended else "not the JSON that was expected"
            self.run.problem("cut" if ended else "layout_changed", f"{what}: {said}", url, route)
        except EOFError as error:
            self.run.problem("cut", f"the file ends early: {error}", url, route)
        except csv.Error as error:
            self.run.problem("layout_changed", f"not the CSV that was expected: {error}", url, route)
        self.run.read[f"{route}:{self.run.address(url).split('/', 3)[-1]}"] = count


def published(value: Any) -> datetime | None:
    """A publication date as files write it: ISO 8601 with or without time and offset (then UTC),
    `20241009`, or seconds or milliseconds since 1970. None for anything else."""
    text = str(value or "").strip()
    if re.fullmatch(r"1\d{9}(\d{3})?", text):
        return datetime.fromtimestamp(int(text[:10]), UTC)
    try:
        found = datetime.fromisoformat(text.replace("/", "-"))
    except ValueError:
        return None
    return found if found.tzinfo else found.replace(tzinfo=UTC)
