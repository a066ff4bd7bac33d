"""Questions of `suanjia size` answered one by one: an object in, an object out, an error as a sentence."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from sizing import ladder
from sizing.cards import CardFacts
from sizing.errors import SizingError, shown
from sizing.estimate import Estimate, estimate
from sizing.fields import positive
from sizing.runs import Run, correct
from sizing.task import parse
from sizing.workload import DEFAULT_EPOCHS

# (card text, card_mem_gb, notes) → facts and the number of cards that the text names, if it does
CardReader = Callable[[str, float | None, list[str]], tuple[CardFacts | None, int | None]]

TASK_FIELDS = frozenset(
    "model params config method precision quant seq_len micro_batch grad_accum grad_checkpoint flash_attn "
    "optimizer lora_rank lora_targets cards card card_mem_gb nodes zero_stage offload tp pp sp framework "
    "loss_kernel concurrency tokens samples tokens_per_sample epochs step_seconds dataset_gb".split()
)


def _hours(task: Mapping[str, Any], found: Estimate) -> dict[str, float]:
    """`hours_p10/p50/p90` where the task says how many tokens it trains on."""
    tokens = positive(task, "tokens")
    samples, mean = positive(task, "samples"), positive(task, "tokens_per_sample")
    if tokens is None and samples is not None and mean is not None:
        tokens = samples * min(mean, found.task.seq_len)
    if tokens is None or found.tokens_per_s_p50 is None or found.task.method == "inference":
        return {}
    epochs = positive(task, "epochs") or DEFAULT_EPOCHS
    fixed = (found.host.load_s + found.host.save_s * max(1.0, epochs)) / 3600
    rates = {"p10": found.tokens_per_s_p90, "p50": found.tokens_per_s_p50, "p90": found.tokens_per_s_p10}
    return {f"hours_{k}": round(fixed + tokens * epochs / r / 3600, 3) for k, r in rates.items() if r}


def size(task: Any, card_reader: CardReader, runs: Iterable[Run] = ()) -> tuple[Estimate, dict[str, Any]]:
    """One task object → the estimate and its JSON answer. SizingError for what cannot be sized."""
    if not isinstance(task, Mapping):
        raise SizingError(f"task must be an object, got {type(task).__name__}")
    notes: list[str] = []
    raw = dict(task)
    if strange := sorted(set(raw) - TASK_FIELDS):
        notes.append(f"ignored field {', '.join(strange)}")
    text, card = raw.get("card"), None
    if text is not None:
        if not isinstance(text, str) or not text.strip():
            raise SizingError(f"card must be the name of a card, got {shown(text)}")
        card, named = card_reader(text, positive(raw, "card_mem_gb"), notes)
        if named and raw.get("cards") is None:
            raw["cards"] = named
    parsed = parse(raw, card, notes)
    found = estimate(
        parsed, step_seconds=positive(raw, "step_seconds"), dataset_gb=positive(raw, "dataset_gb") or 0.0
    )
    found = correct(found, runs)
    answer = {**found.as_json(), **_hours(raw, found)}
    if found.fits is False:
        answer["smallest_change"] = ladder.smallest_change(parsed)
    return found, answer


def answer(question: Mapping[str, Any], card_reader: CardReader, runs: Iterable[Run] = ()) -> dict[str, Any]:
    """One line of the protocol: `{"id","task"}` → the answer, or `{"id","error"}`."""
    ident = question.get("id")
    try:
        if "task" not in question:
            raise SizingError("the line has no task")
        return {"id": ident, **size(question["task"], card_reader, runs)[1]}
    except SizingError as error:
        return {"id": ident, "error": str(error)}
