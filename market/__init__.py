"""The stand-in market: local sites that behave as the real ones are documented to, seeded with real dated prices."""
