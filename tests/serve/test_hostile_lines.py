"""Lines on stdin that break JSON readers: refused in one line, never an internal error."""

from __future__ import annotations

import pytest
from click.testing import CliRunner

from suanjia.cli import cli

LINES = {
    "deep": "[" * 100_000,
    "deep inside": '{"id":1,"context":"","text":' + "[" * 100_000,
    "digits": '{"id":1,"text":"x","task":{"params":' + "9" * 5000 + "}}",
    "zero bytes": '{"id":1,"text":"\0"}',
    "half": '{"id":',
    "a surrogate alone": '{"id":"\\ud800","text":"1元/小时","task":{}}',
}


@pytest.mark.parametrize("line", LINES.values(), ids=LINES.keys())
@pytest.mark.parametrize(
    "command", [("parse", "price"), ("parse", "card"), ("parse", "region"), ("size",), ("cost",)]
)
def test_one_line_and_no_internal_error(command: tuple[str, ...], line: str, tmp_path) -> None:
    done = CliRunner().invoke(cli, ["--home", str(tmp_path), *command], input=line + "\n")
    assert done.exception is None or isinstance(done.exception, SystemExit), done.exception
    assert done.exit_code in (0, 2, 3)
    assert len(done.stderr.strip().splitlines()) <= 1
