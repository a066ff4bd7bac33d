"""A known offer written in any documented style is read back as the same offer."""

from __future__ import annotations

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pipeline.reading.price import PriceReading, read
from tests.pipeline.price_styles import MODES, Offer, offers, written


@settings(max_examples=500, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.data())
def test_what_is_written_is_read_back(data: st.DataObject) -> None:
    offer: Offer = data.draw(offers())
    context, text = data.draw(written(offer))
    got = read(text, context)
    assert isinstance(got, PriceReading), (context, text, got)
    assert (got.card, got.vram_gb, got.cards, got.basis) == (
        offer.card,
        offer.vram_gb,
        offer.cards,
        offer.basis,
    )
    assert (got.price_low, got.price_high, got.currency) == (offer.low, offer.high, "CNY")
    per = ("month", 6) if offer.per == "half_year" else (offer.per, 1)
    assert (got.per, got.per_count) == per
    assert got.mode == MODES[offer.per]
    assert (got.approx, got.tax) == (offer.approx, offer.tax)
    assert got.price_kind == ("floor" if offer.high is None else "list")
    low, high = got.row()["price_cny_per_card_hour_low"], got.row()["price_cny_per_card_hour_high"]
    expected = [offer.per_card_hour(offer.low), offer.per_card_hour(offer.high)]
    assert [low, high] == [None if value is None else float(value) for value in expected]
