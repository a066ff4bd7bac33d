"""Places have a name in each language of the issue."""

from __future__ import annotations

import re
from pathlib import Path

from reports.issue.build import Done
from reports.issue.read import place_names
from warehouse.reader import open_latest

HAN = re.compile(r"[\u4e00-\u9fff]")


def test_no_place_is_chinese_in_english(issued: tuple[Path, Done]) -> None:
    con, _ = open_latest(issued[0])
    names = place_names(con)
    con.close()
    assert names["CN"] == ("全国", "China")
    assert names["CN-N"] == ("华北", "North China")
    assert names["150000"] == ("内蒙古", "Inner Mongolia")
    assert names["130700"] == ("张家口", "Zhangjiakou")
    assert names["110108"] == ("海淀", "Beijing")
    assert names["130702"] == ("桥东", "Zhangjiakou")
    assert not [english for _, english in names.values() if HAN.search(english)]


def test_a_generation_without_a_latin_name_keeps_the_chinese_one(issued: tuple[Path, Done]) -> None:
    con, _ = open_latest(issued[0])
    con.execute("CREATE TEMP TABLE regions AS SELECT * FROM regions")
    con.execute("UPDATE regions SET english = NULL, pinyin = NULL WHERE code = 'CN-N'")
    names = place_names(con)
    con.close()
    assert names["CN-N"] == ("华北", "华北")
