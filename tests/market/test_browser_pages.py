"""Pages that need a browser draw what their facts say, and call nobody else."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from urllib.parse import urlsplit

import pytest

from tests.market.market_client import Client

playwright = pytest.importorskip("playwright.sync_api")
BROWSER = next(
    filter(None, map(shutil.which, ("chromium-headless-shell", "chromium", "google-chrome"))), None
)

pytestmark = [pytest.mark.browser, pytest.mark.skipif(BROWSER is None, reason="no browser on PATH")]


@pytest.fixture(scope="module")
def page() -> Iterator[object]:
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=BROWSER, args=["--no-sandbox"])
        try:
            yield browser.new_page()
        finally:
            browser.close()


@pytest.mark.parametrize(
    ("url", "selector", "texts"),
    [
        (
            "https://www.autodl.com/home",
            ".gpu-title",
            ["NVIDIA RTX 4090 / 24GB", "￥1.88 /时", "会员95折", "￥9.98 /时"],
        ),
        ("https://www.shengsuanyun.com/hashrate", ".price", ["RTX 4090", "2.27", "5.28 元/时"]),
        ("https://ai.gitee.com/compute", ".compute-card", ["元/时", "已下线"]),
        ("https://matgo.cn/host-market/gpu", ".market-card", ["NVIDIA GeForce RTX 4090", "¥2.20/小时"]),
        ("https://featurize.cn/", ".vm-card", ["按量起价 ¥1.87/小时"]),
        ("https://openbayes.com/pricing", ".price-card", ["￥2.70/小时"]),
        ("https://www.suanliju.example/market", ".where", ["北京B区 / 876机", "¥1.98/时", "已租完"]),
        (
            "https://www.rongcheng-idc.example/city/chengdu.html",
            ".price span",
            ["7700元/月", "价格请咨询客服"],
        ),
    ],
)
def test_page_draws(market: Client, page: object, url: str, selector: str, texts: list[str]) -> None:
    hosts: set[str | None] = set()
    errors: list[str] = []
    page.on("request", lambda request: hosts.add(urlsplit(request.url).hostname))
    page.on("pageerror", lambda error: errors.append(str(error)))
    parts = urlsplit(url)
    page.goto(market.origins[f"{parts.scheme}://{parts.netloc}"] + parts.path)
    page.wait_for_selector(selector)
    body = page.inner_text("body")
    assert [t for t in texts if t not in body] == []
    assert (hosts, errors) == ({"127.0.0.1"}, [])
