"""What a page is when it is no price list: an article, or a list that has nothing to offer at present."""

from __future__ import annotations

import re
from typing import Any

from spiders.textio import visible_text

_QUESTION = re.compile(r"[?？]\s*$|多少钱|怎么(?:选|算|样|收费)|如何|哪家|哪个好|是什么|值得吗|贵吗|吗\s*$")
_BYLINE = re.compile(
    r"作者\s*[:：]|责任编辑|免责声明|图片来源|来源\s*[:：]\s*(?:互联网|网络)|(?:浏览|阅读)(?:量|次数)?\s*[:：]?\s*\d|发布(?:时间|于)"
)
_QUOTED = re.compile(r"[￥¥]\s*\d|\d\s*万?元|\d\s*万?\s*/\s*(?:[卡台]\s*/\s*)?(?:小?时|天|日|周|月|季|年)")
_NOTHING = re.compile(
    r"暂无|暂未|没有(?:可|在)|尚未开放|敬请期待|即将(?:上线|开放)|已?售罄|已全部租(?:出|完)|无可(?:租|用)|已下[线架]"
)

_ASK_US = re.compile(
    r"面议|[电面]询|询价|议价|(?:立即|在线|点击|马上|欢迎|请)?咨询(?:客服|报价|价格)?|联系(?:客服|销售)|"
    r"获取(?:报价|底价)|定制报价|登[录陆]后(?:可见|查看)"
)
# `共 626 条` of a pager; comments and news are counted in the same words.
_TOTAL = re.compile(r"共\s*(\d{1,5})\s*条(?!\s*(?:评论|回复|留言|资讯|新闻|动态|线路|带宽))")


def declared_total(root: Any) -> int | None:
    """How many rows a page's pager says there are in all."""
    found = _TOTAL.search(visible_text(root))
    return int(found[1]) if found else None


def no_price_words(root: Any) -> str:
    """The words that stand where prices stood (`面议`, `登录后可见`); "" if there are none, or if the page
    quotes a price nevertheless."""
    text = visible_text(root)
    found = _ASK_US.search(text)
    return found.group() if found and not _QUOTED.search(text) else ""


def question(root: Any) -> str:
    """The title of a page that asks and quotes nothing: a tag page, a list of articles; "" for any other."""
    if _QUOTED.search(visible_text(root)):
        return ""
    return next((t for e in root.iter("h1", "title") if _QUESTION.search(t := visible_text(e))), "")


def is_article(root: Any, *, plain_text: bool) -> bool:
    """Does the page talk about prices instead of quoting its own? Articles never give offers.

    Three bylines (author, disclaimer, view count …), or one under a title that is a question. Where lines of
    text are read (`plain_text`), a title that asks is enough: a list of one's own prices asks nothing.
    """
    asks = any(_QUESTION.search(visible_text(e)) for e in root.iter("h1", "title"))
    bylines = {found.group()[:2] for found in _BYLINE.finditer(visible_text(root))}
    return len(bylines) >= 3 or (asks and (bool(bylines) or plain_text))


def says_nothing_on_offer(root: Any) -> str:
    """The words that say that a list is empty at present; "" if there are none, or if the page quotes a price
    nevertheless: then its list only stands elsewhere than was declared."""
    text = visible_text(root)
    found = _NOTHING.search(text)
    return found.group() if found and not _QUOTED.search(text) else ""
