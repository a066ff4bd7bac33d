"""NVLink or PCIe: what `topo -m` and `nvlink -s` say against what the card and the seller promise."""

from __future__ import annotations

from reports.vet.facts import Product, products
from reports.vet.machine import Machine
from reports.vet.sold import Sold, Verdict

Answer = tuple[str | None, str | None, bool | None, bool, str]  # expected, found, ok, hard, note


def judge(machine: Machine, sold: Sold, verdicts: tuple[Verdict, ...]) -> Answer | None:
    """The interconnect check; None where the text says nothing of links and nobody asked."""
    found = {p for v in verdicts for p in v.products} & set(sold.products) or set(sold.products)
    pairs = _pairs(machine)
    if pairs:
        return _topology(pairs, found, sold)
    counts = {gpu.nvlinks_up for gpu in machine.gpus if gpu.nvlinks_up is not None}
    if counts:
        return _link_count(counts, found, sold)
    if sold.nvlink is not None:
        return (
            "NVLink" if sold.nvlink else "PCIe",
            None,
            None,
            False,
            "give the output of nvidia-smi topo -m",
        )
    return None


def _pairs(machine: Machine) -> dict[tuple[int, int], str]:
    return {pair: word for pair, word in machine.links.items() if pair[0] < pair[1]}


def _topology(pairs: dict[tuple[int, int], str], found: set[Product], sold: Sold) -> Answer:
    linked = {pair: word for pair, word in pairs.items() if word.startswith("NV")}
    shown = ", ".join(f"{word} ×{list(pairs.values()).count(word)}" for word in sorted(set(pairs.values())))
    kinds = {p.link_kind for p in found}
    numbers = {p.links for p in found if p.links}
    whole = len(linked) == len(pairs)
    if sold.nvlink and not linked:
        return "NVLink", shown, False, True, "sold with NVLink, linked over PCIe"
    if sold.nvlink and not whole and kinds != {"mesh"}:
        return "NVLink", shown, False, True, _mix(linked)
    if kinds == {"none"}:
        note = "this card has no NVLink" if linked else ""
        return "PCIe", shown, not linked, False, note
    if kinds == {"bridge"}:
        return "PCIe or bridged pairs", shown, _numbers_fit(linked, numbers), False, _others(linked, numbers)
    if "switch" in kinds:
        expected = " or ".join(f"NV{n}" for n in sorted(numbers))
        if not whole:
            note = (
                "an SXM board without NVLink: PCIe mix or a virtual machine" if not linked else _mix(linked)
            )
            return expected, shown, False, False, note
        return expected, shown, _numbers_fit(linked, numbers), False, _others(linked, numbers)
    return (
        "NVLink" if kinds == {"mesh"} else None,
        shown,
        bool(linked) if kinds == {"mesh"} else None,
        False,
        "",
    )


def _mix(linked: dict[tuple[int, int], str]) -> str:
    pairs = ", ".join(f"{a}-{b}" for a, b in sorted(linked))
    return (
        f"PCIe mix: NVLink only between {pairs}"
        if len(linked) <= 8
        else "PCIe mix: some pairs have no NVLink"
    )


def _numbers_fit(linked: dict[tuple[int, int], str], numbers: set[int]) -> bool:
    return not numbers or all(int(word[2:]) in numbers for word in linked.values())


def _others(linked: dict[tuple[int, int], str], numbers: set[int]) -> str:
    """Whose number of links it is, where it is not this card's."""
    odd = sorted({int(word[2:]) for word in linked.values()} - numbers)
    names = sorted({p.card for p in products() if p.link_kind == "switch" and p.links in odd})
    return f"NV{odd[0]} is what {', '.join(names)} shows" if odd and names else ""


def _link_count(counts: set[int], found: set[Product], sold: Sold) -> Answer:
    numbers = {p.links for p in found if p.links}
    shown = ", ".join(f"{n} links up" for n in sorted(counts))
    if counts == {0}:
        expected = bool(sold.nvlink) or {p.link_kind for p in found} == {"switch"}
        return "NVLink" if expected else None, shown, False if expected else None, bool(sold.nvlink), ""
    expected_words = " or ".join(f"{n} links" for n in sorted(numbers)) or "no NVLink"
    linked = {(n, n + 1): f"NV{n}" for n in counts}
    return expected_words, shown, counts <= numbers if numbers else False, False, _others(linked, numbers)
