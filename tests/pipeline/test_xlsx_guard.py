"""Workbooks that are made to hurt: refused with a reason, in little time and memory."""

from __future__ import annotations

import io
import time
import tracemalloc
import zipfile

import pytest
from openpyxl import Workbook

from pipeline.sheet_file import SheetError, read_file

HEAD = ["observed_on", "provider", "card_raw", "amount_low", "currency", "per", "mode"]
LAUGHS = (
    '<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a "ha">'
    + "".join(
        f'<!ENTITY {chr(98 + n)} "{"&" + chr(97 + n) + ";"}{"&" + chr(97 + n) + ";" * 1}">' for n in range(20)
    )
    + "]>"
)


def workbook(**more: str) -> dict[str, bytes]:
    book = Workbook()
    book.active.append(HEAD)
    book.active.append(["2026-10-01", "x", "RTX 4090", 2.18, "CNY", "hour", "on_demand"])
    if "far" in more:
        book.active[more["far"]] = 1
    out = io.BytesIO()
    book.save(out)
    with zipfile.ZipFile(out) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def packed(parts: dict[str, bytes]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, body in parts.items():
            archive.writestr(name, body)
    return out.getvalue()


def refused(body: bytes, words: str) -> None:
    clock = time.process_time()
    tracemalloc.start()
    try:
        with pytest.raises(SheetError, match=words):
            list(read_file("a.xlsx", body))
        assert tracemalloc.get_traced_memory()[1] < 300e6
    finally:
        tracemalloc.stop()
    assert time.process_time() - clock < 20


SHEET = "xl/worksheets/sheet1.xml"


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
@pytest.mark.parametrize("areas", [["A9:XFD1048576"], [f"A{n}:ZZ{n}" for n in range(9, 6000)]])
def test_merged_ranges_are_counted_before_anybody_walks_over_them(areas: list[str], encoding: str) -> None:
    parts = workbook()
    merges = "".join(f'<mergeCell ref="{area}"/>' for area in areas)
    text = parts[SHEET].decode().replace("</sheetData>", f"</sheetData><mergeCells>{merges}</mergeCells>")
    if encoding == "utf-16":
        text = '<?xml version="1.0" encoding="utf-16"?>' + text.partition("?>")[2] if "?>" in text else text
    parts[SHEET] = text.encode(encoding)
    refused(packed(parts), "merged ranges are too large")


def test_two_cells_at_the_ends_of_the_world() -> None:
    refused(packed(workbook(far="XFD900000")), "too far apart")


@pytest.mark.parametrize("where", [SHEET, "xl/workbook.xml", "docProps/core.xml", "[Content_Types].xml"])
def test_a_document_type_is_none_of_a_workbook(where: str) -> None:
    parts = workbook()
    text = parts[where].decode()
    parts[where] = (LAUGHS + (text.partition("?>")[2] if text.startswith("<?xml") else text)).encode()
    refused(packed(parts), "document type")


def test_xml_without_a_floor_and_a_bomb_of_blanks() -> None:
    parts = workbook()
    parts[SHEET] = b"<a>" * 100_000
    refused(packed(parts), "nested too deeply")
    parts = workbook()
    parts["xl/sharedStrings.xml"] = b"<sst><si><t>" + b" " * (513 << 20) + b"</t></si></sst>"
    refused(packed(parts), "512 MiB")


def test_a_plain_workbook_is_read() -> None:
    assert len(list(read_file("a.xlsx", packed(workbook())))) == 1
