"""Listing → Offer or Rejection: what a text means, checks, gates, segments."""
