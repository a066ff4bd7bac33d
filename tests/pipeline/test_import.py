"""Quote sheets: every row becomes an offer, a reference or a rejection with its reason."""

from __future__ import annotations

import contextlib
import csv
import io
import json
import random
import zipfile
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import openpyxl
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from catalog.providers import load_providers
from pipeline.importing import Imported, import_sheet
from pipeline.sheet_file import SheetError, read_file

NOW = datetime(2026, 10, 5, 2, tzinfo=UTC)
GOOD = {
    "observed_on": "2026-10-01", "provider": "autodl", "card_raw": "RTX 4090", "amount_low": "1.98",
    "currency": "CNY", "per": "hour", "mode": "on_demand",
}  # fmt: skip


def sheet(tmp_path: Path, rows: list[dict[str, str]], name: str = "q.csv") -> Path:
    header = list(dict.fromkeys(key for row in rows for key in row))
    out = io.StringIO()
    writer = csv.DictWriter(out, header)
    writer.writeheader()
    writer.writerows(rows)
    path = tmp_path / name
    path.write_text(out.getvalue(), encoding="utf-8")
    return path


def run(tmp_path: Path, path: Path, complete: bool = False) -> Imported:
    return import_sheet(tmp_path / "home", path, NOW, load_providers(None), complete)


def offers(tmp_path: Path) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    for file in sorted((tmp_path / "home" / "segments").glob("*/*/offers.parquet")):
        found += pq.ParquetFile(file).read().to_pylist()
    return found


def one(tmp_path: Path, **changes: str) -> Imported:
    return run(tmp_path, sheet(tmp_path, [{**GOOD, **changes}]))


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"amount_low": ""}, "price_missing"),
        ({"amount_low": "0"}, "price_zero"),
        ({"amount_low": "-1.5"}, "price_negative"),
        ({"amount_low": "NaN"}, "price_not_a_number"),
        ({"amount_low": "abc"}, "price_not_a_number"),
        ({"amount_low": "inf"}, "price_infinite"),
        ({"per": ""}, "unit_unknown"),
        ({"per": "fortnight"}, "unit_unknown"),
        ({"per_count": "0"}, "unit_unknown"),
        ({"basis": "rack"}, "unit_unknown"),
        ({"currency": "$"}, "currency_unknown"),
        ({"currency": ""}, "currency_unknown"),
        ({"currency": "yuan?"}, "currency_unknown"),
        ({"card_raw": ""}, "unknown_card"),
        ({"card_raw": "RTX 9999"}, "unknown_card"),
        ({"card_raw": "H800或A800"}, "multiple_cards"),
        ({"card_raw": "RTX 3090", "vram_gb": "48"}, "card_vram_conflict"),
        ({"card_raw": "T4", "vram_gb": "40"}, "card_vram_conflict"),
        ({"mode": ""}, "mode_unknown"),
        ({"mode": "sometimes"}, "mode_unknown"),
        ({"observed_on": ""}, "date_missing"),
        ({"observed_on": "2026-13-01"}, "date_missing"),
        ({"observed_on": "", "observed_at": "2026-10-01T08:00:00"}, "date_missing"),
        ({"observed_on": "0202-10-01"}, "date_missing"),
        ({"observed_on": "1999-12-31"}, "date_missing"),
        ({"observed_on": "", "observed_at": "0001-01-01T00:00:00+08:00"}, "date_missing"),
        ({"valid_until": "9999-12-31T23:59:59-10:00"}, "date_missing"),
        ({"observed_on": "2026-10-06"}, "date_in_future"),
        ({"basis": "server", "cards": ""}, "count_unknown"),
        ({"cards": "zero"}, "count_unknown"),
        ({"valid_until": "2026-10-02"}, "expired"),
        ({"amount_low": "868.06"}, "implausible"),
        ({"amount_low": "0.01"}, "implausible"),
        ({"provider": ""}, "provider_missing"),
        ({"provider": "没有这家"}, "provider_unknown"),
        ({"amount_high": "1.50"}, "range_reversed"),
        ({"card_raw": "vGPU T4"}, "fractional_gpu"),
    ],
)
def test_reasons(tmp_path: Path, change: dict[str, str], reason: str) -> None:
    done = one(tmp_path, **change)
    assert done.rejections == [(1, reason)]
    assert (done.rows, done.offers, done.reference) == (1, 0, 0)


def test_reasons_are_in_the_catalog() -> None:
    from catalog.reasons import reasons

    used = {m.args[1][i][1] for m in test_reasons.pytestmark for i in range(len(m.args[1]))}  # type: ignore[attr-defined]
    assert used <= set(reasons())


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({}, ("RTX4090", "1", "1.98", "1", "on_demand", "1.98")),
        ({"amount_low": "1,234.5", "per": "month"}, ("RTX4090", "1", "1234.5", "730", "monthly", "1.691096")),
        # 75000 a month for 8 cards: 75000 / 730 / 8 = 12.842466
        ({"card_raw": "8*H100", "basis": "server", "amount_low": "75000", "per": "month", "mode": "monthly"},
         ("H100-80G", "8", "75000", "730", "monthly", "12.842466")),
        ({"card_raw": "A100", "vram_gb": "80", "amount_low": "6.8"},
         ("A100-80G", "1", "6.8", "1", "on_demand", "6.8")),
        ({"card_raw": "A100", "amount_low": "6.8"}, ("A100", "1", "6.8", "1", "on_demand", "6.8")),
        ({"card_raw": "4090", "vram_gb": "48"}, ("RTX4090-48G", "1", "1.98", "1", "on_demand", "1.98")),
        # a quarter of a T4 at 2.445: 2.445 / 0.25 = 9.78 per full card
        ({"card_raw": "T4", "cards": "0.25", "amount_low": "2.445"},
         ("T4", "0.25", "2.445", "1", "on_demand", "9.78")),
        # a pack of 30 days is 720 hours and never a month: 1425.6 / 720 = 1.98
        ({"amount_low": "1425.6", "per": "day", "per_count": "30", "mode": "monthly"},
         ("RTX4090", "1", "1425.6", "720", "pack", "1.98")),
        ({"amount_low": "4000", "per": "month", "per_count": "3", "mode": "monthly"},
         ("RTX4090", "1", "4000", "2190", "reserved", "1.826484")),
        ({"per": "分钟", "amount_low": "0.033", "currency": "人民币", "mode": "按量计费"},
         ("RTX4090", "1", "1.98", "1", "on_demand", "1.98")),
        # Gongji's points: 550 points a second = 550 x 3600 / 1e6 = 1.98 yuan an hour
        ({"currency": "POINT", "per": "second", "amount_low": "550", "basis": "device", "cards": "1"},
         ("RTX4090", "1", "1.98", "1", "on_demand", "1.98")),
    ],
)  # fmt: skip
def test_offers(tmp_path: Path, change: dict[str, str], expected: tuple[str, ...]) -> None:
    done = one(tmp_path, **change)
    assert (done.offers, done.rejections) == (1, [])
    (row,) = offers(tmp_path)
    got = (row["card"], row["gpu_count"], row["price"], row["per_hours"], row["billing_mode"],
           row["price_cny_per_card_hour"])  # fmt: skip
    assert [got[0], got[4]] == [expected[0], expected[4]]
    assert [Decimal(x) for x in (got[1], got[2], got[3], got[5])] == [
        Decimal(expected[i]) for i in (1, 2, 3, 5)
    ]


def test_tax_excluded_adds_six_percent_to_gross_alone(tmp_path: Path) -> None:
    one(tmp_path, tax="excluded", amount_low="10")
    (row,) = offers(tmp_path)
    assert (row["price_cny_per_card_hour"], row["price_cny_per_card_hour_gross"]) == (
        Decimal(10),
        Decimal("10.6"),
    )


def test_another_currency_is_not_converted_here(tmp_path: Path) -> None:
    one(tmp_path, currency="USD", amount_low="0.3")
    (row,) = offers(tmp_path)
    assert (row["currency"], row["price"], row["price_cny_per_card_hour"]) == ("USD", Decimal("0.3"), None)


def test_region_is_read_and_absence_of_one_is_national(tmp_path: Path) -> None:
    run(tmp_path, sheet(tmp_path, [{**GOOD, "region_raw": "张家口"}, {**GOOD, "card_raw": "A10"}]))
    got = {(r["region_code"], r["precision"], r["scope"]) for r in offers(tmp_path)}
    assert got == {("130700", "city", "region"), ("CN", "nation", "national")}


def test_a_day_is_noon_in_shanghai(tmp_path: Path) -> None:
    one(tmp_path)
    (row,) = offers(tmp_path)
    assert row["observed_at"] == datetime(2026, 10, 1, 4, tzinfo=UTC)


def test_untrusted_rows_are_reference_and_no_error(tmp_path: Path) -> None:
    done = run(tmp_path, sheet(tmp_path, [{**GOOD, "trust": "article", "amount_low": "5000000"}, GOOD]))
    assert (done.rows, done.offers, done.reference, done.rejections) == (2, 1, 1, [])


def test_the_same_file_twice_changes_nothing(tmp_path: Path) -> None:
    path = sheet(tmp_path, [GOOD, {**GOOD, "amount_low": "0"}])
    first = run(tmp_path, path)
    before = {p: p.read_bytes() for p in sorted((tmp_path / "home").rglob("*")) if p.is_file()}
    second = run(tmp_path, path)
    after = {p: p.read_bytes() for p in sorted((tmp_path / "home").rglob("*")) if p.is_file()}
    assert before == after
    assert (first.known, second.known) == (False, True)
    assert (first.rows, first.offers, first.rejections) == (second.rows, second.offers, second.rejections)


def test_shuffled_rows_give_the_same_offers(tmp_path: Path) -> None:
    rows = [{**GOOD, "card_raw": c, "amount_low": a} for c in ("A10", "L20", "T4") for a in ("3", "3.01")]
    run(tmp_path, sheet(tmp_path, rows, "a.csv"))
    (tmp_path / "b").mkdir()
    shuffled = rows[::-1]
    run(tmp_path / "b", sheet(tmp_path, shuffled, "b.csv"))
    keep = ("offer_id", "price", "listings", "quarantine", "observed_at")
    assert [[r[k] for k in keep] for r in offers(tmp_path)] == [
        [r[k] for k in keep] for r in offers(tmp_path / "b")
    ]


def _workbook(path: Path) -> None:
    book = openpyxl.Workbook()
    page = book.active
    page.append(["某某算力 2026年10月报价"])
    page.append(
        [
            "显卡",
            "显存",
            "卡数",
            "单价",
            "币种",
            "周期",
            "计费方式",
            "机房",
            "供应商",
            "报价日期",
            "按卡/整机",
        ]
    )
    page.append(
        [
            "A800",
            "80",
            8,
            42000.5,
            "元",
            "月",
            "包月",
            "韶关",
            "idc_shaoguan",
            datetime(2026, 9, 30),
            "server",
        ]
    )
    page.append(
        [None, None, 4, 22000, "元", "月", "包月", "韶关", "idc_shaoguan", datetime(2026, 9, 30), "server"]
    )
    page.merge_cells("A3:A4")
    page.merge_cells("B3:B4")
    book.save(path)


def test_a_workbook_with_chinese_headers_and_merged_cells(tmp_path: Path) -> None:
    path = tmp_path / "报价.xlsx"
    _workbook(path)
    done = run(tmp_path, path)
    assert (done.rows, done.offers, done.rejections) == (2, 2, [])
    got = {(r["card"], r["gpu_count"], r["price"], r["region_code"]) for r in offers(tmp_path)}
    assert got == {
        ("A800-80G", Decimal(8), Decimal("42000.5"), "440200"),
        ("A800-80G", Decimal(4), Decimal(22000), "440200"),
    }


def test_json_lines(tmp_path: Path) -> None:
    path = tmp_path / "q.jsonl"
    rows = [json.dumps({**GOOD, "amount_low": 1.98}), "{broken", json.dumps({**GOOD, "cards": 1})]
    path.write_text("\n".join(rows), encoding="utf-8")
    done = run(tmp_path, path)
    assert (done.rows, done.offers, len(done.rejections)) == (3, 2, 1)


@pytest.mark.parametrize("odd", ["\u2028", "\x85", "\u2029", "\ud800"])
def test_json_lines_end_with_a_line_feed_alone(tmp_path: Path, odd: str) -> None:
    path = tmp_path / "q.jsonl"
    row = {**GOOD, "region_raw": f"北京{odd}A区"}
    text = json.dumps(row, ensure_ascii=odd == "\ud800") + "\r\n" + json.dumps(GOOD) + "\r\n"
    path.write_bytes(text.encode("utf-8"))
    done = run(tmp_path, path)
    assert (done.rows, done.offers, done.rejections) == (2, 2, [])


def test_gb18030_as_excel_saves_it(tmp_path: Path) -> None:
    path = tmp_path / "q.csv"
    header = "显卡,单价,币种,周期,计费方式,机房,供应商,日期"
    text = f"{header}\n昇腾910B 64G,5.5,元,小时,按量,贵安,autodl,2026-10-01\n"
    path.write_bytes(text.encode("gb18030"))
    assert run(tmp_path, path).offers == 1


@pytest.mark.parametrize(
    ("name", "body"),
    [
        ("q.pdf", b"%PDF"),
        ("q.csv", b"a,b,c\n1,2,3\n"),
        ("q.csv", b"provider,card_raw\n\0\0"),
        ("q.xlsx", b"not a zip"),
        ("q.csv", b""),
    ],
)
def test_no_sheet_is_one_clear_error(tmp_path: Path, name: str, body: bytes) -> None:
    path = tmp_path / name
    path.write_bytes(body)
    with pytest.raises(SheetError):
        run(tmp_path, path)
    assert not (tmp_path / "home" / "segments").exists()


def test_a_zip_bomb_is_refused_before_it_unpacks(tmp_path: Path) -> None:
    bomb = io.BytesIO()
    with zipfile.ZipFile(bomb, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("xl/worksheets/sheet1.xml", b"0" * (513 * 1024 * 1024))
    with pytest.raises(SheetError, match="512"):
        list(read_file("q.xlsx", bomb.getvalue()))


def test_ten_thousand_rows_with_planted_errors(tmp_path: Path) -> None:
    """3 % planted errors are all named and nothing else is lost (issue: under ten seconds)."""
    rng = random.Random(7)
    plants = [
        ({"amount_low": "0"}, "price_zero"),
        ({"per": ""}, "unit_unknown"),
        ({"currency": "$"}, "currency_unknown"),
        ({"card_raw": "RTX 9999"}, "unknown_card"),
        ({"mode": "?"}, "mode_unknown"),
    ]
    cards = ["RTX 4090", "A100 80G", "L20", "H20 96G"]
    rows: list[dict[str, str]] = []
    expected: list[tuple[int, str]] = []
    for number in range(1, 10_001):
        row = {**GOOD, "card_raw": rng.choice(cards), "region_raw": "北京",
               "sku": f"s{number}", "amount_low": f"{rng.uniform(1, 9):.2f}"}  # fmt: skip
        if rng.random() < 0.03:
            change, reason = rng.choice(plants)
            row |= change
            expected.append((number, reason))
        rows.append(row)
    done = run(tmp_path, sheet(tmp_path, rows))
    assert done.rejections == expected
    assert done.offers == 10_000 - len(expected)
    assert len(offers(tmp_path)) == done.offers


@given(st.binary(max_size=400), st.sampled_from(["q.csv", "q.jsonl", "q.xlsx", "q.tsv"]))
@settings(max_examples=200)
def test_hostile_bytes_never_crash(body: bytes, name: str) -> None:
    with contextlib.suppress(SheetError):
        for number, locator, row in read_file(name, body):
            assert number >= 1 and locator and all(isinstance(v, str) for v in row.values())


CHINESE = {
    "报价日期": "2026年10月1日", "供应商": "autodl", "显卡型号": "RTX 4090", "卡数": "8张",
    "计价单位": "整机",
    "单价": "7600", "币种": "人民币", "周期": "月", "计费方式": "包月", "机房": "韶关", "是否含税": "不含税",
    "价格类型": "会员价", "范围": "地区", "库存": "售罄",
}  # fmt: skip


def test_chinese_words_in_every_column(tmp_path: Path) -> None:
    done = run(tmp_path, sheet(tmp_path, [CHINESE]))
    assert (done.offers, done.rejections) == (1, [])
    (row,) = offers(tmp_path)
    assert (row["gpu_count"], row["basis"], row["tax"], row["price_kind"]) == (
        8,
        "server",
        "excluded",
        "member",
    )
    assert (row["region_code"], row["scope"], row["stock_idle"], row["in_stock"]) == (
        "440200",
        "region",
        0,
        False,
    )


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({"计价单位": "台"}, ("basis", "server")), ({"计价单位": "元/台"}, ("basis", "server")),
        ({"计价单位": "按卡"}, ("basis", "card")), ({"计价单位": "单卡"}, ("basis", "card")),
        ({"是否含税": "含税"}, ("tax", "included")), ({"是否含税": "未知"}, ("tax", "unknown")),
        ({"价格类型": "起"}, ("is_floor", True)), ({"价格类型": "促销价"}, ("price_kind", "promo")),
        ({"价格类型": "折扣价"}, ("price_kind", "public_discount")),
        ({"范围": "全国"}, ("scope", "national")),
        ({"周期": "3个月"}, ("per_hours", Decimal(2190))), ({"周期": "每月"}, ("per_hours", Decimal(730))),
        ({"报价日期": "2026/10/1"}, ("observed_at", datetime(2026, 10, 1, 4, tzinfo=UTC))),
    ],
)  # fmt: skip
def test_words_of_a_sheet(tmp_path: Path, change: dict[str, str], expected: tuple[str, object]) -> None:
    price = {"单价": "1500"} if change.get("计价单位") in {"按卡", "单卡"} else {}
    done = run(tmp_path, sheet(tmp_path, [{**CHINESE, **change, **price}]))
    assert done.rejections == []
    (row,) = offers(tmp_path)
    assert row[expected[0]] == expected[1]


@pytest.mark.parametrize(
    ("change", "price", "hours", "count"),
    [
        (
            {"amount_low": "4.2万", "per": "month", "basis": "server", "cards": "8", "card_raw": "A800"},
            42000,
            730,
            8,
        ),
        ({"amount_low": "2.18元/小时"}, "2.18", 1, 1),
        ({"amount_low": "￥2.18/时"}, "2.18", 1, 1),
        ({"amount_low": "2.18元/小时", "per": "", "currency": ""}, "2.18", 1, 1),
        ({"amount_low": "2.18元/卡/小时", "per": ""}, "2.18", 1, 1),
        ({"amount_low": "7600元/台/月", "basis": "", "per": "", "cards": "8", "mode": "包月"}, 7600, 730, 8),
        ({"amount_low": "１，５００元", "per": "月", "mode": "包月"}, 1500, 730, 1),
        ({"amount_low": "1500元起", "per": "月", "mode": "包月"}, 1500, 730, 1),
    ],
)
def test_amounts_with_their_unit(
    tmp_path: Path, change: dict[str, str], price: object, hours: int, count: int
) -> None:
    assert one(tmp_path, **change).rejections == []
    (row,) = offers(tmp_path)
    assert (row["price"], row["per_hours"], row["gpu_count"]) == (Decimal(str(price)), hours, count)


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"amount_low": "2.18元/月"}, "unit_unknown"),  # the column says hour
        ({"amount_low": "2.18美元/小时"}, "currency_unknown"),
        ({"amount_low": "2.18元/卡/小时", "basis": "server", "cards": "8"}, "unit_unknown"),
        ({"amount_low": "面议"}, "price_not_a_number"),
        ({"amount_low": "1.98 (会员1.88)"}, "price_not_a_number"),
        ({"amount_low": "2-3"}, "price_not_a_number"),
        ({"amount_low": "1O0"}, "price_not_a_number"),
        ({"amount_low": "12..5"}, "price_not_a_number"),
        ({"amount_low": "0元/小时"}, "price_zero"),
        ({"price_kind": "神秘价"}, "row_unreadable"),
    ],
)
def test_amounts_that_disagree_or_are_none(tmp_path: Path, change: dict[str, str], reason: str) -> None:
    assert one(tmp_path, **change).rejections == [(1, reason)]


def test_a_unit_in_the_header_and_a_title_above_it(tmp_path: Path) -> None:
    path = tmp_path / "q.csv"
    path.write_text(
        "某某算力报价单,,,,,,\n,,,,,,\n日期,供应商,显卡,卡数,计价方式,租金（元/月）,计费方式\n"
        "2026-10-01,autodl,RTX 4090,8,整机,7600,包月\n2026-10-01,autodl,A800,8,整机,4.2万,包月\n",
        encoding="utf-8",
    )
    assert run(tmp_path, path).rejections == []
    assert sorted((r["card"], int(r["price"]), int(r["per_hours"])) for r in offers(tmp_path)) == [
        ("A800-80G", 42000, 730), ("RTX4090", 7600, 730),
    ]  # fmt: skip


def test_every_visible_worksheet_and_rooms_merged_across(tmp_path: Path) -> None:
    book = openpyxl.Workbook()
    book.active.append(["说明", "本表只供参考"])
    head = ["日期", "供应商", "显卡", "卡数", "单位", "价格", "币种", "周期", "付费方式", "城市"]
    for number, city in enumerate(("韶关", "中卫", "怀来")):
        page = book.create_sheet(city)
        page.append(head)
        page.append([f"{city}机房"])
        page.merge_cells("A2:J2")
        page.append(
            [datetime(2026, 10, 1), "autodl", "RTX 4090", "八卡", "台", "7,600", "￥", "月", "月付", city]
        )
        if number == 2:
            page.sheet_state = "hidden"
    path = tmp_path / "q.xlsx"
    book.save(path)
    done = run(tmp_path, path)
    assert (done.rows, done.offers, done.rejections) == (2, 2, [])
    assert {r["region_code"] for r in offers(tmp_path)} == {"440200", "640500"}


@pytest.mark.parametrize("lang", ["zh", "en"])
def test_the_template_explains_every_column(lang: str) -> None:
    from click.testing import CliRunner

    from catalog.sheet_columns import canonical, columns
    from suanjia.commands.import_ import command

    done = CliRunner().invoke(command, ["--template", "--lang", lang], obj=object(), standalone_mode=False)
    header = next(csv.reader(io.StringIO(done.stdout)))
    assert [canonical(name) for name in header] == [column.name for column in columns()]
    assert len(done.stdout.splitlines()) == 1
    for name in header:
        assert f" {name}: " in done.stderr


def test_many_sellers_cost_little_more_than_few(tmp_path: Path) -> None:
    """The segments of many sellers wait for the disk together; every one stands and holds its own rows."""
    rows = [
        {**GOOD, "provider": f"seller_{n % 60}", "sku": f"s{n}", "region_raw": "北京"} for n in range(300)
    ]
    done = run(tmp_path, sheet(tmp_path, rows))
    assert (done.offers, done.rejections) == (300, [])
    folders = list((tmp_path / "home" / "segments").glob("run=*/provider=*/manifest.json"))
    assert len(folders) == 60
    again = run(tmp_path, sheet(tmp_path, rows))
    assert again.known
