"""Signs that an answer is not the data that was asked for: a login, a captcha, a page that has moved.

Used only where nothing usable was found, so that a "登录" in a navigation bar means nothing. No Scrapy here.
"""

from __future__ import annotations

import re
from urllib.parse import urlsplit

_LOGIN = re.compile(
    r"登[录陆](?:超时|失效|已失效|过期|失败)|会话(?:过期|失效|超时)|请(?:先|重新)?登[录陆]|未登[录陆]|"
    r"账号登[录陆]|扫码登[录陆]|AuthorizeFailed|check jwt token failed|not logged in|please log ?in|"
    r"login required|unauthori[sz]ed|token (?:is )?(?:invalid|expired|missing)|invalid token|"
    r"<input[^>]+type=[\"']?password",
    re.I,
)
_CAPTCHA = re.compile(
    r"滑动验证|拖动滑块|人机验证|安全验证|请输入验证码|访问(?:过于)?频繁|访问被(?:拒绝|拦截)|"
    r"请求(?:过于)?频繁|captcha|geetest|acw_sc__v2|_waf_|punish\?|Just a moment\.\.\.|cf-chl|"
    r"verify you are human|Access Denied|too many requests|blocked by",
    re.I,
)
_GONE = re.compile(
    r"(?:站点|网站|服务|业务|平台|页面)(?:已|已经)(?:关闭|下线|停止|停服|下架|不存在)|停止(?:服务|运营)|"
    r"域名(?:出售|转让)|domain (?:is )?for sale",
    re.I,
)
_LOGIN_ADDRESS = re.compile(
    r"(?:^|[./_-])(?:login|signin|sign-in|passport|sso|auth|account|oauth)(?:[./_?-]|$)", re.I
)


def classify(text: str) -> tuple[str, str] | None:
    """(`auth_needed` | `blocked` | `gone`, the words that say so) for an answer without data; None if
    unknown."""
    head = text[:200_000]
    for kind, pattern in (("blocked", _CAPTCHA), ("auth_needed", _LOGIN), ("gone", _GONE)):
        if found := pattern.search(head):
            return kind, found.group()[:60]
    return None


def is_login_address(url: str) -> bool:
    """Does a redirect to this address mean "log in first"?"""
    parts = urlsplit(url)
    return bool(_LOGIN_ADDRESS.search(parts.netloc) or _LOGIN_ADDRESS.search(parts.path))


def is_cut(text: str) -> bool:
    """Does an HTML page stop before its end? A table left open, or neither body nor html closed."""
    low = text.lower()
    if low.count("<table") > low.count("</table"):
        return True
    return "<html" in low[:2000] and "</html" not in low and "</body" not in low
