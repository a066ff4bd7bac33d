"""Signs that an answer is not the data that was asked for: a login, a captcha, a page that has moved.

Used only where nothing usable was found, so that a "登录" in a navigation bar means nothing. No Scrapy here.
"""

from __future__ import annotations

import re
from urllib.parse import urlsplit

# Said by the answer itself, whatever else stands in it.
_LOGIN = re.compile(
    r"登[录陆](?:状?态)?已?(?:超时|失效|过期|失败)|会话已?(?:过期|失效|超时)|AuthorizeFailed|"
    r"check jwt token failed|"
    r"not logged in|login required|unauthori[sz]ed|token (?:is )?(?:invalid|expired|missing)|invalid token|"
    r"(?:token|密钥|秘钥|签名) ?(?:已|不)?(?:无效|失效|过期|正确)|invalid api.?key|PublicKey error|"
    r"VerifyAC Error|"
    r"<title>[^<]{0,20}(?:登[录陆]|log ?in|sign ?in)[^<]{0,20}</title>",
    re.I,
)
_CAPTCHA = re.compile(
    r"滑动验证|拖动滑块|人机验证|请输入验证码|访问被(?:拒绝|拦截)|"
    r"(?:访问|请求|操作)(?:过于|太)?(?:频繁|过快)|"
    r"acw_sc__v2|Just a moment\.\.\.|cf-chl|verify you are human|Access Denied|too many requests|"
    r"<title>[^<]{0,20}(?:安全验证|验证码|captcha)[^<]{0,20}</title>",
    re.I,
)
# Whole pages carry these in a navigation bar or a script: they count in short answers only.
_WEAK_LOGIN = re.compile(
    r"请(?:先|重新)?登[录陆]|未登[录陆]|账号登[录陆]|扫码登[录陆]|please log ?in|"
    r"<input[^>]+type=[\"']?password",
    re.I,
)
_WEAK_CAPTCHA = re.compile(r"安全验证|captcha|geetest|_waf_|punish\?|blocked by", re.I)
_SHORT = 8_000
_GONE = re.compile(
    r"(?:站点|网站|服务|业务|平台|页面)(?:已|已经)(?:关闭|下线|停止|停服|下架|不存在)|停止(?:服务|运营)|"
    r"域名(?:出售|转让)|domain (?:is )?for sale",
    re.I,
)
_LOGIN_ADDRESS = re.compile(
    r"(?:^|[./_-])(?:login|signin|sign-in|passport|sso|auth|account|oauth)(?:[./_?-]|$)", re.I
)


def classify(text: str) -> tuple[str, str] | None:
    """(`auth_needed` | `blocked` | `gone`, the words that say so) for an answer without data, else None."""
    head = text[:200_000]
    signs = [("blocked", _CAPTCHA), ("auth_needed", _LOGIN)]
    if len(text) <= _SHORT:
        signs += [("blocked", _WEAK_CAPTCHA), ("auth_needed", _WEAK_LOGIN)]
    for kind, pattern in (*signs, ("gone", _GONE)):
        if found := pattern.search(head):
            return kind, re.sub(r"</?title>", "", found.group())[:60]
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
