"""Which spider asks a provider: `spiders/sources/<slug>.py` holds class `<Slug>`. This module imports no
Scrapy."""

from __future__ import annotations

import ast
import importlib
import re
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING

from catalog.providers import read_provider

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


# archetype of a provider file → (module, class) of the spider that reads it
ARCHETYPES = {"shop": ("spiders.shop", "ShopSpider")}
DECLARED = ("spiders.declared", "DeclaredSpider")


def needs_browser(slug: str) -> bool:
    """Is the source one for the browser? Told from its text: the parent of a crawl loads no Scrapy."""
    if slug not in slugs():
        return False
    parents = dict(_bases())
    parents.update(_classes((files("spiders.sources") / f"{slug}.py").read_text("utf-8")))
    names, known = [class_name(slug)], set[str]()
    while names:
        name = names.pop()
        if name == "BrowserSpider":
            return True
        if name not in known:
            known.add(name)
            names.extend(parents.get(name, ()))
    return False


@cache
def _bases() -> dict[str, tuple[str, ...]]:
    """Class → names of its bases, over all base spiders."""
    found: dict[str, tuple[str, ...]] = {}
    for entry in files("spiders.base").iterdir():
        if entry.name.endswith(".py"):
            found.update(_classes(entry.read_text("utf-8")))
    return found


def _classes(text: str) -> dict[str, tuple[str, ...]]:
    return {
        node.name: tuple(base.id for base in node.bases if isinstance(base, ast.Name))
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.ClassDef)
    }


def spider_class(slug: str) -> type[SourceSpider]:
    """The spider of a built-in source. LookupError if there is none; loads Scrapy."""
    if not _SLUG.fullmatch(slug) or slug not in slugs():
        raise LookupError(f"no spider for {slug!r}")
    module = importlib.import_module(f"spiders.sources.{slug}")
    found: type[SourceSpider] = getattr(module, class_name(slug))
    return found


def declared_class(file: Path) -> type[SourceSpider]:
    """The spider of a provider that is described in TOML alone; its class carries the file as `provider`.

    LookupError for a file without an archetype, ProviderFileError for one that does not fit the schema.
    """
    provider = read_provider(file)
    archetype = provider.source.archetype
    if archetype is None:
        raise LookupError(f"{file.name} declares no archetype")
    module, name = ARCHETYPES.get(archetype, DECLARED)
    base: type[SourceSpider] = getattr(importlib.import_module(module), name)
    return type(class_name(provider.slug), (base,), {"name": provider.slug, "provider": provider})
