"""docs/settings.md and docs/commands.md, written from the tables that the program itself uses.

python -m suanjia.reference          # writes both
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import click

from catalog.providers import load_providers
from suanjia.cli import COMMANDS, LazyGroup, cli
from suanjia.settings import SPECS

NOTE = "<!-- written by `python -m suanjia.reference`; do not edit -->"


def settings_page() -> str:
    """The page about settings."""
    lines = [
        "# Settings 设置", "", NOTE, "",
        "Each is an environment variable, or a key of `suanjia.toml` in the data directory; the environment",
        "wins. `suanjia doctor` prints where each value came from, secrets masked. A file that holds a",
        "secret must be mode 0600.", "",
        "| variable | key in `suanjia.toml` | default | meaning |", "|---|---|---|---|",
        "| `SUANJIA_HOME` | — | `./var` | data directory; `--home` wins |",
    ]  # fmt: skip
    for spec in SPECS:
        secret = " (secret)" if spec.secret else ""
        default = f"`{spec.default}`" if spec.default else "—"
        lines.append(f"| `{spec.env}` | `{spec.key}` | {default} | {_cell(spec.help)}{secret} |")
    lines += [
        "", "## Your own keys", "",
        "Routes that need an account are off until the user's own key is set. Keys are read from the",
        "environment only, reach the child of their own provider only, and are never stored or printed.", "",
        "| variable | provider |", "|---|---|",
    ]  # fmt: skip
    lines += [f"| `{name}` | {', '.join(slugs)} |" for name, slugs in sorted(_keys().items())]
    return "\n".join(lines) + "\n"


def _keys() -> dict[str, list[str]]:
    found: dict[str, set[str]] = {}
    for slug, provider in load_providers(None).items():
        for route in provider.routes:
            for name in route.needs:
                found.setdefault(name, set()).add(slug)
    return {name: sorted(slugs) for name, slugs in found.items()}


def commands_page() -> str:
    """The page about commands."""
    group = LazyGroup()
    lines = ["# Commands 命令", "", NOTE, "", "```text", _help(cli, "suanjia"), "```", ""]
    lines += [
        "Exit codes: 0 ok · 1 internal error · 2 bad input · 3 partial · 4 nothing to do or nothing fits ·",
        "5 refused by a gate.", "",
    ]  # fmt: skip
    for name in sorted(COMMANDS):
        command = group.get_command(click.Context(group), name)
        assert command is not None
        lines += [f"## suanjia {name}", "", "```text", _help(command, f"suanjia {name}"), "```", ""]
    return "\n".join(lines)


def _help(command: click.Command, name: str) -> str:
    context = click.Context(command, info_name=name, terminal_width=100, max_content_width=100)
    return "\n".join(line.rstrip() for line in command.get_help(context).splitlines())


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("<", "&lt;")


PAGES: dict[str, Callable[[], str]] = {"settings.md": settings_page, "commands.md": commands_page}


def stale(docs: Path) -> Iterator[str]:
    """Names of pages that are not what would be written now."""
    for name, page in PAGES.items():
        path = docs / name
        if not path.is_file() or path.read_text(encoding="utf-8") != page():
            yield name


def main() -> None:
    """Write both pages."""
    docs = Path(__file__).parents[1] / "docs"
    for name, page in PAGES.items():
        (docs / name).write_text(page(), encoding="utf-8")
        click.echo(f"docs/{name}", err=True)


if __name__ == "__main__":
    main()
