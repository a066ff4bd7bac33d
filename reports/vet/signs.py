"""Signs that the card is not what it seems, not well, or that the text was edited."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from reports.vet import facts, links
from reports.vet.check import DIFFERS, SUSPECT, Case, Check, all_true, one_of, words
from reports.vet.machine import whole

POWER_LOW, POWER_HIGH = (
    0.9,
    1.3,
)  # boards are sold with limits up to 25 % above the default (A100 SXM at 500 W)


def power(case: Case) -> Iterable[Check]:
    answers: list[bool | None] = []
    for gpu, verdict in zip(case.gpus, case.verdicts, strict=True):
        limits = {p.power_w for p in case.fitting(verdict)}
        cap = gpu.power_limit_w
        if cap is None or not limits:
            answers.append(None)
        else:
            answers.append(any(POWER_LOW * w <= cap <= POWER_HIGH * w for w in limits))
    expected = one_of(f"{w} W" for w in sorted({p.power_w for p in case.sold.products}))
    shown = words(f"{gpu.power_limit_w:.0f} W" for gpu in case.gpus if gpu.power_limit_w is not None)
    yield Check("power_limit", expected, shown, all_true(answers), SUSPECT)


def ecc(case: Case) -> Iterable[Check]:
    answers: list[bool | None] = []
    for gpu, verdict in zip(case.gpus, case.verdicts, strict=True):
        kinds = {p.ecc for p in case.fitting(verdict)}
        answers.append(
            None if gpu.ecc is None or not kinds else any(_ecc_fits(kind, gpu.ecc) for kind in kinds)
        )
    kinds = {p.ecc for p in case.sold.products}
    expected = one_of(sorted({"on": "on", "none": "n/a"}.get(kind, "on or off") for kind in kinds))
    yield Check("ecc", expected, words(gpu.ecc for gpu in case.gpus), all_true(answers), SUSPECT)


def _ecc_fits(kind: str, state: str) -> bool:
    return {"on": state == "on", "none": state in {"n/a", "off"}}.get(kind, True)


def interconnect(case: Case) -> Iterable[Check]:
    found = links.judge(case.machine, case.sold, case.verdicts)
    if found is not None:
        expected, shown, ok, hard, note = found
        yield Check("interconnect", expected, shown, ok, DIFFERS if hard else SUSPECT, note)


def pcie(case: Case) -> Iterable[Check]:
    wanted = {p.pcie_width for p in case.sold.products}
    widths = [gpu.pcie_width_max for gpu in case.gpus if gpu.pcie_width_max is not None]
    if widths and wanted:
        expected = one_of(f"x{w}" for w in sorted(wanted))
        ok = all(width >= min(wanted) for width in widths)
        yield Check("pcie_width", expected, words(f"x{w}" for w in widths), ok, SUSPECT)


def driver(case: Case) -> Iterable[Check]:
    """No driver knows a card that came after it; no driver prints a CUDA version older than its own."""
    branch = whole((case.machine.driver or "").split(".")[0])
    if branch is None:
        return
    named = [p for v in case.verdicts for p in v.products]
    first = min((p.min_driver for p in named), default=None)
    if first is not None:
        yield Check("driver_knows_card", f"≥ {first}", case.machine.driver, branch >= first, SUSPECT)
    known = [b for b in facts.cuda_of_branch() if b <= branch]
    if known and case.machine.cuda:
        own = facts.cuda_of_branch()[max(known)]
        ok = _version(case.machine.cuda) >= _version(own)
        yield Check("cuda_of_driver", f"≥ {own}", case.machine.cuda, ok, SUSPECT)


def _version(text: str) -> tuple[int, ...]:
    return tuple(part for part in map(whole, text.split(".")) if part is not None)


def health(case: Case) -> Iterable[Check]:
    errors = [gpu.ecc_uncorrected for gpu in case.gpus if gpu.ecc_uncorrected is not None]
    if errors:
        yield Check("ecc_errors", "0", str(sum(errors)), sum(errors) == 0, SUSPECT)
    faults = [fault for gpu in case.gpus for fault in gpu.faults]
    if faults:
        yield Check("memory_faults", "none", words(faults), False, SUSPECT)
    mute = [sensor for gpu in case.gpus for sensor in gpu.unreadable]
    if mute:
        yield Check("sensors", "readable", f"ERR! {words(mute)}", False, SUSPECT)
    slow = [reason for gpu in case.gpus for reason in gpu.slowdowns]
    if slow:
        yield Check("slowdown", "none", words(slow), False, SUSPECT)


def text(case: Case) -> Iterable[Check]:
    if "table" in case.machine.sections:
        ragged = case.machine.ragged_lines
        yield Check(
            "layout", "even lines", f"{ragged} uneven" if ragged else "even lines", not ragged, SUSPECT
        )
        if case.machine.cut_short:
            yield Check("whole_text", "to the end", "cut off in the table of cards", False, SUSPECT)
    if len(case.machine.sections) > 1:
        told = case.machine.conflicts
        yield Check("sections_agree", "one story", one_of(told) or "one story", not told, SUSPECT)
    repeated = [uuid for uuid, n in Counter(g.uuid for g in case.gpus if g.uuid).items() if n > 1]
    if repeated:
        yield Check("uuid", "one a card", one_of(repeated), False, SUSPECT)
