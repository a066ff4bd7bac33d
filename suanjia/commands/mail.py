"""`suanjia mail`: the weekly issue, one message a recipient."""

from __future__ import annotations

import click

from suanjia.cli import OK, REFUSED, Failure
from suanjia.settings import Settings

EXAMPLE = "suanjia@example.org"


@click.command()
@click.option("--week", metavar="2026-W48", help="ISO week (default: the last frozen one). 哪一周")
@click.option("--dry-run", is_flag=True, help="Build and show what would be sent; send nothing. 试运行")
@click.option("--json", "as_json", is_flag=True, help="One JSON document.")
@click.pass_obj
def command(settings: Settings, week: str | None, dry_run: bool, as_json: bool) -> int:
    """Send the weekly issue 发送周报. Run twice, nothing is sent twice."""
    from reports.issue.archive import ArchiveError, vintages
    from reports.issue.clock import issue_week
    from reports.mail.compose import Copy
    from reports.mail.recipients import RecipientsError, recipients
    from warehouse.calendar import SHANGHAI
    from warehouse.errors import WarehouseError
    from warehouse.jsonout import dumps

    try:
        asked = issue_week(week, settings.now())
        people = recipients(
            settings.home, settings.text("mail_to"), settings.now().astimezone(SHANGHAI).date()
        )
        kept = vintages(settings.home, asked.label)
        if not kept:
            raise Failure(f"no issue of {asked.label} has been built; run `suanjia report`", REFUSED)
        copies = {lang: Copy.of(kept[-1], lang) for lang in ("zh", "en")}
    except WarehouseError as error:
        raise Failure(str(error), error.exit_code) from None
    except RecipientsError as error:
        raise Failure(str(error)) from None
    except ArchiveError as error:
        raise Failure(str(error), REFUSED) from None
    if not dry_run:
        raise Failure("sending is not built yet; use --dry-run", REFUSED)
    sender = settings.text("mail_from") or EXAMPLE
    folder = settings.home / "mail" / asked.label
    folder.mkdir(parents=True, exist_ok=True)
    files = []
    for lang, copy in copies.items():
        path = folder / f"preview.v{kept[-1].vintage}.{lang}.eml"
        path.write_bytes(copy.mail(sender, EXAMPLE, ""))
        files.append(path)
    if as_json:
        click.echo(
            dumps(
                {
                    "week": asked.label,
                    "vintage": kept[-1].vintage,
                    "recipients": len(people),
                    "files": [str(path) for path in files],
                }
            )
        )
    else:
        click.echo(f"{copies['zh'].subject}\n{len(people)} recipients 收件人, nothing sent 未发送")
        for path in files:
            click.echo(str(path))
    return OK
