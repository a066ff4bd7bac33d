"""One file a provider, each at most 60 lines: what it prints, where, in which unit (docs: CONTRIBUTING)."""
