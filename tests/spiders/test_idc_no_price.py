"""Pages without a price (A12) and articles (A11): a row with its status, never a price, and a site that
silently turns to one is noticed."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from catalog.provider_model import Expect
from market.site import page_file
from pipeline.gates import settle
from pipeline.manifest import RunMeta
from pipeline.past import load_past
from pipeline.segment import write_segment
from spiders.outcome import Ending, judge
from tests.spiders.idc_runs import FROZEN, ORIGIN, Idc, crawl_pages, page

READ = '[read]\ncard = {{ {card} }}\nbasis = "server"\n'
PRICE = '[[read.price]]\ncolumn = "月付"\nunit = "元/月"\n'
SOURCE = '[source]\narchetype = "{}"\npages = ["' + ORIGIN + '/a.html"]\n{}\n'
TABLE = SOURCE.format("table", 'rows = "table"') + READ.format(card='column = "显卡"') + PRICE
# Declarations as they stood while the site still showed prices.
DECLARED = {
    "table": TABLE,
    "div_table": SOURCE.format("div_table", 'rows = "div.row"\ncells = "div.cell"')
    + READ.format(card='column = "显卡"')
    + PRICE,
    "cards": SOURCE.format("cards", 'rows = "div.card"') + READ.format(card='css = "h3"'),
    "text": SOURCE.format("text", 'lines = "div.content"'),
    "select_period": SOURCE.format("select_period", 'options = "select option"')
    + READ.format(card='css = "h1"'),
    "script_price": SOURCE.format("script_price", 'rows = "div.con > ul"')
    + READ.format(card='label = "显卡"').replace("basis", 'price_css = "li.price script"\nbasis'),
}
PAGES = {
    "a12_image.html": ("price_in_image", {"layout_changed"}),
    "a12_tag.html": ("not_an_offer", {"layout_changed"}),
    "a12_quote.html": ("quote_required", {"layout_changed"}),
    "a12_login.html": ("login_required", {"auth_needed"}),
}


@pytest.mark.parametrize("archetype", DECLARED)
@pytest.mark.parametrize("file", PAGES)
def test_whatever_was_declared_a_page_without_prices_gives_a_status(
    archetype: str, file: str, tmp_path: Path
) -> None:
    reason, kinds = PAGES[file]
    idc = crawl_pages(DECLARED[archetype], {"/a.html": page_file(f"idc/{file}")}, tmp_path)
    assert idc.offers == []
    assert reason in idc.reasons() or idc.kinds == ["auth_needed"], (idc.reasons(), idc.messages)
    outcome = judge(Ending(dict(idc.stats))).outcome
    # A table with such cells is read as what it is; for the other archetypes the list is gone.
    expected = {idc.made.without_offers[0]} if outcome == "ok" else {outcome}
    assert expected <= (kinds | ({"empty"} if archetype == "table" else set())), expected


@pytest.mark.parametrize("archetype", DECLARED)
@pytest.mark.parametrize("file", ["a11_article.html", "a11_spam.html"])
def test_an_article_in_place_of_the_list_gives_no_offer(archetype: str, file: str, tmp_path: Path) -> None:
    toml = DECLARED[archetype].replace("div.content", "body")
    idc = crawl_pages(toml, {"/a.html": page_file(f"idc/{file}")}, tmp_path)
    assert idc.offers == []
    assert idc.kinds == ["layout_changed"] or set(idc.reasons()) == {"not_an_offer"}


IMAGES = {
    "alone": '<h2>价格表</h2><img src="p.jpg" alt="">',
    "beside a banner": '<img src="b.jpg" alt="GPU 包月价格限时 3.5 折"><img src="p.jpg">',
    "in a link": '<a href="/big.jpg"><img src="p.png" alt=" "></a><p>GPU服务器</p>',
    "in a layout table": '<table><tr><td>GPU价格</td></tr><tr><td><img src="p.gif" alt=""></td></tr></table>',
}


@pytest.mark.parametrize("name", IMAGES)
def test_prices_as_a_picture(name: str, tmp_path: Path) -> None:
    """No discount of a banner's words becomes a price; the picture is a row of its own."""
    body = page(IMAGES[name])
    idc = crawl_pages(DECLARED["cards"], {"/a.html": body}, tmp_path)
    assert (idc.offers, idc.reasons(), idc.kinds) == ([], ["price_in_image"], ["layout_changed"])


TAGS = (
    "<h1>标签：gpu服务器租用一个月多少钱</h1><ul><li><a href=/a/1>gpu服务器租用一个月多少钱</a></li></ul>",
    "<title>8卡4090服务器租用哪家好？</title><h2>相关文章</h2><p>2026-10-01 浏览 3021</p>",
    "<h1>H20 租用怎么收费</h1><p>下一篇：A800 价格</p>",
)


@pytest.mark.parametrize("body", TAGS)
def test_a_tag_page_is_a_question_and_no_price(body: str, tmp_path: Path) -> None:
    idc = crawl_pages(TABLE, {"/a.html": page(body)}, tmp_path)
    assert (idc.offers, idc.reasons(), idc.kinds) == ([], ["not_an_offer"], ["layout_changed"])
    assert next(x.price_text for x in idc.listings) in body


HEAD = "<tr><th>显卡</th><th>月付</th></tr>"
CARDS = ("RTX 4090*8", "L40S*8", "A100 80G*8", "L20*8", "H20 96G*8", "A800 80G*8")
AMOUNTS = ("7600", "15600", "26000", "9800", "32000", "25000")


def listed(cells: tuple[str, ...]) -> str:
    rows = (f"<tr><td>{card}</td><td>{cell}</td></tr>" for card, cell in zip(CARDS, cells, strict=True))
    return page(f"<table>{HEAD}{''.join(rows)}</table>")


def settled(home: Path, idc: Idc, number: int) -> RunMeta:
    """What `suanjia crawl` makes of a run: the spider's judgement, that of the offers, the gates."""
    judged = judge(Ending(dict(idc.stats)))
    outcome, message = judged.outcome, "; ".join(filter(None, (judged.message, idc.made.remark)))
    if outcome == "ok" and not idc.offers:
        outcome, message = idc.made.without_offers
    now = FROZEN + timedelta(days=number)
    meta = RunMeta(
        run_id=f"run-{number}", provider="idc_mine", kind="crawl", started_at=now, ended_at=now,
        outcome=outcome, complete=outcome == "ok", parser_version="1", provider_class="idc", message=message,
    )  # fmt: skip
    made = idc.made
    offers = [replace(offer, run_id=meta.run_id) for offer in made.offers]
    refused = [replace(one, run_id=meta.run_id) for one in made.rejections]
    meta = settle(home, meta, offers, refused, idc.listings, Expect())
    write_segment(home, meta, offers, refused, idc.listings)
    return meta


TURNS = {
    "quotes": (listed(("面议",) * 6), "empty", "6 × quote_required"),
    "login": (listed(("登录后可见",) * 6), "auth_needed", "6 × login_required"),
    "zeros": (listed(("￥0.00",) * 6), "empty", "6 × "),
    "picture": (page('<img src="p.jpg" alt="">'), "layout_changed", "source.rows"),
    "tag page": (page("<h1>gpu服务器租用多少钱</h1>"), "layout_changed", "source.rows"),
    "article": (page_file("idc/a11_article.html"), "layout_changed", "read.card"),
    "half of them quotes": (listed((*AMOUNTS[:3], "面议", "电询", "面议")), "partial", "3 × quote_required"),
}


@pytest.mark.parametrize("turn", TURNS)
def test_a_site_that_silently_turns_to_it_is_noticed(turn: str, tmp_path: Path) -> None:
    """After a good run the same address shows no prices, or half of them: told, counted, and what was
    published of it stays with its age."""
    body, outcome, words = TURNS[turn]
    good = settled(tmp_path, crawl_pages(TABLE, {"/a.html": listed(AMOUNTS)}, tmp_path / "1"), 0)
    assert (good.outcome, good.complete) == ("ok", True)
    turned = settled(tmp_path, crawl_pages(TABLE, {"/a.html": body}, tmp_path / "2"), 1)
    assert (turned.outcome, turned.complete) == (outcome, False), turned.message
    assert words in (turned.message or "")
    last = load_past(tmp_path, "idc_mine", "idc", FROZEN + timedelta(days=2)).last_good
    assert last is not None
    assert last.run.run_id == "run-0"


@pytest.mark.parametrize(
    ("total", "kinds"), [("共 26 条", ["truncated"]), ("共6条记录 1/1", []), ("共 32 条评论", []), ("", [])]
)
def test_a_pager_that_says_how_many_there_are(total: str, kinds: list[str], tmp_path: Path) -> None:
    body = listed(AMOUNTS).replace("</body>", f"<div class=pager>{total} 1 2 3</div></body>")
    idc = crawl_pages(TABLE, {"/a.html": body}, tmp_path)
    assert idc.kinds == kinds
    assert len(idc.offers) == 6
