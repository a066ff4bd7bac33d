"""`suanjia new-provider`: the files of a new source, ready to be filled in (CONTRIBUTING says how)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from importlib.resources import files
from pathlib import Path
from string import Template

import click

from suanjia.cli import OK, REFUSED, Failure
from suanjia.settings import Settings

# kind → (route kind of the provider file, path of the stand-in page, how its rows become a page)
KINDS: dict[str, tuple[str, str, str]] = {
    "json": ("api", "api/gpus", ""),
    "table": (
        "table",
        "pricing.html",
        'head = "<tr><th>GPU 型号</th><th>卡数</th><th>价格（元/小时）</th></tr>"\n'
        '    lines = "".join(f"<tr><td>{c}</td><td>{n}</td><td>{p}</td></tr>" for c, n, p in rows)\n'
        '    body = f"<h2>GPU 价格</h2><table>{head}{lines}</table>"',
    ),
    "text": (
        "text",
        "prices.html",
        'lines = "".join(f"<p>{n}×{c}：{p}元/小时</p>" for c, n, p in rows)\n'
        "    body = f'<div class=\"content\">{lines}</div>'",
    ),
    "browser": (
        "browser",
        "market",
        'lines = "".join(f"<p>{c} ¥{p}/小时</p>" for c, _, p in rows)\n'
        "    script = \"setTimeout(() => document.getElementById('late').hidden = false, 300)\"\n"
        "    body = f'<div id=\"late\" hidden>{lines}</div><script>{script}</script>'",
    ),
}


@click.command()
@click.argument("slug")
@click.option("--kind", type=click.Choice(list(KINDS)), default="json", show_default=True, help="Which base.")
@click.option("--origin", help="Scheme and host of the site, e.g. https://api.example.cn.")
@click.option("--declared", metavar="URL", help="No Python: draft a provider file from this page.")
@click.option("--browser", is_flag=True, help="With --declared: render the page first.")
@click.pass_obj
def command(
    settings: Settings, slug: str, kind: str, origin: str | None, declared: str | None, browser: bool
) -> int:
    """Scaffold a new source 新增供应商: provider file, spider, stand-in site.

    With --declared the page is looked at once and $SUANJIA_HOME/providers/SLUG.toml is drafted; every guess
    in it is marked for review (docs/declare-an-idc.md). Without, the golden test of the source fails until
    `pytest --golden-write` has written its golden file and a person has reviewed it.
    """
    if not re.fullmatch(r"[a-z][a-z0-9_]*", slug):
        raise Failure(f"{slug!r} is no slug: lower-case letters, digits and _, a letter first")
    if declared is not None:
        return _declare(settings, slug, declared, browser)
    root = Path(__file__).parents[2]
    if not (root / "pyproject.toml").is_file() or not (root / "tests").is_dir():
        raise Failure("new-provider writes into a source checkout of suanjia, and this is an installation")
    origin = origin or f"https://www.{slug.replace('_', '-')}.example"
    made = _files(slug, kind, origin, settings)
    there = [path for path in made if (root / path).exists()]
    if there:
        raise Failure(f"{there[0]} exists already; nothing was written", REFUSED)
    if stand_in := _stand_in(origin):
        raise Failure(f"the stand-in {stand_in} has this origin already; nothing was written", REFUSED)
    for path, text in made.items():
        (root / path).write_text(text, encoding="utf-8")
        click.echo(path)
    click.echo(
        "\nNext: fill in the TODOs, then\n"
        f"  pytest --golden-write tests/spiders/test_golden.py -k {slug}   # writes the golden file, fails\n"
        f"  git diff --no-index /dev/null tests/golden/{slug}.jsonl        # review it\n"
        f"  pytest tests/spiders/test_golden.py tests/spiders/test_guards.py -k {slug}\n"
        "and see what it sells: CONTRIBUTING.md, step 5",
        err=True,
    )
    return OK


def _declare(settings: Settings, slug: str, url: str, browser: bool) -> int:
    """Write the draft of a provider file; nothing is overwritten."""
    from suanjia.declaring import drafted

    path = settings.home / "providers" / f"{slug}.toml"
    if path.exists():
        raise Failure(f"{path} exists already; nothing was written", REFUSED)
    text, notes = drafted(settings, slug, url, browser=browser)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    click.echo(path)
    for note in notes:
        click.echo(f"note 注意: {note}", err=True)
    click.echo(
        f"\n{text.count('# REVIEW')} lines are marked # REVIEW 待核: read each beside the page, then\n"
        f"  suanjia probe {slug}   # one page, as the pipeline reads it\n"
        f"  suanjia crawl {slug}",
        err=True,
    )
    return OK


def _stand_in(origin: str) -> str | None:
    """The site of the stand-in market that answers for an origin: no two may."""
    from market.sites import all_sites

    origin = origin.rstrip("/")
    return next((site.slug for site in all_sites() if origin in (*site.origins, *site.aliases)), None)


def _files(slug: str, kind: str, origin: str, settings: Settings) -> Mapping[str, str]:
    """Path in the checkout → text."""
    from spiders.egress import origin_of
    from spiders.registry import class_name

    if origin_of(origin) != origin.rstrip("/"):
        raise Failure(f"{origin!r} is not an origin such as https://api.example.cn")
    route_kind, path, body = KINDS[kind]
    words = {
        "slug": slug, "Class": class_name(slug), "origin": origin.rstrip("/"), "kind": route_kind,
        "path": path, "today": f"{settings.now():%Y-%m-%d}", "body": body,
    }  # fmt: skip
    stand_in = "market_json.py.tmpl" if kind == "json" else "market_page.py.tmpl"
    return {
        f"catalog/providers/{slug}.toml": _fill("provider.toml.tmpl", words),
        f"spiders/sources/{slug}.py": _fill(f"{kind}.py.tmpl", words),
        f"market/sites/{slug}.py": _fill(stand_in, words),
    }


def _fill(name: str, words: Mapping[str, str]) -> str:
    return Template((files("suanjia.scaffold") / name).read_text("utf-8")).substitute(words)
