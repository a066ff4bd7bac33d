"""`suanjia doctor`: what this machine has of what a crawl, a report and a mail need."""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

import click

from suanjia.cli import OK, PARTIAL
from suanjia.settings import SPECS, Settings

_MIN_FREE_GB = 2


@dataclass(frozen=True, slots=True)
class Check:
    """One thing looked at: `ok`, what was found, and what to do where it is not."""

    name: str
    ok: bool
    found: str
    remedy: str = ""


@click.command()
@click.option("--json", "as_json", is_flag=True, help="One JSON document.")
@click.pass_obj
def command(settings: Settings, as_json: bool) -> int:
    """Look at environment, browser, fonts, disk, locks and settings 环境自检."""
    checks = [check for look in _LOOKS for check in look(settings)]
    values = [
        {"name": value.spec.env, "value": value.shown(), "from": value.origin}
        for value in (settings.values[spec.key] for spec in SPECS)
    ]
    if as_json:
        document = {"checks": [asdict(c) for c in checks], "settings": values}
        click.echo(json.dumps(document, ensure_ascii=False))
    else:
        for check in checks:
            click.echo(f"{'ok ' if check.ok else 'BAD'}  {check.name:<12} {check.found}")
            if not check.ok and check.remedy:
                click.echo(f"     → {check.remedy}")
        click.echo("\nsettings 设置")
        for value in values:
            click.echo(f"  {value['name']:<28} {value['value'] or '—':<24} ({value['from']})")
    return OK if all(check.ok for check in checks) else PARTIAL


def _python(_: Settings) -> Iterator[Check]:
    version = ".".join(map(str, sys.version_info[:3]))
    yield Check("python", sys.version_info >= (3, 11), version, "install Python 3.11 or newer")


def _browser(settings: Settings) -> Iterator[Check]:
    from spiders.browser_path import BrowserMissing, find_browser

    try:
        path, missing = find_browser(settings.text("browser")), ""
    except BrowserMissing as error:
        path, missing = "", str(error)
    yield Check(
        "browser", not missing, path or missing,
        "install chromium-headless-shell, or set SUANJIA_BROWSER; only spiders that need one are affected",
    )  # fmt: skip


def _font(_: Settings) -> Iterator[Check]:
    from importlib.util import find_spec

    spec = find_spec("zhplot")
    font = Path(spec.origin).with_name("fonts") / "NotoSansSC-Regular.ttf" if spec and spec.origin else None
    good = font is not None and font.is_file()
    yield Check("font", good, str(font.name) if good and font else "none", "run make setup again")


def _home(settings: Settings) -> Iterator[Check]:
    from suanjia.homes import is_rebuilt

    where = settings.home
    existing = next(p for p in (where, *where.absolute().parents) if p.exists())
    free = shutil.disk_usage(existing).free / 1e9
    kind = "rebuilt (stand-in market)" if is_rebuilt(where) else "real" if where.exists() else "not made yet"
    yield Check("home", True, f"{where} — {kind}")
    yield Check("disk", free > _MIN_FREE_GB, f"{free:.0f} GB free", "free some space")


def _clock(settings: Settings) -> Iterator[Check]:
    from zoneinfo import ZoneInfo

    local = settings.now().astimezone(ZoneInfo("Asia/Shanghai"))
    frozen = " (frozen)" if settings.frozen_now else ""
    yield Check("clock", True, f"{local:%G-W%V %Y-%m-%d %H:%M} Asia/Shanghai{frozen}")


def _secrets(settings: Settings) -> Iterator[Check]:
    """A file in the home that can hold a secret must be readable by its owner alone."""
    for name in ("suanjia.toml", "recipients.csv"):
        path = settings.home / name
        if path.is_file():
            mode = path.stat().st_mode & 0o777
            yield Check(name, mode & 0o077 == 0, f"mode {mode:04o}", f"chmod 600 {path}")


_LOOKS: tuple[Callable[[Settings], Iterator[Check]], ...] = (
    _python, _browser, _font, _home, _clock, _secrets,
)  # fmt: skip
