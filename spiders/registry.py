"""Which spider asks a provider: `spiders/sources/<slug>.py` holds class `<Slug>`. This module imports no
Scrapy."""

from __future__ import annotations

import importlib
import re
from importlib.resources import files
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from spiders.base import SourceSpider

_SLUG = re.compile(r"[a-z][a-z0-9_]*")


def slugs() -> list[str]:
    """Providers that have a source file, sorted."""
    found = (entry.name.removesuffix(".py") for entry in files("spiders.sources").iterdir())
    return sorted(name for name in found if _SLUG.fullmatch(name) and name != "__init__")


def class_name(slug: str) -> str:
    """`aws_cn` → `AwsCn`."""
    return "".join(part.capitalize() for part in slug.split("_"))


def spider_class(slug: str) -> type[SourceSpider]:
    """The spider of a provider. LookupError if it has none; loads Scrapy."""
    if not _SLUG.fullmatch(slug) or slug not in slugs():
        raise LookupError(f"no spider for {slug!r}")
    module = importlib.import_module(f"spiders.sources.{slug}")
    found: type[SourceSpider] = getattr(module, class_name(slug))
    return found
