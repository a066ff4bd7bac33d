"""One module a site; each declares `SITE` (or `SITES`, for hosts that share a shape); `_x` are parts of
one.
"""

from __future__ import annotations

import importlib
import pkgutil
from functools import cache

from market.site import Site


@cache
def all_sites() -> tuple[Site, ...]:
    """Every stand-in site, by slug. Raises ValueError when two claim one slug or one origin."""
    found: list[tuple[Site, str]] = []
    for info in pkgutil.iter_modules(__path__):
        if info.name.startswith("_"):
            continue
        module = importlib.import_module(f"{__name__}.{info.name}")
        found.extend((site, info.name) for site in getattr(module, "SITES", None) or [module.SITE])
    claims: dict[str, list[str]] = {}
    for site, file in found:
        for name in (site.slug, *site.origins, *site.aliases):
            claims.setdefault(name, []).append(f"{site.slug} ({file}.py)")
    twice = [f"{name} by {' and '.join(sites)}" for name, sites in sorted(claims.items()) if len(sites) > 1]
    if twice:
        raise ValueError(f"declared twice in market/sites: {'; '.join(twice)}")
    return tuple(sorted((site for site, _ in found), key=lambda site: site.slug))
