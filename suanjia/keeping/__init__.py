"""Keeping a home for years: copies that can be trusted, and what is removed when."""
