"""Is it the card, are there as many, and is it whole: a failure here is another good than the one sold."""

from __future__ import annotations

from collections.abc import Iterable

from reports.vet import facts
from reports.vet.check import DIFFERS, SUSPECT, Case, Check, all_true, one_of, words


def count(case: Case) -> Iterable[Check]:
    shown = case.machine.attached or len(case.gpus)
    wanted = case.sold.count
    if wanted is not None or shown != len(case.gpus):
        ok = None if wanted is None else shown == wanted
        if case.machine.cut_short and wanted is not None and shown < wanted:
            ok = None  # the others may stand in what was cut off
        yield Check("count", one_of([wanted]), str(shown), ok, DIFFERS)


def name(case: Case) -> Iterable[Check]:
    """The printed name alone; memory has its own check."""
    wanted = {p.card for p in case.sold.products} or case.sold.accepts
    answers: list[bool | None] = []
    for gpu, verdict in zip(case.gpus, case.verdicts, strict=True):
        names = {p.card for p in verdict.products} or ({verdict.card} if verdict.card else set())
        if gpu.name is None:
            answers.append(None)
        elif len(names) > 1 and gpu.name_cut:
            answers.append(None if names & wanted else False)
        else:
            answers.append(bool(names & wanted))
    cut = any(gpu.name_cut for gpu in case.gpus)
    note = "the table cuts the name; nvidia-smi -L prints it whole" if None in answers and cut else ""
    yield Check(
        "name", case.sold.card, words(gpu.name for gpu in case.gpus), all_true(answers), DIFFERS, note
    )


def form(case: Case) -> Iterable[Check]:
    forms = [one_of({p.form for p in v.products}) for v in case.verdicts if v.products]
    wanted = case.sold.form
    ok = None if wanted is None else all_true(form == wanted for form in forms)
    mixed = len(set(forms)) > 1
    if forms:
        note = "SXM and PCIe boards in one machine" if mixed else ""
        yield Check("form", wanted, words(forms), False if mixed else ok, DIFFERS, note)


def vram(case: Case) -> Iterable[Check]:
    sizes = [gpu.total_mib for gpu in case.gpus]
    answers = [
        None
        if gpu.total_mib is None
        else any(facts.size_matches(gpu.total_mib, size, gpu.ecc) for size in case.sold.sizes)
        for gpu in case.gpus
    ]
    expected = one_of(f"{size} GB" for size in case.sold.sizes)
    shown = words(f"{mib:.0f} MiB" for mib in sizes if mib is not None)
    notes = {verdict.note for verdict in case.verdicts if verdict.note and verdict.products}
    yield Check("vram", expected, shown, all_true(answers), DIFFERS, one_of(sorted(notes)) or "")


def credible(case: Case) -> Iterable[Check]:
    """A named card with a memory that no such card has: a slice, a re-fitted board, or an edited text."""
    odd = [v.note for v in case.verdicts if v.impossible]
    if odd:
        yield Check("memory_possible", "a size this card is made in", one_of(odd), False, SUSPECT)


def capability(case: Case) -> Iterable[Check]:
    wanted = {p.compute_capability for p in case.sold.products}
    found = [
        gpu.compute_capability or one_of({p.compute_capability for p in facts.by_device(gpu.device_id or "")})
        for gpu in case.gpus
    ]
    arches = {p.arch for p in case.sold.products}
    answers: list[bool | None] = []
    for gpu, capability in zip(case.gpus, found, strict=True):
        if capability is not None:
            answers.append(capability in wanted if wanted else None)
        else:
            answers.append(None if gpu.arch is None or not arches else gpu.arch in arches)
    shown = words(c or g.arch for c, g in zip(found, case.gpus, strict=True))
    yield Check("compute_capability", one_of(sorted(wanted)), shown, all_true(answers), DIFFERS)


def device(case: Case) -> Iterable[Check]:
    """The PCI id is what the driver binds to: a name beside another card's id was changed."""
    known = [gpu for gpu in case.gpus if gpu.device_id]
    if not known:
        return
    answers: list[bool | None] = []
    shown = []
    for gpu in known:
        identifier = gpu.device_id or ""
        behind = facts.by_device(identifier)
        odd = facts.odd_devices().get(identifier)
        shown.append(odd or (f"{identifier} {behind[0].name}" if behind else identifier))
        same = set(behind) & set(case.sold.products)
        answers.append(False if odd else bool(same) if behind and case.sold.products else None)
    ids = sorted({i for p in case.sold.products for i in p.device_ids})
    yield Check("device_id", one_of(ids), words(shown), all_true(answers), DIFFERS)


def partition(case: Case) -> Iterable[Check]:
    modes = [gpu.mig for gpu in case.gpus]
    on = any(mode == "enabled" for mode in modes) or any(gpu.mig_devices for gpu in case.gpus)
    shown = "enabled" if on else words(modes)
    yield Check("mig", "disabled or n/a", shown, False if on else None if shown is None else True, DIFFERS)
    slices = [verdict.slice for verdict in case.verdicts]
    if case.sold.products:
        kinds = [
            "vGPU" if (gpu.virtualization or "").upper() == "VGPU" else "slice" if cut else gpu.virtualization
            for gpu, cut in zip(case.gpus, slices, strict=True)
        ]
        bad = any(kind in {"vGPU", "slice"} for kind in kinds)
        ok = False if bad else None if words(kinds) is None else True
        yield Check("whole_card", "None or Pass-Through", words(kinds), ok, DIFFERS)
