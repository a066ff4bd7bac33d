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
    found: list[Site] = []
    for info in pkgutil.iter_modules(__path__):
        if info.name.startswith("_"):
            continue
        module = importlib.import_module(f"{__name__}.{info.name}")
        found.extend(getattr(module, "SITES", None) or [module.SITE])
    slugs = [site.slug for site in found]
    origins = [origin for site in found for origin in (*site.origins, *site.aliases)]
    for names in (slugs, origins):
        twice = sorted({name for name in names if names.count(name) > 1})
        if twice:
            raise ValueError(f"declared twice in market/sites: {', '.join(twice)}")
    return tuple(sorted(found, key=lambda site: site.slug))
