"""Provider files for commands: read them all, and turn what is wrong with one into a line and exit code 2."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from catalog.providers import Provider, ProviderFileError, load_providers
from suanjia.cli import Failure
from suanjia.settings import Settings


def providers_of(settings: Settings) -> Mapping[str, Provider]:
    """All providers, built in and the user's. Failure (2) names file, key and reason."""
    try:
        return load_providers(settings.home)
    except ProviderFileError as error:
        raise Failure(str(error)) from None


def named(providers: Mapping[str, Provider], slugs: Iterable[str]) -> list[str]:
    """The slugs, each once, in order. Failure (2) for one that is unknown or is not asked."""
    found = list(dict.fromkeys(slugs))
    for slug in found:
        provider = providers.get(slug)
        if provider is None:
            raise Failure(f"no provider {slug!r}; `suanjia providers` lists them")
        if provider.status != "active":
            why = f": {provider.reason}" if provider.reason else ""
            raise Failure(f"{slug} is {provider.status} and is not asked{why}")
    return found


def missing_keys(provider: Provider, environ: Mapping[str, str]) -> list[str]:
    """Variables to set before the provider can be asked at all; empty when a route needs none or has all."""
    routes = provider.routes
    lacking = [[name for name in route.needs if not environ.get(name)] for route in routes]
    return sorted(set().union(*lacking)) if routes and all(lacking) else []
