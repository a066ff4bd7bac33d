"""Finished runs of the user's own correct fit as they correct size, and the answer says so."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from reports.fit.answer import answer
from reports.fit.job import job_of
from reports.fit.planner import SizingPlanner
from reports.fit.search import Asked, search
from reports.fit.use import Good, Use
from sizing import runs
from sizing.errors import SizingError
from sizing.runs import Run
from suanjia.fit_words import fit_words
from tests.reports.fitkit import SOURCES, market, offer

ROW: dict[str, Any] = {"name": "mine", "model": "Qwen2.5-7B", "method": "lora", "tokens": 20_000_000}
LORA_4090 = Run("2026-11-01T00:00:00+08:00", "qwen2.5-7b", "lora", "RTX4090", seq_len=2048, micro_batch=1)
CARD = Good("RTX4090", None)


def use(own: list[Run], good: Good = CARD, cards: int = 1, **more: Any) -> Use | None:
    return SizingPlanner.of(job_of({**ROW, **more}), own).use(good, cards, 1)


def guess(run: Run) -> tuple[float, float]:
    """(peak GiB, tokens/s) that sizing expects of a run, uncorrected."""
    from sizing import cards
    from sizing.estimate import estimate
    from sizing.task import parse

    task = {"model": run.model, "method": run.method, "seq_len": 2048, "micro_batch": 1, "cards": run.cards}
    found = estimate(parse(task, cards.get("RTX4090")))
    assert found.tokens_per_s_p50
    return found.peak_gib_p50, found.tokens_per_s_p50


def test_hours_and_peak_move_towards_what_was_measured() -> None:
    peak, rate = guess(LORA_4090)
    plain = use([])
    fast = use([replace(LORA_4090, tokens_per_s=rate * 4, peak_gib=peak * 0.81)])
    assert plain is not None and fast is not None and plain.own_runs is None
    assert plain.peak_gib is not None and fast.peak_gib is not None
    # One run goes half-way: a factor of 4 counts as 2, of 0.81 as 0.9.
    assert fast.own_runs == {"memory": {"factor": 0.9, "runs": 1}, "speed": {"factor": 2.0, "runs": 1}}
    assert fast.seconds_p50 == pytest.approx(plain.seconds_p50 / 2, rel=0.1)
    assert fast.peak_gib < plain.peak_gib or fast.strategy != plain.strategy
    many = use([replace(LORA_4090, tokens_per_s=rate / 2)] * 9)
    assert many is not None and many.own_runs is not None
    assert many.own_runs["speed"]["runs"] == 9
    assert many.seconds_p50 > plain.seconds_p50 * 1.7


def test_more_memory_than_estimated_takes_the_plan_away() -> None:
    peak, _ = guess(LORA_4090)
    heavy = [replace(LORA_4090, peak_gib=peak * 4)] * 9
    assert use([]) is not None
    assert use(heavy) is None
    fits = search(market([offer("RTX4090", 2)]), job_of(ROW), SizingPlanner.of(job_of(ROW), heavy)).fits
    assert all(fit.use.cards > 1 for fit in fits)


def test_less_memory_than_estimated_opens_smaller_cards() -> None:
    peak, _ = guess(LORA_4090)
    small = Good("RTX3080", None)
    assert use([], small) is None
    light = use([replace(LORA_4090, peak_gib=peak * 0.3)] * 9, small)
    assert light is not None and light.peak_gib is not None and light.usable_gib is not None
    assert light.peak_gib <= light.usable_gib


@pytest.mark.parametrize(
    "other",
    [
        replace(LORA_4090, model="qwen2.5-14b", tokens_per_s=1, peak_gib=90),
        replace(LORA_4090, method="qlora", tokens_per_s=1, peak_gib=90),
        replace(LORA_4090, framework="Unsloth", tokens_per_s=1, peak_gib=90),
        replace(LORA_4090, card="A10", tokens_per_s=1),
    ],
)
def test_runs_of_another_kind_change_nothing(other: Run) -> None:
    assert use([other]) == use([])


def test_the_search_finds_the_same_as_trying_everything() -> None:
    """Bounds must stay bounds when own runs were faster and needed less than estimated."""
    peak, rate = guess(LORA_4090)
    own = [replace(LORA_4090, tokens_per_s=rate * 3, peak_gib=peak * 0.5)] * 6
    cards = ("RTX4090", "RTX3090", "A100-80G", "T4", "L20", "RTX3080", "P40")
    sold = market([offer(card, 1 + n, provider=f"p{n}") for n, card in enumerate(cards)])
    for own_runs in (own, []):
        job = job_of(ROW)
        planner = SizingPlanner.of(job, own_runs)
        quick = search(sold, job, planner, Asked(limit=3)).fits
        whole = search(sold, job, planner, Asked(limit=3, count=True)).fits
        assert [(fit.entry.offer.card, fit.use) for fit in quick] == [
            (fit.entry.offer.card, fit.use) for fit in whole
        ]
        for good in sold.goods:
            for cards_used in (1, 2, 4, 8):
                found = planner.use(good, cards_used, 1)
                bound = planner.bound(good, cards_used, 1)
                if found is not None:
                    assert bound is not None and bound <= found.seconds_p50


def test_inference_runs_correct_the_memory_of_serving() -> None:
    row = {"model": "Qwen2.5-7B", "method": "inference", "hours": 1, "concurrency": 4, "tokens": None}
    run = Run("2026-11-01T00:00:00+08:00", "qwen2.5-7b", "inference", "RTX4090", peak_gib=23.0)
    found = use([run], **row)
    assert found is not None and found.own_runs is not None
    assert found.own_runs["memory"]["runs"] == 1


def test_the_answer_says_it_in_json_and_in_words() -> None:
    _, rate = guess(LORA_4090)
    job = job_of(ROW)
    own = [replace(LORA_4090, tokens_per_s=rate * 2)] * 2
    document = answer(market([offer("RTX4090", 2)]), job, SizingPlanner.of(job, own), SOURCES)
    assert document["fits"][0]["own_runs"]["speed"]["runs"] == 2
    assert "corrected by own runs: 速度 speed ×1.59（2 次 runs）" in fit_words(document)
    plain = answer(market([offer("RTX4090", 2)]), job, SizingPlanner.of(job), SOURCES)
    assert plain["fits"][0]["own_runs"] is None
    assert "own runs" not in fit_words(plain)
    assert plain["fits"][0]["total_cny_p50"] > document["fits"][0]["total_cny_p50"]


def test_size_and_fit_are_moved_by_the_same_factor() -> None:
    """What `size` says of the very task is what `fit` counts with."""
    from sizing import cards
    from sizing.estimate import estimate
    from sizing.task import parse

    peak, rate = guess(LORA_4090)
    own = [replace(LORA_4090, tokens_per_s=rate * 2, peak_gib=peak * 0.9)]
    asked = {"model": "qwen2.5-7b", "method": "lora", "seq_len": 2048, "micro_batch": 1}
    found = estimate(parse(asked, cards.get("RTX4090")))
    moved = runs.correct(found, own)
    assert found.tokens_per_s_p50 and moved.tokens_per_s_p50
    fitted = use(own, micro_batch=1, seq_len=2048)
    assert fitted is not None and fitted.own_runs is not None
    assert fitted.own_runs["speed"]["factor"] == pytest.approx(
        moved.tokens_per_s_p50 / found.tokens_per_s_p50, abs=1e-3
    )
    assert fitted.own_runs["memory"]["factor"] == pytest.approx(
        moved.peak_gib_p50 / found.peak_gib_p50, abs=1e-3
    )
    assert fitted.peak_gib == pytest.approx(moved.peak_gib_p90, rel=1e-6)


@pytest.mark.parametrize("field", ["loss_kernel", "optimizer", "zero", "offload"])
def test_a_run_with_an_unknown_layout_is_refused(field: str) -> None:
    with pytest.raises(SizingError, match=field):
        replace(LORA_4090, **{field: "magic"})
