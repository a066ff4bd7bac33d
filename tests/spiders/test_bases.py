"""The bases: paging whatever the order, cut lists noticed, files fetched again only when moved, replay."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import IO, Any
from urllib.parse import parse_qs, urlsplit

import ijson
import pytest

from pipeline.interpret import Context, interpret
from pipeline.offer import Offer
from spiders.base import (
    NUMBER,
    TEXT,
    FileSpider,
    JsonSpider,
    Listing,
    Place,
    Request,
    Response,
    Route,
    SourceSpider,
    TableSpider,
    TextSpider,
    Walk,
    text,
)  # fmt: skip
from spiders.config import CrawlConfig
from spiders.evidence import EvidenceStore
from tests.spiders.conftest import NOW
from tests.spiders.replaying import crawl_here
from tests.spiders.site import Answer, serving

REAL = "https://site.example"
Rows = list[dict[str, Any]]


def rows(count: int) -> Rows:
    return [{"id": n, "gpu": "T4", "price": n} for n in range(count)]


class Paged(JsonSpider):
    """A list that declares its total."""

    name = "paged"
    origins = (REAL,)
    routes = (Route("public"),)
    rows = "list"
    total = "total"
    page_size = 10
    row_id = "id"
    expect = {"gpu": TEXT, "price": NUMBER}  # noqa: RUF012

    def page_request(self, walk: Walk) -> Request:
        return self.ask(f"{REAL}/list?page={walk.page}", self.page, route=walk.route, walk=walk)

    def read(self, row: Any, at: Place) -> Iterator[Listing]:
        yield at.listing("price", price_text=text(row, "price"), card_text=text(row, "gpu"))


class Undeclared(Paged):
    """A list that says nothing about its length."""

    total = ""


class OnePage(Undeclared):
    """A list in one answer."""

    page_size = 0


class Tokens(Paged):
    """A list with continuation tokens."""

    total = ""
    next_token = "next"
    page_size = 0

    def page_request(self, walk: Walk) -> Request:
        url = f"{REAL}/list?page={walk.token or 0}"
        return self.ask(url, self.page, route=walk.route, walk=walk)


def config(where: Path, origin: str, **more: Any) -> CrawlConfig:
    values: dict[str, Any] = {
        "provider": "nobody", "run_id": "r", "run_dir": where / "run", "evidence_dir": where / "evidence",
        "now": NOW, "origins": {REAL: origin}, "delay": 0.0, "timeout": 5.0,
    }  # fmt: skip
    return CrawlConfig(**(values | more))


def page_of(handler: BaseHTTPRequestHandler) -> int:
    return int(parse_qs(urlsplit(handler.path).query)["page"][0])


def lists(answer: Callable[[int], Any]) -> dict[str, Any]:
    return {"/list": lambda handler: Answer(json.dumps(answer(page_of(handler))), type="application/json")}


def crawled(where: Path, routes: dict[str, Any], spider: type[SourceSpider], **more: Any) -> Any:
    with serving(routes) as site:
        listings, stats = crawl_here(config(where, site.origin, **more), spider)
    return (
        sorted(int(x.price_text) for x in listings if x.price_text.isdigit()),
        stats,
        site.paths(),
        listings,
    )


def test_pages_past_the_end_repeat_the_last(tmp_path: Path) -> None:
    data = rows(25)

    def answer(page: int) -> Any:
        start = min(page - 1, 2) * 10
        return {"list": data[start : start + 10], "total": 25}

    got, stats, asked, _ = crawled(tmp_path, lists(answer), Paged)
    assert got == list(range(25))
    assert (stats["problems"], stats["read"], stats["declared"]) == ([], {"public": 25}, {"public": 25})
    assert len(asked) == 3


def test_a_row_that_moves_between_pages_is_found_in_a_second_pass(tmp_path: Path) -> None:
    data = rows(20)
    order = [*range(9), 10, 9, *range(11, 20)]  # 9 and 10 change places while the list is read
    passes = {1: 0}

    def answer(page: int) -> Any:
        passes[1] += page == 1
        moved = [data[n] for n in (order if (page, passes[1]) == (1, 1) else range(20))]
        return {"list": moved[(page - 1) * 10 : page * 10], "total": 20}

    got, stats, asked, _ = crawled(tmp_path, lists(answer), Paged)
    assert got == list(range(20))
    assert stats["problems"] == []
    assert len(asked) == 4


def test_fewer_rows_than_declared_are_a_problem(tmp_path: Path) -> None:
    got, stats, asked, _ = crawled(tmp_path, lists(lambda page: {"list": rows(7), "total": 9}), Paged)
    assert got == list(range(7))
    assert [p["kind"] for p in stats["problems"]] == ["truncated"]
    assert "7 rows of 9 declared" in stats["problems"][0]["message"]
    assert len(asked) <= 4, "one retry, no more"


def test_without_a_total_the_list_ends_with_a_short_page(tmp_path: Path) -> None:
    got, stats, asked, _ = crawled(
        tmp_path, lists(lambda page: {"list": rows(23)[(page - 1) * 10 : page * 10]}), Undeclared
    )
    assert (got, stats["problems"], len(asked)) == (list(range(23)), [], 3)


def test_a_full_page_that_comes_again_is_no_end_of_a_list(tmp_path: Path) -> None:
    """A pager that does not hear the number of the page, and a list that says nothing of its length."""
    got, stats, asked, _ = crawled(tmp_path, lists(lambda page: {"list": rows(10)}), Undeclared)
    assert (got, len(asked)) == (list(range(10)), 2)
    assert [p["kind"] for p in stats["problems"]] == ["truncated"]
    assert "page 2 repeats" in stats["problems"][0]["message"]


@pytest.mark.parametrize("token", ["1", "0"])
def test_a_token_that_leads_in_a_circle_is_told(tmp_path: Path, token: str) -> None:
    def answer(page: int) -> Any:
        return {"list": rows(6)[:3] if page == 0 else rows(6)[3:], "next": "1" if page == 0 else token}

    got, stats, asked, _ = crawled(tmp_path, lists(answer), Tokens)
    assert (got, [p["kind"] for p in stats["problems"]]) == (list(range(6)), ["truncated"])
    assert len(asked) <= 3


@pytest.mark.parametrize(("count", "kinds"), [(100, ["truncated"]), (99, []), (101, [])])
def test_a_round_number_in_one_answer_is_suspicious(tmp_path: Path, count: int, kinds: list[str]) -> None:
    got, stats, _, _ = crawled(tmp_path, lists(lambda page: {"list": rows(count)}), PageOne)
    assert len(got) == count
    assert [p["kind"] for p in stats["problems"]] == kinds


class PageOne(OnePage):
    """Asked once, without a page in its address."""

    def page_request(self, walk: Walk) -> Request:
        return self.ask(f"{REAL}/list?page=1", self.page, route=walk.route, walk=walk)


def test_tokens(tmp_path: Path) -> None:
    data = rows(7)
    answers = {0: (data[:3], "1"), 1: (data[3:6], "2"), 2: (data[6:], None)}
    got, stats, asked, _ = crawled(
        tmp_path, lists(lambda page: {"list": answers[page][0], "next": answers[page][1]}), Tokens
    )
    assert (got, stats["problems"], len(asked)) == (list(range(7)), [], 3)


def test_some_rows_without_a_price_are_listings_without_one(tmp_path: Path) -> None:
    data = rows(5)
    del data[2]["price"]
    _, stats, _, listings = crawled(tmp_path, lists(lambda page: {"list": data, "total": 5}), Paged)
    assert [x.price_text for x in listings] == ["0", "1", "", "3", "4"]
    assert stats["drift"][0]["field"] == "price"
    assert stats["problems"] == []


def test_a_broken_page_is_asked_for_once_more(tmp_path: Path) -> None:
    times = {"n": 0}

    def answer(handler: BaseHTTPRequestHandler) -> Answer:
        times["n"] += 1
        whole = json.dumps({"list": rows(3), "total": 3})
        return Answer(whole[:40] if times["n"] == 1 else whole, type="application/json")

    got, stats, asked, _ = crawled(tmp_path, {"/list": answer}, Paged)
    assert (got, stats["problems"], len(asked)) == ([0, 1, 2], [], 2)


class Filed(FileSpider):
    """A versioned file."""

    name = "filed"
    origins = (REAL,)
    index = (f"{REAL}/index",)

    def find_files(self, response: Response) -> Iterator[tuple[str, str]]:
        version = self.text_of(response).strip()
        yield f"{REAL}/file-{version}.json", version

    def read_file(self, stream: IO[bytes], at: Place) -> Iterator[Listing]:
        for number, price in enumerate(ijson.items(stream, "prices.item")):
            yield at.at(f"/prices/{number}").listing(price_text=str(price))


def test_a_file_that_has_not_moved_is_not_fetched_again(tmp_path: Path) -> None:
    routes = {"/index": Answer("7"), "/file-7.json": Answer('{"prices": [1, 2, 3]}', type="application/json")}
    got, stats, asked, _ = crawled(tmp_path, routes, Filed)
    assert (got, stats["problems"], asked) == ([1, 2, 3], [], ["/index", "/file-7.json"])
    known = stats["files"]
    assert known[f"{REAL}/file-7.json"]["version"] == "7"
    later = NOW.replace(year=2027)
    got, stats, asked, listings = crawled(tmp_path, routes, Filed, known_files=known, now=later)
    assert (got, asked) == ([1, 2, 3], ["/index"])
    assert {x.observed_at for x in listings} == {later}, "the prices are confirmed for today"
    (tmp_path / "evidence").rename(tmp_path / "lost")
    _, _, asked, _ = crawled(tmp_path, routes, Filed, known_files=known)
    assert asked == ["/index", "/file-7.json"], "evidence that is gone is fetched again"


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        ('{"prices": [1, 2', "cut"),
        ('{"prices": nonsense}', "layout_changed"),
        ("<html>请登录", "auth_needed"),
    ],
)
def test_broken_files(tmp_path: Path, body: str, kind: str) -> None:
    routes = {"/index": Answer("7"), "/file-7.json": Answer(body, type="application/json")}
    _, stats, _, _ = crawled(tmp_path, routes, Filed)
    assert [p["kind"] for p in stats["problems"]] == [kind]


class Capped(Filed):
    """A source whose file is never larger than this."""

    max_file_mb = 1


def test_a_file_over_the_cap_of_its_source_is_not_taken(tmp_path: Path) -> None:
    body = '{"prices": [' + ", ".join(["1.000000"] * 200_000) + "]}"
    routes = {"/index": Answer("7"), "/file-7.json": Answer(body, type="application/json")}
    _, stats, _, listings = crawled(tmp_path, routes, Capped)
    assert ([p["kind"] for p in stats["problems"]], listings) == (["failed"], [])
    assert "more than 1048576 bytes" in stats["problems"][0]["message"]
    names = {path.stem for path in (tmp_path / "evidence").rglob("*") if path.is_file()}
    kept = EvidenceStore(tmp_path / "evidence")
    assert all(len(kept.read(name)) < 1000 for name in names), "nothing of it stays"


class Tabled(TableSpider):
    """A table in GBK with merged cells."""

    name = "tabled"
    origins = (REAL,)
    pages = (f"{REAL}/t",)
    columns = {"region": "地域", "card": "型号"}  # noqa: RUF012
    need = ("card",)
    units = {"小时": "CNY/card/hour"}  # noqa: RUF012


def test_a_table_in_gbk(tmp_path: Path) -> None:
    page = (
        "<html><body><h3>GPU</h3><table><tr><th>地域</th><th>型号</th><th>元/小时</th><th>元/月</th></tr>"
        "<tr><td rowspan=2>张家口</td><td>T4</td><td>7</td><td>面议</td></tr>"
        "<tr><td>A10</td><td>9</td><td>4000元/月</td></tr></table></body></html>"
    )
    routes = {"/t": Answer(page.encode("gbk"), type="text/html; charset=utf-8")}
    _, stats, _, listings = crawled(tmp_path, routes, Tabled)
    assert stats["problems"] == []
    assert [(x.card_text, x.region_text, x.price_text, x.unit) for x in listings] == [
        ("T4", "张家口", "7", "CNY/card/hour"),
        ("T4", "张家口", "面议", None),  # no unit is declared for that column
        ("A10", "张家口", "9", "CNY/card/hour"),
        ("A10", "张家口", "4000元/月", None),
    ]
    assert listings[1].context == "GPU | 张家口 | T4 | 元/月"
    assert listings[0].locator == "table=0/row=1/cell=2"


class Priced(Tabled):
    """Two declared price columns, and one that need not be there."""

    name = "priced"
    columns = {"card": "型号", "count": "卡数"}  # noqa: RUF012
    units = {"小时价": "CNY/card/hour", "月价": "CNY/card/month", "年价": "CNY/card/year"}  # noqa: RUF012
    optional = ("年价",)


def priced(hour: str, month: str) -> dict[str, Answer]:
    """A page with these two price headers."""
    page = (
        f"<html><body><table><tr><th>型号</th><th>卡数</th><th>{hour}</th><th>{month}</th></tr>"
        "<tr><td>RTX 4090</td><td>8</td><td>2.00元</td><td>面议</td></tr>"
        "<tr><td>RTX 4090</td><td>8</td><td>包月 2-3</td><td>1300</td></tr></table></body></html>"
    )
    return {"/t": Answer(page)}


def test_the_unit_of_a_column_goes_with_every_cell(tmp_path: Path) -> None:
    _, stats, _, listings = crawled(tmp_path, priced("小时价", "月价"), Priced)
    assert stats["problems"] == []
    assert [(x.price_text, x.unit, x.mode) for x in listings] == [
        ("2.00元", "CNY/card/hour", "on_demand"),
        ("面议", "CNY/card/month", None),
        ("包月 2-3", "CNY/card/hour", None),  # the cell says another mode
        ("1300", "CNY/card/month", None),
    ]
    (offer,) = interpret(listings[0], Context("run", listings[0].observed_at, {}))
    assert isinstance(offer, Offer) and offer.price_cny_per_card_hour == 2, "not a machine of eight"


@pytest.mark.parametrize(
    ("hour", "month", "gone"),
    [("小时价", "租金", "月价"), ("时租金", "月价", "小时价"), ("小时价", "价格", "月价")],
)
def test_a_price_column_that_moves_is_a_layout_change(
    tmp_path: Path, hour: str, month: str, gone: str
) -> None:
    _, stats, _, _ = crawled(tmp_path, priced(hour, month), Priced)
    (problem,) = stats["problems"]
    assert problem["kind"] == "layout_changed" and f"no price column for {gone}" in problem["message"]
    assert hour in problem["message"] and month in problem["message"], "the headers that are there"
    assert gone in str(stats["drift"])


class Lined(TextSpider):
    """Lines of text."""

    name = "lined"
    origins = (REAL,)
    pages = (f"{REAL}/t",)
    block = "div.c"
    heading = "现货"


def test_lines(tmp_path: Path) -> None:
    page = (
        "<html><body><p>电话 1元</p><div class=c><p>现货：</p><p>8*H100 - 75000/月<br>5090 联系客服</p></div>"
        "</body></html>"
    )
    _, stats, _, listings = crawled(tmp_path, {"/t": Answer(page)}, Lined)
    assert stats["problems"] == []
    assert [(x.price_text, x.context, x.locator) for x in listings] == [
        ("8*H100 - 75000/月", "现货：", "line=1")
    ]


def test_a_run_is_replayed_from_its_evidence_byte_for_byte(tmp_path: Path) -> None:
    data = rows(25)
    answer = lists(lambda page: {"list": data[(page - 1) * 10 : page * 10], "total": 25})
    with serving(answer) as site:
        told = config(tmp_path, site.origin)
        crawl_here(told, Paged)
    first = (told.run_dir / "listings.jsonl").read_bytes()
    again = config(tmp_path, "http://127.0.0.1:9", run_dir=tmp_path / "again", replay=str(told.run_dir))
    _, stats = crawl_here(again, Paged)
    assert stats["problems"] == []
    assert (tmp_path / "again" / "listings.jsonl").read_bytes() == first
