"""`suanjia new-provider --declared`: one polite look at a page, and the first provider file made of it."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import Any

from spiders.config import CrawlConfig
from spiders.egress import origin_of
from spiders.evidence import EvidenceStore
from spiders.pages.draft import toml
from spiders.pages.drafting import draft
from spiders.replay_rows import read_rows
from spiders.textio import charset_of, decode
from suanjia.childproc import Children, run_child
from suanjia.cli import NOTHING, REFUSED, Failure
from suanjia.settings import Settings

_SECONDS = 120.0
_REFUSING = ("robots", "blocked", "refused")


def drafted(settings: Settings, slug: str, url: str, *, browser: bool) -> tuple[str, list[str]]:
    """(text of the provider file, notes) for the page at `url`. Failure: it did not come (5 where it may not
    be asked), or holds no prices (4)."""
    if not origin_of(url):
        raise Failure(f"{url!r} is no address such as https://www.idc.example/gpu.html")
    html = look(settings, slug, url, browser=browser)
    made = draft(html, url)
    if not made.archetype:
        raise Failure(f"nothing was written: {'; '.join(made.notes)}", NOTHING)
    return toml(made, slug, url, f"{settings.now():%Y-%m-%d}", browser=browser), made.notes


def look(settings: Settings, slug: str, url: str, *, browser: bool) -> str:
    """The source of a page, asked for as every crawl asks: robots.txt, egress guard, SUANJIA_ORIGINS,
    evidence."""
    with tempfile.TemporaryDirectory(prefix="suanjia-look-") as folder:
        file = Path(folder) / f"{slug}.toml"
        file.write_text(
            f'slug = "{slug}"\nname = "{slug}"\nclass = "idc"\n[source]\narchetype = "text"\nlines = "body"\n'
            f"pages = [{json.dumps(url)}]\nbrowser = {str(browser).lower()}\n",
            encoding="utf-8",
        )
        evidence = (settings.home / "evidence").absolute()
        config = CrawlConfig(
            provider=slug, run_id="look", run_dir=Path(folder) / "run", evidence_dir=evidence,
            now=settings.now(), origins=settings.origins(), delay=settings.number("delay"),
            timeout=settings.number("timeout"), time_limit=_SECONDS, browser=settings.text("browser"),
            provider_file=str(file), limit=1, contact=settings.environ.get("SUANJIA_CONTACT", ""),
        )  # fmt: skip
        ending = run_child(config, settings.environ, Children(), _SECONDS)
        rows = [row for row in read_rows(config.run_dir) if row["status"] == 200 and _is_page(row, browser)]
        if not rows:
            raise _did_not_come(ending.stats, url)
        body = EvidenceStore(evidence).read(rows[-1]["evidence"])
        if browser:
            states = json.loads(body)["states"]
            return str(states[0]["html"]) if states else ""
        return decode(body, charset_of(rows[-1]["headers"].get("content-type", "")))[0]


def _is_page(row: dict[str, Any], browser: bool) -> bool:
    return not row["url"].endswith("/robots.txt") and bool(row.get("browser")) == browser


def _did_not_come(stats: Any, url: str) -> Failure:
    problems = list((stats or {}).get("problems") or [])
    told = "; ".join(str(problem["message"]) for problem in problems) or "no answer"
    refused = any(problem["kind"] in _REFUSING for problem in problems)
    return Failure(f"{url} did not come: {told}", REFUSED if refused else NOTHING)
