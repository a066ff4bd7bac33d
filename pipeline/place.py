"""Where a listing's good stands, as its seller says."""

from __future__ import annotations

from datetime import date

from catalog.providers import Provider
from pipeline.reading import region as region_reader
from pipeline.reading.region import RegionReading
from pipeline.reading.region_names import inside
from spiders.listing import Listing

_ABOVE_CITY = frozenset(("province", "macro", "nation"))


def place_of(listing: Listing, provider: Provider | None, day: date) -> RegionReading:
    """Where the good stands. A seller's own words (`[regions]` of its file) go before what a name means; a
    declared seller's zone counts where its region is no place, or one above a city that holds it."""
    if provider is None or provider.source.archetype is None:
        return region_reader.read(listing.region_text or listing.zone_text or "", listing.provider, day)
    own = {label.strip(): code for label, code in provider.regions.items()}
    places = [
        region_reader.reading(own[word]) if word in own else region_reader.read(word, listing.provider, day)
        for text in (listing.region_text, listing.zone_text)
        if (word := (text or "").strip())
    ]
    first = places[0] if places else region_reader.reading(None)
    for finer in places[1:]:
        coarse = first.precision in _ABOVE_CITY and finer.code is not None
        if first.code is None or (coarse and inside(finer.code or "", first.code)):
            first = finer
    return first
