"""The command line. A command is one module under `suanjia/commands/`, loaded only when it is called.

`suanjia --help` must stay fast, so the table below carries the one-line helps and nothing is imported for it.
"""

from __future__ import annotations

import importlib
import logging
import sys
from pathlib import Path
from typing import Any

import click

from suanjia import __version__
from suanjia.settings import SettingsError, load

_HELP = "suanjia.help"  # help is given whatever the state of the data directory
OK, INTERNAL, BAD_INPUT, PARTIAL, NOTHING, REFUSED = range(6)

# name → (module, help). Add a line here when a command lands.
COMMANDS: dict[str, tuple[str, str]] = {
    "demo": ("suanjia.commands.demo", "the whole chain on the stand-in market"),
    "import": ("suanjia.commands.import_", "quote sheets: CSV, XLSX, JSON Lines"),
    "parse": ("suanjia.commands.parse", "the readers alone: price, card, region (JSON Lines)"),
    "doctor": ("suanjia.commands.doctor", "environment, browser, fonts, disk, settings"),
    "size": ("suanjia.commands.size", "what a workload needs: memory, cards, strategy, hours"),
    "tokens": ("suanjia.commands.tokens", "count a dataset's tokens offline"),
    "crawl": ("suanjia.commands.crawl", "run spiders; --market asks the stand-in market"),
    "providers": ("suanjia.commands.providers", "who is asked, how, what it needs, source health"),
    "probe": ("suanjia.commands.probe", "visit each source once and compare with what its spider expects"),
    "new-provider": ("suanjia.commands.new_provider", "scaffold a source: files, stand-in, golden test"),
    "buy": ("suanjia.commands.buy", "rent or buy: break-even hours a month as a range"),
    "load": ("suanjia.commands.load", "segments → warehouse"),
    "publish": ("suanjia.commands.publish", "build, check and publish a generation"),
    "cheapest": ("suanjia.commands.cheapest", "cheapest live offers"),
    "index": ("suanjia.commands.index", "index and level series"),
    "sql": ("suanjia.commands.sql", "read-only SQL on the published generation"),
    "explain": ("suanjia.commands.explain", "from a number back to the page"),
    "verify": ("suanjia.commands.verify", "replay from evidence and compare"),
    "export": ("suanjia.commands.export", "the published tables as files"),
    "review": ("suanjia.commands.review", "list what is held back; release or refuse with name and reason"),
    "compare": ("suanjia.commands.compare", "offers side by side for so many hours"),
    "fit": ("suanjia.commands.fit", "cheapest fit of a workload, in total, with its proof"),
    "report": ("suanjia.commands.report", "build the weekly issue"),
    "alerts": ("suanjia.commands.alerts", "look at the alert rules, tell what crossed"),
    "mail": ("suanjia.commands.mail", "send the weekly issue, one message a recipient"),
    "serve": ("suanjia.commands.serve", "the scheduler with /healthz, /metrics and the last issue's site"),
    "tidy": ("suanjia.commands.tidy", "remove evidence and run folders past their keep and size budget"),
    "backup": ("suanjia.commands.backup", "a verified copy of the data directory, one file"),
    "restore": ("suanjia.commands.restore", "fill an empty data directory from a backup"),
    "vet": ("suanjia.commands.vet", "is the machine the card that was sold"),
    "cost": ("suanjia.commands.cost", "cheapest way to buy H hours from a set of billing modes"),
}


class Failure(click.ClickException):
    """One clear line on stderr and an exit code of the table in docs; no traceback reaches a user."""

    def __init__(self, message: str, code: int = BAD_INPUT) -> None:
        super().__init__(message)
        self.exit_code = code  # type: ignore[misc]

    def show(self, file: Any = None) -> None:
        click.echo(f"suanjia: {self.message}", err=True)


class LazyGroup(click.Group):
    """A click group whose commands are imported when they are called."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        ctx.meta[_HELP] = bool({"-h", "--help"}.intersection(args))
        return super().parse_args(ctx, args)

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        module = importlib.import_module(COMMANDS[cmd_name][0])
        command: click.Command = module.command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        if not COMMANDS:
            return
        with formatter.section("Commands"):
            formatter.write_dl([(name, text) for name, (_, text) in COMMANDS.items()])


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="suanjia")
@click.option("--home", metavar="DIR", help="Data directory (env SUANJIA_HOME; default ./var).")
@click.option("--now", metavar="TIMESTAMP", help="Clock, ISO 8601 with offset (env SUANJIA_NOW).")
@click.option("-q", "--quiet", count=True, help="Say less on stderr.")
@click.option("-v", "--verbose", count=True, help="Say more on stderr.")
@click.pass_context
def cli(ctx: click.Context, home: str | None, now: str | None, quiet: int, verbose: int) -> None:
    """算价 suanjia: list prices of rented GPUs in China, indexed, and the cheapest machine for a job.

    中国 GPU 租用挂牌价：采集、指数，以及跑完一个任务最便宜的机器。
    """
    ctx.obj = load(home, now, verbose - quiet)
    level = {-1: logging.ERROR, 0: logging.WARNING, 1: logging.INFO}.get(
        verbose - quiet, logging.DEBUG if verbose > quiet else logging.CRITICAL
    )
    if not ctx.meta[_HELP]:
        _check_users(sorted((ctx.obj.home / "providers").glob("*.toml")))
    logging.basicConfig(level=level, format="%(levelname)s %(name)s: %(message)s", stream=sys.stderr)


def _check_users(paths: list[Path]) -> None:
    """The user's own provider files, before a command does anything. Failure (2) names the file and why."""
    if paths:
        from catalog.providers import ProviderFileError, read_provider  # loads pydantic

        try:
            for path in paths:
                read_provider(path)
        except ProviderFileError as error:
            raise Failure(str(error)) from None


def main() -> None:
    """Run, and turn every ending into an exit code of CONTRACT's table."""
    try:
        code = cli(standalone_mode=False)
    except SettingsError as error:
        click.echo(f"suanjia: {error}", err=True)
        code = BAD_INPUT
    except click.ClickException as error:
        error.show()
        code = error.exit_code
    except (click.Abort, KeyboardInterrupt):
        click.echo("suanjia: stopped", err=True)
        code = 130
    except BrokenPipeError:
        # A reader such as `head` went away: that is its right, not an error of ours.
        sys.stderr.close()
        code = OK
    except Exception as error:
        from suanjia.failing import plain

        logging.getLogger("suanjia").debug("traceback", exc_info=True)
        unknown = f"internal error: {type(error).__name__}: {error} (-vv shows where)"
        click.echo(f"suanjia: {plain(error) or unknown}", err=True)
        code = INTERNAL
    sys.exit(code if isinstance(code, int) else OK)
