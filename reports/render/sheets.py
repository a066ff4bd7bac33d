"""CSV and XLSX: the whole tables with exact numbers, for spreadsheets."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from typing import Any

from pipeline.guard import guarded
from reports.issue.model import Issue
from warehouse.calendar import SHANGHAI
from warehouse.jsonout import number

# Excel in China reads a file without this mark as GBK.
_BOM = "\ufeff"
_MADE = datetime(2026, 1, 1)  # noqa: DTZ001 - a property of the file, not a moment


@dataclass(frozen=True, slots=True)
class Column:
    """A column: its name in the database, its Chinese name, its format and width in a sheet."""

    name: str
    zh: str
    form: str = ""
    width: int = 12


FIT_COLUMNS = (
    Column("week", "周", "day"),
    Column("workload", "任务", width=16),
    Column("job", "任务名称", width=26),
    Column("region_code", "地区码"),
    Column("region", "地区"),
    Column("rank", "名次", "whole", 7),
    Column("provider", "平台", width=14),
    Column("card", "卡", width=14),
    Column("form", "形态", width=8),
    Column("gpu_count", "卡数", "whole", 8),
    Column("cards_used", "用卡数", "whole", 8),
    Column("nodes", "台数", "whole", 8),
    Column("billing_mode", "计费", width=12),
    Column("strategy", "做法", width=30),
    Column("hours_p50", "小时 p50", "hours"),
    Column("hours_p90", "小时 p90", "hours"),
    Column("total_cny_p50", "总价 p50（元）", "money", 14),
    Column("total_cny_p90", "总价 p90（元）", "money", 14),
    Column("price_cny_per_card_hour", "元/卡时", "price"),
    Column("price_before_cny_per_card_hour", "上周元/卡时", "price"),
    Column("is_new", "本周新出现", width=10),
    Column("margin_to_next_pct", "领先下一名 %", "money"),
    Column("grade", "指数等级", width=8),
    Column("mark", "标记", width=14),
    Column("observed_at", "采集时间（北京）", "moment", 18),
    Column("age_hours", "时效（小时）", "money"),
    Column("proof", "核对范围", width=30),
    Column("offer_id", "报价编号", width=24),
    Column("obs_id", "观测编号", width=40),
    Column("explain", "追溯", width=34),
    Column("source_url", "来源", width=40),
)
CELL_COLUMNS = (
    Column("week", "周", "day"),
    Column("region_code", "地区码"),
    Column("region", "地区"),
    Column("card", "卡", width=14),
    Column("billing_mode", "计费"),
    Column("value", "指数（基期 100）", "index", 14),
    Column("link", "环比", "link"),
    Column("state", "状态"),
    Column("grade", "等级", width=8),
    Column("direction", "方向", width=8),
    Column("level", "中位价（元/卡时）", "price", 14),
    Column("n_offers", "报价数", "whole", 8),
    Column("n_providers", "平台数", "whole", 8),
    Column("n_imputed", "插补数", "whole", 8),
    Column("in_stock_share", "有货比例", "link"),
    Column("flags", "附注", width=24),
)
_FORMS = {
    "whole": "0",
    "money": "#,##0.00",
    "hours": "#,##0.0000",
    "price": "#,##0.000000",
    "index": "0.00000000",
    "link": "0.000000",
    "day": "yyyy-mm-dd",
    "moment": "yyyy-mm-dd hh:mm",
}

Row = Sequence[Any]


def fit_rows(issue: Issue) -> list[Row]:
    """Every fit of the issue, all regions and ranks, in key order."""
    titles = {job.name: job.title_zh for job in issue.workloads}
    rows: list[Row] = []
    for fit in issue.fits:
        told = {
            "week": issue.week.monday,
            "job": titles.get(fit.workload, fit.workload),
            "region": _place(issue, fit.region_code),
            "price_before_cny_per_card_hour": fit.price_before,
            "explain": f"fit:{issue.week.label}/{fit.workload}/{fit.region_code}/{fit.rank}",
        }
        rows.append([told[c.name] if c.name in told else getattr(fit, c.name) for c in FIT_COLUMNS])
    return rows


def cell_rows(issue: Issue) -> list[Row]:
    """Every index cell of the week."""
    rows: list[Row] = []
    for cell in issue.cells:
        told = {"week": issue.week.monday, "region": _place(issue, cell.region_code)}
        rows.append([told[c.name] if c.name in told else getattr(cell, c.name) for c in CELL_COLUMNS])
    return rows


def _place(issue: Issue, code: str) -> str:
    return "全国" if code == "CN" else issue.regions.get(code, (code, code))[0]


def csv_part(issue: Issue) -> bytes:
    """The fits as CSV with a byte-order mark, names as in the database."""
    out = io.StringIO(newline="")
    out.write(_BOM)
    writer = csv.writer(out)
    writer.writerow([column.name for column in FIT_COLUMNS])
    writer.writerows([_text(value) for value in row] for row in fit_rows(issue))
    return out.getvalue().encode()


def _text(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, Decimal):
        return number(value)
    if isinstance(value, datetime):
        return value.astimezone(SHANGHAI).isoformat(timespec="seconds")
    return guarded(value) if isinstance(value, str) else str(value)


def xlsx_part(issue: Issue) -> bytes:
    """A workbook with the fits and the index cells: frozen heads, filters, number formats."""
    import xlsxwriter

    out = io.BytesIO()
    options = {
        "in_memory": True,
        "strings_to_formulas": False,
        "strings_to_numbers": False,
        "strings_to_urls": False,
    }
    with xlsxwriter.Workbook(out, options) as book:
        book.set_properties({"title": f"suanjia {issue.week.label}", "created": _MADE})
        _sheet(book, "最低价 fits", FIT_COLUMNS, fit_rows(issue))
        _sheet(book, "指数 index", CELL_COLUMNS, cell_rows(issue))
    return out.getvalue()


def _sheet(book: Any, title: str, columns: Sequence[Column], rows: Iterable[Row]) -> None:
    sheet = book.add_worksheet(title)
    head = book.add_format({"bold": True, "text_wrap": True, "valign": "top", "bottom": 1})
    forms = {name: book.add_format({"num_format": code}) for name, code in _FORMS.items()}
    for place, column in enumerate(columns):
        sheet.set_column(place, place, column.width)
        sheet.write_string(0, place, f"{column.zh}\n{column.name}", head)
    last = 0
    for last, row in enumerate(rows, 1):
        for place, (column, value) in enumerate(zip(columns, row, strict=True)):
            _write(sheet, last, place, value, forms.get(column.form))
    sheet.freeze_panes(1, 3)
    sheet.autofilter(0, 0, max(last, 1), len(columns) - 1)


def _write(sheet: Any, row: int, column: int, value: Any, form: Any) -> None:
    if value is None:
        return
    if isinstance(value, bool):
        sheet.write_boolean(row, column, value)
    elif isinstance(value, Decimal | int):
        # A double holds every number of ours to the six decimals that the database keeps.
        sheet.write_number(row, column, float(value), form)
    elif isinstance(value, datetime):
        sheet.write_datetime(row, column, value.astimezone(SHANGHAI).replace(tzinfo=None), form)
    elif isinstance(value, date):
        sheet.write_datetime(row, column, datetime(value.year, value.month, value.day), form)  # noqa: DTZ001
    else:
        sheet.write_string(row, column, str(value))
