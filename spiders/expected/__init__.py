"""Profiles of the sources, one JSON file each: see `spiders.profile`."""
