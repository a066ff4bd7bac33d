"""A large JSON file read section by section: the same pairs as a whole read, whatever the chunks."""

from __future__ import annotations

import io
import json
from typing import Any

import ijson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spiders.aws_files import price_list
from spiders.sections import Sections

KEYS = st.text("ABCDEF0123456789", min_size=1, max_size=12)
VALUES = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(-9, 9), st.text(max_size=20), st.just('"terms": {'),
              st.just('Reserved"')),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(KEYS, inner, max_size=3)),
    max_leaves=8,
)  # fmt: skip
OBJECTS = st.dictionaries(KEYS, VALUES, max_size=6)


class Trickle(io.BytesIO):
    """A stream that gives a few bytes at a time."""

    step = 7

    def read(self, size: int | None = -1, /) -> bytes:
        return super().read(min(self.step, size if size and size > 0 else self.step))


@settings(max_examples=150)
@given(products=OBJECTS, demand=OBJECTS, reserved=st.none() | OBJECTS, step=st.integers(1, 300),
       indent=st.none() | st.just(2))  # fmt: skip
def test_sections_are_the_objects(
    products: dict[str, Any], demand: dict[str, Any], reserved: dict[str, Any] | None, step: int, indent: int
) -> None:
    terms = {"OnDemand": demand} | ({"Reserved": reserved} if reserved is not None else {})
    stream = Trickle(json.dumps({"head": 1, "products": products, "terms": terms}, indent=indent).encode())
    stream.step = step
    sections = Sections(stream)
    assert dict(sections.pairs("products", "terms")) == products
    assert dict(sections.pairs("terms.OnDemand", "Reserved", b'{"terms":{')) == demand
    found = dict(sections.pairs("terms.Reserved", "", b'{"terms":{"Reserved":{'))
    assert found == (reserved or {})


def whole(document: dict[str, Any]) -> list[tuple[str, str, Any]]:
    return list(price_list(lambda: io.BytesIO(json.dumps(document).encode())))


PRODUCTS, DEMAND, RESERVED = {"A": {"x": 1}}, {"A": {"y": 2}}, {"A": {"z": 3}}
EXPECTED = [("products", "A", {"x": 1}), ("OnDemand", "A", {"y": 2}), ("Reserved", "A", {"z": 3})]


def test_the_order_of_the_file_does_not_matter() -> None:
    usual = {"products": PRODUCTS, "terms": {"OnDemand": DEMAND, "Reserved": RESERVED}}
    assert whole(usual) == EXPECTED
    terms_first = {"terms": {"OnDemand": DEMAND, "Reserved": RESERVED}, "products": PRODUCTS}
    assert [row for row in whole(terms_first) if row[0] == "products"] == EXPECTED[:1]
    assert whole(terms_first)[-3:] == EXPECTED
    reserved_first = {"products": PRODUCTS, "terms": {"Reserved": RESERVED, "OnDemand": DEMAND}}
    assert sorted(whole(reserved_first)) == sorted(EXPECTED)


@pytest.mark.parametrize("share", [0.1, 0.3, 0.5, 0.7, 0.9, 0.99])
def test_half_a_file_is_no_file(share: float) -> None:
    many = {f"S{n}": {"n": n} for n in range(200)}
    body = json.dumps({"products": many, "terms": {"OnDemand": many, "Reserved": many}}).encode()
    with pytest.raises(ijson.IncompleteJSONError):
        list(price_list(lambda: io.BytesIO(body[: int(len(body) * share)])))


@settings(max_examples=100)
@given(st.binary(max_size=300))
def test_other_bytes_are_refused_by_name(body: bytes) -> None:
    try:
        list(price_list(lambda: io.BytesIO(body)))
    except ijson.JSONError:
        return
    assert body.strip()  # ijson takes some scalars for documents; then there is nothing in them
