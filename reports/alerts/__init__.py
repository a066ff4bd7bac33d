"""Alerts: rules of the user's own, each told once per crossing."""
