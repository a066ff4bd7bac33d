"""`suanjia import`: quote sheets (CSV, XLSX, JSON Lines) as a first-class road in."""

from __future__ import annotations

import csv
import io
import json
from collections import Counter
from pathlib import Path
from typing import Any

import click

from suanjia.cli import BAD_INPUT, OK, PARTIAL, Failure
from suanjia.settings import Settings


@click.command()
@click.argument("files", nargs=-1, type=click.Path(path_type=Path))
@click.option("--template", is_flag=True, help="Print an empty sheet with its columns explained and stop.")
@click.option("--lang", type=click.Choice(["zh", "en"]), default="zh", show_default=True)
@click.option("--complete", is_flag=True, help="The sheets hold all that their sellers offer.")
@click.option("--json", "as_json", is_flag=True, help="One JSON document (an array for several files).")
@click.pass_obj
def command(
    settings: Settings, files: tuple[Path, ...], template: bool, lang: str, complete: bool, as_json: bool
) -> int:
    """Import quote sheets 导入报价单.

    A bad row never stops the file: it is kept as a rejection with its reason, and the command ends with 3.
    """
    if template:
        click.echo(_template(lang), nl=False)
        click.echo(_explained(lang), err=True)
        return OK
    if not files:
        raise Failure("name at least one file, or --template")
    # Imported late: the template and the help need none of it.
    from catalog.providers import ProviderFileError, load_providers
    from pipeline.importing import import_sheet
    from pipeline.sheet_file import SheetError

    try:
        providers = load_providers(settings.home)
    except ProviderFileError as error:
        raise Failure(str(error)) from None
    results: list[dict[str, Any]] = []
    code = OK
    for file in files:
        try:
            done = import_sheet(settings.home, file, settings.now(), providers, complete)
        except OSError as error:
            raise Failure(f"{file}: {error.strerror or error}") from None
        except SheetError as error:
            raise Failure(f"{file}: {error}", BAD_INPUT) from None
        if done.rejections and not done.known:
            code = PARTIAL
        row = {
            "file": str(file),
            "rows": done.rows,
            "offers": done.offers,
            "reference": done.reference,
            "rejections": [{"row": number, "reason": reason} for number, reason in done.rejections],
            "run_id": done.run_id,
            "known": done.known,
        }
        results.append(row)
        if not as_json:
            _say(row)
    if as_json:
        click.echo(json.dumps(results[0] if len(results) == 1 else results, ensure_ascii=False))
    return code


def _say(row: dict[str, Any]) -> None:
    from catalog.reasons import reason_text

    known = "  （已导入过，未改动 already imported, nothing changed）" if row["known"] else ""
    click.echo(
        f"{row['file']}: {row['rows']} rows 行 → {row['offers']} offers 报价, "
        f"{row['reference']} reference 参考, {len(row['rejections'])} rejected 拒绝{known}"
    )
    for reason, count in sorted(Counter(r["reason"] for r in row["rejections"]).items()):
        numbers = [r["row"] for r in row["rejections"] if r["reason"] == reason]
        shown = ", ".join(map(str, numbers[:8])) + (" …" if len(numbers) > 8 else "")
        click.echo(f"  {count:5d} × {reason}: {reason_text(reason)} (row 行 {shown})")


def _template(lang: str) -> str:
    """A CSV with the header alone."""
    from catalog.sheet_columns import columns

    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow([c.zh if lang == "zh" else c.name for c in columns()])
    return out.getvalue()


def _explained(lang: str) -> str:
    """What each column holds, whether it is needed, and the words it takes."""
    from catalog.sheet_columns import columns, words_of

    zh = lang == "zh"
    lines = [
        "各列的含义（* 必填；日期二选一）："
        if zh
        else "What the columns hold (* needed; one of the two dates):"
    ]
    for column in columns():
        name = column.zh if zh else column.name
        words = words_of(column.name, lang)
        takes = f"  [{' | '.join(words)}]" if zh and words else ""
        lines.append(
            f"  {'*' if column.required else ' '} {name}: {column.zh_help if zh else column.en}{takes}"
        )
    return "\n".join(lines)
