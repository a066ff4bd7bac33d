"""The facts file is whole, and a site shows only what a seller said by that day."""

from __future__ import annotations

from collections import Counter
from datetime import date, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from market.facts import SHANGHAI, all_facts, latest, market_day, provider_facts


def test_every_row_is_there_with_its_source() -> None:
    facts = all_facts()
    assert len(facts) == len({f.fact_id for f in facts}) == 1963
    assert all(f.source for f in facts)
    assert Counter(f.trust for f in facts) == {
        "seller_via_third_party": 1338,
        "seller": 356,
        "claim": 143,
        "aggregator": 103,
        "article": 23,
    }
    assert sum(f.note.startswith("KNOWN ERROR") for f in facts) == 47


def test_known_errors_claims_and_carried_values_are_never_served() -> None:
    served = [f for p in {f.provider for f in all_facts()} for f in provider_facts(p)]
    assert len(served) == 1692
    assert not any(f.note.startswith(("KNOWN ERROR", "CARRIED")) for f in served)
    assert {f.trust for f in served} == {"seller", "seller_via_third_party"}


def test_a_month_counts_from_its_first_day() -> None:
    by_id = {f.fact_id: f for f in all_facts()}
    assert by_id["PLT-0064"].since == date(2026, 3, 1)  # 2026-03
    assert by_id["CTY-0001"].since == date(2026, 1, 1)  # 2026
    assert by_id["ALI-0001"].since == date(2024, 10, 9)


def test_the_day_is_chinas() -> None:
    assert market_day(datetime.fromisoformat("2026-10-03T16:00:00+00:00")) == date(2026, 10, 4)
    with pytest.raises(ValueError, match="offset"):
        market_day(datetime(2026, 10, 4))


@given(st.integers(0, 4000), st.sampled_from(["gitee_ai", "compshare", "autodl", "aws_cn", "ctyun"]))
def test_latest_never_looks_ahead_and_never_back(days: int, provider: str) -> None:
    now = datetime(2018, 1, 1, tzinfo=SHANGHAI) + timedelta(days=days)
    facts = provider_facts(provider)
    found = latest(facts, now, lambda f: (f.card_raw, f.sku, f.mode, f.price_kind))
    for key, fact in found.items():
        same = [
            f for f in facts if (f.card_raw, f.sku, f.mode, f.price_kind) == key and f.since <= now.date()
        ]
        assert fact is same[-1]
    assert {f.since for f in found.values()} <= {f.since for f in facts if f.since <= now.date()}
