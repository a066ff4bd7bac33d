"""Readers: price text, card, region and units, over normalised text."""
