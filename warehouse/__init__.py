"""Warehouse: segments become one append-only store, the index, and published generations."""
