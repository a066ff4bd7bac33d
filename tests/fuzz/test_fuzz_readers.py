"""Every reader of outside bytes, fed with damaged ones. SUANJIA_FUZZ sets how many inputs each gets."""

from __future__ import annotations

import io
import zipfile
from datetime import UTC, datetime
from pathlib import Path

import pytest
from protego import Protego

from catalog.providers import ProviderFileError, load_providers, read_provider
from pipeline import sheet, sheet_file
from pipeline.amount import read_amount
from pipeline.reading import card as card_reader
from pipeline.reading import price as price_reader
from pipeline.reading import region as region_reader
from reports.alerts.rules import RulesError, read_rules
from reports.fit import job
from reports.vet.dmon import DmonError, read_dmon, summarise
from reports.vet.sold import sold
from reports.vet.verdict import NothingRead, vet
from sizing import workload
from sizing.errors import SizingError
from spiders import shape
from spiders.boxes import boxes
from spiders.evidence import EvidenceStore
from spiders.tables import grids
from spiders.textio import decode, parse_html, visible_lines
from tests.fuzz.fuzzer import Outcome, budget, fuzz
from tests.spiders.conftest import ROOT

FIXTURES = ROOT / "tests" / "fixtures"
NOW = datetime(2026, 10, 5, tzinfo=UTC)
DEEP = b"[" * 3000 + b"]" * 3000
DEEP_HTML = b"<div>" * 2000 + b"x" + b"<table>" * 300


def seeds(pattern: str, most: int = 60) -> list[bytes]:
    found = sorted(FIXTURES.rglob(pattern), key=lambda path: (path.stat().st_size, str(path)))
    assert found, pattern
    return [path.read_bytes()[:60_000] for path in found[:: max(1, len(found) // most)]]


def told(capsys: pytest.CaptureFixture[str], name: str, outcome: Outcome) -> None:
    with capsys.disabled():
        if outcome.inputs > 10_000:
            print(f"\n{name}: {outcome}")  # noqa: T201 - figures of a long run


def test_json(capsys) -> None:
    def read(data: bytes) -> None:
        text, _ = decode(data, "")
        try:
            found = shape.loads(text)
        except ValueError as error:
            shape.json_is_cut(text, error)
            raise
        for path in ("", "/data", "/data/0/price", "/a~1b/0"):
            shape.get(found, path)
            shape.text(found, path)

    told(capsys, "json", fuzz(read, [*seeds("*.json"), DEEP, b'{"a":' * 2000], (ValueError,)))


@pytest.mark.slow
def test_html(capsys) -> None:
    def read(data: bytes) -> None:
        text, _ = decode(data, "")
        root = parse_html(text)
        visible_lines(root)
        grids(root)
        boxes(root)

    told(capsys, "html", fuzz(read, [*(page[:8000] for page in seeds("*.html")), DEEP_HTML]))


@pytest.mark.parametrize("name", ["sheet.csv", "sheet.tsv", "sheet.jsonl"])
def test_sheets(name: str, capsys) -> None:
    context = sheet.SheetContext("ab" * 32, name, NOW, load_providers(None))
    facts = (ROOT / "market" / "data" / "market_facts.csv").read_bytes()
    head, *rows = facts.splitlines(keepends=True)
    small = [head + b"".join(rows[at : at + 4]) for at in range(0, len(rows), 40)]
    if name.endswith("jsonl"):
        small = [
            b'{"observed_on": "2026-10-01", "provider": "x", "card_raw": "RTX 4090", "amount_low": 2.18,'
            b' "currency": "CNY", "per": "hour", "mode": "on_demand"}\n',
            b'{"a": [1, {"b": null}]}\n[1]\n"x"\nnull\n',
            DEEP,
        ]
    if name.endswith("tsv"):
        small = [data.replace(b",", b"\t") for data in small]

    def read(data: bytes) -> None:
        for _ in sheet.read_rows(sheet_file.read_file(name, data), context):
            pass

    told(capsys, name, fuzz(read, small, (sheet_file.SheetError,)))


def test_xlsx(capsys) -> None:
    from openpyxl import Workbook

    book = Workbook()
    page = book.active
    page.append(["observed_on", "provider", "card_raw", "amount_low", "currency", "per", "mode"])
    page.append(["2026-10-01", "x", "RTX 4090", 2.18, "CNY", "hour", "on_demand"])
    page.append([datetime(2026, 10, 1), None, "=1+1", "1/0", "CNY", "day", "daily"])
    out = io.BytesIO()
    book.save(out)
    context = sheet.SheetContext("ab" * 32, "a.xlsx", NOW, load_providers(None))
    with zipfile.ZipFile(out) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    names = sorted(parts)

    def rows(data: bytes) -> None:
        for _ in sheet.read_rows(sheet_file.read_file("a.xlsx", data), context):
            pass

    def part(data: bytes) -> None:
        """One part is damaged and the archive whole: its first byte says which."""
        made = io.BytesIO()
        with zipfile.ZipFile(made, "w") as archive:
            for name, body in parts.items():
                archive.writestr(name, data[1:] if data and name == names[data[0] % len(names)] else body)
        rows(made.getvalue())

    count = budget(0.02, default=400)
    refused = (sheet_file.SheetError,)
    told(capsys, "xlsx archives", fuzz(rows, [out.getvalue()], refused, count))
    seeds_of = [bytes([n]) + parts[name] for n, name in enumerate(names)]
    told(capsys, "xlsx parts", fuzz(part, seeds_of, refused, count))


def test_robots(capsys) -> None:
    def read(data: bytes) -> None:
        text, _ = decode(data, "")
        rules = Protego.parse(text.removeprefix("\ufeff"))
        rules.can_fetch("https://example.com/api/v1/x?y=1", "suanjia")
        rules.crawl_delay("suanjia")

    more = [
        b"User-agent: *\nDisallow: /*a*b*c*d*e$\nAllow: /x\nCrawl-delay: 5\n",
        b"\xef\xbb\xbfUSER-AGENT : suanjia\n",
    ]
    told(capsys, "robots", fuzz(read, [*seeds("*robots.txt"), *more]))


def smi() -> list[bytes]:
    found = sorted(
        path for path in (ROOT / "tests" / "reports" / "vet").rglob("*") if path.suffix in {".txt", ".log"}
    )
    assert found
    return [path.read_bytes() for path in found]


def test_nvidia_smi(capsys) -> None:
    want = sold("A100-80G", "SXM", 8, nvlink=True)
    told(
        capsys,
        "nvidia-smi",
        fuzz(lambda data: vet(data.decode("utf-8", "replace"), want), smi(), (NothingRead,)),
    )


def test_dmon(capsys) -> None:
    told(
        capsys, "dmon",
        fuzz(lambda data: summarise(read_dmon(data.decode("utf-8", "replace"))), smi(), (DmonError,)),
    )  # fmt: skip


def test_card_names(capsys) -> None:
    names = (ROOT / "catalog" / "card_aliases.csv").read_bytes().splitlines()
    told(
        capsys, "cards",
        fuzz(lambda data: card_reader.read(data.decode("utf-8", "replace")[:400]), names),
    )  # fmt: skip


def test_prices_and_regions(capsys) -> None:
    rows = (ROOT / "tests" / "pipeline" / "data" / "price_rows_2.jsonl").read_bytes().splitlines()[:200]

    def read(data: bytes) -> None:
        text = data.decode("utf-8", "replace")[:400]
        price_reader._read(text, text[:40], None, None, None)  # without what it remembers: 65,536 texts
        region_reader.read(text[:60])

    told(capsys, "price and region texts", fuzz(read, rows))


FILES = {
    "x.toml": (read_provider, (ProviderFileError,)),
    "job.toml": (job.read_jobs, (job.JobError,)),
    "job.json": (job.read_jobs, (job.JobError,)),
    "alerts.toml": (read_rules, (RulesError,)),
    "size.toml": (workload.read, (SizingError,)),
    "size.json": (workload.read, (SizingError,)),
}


@pytest.mark.parametrize("name", FILES)
def test_files_of_the_user(name: str, tmp_path: Path, capsys) -> None:
    reader, refusals = FILES[name]
    toml = [path.read_bytes() for path in sorted((ROOT / "catalog" / "providers").glob("*.toml"))]
    if name.startswith(("job", "size")):
        toml = [(ROOT / "reports" / "workloads.toml").read_bytes()]
        toml.append(b'model = "Qwen2.5-7B"\nmethod = "lora"\ntokens = 1e9\ncards = ["A100"]\n')
    if name.startswith("alerts"):
        toml = [b'[[alert]]\nname = "a"\nkind = "below"\ncard = "RTX4090"\nprice = 1.5\nlang = "zh"\n']
    seeds_of = [*toml, b"a = " + b"[" * 3000, b"a = 1e99999999999999999999", b"a = " + b"9" * 5000]
    if name.endswith("json"):
        seeds_of = [b'{"model": "Qwen2.5-7B", "method": "lora", "tokens": 1e9, "epochs": 3}', DEEP,
                    b'{"tokens": ' + b"9" * 5000 + b"}"]  # fmt: skip
    path = tmp_path / name

    def read(data: bytes) -> None:
        path.write_bytes(data)
        reader(path)

    told(capsys, name, fuzz(read, seeds_of, refusals))


def test_evidence(tmp_path: Path, capsys) -> None:
    store = EvidenceStore(tmp_path, ["correct-horse-battery"])
    body = b'{"token":"abcdefgh","u":"https://h/x?Signature=abcdefghij&Expires=1","j":"eyJhbGciOiJ9.eyJhbGciOiJ9.abcdefghijklmnopq"}'

    def read(data: bytes) -> None:
        clean = store.redact(data + b" correct-horse-battery")
        assert b"correct-horse-battery" not in clean
        assert store.secret_in(clean) is None

    told(capsys, "evidence", fuzz(read, [body, *seeds("*.json", 10)]))


def test_what_was_found_stays_mended() -> None:
    for bad in ("[" * 3000, "1e99999999999999999999", '{"a": 1E-9999999999999999999}'):
        with pytest.raises(ValueError):
            shape.loads(bad)
    assert {read_amount(bad) for bad in ("e9", "+E5", "-e+1", ".e1", "+", ".")} == {"price_not_a_number"}
    assert read_amount(".5e1") == 5 == read_amount("5")
    context = sheet.SheetContext("ab" * 32, "a.jsonl", NOW, load_providers(None))
    table = sheet_file.read_file("a.jsonl", b'{"amount_low": 1e99999999999999999999}')
    rows = list(sheet.read_rows(table, context))
    assert len(rows) == 1 and isinstance(rows[0], sheet.RowError)
    log = "# gpu sm mem\n# Idx % %\n 0 50 1\n 0²³ 50 1\n " + "9" * 5000 + " 50 1\n"
    assert [sample.gpu for sample in read_dmon(log)] == [0]
    assert (
        shape.get([1, 2], "²") is None and shape.get([1, 2], "--1") is None and shape.get([1, 2], "-1") == 2
    )
    for span in ("²", "9" * 5000, "-1", "٣"):
        made = grids(parse_html(f"<table><tr><td colspan='{span}'>a<td>b</table>"))
        assert made[0].rows[0][0].text == "a"
