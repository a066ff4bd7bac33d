"""The region tables: codes, levels, macro-regions, hubs, and aliases with their source."""

from __future__ import annotations

from datetime import date

import pytest

from catalog.regions import MACRO_CODES, MACRO_NAMES, alias_of, codes_of, region_aliases, regions

# Places and codes that the notes on regional providers list one by one.
PLACES = dict(
    line.split()
    for line in """
110114 昌平区
110115 大兴区
110113 顺义区
120100 天津市
130100 石家庄市
130600 保定市
131000 廊坊市
131022 固安县
131028 大厂回族自治县
131024 香河县
130700 张家口市
130730 怀来县
130705 宣化区
130722 张北县
140100 太原市
140200 大同市
150100 呼和浩特市
150123 和林格尔县
150105 赛罕区
150600 鄂尔多斯市
150900 乌兰察布市
150902 集宁区
150926 察哈尔右翼前旗
210100 沈阳市
210200 大连市
220100 长春市
230100 哈尔滨市
310118 青浦区
310115 浦东新区
320100 南京市
320200 无锡市
320300 徐州市
320400 常州市
320500 苏州市
320509 吴江区
320585 太仓市
320583 昆山市
320600 南通市
321000 扬州市
321100 镇江市
321300 宿迁市
330100 杭州市
330200 宁波市
330400 嘉兴市
330421 嘉善县
330600 绍兴市
340100 合肥市
340200 芜湖市
340207 鸠江区
340281 无为市
341300 宿州市
350100 福州市
350200 厦门市
350500 泉州市
360100 南昌市
370100 济南市
370200 青岛市
370400 枣庄市
410100 郑州市
410300 洛阳市
420100 武汉市
420500 宜昌市
430100 长沙市
430400 衡阳市
440100 广州市
440115 南沙区
440200 韶关市
440204 浈江区
440300 深圳市
440600 佛山市
441300 惠州市
441600 河源市
441621 紫金县
441800 清远市
441900 东莞市
442000 中山市
450100 南宁市
460100 海口市
500112 渝北区
510100 成都市
510116 双流区
510600 德阳市
510700 绵阳市
511800 雅安市
520100 贵阳市
520111 花溪区
520181 清镇市
520400 安顺市
520403 平坝区
522300 黔西南布依族苗族自治州
522301 兴义市
530100 昆明市
540100 拉萨市
610100 西安市
610400 咸阳市
620100 兰州市
621000 庆阳市
621002 西峰区
630100 西宁市
640100 银川市
640500 中卫市
640502 沙坡头区
640521 中宁县
650100 乌鲁木齐市
650200 克拉玛依市
650500 哈密市
""".strip().splitlines()
)


def test_listed_places_have_their_codes() -> None:
    assert {code: regions()[code].name for code in PLACES} == PLACES


def test_every_province_and_every_prefecture_is_there() -> None:
    levels = [region.level for region in regions().values()]
    assert levels.count("province") == 34
    assert 335 <= levels.count("city") <= 345
    assert levels.count("county") > 2800
    assert {"710000", "810000", "820000"} <= set(regions())


def test_units_hang_together() -> None:
    for code, region in regions().items():
        assert region.province_code in regions() and region.province_code[:2] == code[:2]
        if region.level == "county":
            assert not region.city_code or regions()[region.city_code].level == "city", code
        assert region.macro in MACRO_CODES or region.province_code in ("710000", "810000", "820000"), code
        assert region.name and region.short


def test_no_development_zone_poses_as_a_county() -> None:
    assert not {"131071", "340271", "340272", "130171"} & set(regions())
    assert not [
        r for r in regions().values() if r.level == "county" and r.name.endswith(("开发区", "管理区"))
    ]


def test_cities_without_counties_have_none() -> None:
    for city in ("441900", "442000"):
        assert not [
            region for region in regions().values() if region.city_code == city and region.level == "county"
        ]


@pytest.mark.parametrize(
    ("code", "hub"),
    [
        ("130700", "京津冀"),
        ("340200", "长三角"),
        ("440200", "粤港澳"),
        ("150123", "内蒙古"),
        ("520100", "贵州"),
        ("621000", "甘肃"),
        ("640500", "宁夏"),
    ],
)
def test_hubs(code: str, hub: str) -> None:
    assert regions()[code].hub == hub


def test_no_hub_where_there_is_none() -> None:
    assert not any(regions()[code].hub for code in ("140200", "441600", "650500", "150900"))


def test_aliases_lead_to_known_codes_and_say_where_from() -> None:
    known = {*regions(), *MACRO_NAMES, "CN", ""}
    for row in region_aliases():
        assert row.source and row.confidence, row
        assert row.code in known or (len(row.code) == 2 and row.code.isupper()), row


def test_no_label_of_a_provider_has_two_meanings_at_once() -> None:
    seen = set()
    for row in region_aliases():
        key = (row.provider, row.label.lower().replace(" ", ""), row.valid_to)
        assert key not in seen, row
        seen.add(key)


def test_an_expired_name_answers_for_its_time_only() -> None:
    then, now = date(2025, 10, 1), date(2026, 10, 1)
    old = alias_of("autodl", "北京C区", then)
    assert old is not None and old.code == "110000"
    assert alias_of("autodl", "北京C区", now) is None
    assert alias_of("autodl", "北京C区") is not None  # without a day, what it meant while it held


def test_labels_without_their_seller() -> None:
    assert codes_of("华北3") == {"130700", "110000"}
    assert codes_of("cn-north-1") == {"110000"}
    assert codes_of("no such label") == frozenset()
