"""Sizing: what a job needs. Workload → Plan: memory, cards, strategy, hours, each with its band.

Physics first (`memory`, `speed`), a handful of fitted constants per framework (`profiles.toml`), and an
honest band. Imports the catalog alone. Every formula, its source and the measured accuracy:
`docs/sizing.md`.
"""
