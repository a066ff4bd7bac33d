"""The alias table: every alias leads to a card of the table, and no two meanings share one spelling."""

from __future__ import annotations

from catalog.card_index import GAPS, atoms, index
from catalog.cards import cards
from catalog.table import rows


def test_aliases_name_cards_of_the_table() -> None:
    for row in rows("card_aliases.csv"):
        assert not row["card"] or row["card"] in cards(), row
        assert row["source"] and row["confidence"], row
        assert row["kind"] in ("", "slice"), row


def test_no_alias_has_two_meanings() -> None:
    seen: dict[tuple[str, str, str], str] = {}
    for row in rows("card_aliases.csv"):
        key = (row["alias"].upper(), row["provider"], row["when_gb"])
        assert key not in seen, (row, seen[key])
        seen[key] = row["card"]


def test_every_alias_is_found_glued_and_spaced() -> None:
    for row in rows("card_aliases.csv"):
        if "(" in row["alias"] or row["provider"]:
            continue
        found = atoms(row["alias"].upper())
        node = index()
        for i, atom in enumerate(found):
            gap = row["alias"][found[i - 1].end() : atom.start()] if i else ""
            assert gap in GAPS
            node = node.edges[(" " if gap else "") + atom.group()]
        assert node.entry is not None, row


def test_a_providers_meaning_stays_with_the_provider() -> None:
    def meaning(provider: str | None) -> str | None:
        entry = index(provider).edges["A"].edges["100"].entry
        assert entry is not None
        return entry.card

    assert meaning(None) == "A100"
    assert meaning("compshare") == "A100-80G"
    assert meaning("tencent") == "A100-40G"
    assert meaning("a_seller_without_words") == "A100"
    assert index("a_seller_without_words") is index()  # no table of its own, no memory of its own


def test_a_provider_alias_has_its_source_and_day() -> None:
    for row in rows("card_aliases.csv"):
        if row["provider"]:
            assert row["valid_from"], row
