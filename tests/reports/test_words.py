"""What the commands print for people: it keeps within the terminal and says what the JSON says."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from catalog.providers import load_providers
from reports.compare import Asked, checklist_of, compare
from reports.fit.answer import answer
from reports.fit.job import job_of
from reports.fit.planner import SizingPlanner
from reports.fit.proof import Sources
from reports.fit.terms import Terms
from suanjia.compare_words import QUESTIONS, compare_words
from suanjia.fit_words import fit_words
from suanjia.wrapped import wrapped
from tests.reports.fitkit import NOW, market, offer
from warehouse.textout import width

MISSING = Sources(("autodl",), tuple(f"seller_{n}" for n in range(20)), NOW)


@pytest.fixture
def narrow(monkeypatch: pytest.MonkeyPatch) -> int:
    monkeypatch.setenv("COLUMNS", "80")
    return 80


def fits(**more: Any) -> dict[str, Any]:
    job = job_of({"name": "full-70b", "model": "Qwen2.5-72B", "method": "full", "tokens": 1e8, **more})
    sold = market(
        [
            offer("A100-80G", 56, gpu_count=8, region="深圳", region_code="440300", provider="tencentcloud"),
            offer("A100-80G", 56, gpu_count=8, provider="aliyun", age_hours=100),
            offer("A100-80G", 30, gpu_count=8, provider="spotter", billing_mode="spot"),
            offer("H20-96G", 70, gpu_count=8, provider="volcengine"),
        ]
    )
    return answer(sold, job, SizingPlanner.of(job), MISSING, why=True)


def test_fits_keep_within_eighty_columns(narrow: int) -> None:
    text = fit_words(fits(interruptible=True))
    plain = fit_words(fits())
    for shown in (text, plain):
        assert max(width(line) for line in shown.splitlines()) <= narrow
    assert "4×8×A100-80G" in plain
    assert "标记 mark: 可能被回收 interruptible" in text
    assert "标记 mark: 旧 4 天 4 d old" in plain
    assert plain.count("RDMA between") >= 1
    assert "不被回收 never taken back" in text and "不被回收" not in plain


def test_equal_prices_are_said_to_be_equal(narrow: int) -> None:
    assert "与第 2 名同价" in fit_words(fits())


def test_nothing_fits_is_said_in_words(narrow: int) -> None:
    text = fit_words(fits(budget_cny=1))
    assert "over the budget of 1" in " ".join(text.split())
    assert "{" not in text
    lonely = fit_words(fits(cards=["RTX4090"]))
    assert "smallest that would" in lonely
    assert "{" not in lonely


def test_offers_stand_side_by_side(narrow: int) -> None:
    chosen = [
        offer("RTX4090", "1.98", provider="autodl"),
        offer("RTX4090", "2.10", provider="gongji", price_kind="member"),
        offer("RTX4090", None, provider="matpool"),
    ]
    month = offer("RTX4090", 1052, provider="autodl", billing_mode="monthly")
    terms = {"autodl": Terms(convertible=("on_demand>monthly",), deposit_cny=Decimal(0))}
    rows = compare(chosen, [*chosen, month], terms, Asked(Decimal(100)), NOW)
    text = compare_words(rows)
    assert max(width(line) for line in text.splitlines()) <= narrow
    total = next(line for line in text.splitlines() if line.startswith("合计"))
    assert total.split()[-4:] == ["198.00", "210.00", "无", "none"]
    assert "#2 不参与排名 not ranked: 会员" in text
    assert "#1 先按量 24 h 再包月 then the month: 可转包月" in text
    assert "#3 无合计 no total: no price in CNY" in text


@given(st.text(alphabet="ab 中，。、a1", max_size=200))
def test_wrapping_loses_nothing_and_keeps_within(text: str) -> None:
    lines = wrapped("头 head: ", text)
    assert "".join("".join(lines).split()) == "".join(("头 head: " + text).split())
    words = max((width(word) for word in text.split()), default=0)
    assert all(width(line) <= max(80, words + 12) for line in lines)


def test_a_mark_that_ends_a_clause_never_begins_a_line() -> None:
    lines = wrapped("", "只在按量价落在此区间、" * 12)
    assert len(lines) > 2
    assert not any(line.strip().startswith("、") for line in lines)


def test_the_checklist_tells_what_is_known_and_what_to_ask(narrow: int) -> None:
    """The articles' questions come with source and date; an unknown one is a question, never a no."""
    providers = load_providers()
    known = checklist_of(providers["autodl"])
    assert set(known) == set(QUESTIONS)
    docker = known["docker_inside"]
    assert docker is not None and docker["answer"] is False and docker["source"] and docker["as_of"]
    assert known["vpc"] is None
    assert all(fact is None for fact in checklist_of(None).values())
    rows = compare([offer("RTX4090", 2)], [], {}, Asked(Decimal(10)), NOW)
    text = " ".join(compare_words([{**rows[0], "checklist": known}]).split())
    assert "已知 known: 可用 Docker inside 否 no" in text
    assert "要问 to ask: VPC, 存储加密 encryption at rest" in text


def test_a_tie_says_what_another_seller_or_card_costs() -> None:
    job = job_of({"name": "mine", "model": "Qwen2.5-7B", "method": "lora", "tokens": 1e9})
    twice = [offer(offer_id="offer:a"), offer(offer_id="offer:b", state="missing")]
    known = Sources(("autodl",), (), NOW)

    def told(*more: Any) -> str:
        document = answer(market([*twice, *more]), job, SizingPlanner.of(job), known)
        return fit_words(document, {"autodl": "https://www.autodl.com"})

    assert "与第 2 名同价" in (alone := told()) and "换平台" not in alone
    assert "换平台或换卡贵 50.0 %（第 3 名） / another seller or card +50.0 % (#3)" in told(
        offer("RTX4090", 3, provider="matpool")
    ).replace("\n    ", " ")
    assert "#2 标记 mark: 最近未见 not in last crawl" in alone
    assert "#1 去处 where: https://www.autodl.com 追溯 its proof: suanjia explain offer:a" in alone
