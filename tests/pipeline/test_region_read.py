"""The region reader: labels by seller, places by name, pools, levels, and misleading collisions."""

from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from catalog.regions import MUNICIPALITIES, regions
from pipeline.reading.region import NONE, RegionReading, read, reading

COUNTY, CITY, PROVINCE, MACRO, NATION, NO = "county", "city", "province", "macro", "nation", "none"


def place(text: str, provider: str | None = None) -> tuple[str | None, str]:
    found = read(text, provider)
    return found.code, found.precision


# ---- the collisions: one label, several sellers


@pytest.mark.parametrize(
    ("label", "provider", "code", "precision"),
    [
        ("华北1", "aliyun", "370200", CITY),
        ("华北1", "ksyun", "110000", CITY),
        ("华北1", None, "CN-N", MACRO),
        ("华北2", "aliyun", "110000", CITY),
        ("华北2", "volcengine", "110000", CITY),
        ("华北2", "ksyun", "120000", CITY),
        ("华北2", "ctyun", "120000", CITY),
        ("华北2", None, "CN-N", MACRO),
        ("华北3", "aliyun", "130700", CITY),
        ("华北3", "volcengine", "110000", CITY),
        ("华北3", None, "CN-N", MACRO),
        ("华北3", "tencent", "CN-N", MACRO),
        ("华北5", "aliyun", "150100", CITY),
        ("华北5", "volcengine", "150900", CITY),
        ("华北5", None, "CN-N", MACRO),
        ("华东1", "aliyun", "330100", CITY),
        ("华东1", "ksyun", "310000", CITY),
        ("华东1", "ctyun", "320100", CITY),
        ("华东1", None, "CN-E", MACRO),
        ("华东2", "aliyun", "310000", CITY),
        ("华东2", "ksyun", "330100", CITY),
        ("华东2", None, "CN-E", MACRO),
        ("华南1", "aliyun", "440300", CITY),
        ("华南1", "volcengine", "440100", CITY),
        ("华南1", "ksyun", "440100", CITY),
        ("华南1", None, "CN-S", MACRO),
        ("华南2", "aliyun", "441600", CITY),
        ("华南2", "ctyun", "CN-S", MACRO),
        ("西北2", "aliyun", "640500", CITY),
        ("西北1", "ksyun", "621000", CITY),
        ("西北3", "ksyun", "640000", PROVINCE),
        ("西北3", None, "CN-NW", MACRO),
        ("华北二A", "compshare", "150900", CITY),
        ("华北一C", "compshare", "110000", CITY),
        ("华北二A", None, "CN-N", MACRO),
        ("cn-north-1", "aws_cn", "110000", CITY),
        ("cn-north-1", "huawei", "110000", CITY),
        ("cn-north-9", "huawei", "150900", CITY),  # not Beijing, as one client says
        ("cn-northwest-1", "aws_cn", "640000", PROVINCE),
        ("cn-northwest-1", "ksyun", "621000", CITY),
        ("cn-northwest-1", None, "CN-NW", MACRO),
        ("cn-east-1", "jdcloud", "321300", CITY),
    ],
)
def test_one_label_is_a_place_only_with_its_seller(
    label: str, provider: str | None, code: str, precision: str
) -> None:
    assert place(label, provider) == (code, precision)


@pytest.mark.parametrize("label", ["华北3(张家口)", "华北 3 （张家口）", "华北3-张家口", "华北3 · 张家口"])
@pytest.mark.parametrize("provider", [None, "aliyun", "volcengine"])
def test_a_place_in_the_label_itself_decides(label: str, provider: str | None) -> None:
    assert place(label, provider) == ("130700", CITY)


# ---- sellers' tables


@pytest.mark.parametrize(
    ("provider", "label", "code", "precision"),
    [
        ("autodl", "西北B区", "CN-NW", MACRO),
        ("autodl", "西北B区 (west-B)", "CN-NW", MACRO),
        ("autodl", "west-C", "CN-NW", MACRO),
        ("autodl", "westDC2", "CN-NW", MACRO),
        ("autodl", "北京A区", "110000", CITY),
        ("autodl", "北京B区 / 876机", "110000", CITY),
        ("autodl", "bj-B2", "110000", CITY),
        ("autodl", "内蒙A区", "150000", PROVINCE),
        ("autodl", "neimengDC3", "150000", PROVINCE),
        ("autodl", "佛山区", "440600", CITY),
        ("autodl", "重庆A区", "500000", CITY),
        ("autodl", "3090专区", "321000", CITY),
        ("autodl", "yangzhouDC1", "321000", CITY),
        ("autodl", "L20专区", None, NO),
        ("autodl", "V100专区", None, NO),
        ("autodl", "beijingDC3", None, NO),  # the code's prefix is history
        ("autodl", "A800专区", None, NO),
        ("autodl", "A800专区 / 003机", None, NO),
        ("autodl", "华为昇腾专区", None, NO),
        ("autodl", "南京新手区", None, NO),
        ("matpool", "1区", None, NO),
        ("matpool", "亚太2区", None, NO),
        ("gongji", "河北一区", "130000", PROVINCE),
        ("gongji", "xingjiangf-1", "650000", PROVINCE),
        ("gongji", "青海-移动", "630000", PROVINCE),
        ("gongji", "cn-fujian-5", "350000", PROVINCE),
        ("gongji", "bj-001", "110000", CITY),
        ("compshare", "cn-wlcb-01", "150900", CITY),
        ("compshare", "上海二B", "310000", CITY),
        ("compshare", "cn-bj2-03", "110000", CITY),
        ("compshare", "cn-zj-01", None, NO),
        ("aliyun", "cn-hangzhou", "330100", CITY),
        ("aliyun", "cn-beijing-h", "110000", CITY),
        ("aliyun", "cn-wulanchabu", "150900", CITY),
        ("aliyun", "cn-huhehaote", "150100", CITY),
        ("aliyun", "cn-heyuan", "441600", CITY),
        ("aliyun", "cn-hongkong", "810000", PROVINCE),
        ("aliyun", "cn-zhangjiakou-na62-a01", "130700", CITY),
        ("volcengine", "cn-beijing2", "110000", CITY),
        ("volcengine", "cn-datong", "140200", CITY),
        ("tencent", "ap-guangzhou-6", "440100", CITY),
        ("tencent", "广州三区", "440100", CITY),
        ("tencent", "ap-shenzhen-fsi", "440300", CITY),
        ("tencent", "华南地区（广州）", "440100", CITY),
        ("tencent", "ap-singapore", "SG", NO),
        ("huawei", "华北-北京四", "110000", CITY),
        ("huawei", "cn-north-4a", "110000", CITY),
        ("huawei", "华东-上海二", "310000", CITY),
        ("huawei", "华东-芜湖二零一", "340200", CITY),
        ("huawei", "华南-东莞二零一", "441900", CITY),
        ("huawei", "cn-southwest-2", "520100", CITY),
        ("baidu", "bj", "110000", CITY),
        ("baidu", "su", "320500", CITY),
        ("baidu", "bd", "130600", CITY),
        ("baidu", "fwh", "420100", CITY),
        ("ctyun", "西南2-贵州", "520000", PROVINCE),
        ("ctyun", "西南1", "CN-SW", MACRO),
        ("ctyun", "呼和浩特3", "150100", CITY),
        ("ctyun", "上海36", "310000", CITY),
        ("ctyun", "庆阳2", "621000", CITY),
        ("jdcloud", "cn-south-1", "440100", CITY),
        ("jdcloud", "华东-宿迁", "321300", CITY),
        ("ucloud", "cn-sh2", "310000", CITY),
        ("azure_cn", "chinanorth3", "130000", PROVINCE),
        ("azure_cn", "China North 2", "110000", CITY),
        ("azure_cn", "chinaeast", "310000", CITY),
        ("shengsuanyun", "上海A区", "310000", CITY),
    ],
)
def test_labels_of_the_sellers(provider: str, label: str, code: str | None, precision: str) -> None:
    assert place(label, provider) == (code, precision)


def test_a_renamed_zone_means_what_it_meant_that_day() -> None:
    assert read("北京C区", "autodl", date(2025, 6, 1)).code == "110000"
    assert read("L20专区", "autodl", date(2026, 10, 1)) == NONE
    assert read("华南A区", "autodl", date(2025, 6, 1)).code == "CN-S"


# ---- names without a seller


@pytest.mark.parametrize(
    ("label", "code", "precision"),
    [
        ("北京", "110000", CITY),
        ("北京·亦庄", "110115", COUNTY),
        ("上海·临港", "310115", COUNTY),
        ("北京朝阳", "110105", COUNTY),
        ("朝阳", "211300", CITY),
        ("朝阳区", None, NO),  # two of them, and no city beside
        ("海淀", "110108", COUNTY),
        ("内蒙", "150000", PROVINCE),
        ("怀来", "130730", COUNTY),
        ("怀来机房", "130730", COUNTY),
        ("张家口怀来", "130730", COUNTY),
        ("张北数据中心", "130722", COUNTY),
        ("和林格尔", "150123", COUNTY),
        ("察右前旗", "150926", COUNTY),
        ("乌兰察布集宁", "150902", COUNTY),
        ("贵安", "520100", CITY),
        ("广东惠州机房", "441300", CITY),
        ("衡阳数据中心", "430400", CITY),
        ("成都电信莲花机房", "510100", CITY),  # 莲花 is also a county, in another province
        ("贵州电信之兴义电信IDC机房", "522301", COUNTY),
        ("香港沙田电信机房", "810000", PROVINCE),
        ("济南市中区", "370103", COUNTY),
        ("昆山", "320583", COUNTY),
        ("苏州太仓", "320585", COUNTY),
        ("广东深圳南山", "440305", COUNTY),
        ("南山", None, NO),
        ("宿州", "341300", CITY),
        ("宿迁", "321300", CITY),
        ("苏州", "320500", CITY),
        ("中卫", "640500", CITY),
        ("中山", "442000", CITY),
        ("庆阳", "621000", CITY),
        ("安阳", "410500", CITY),
        ("吉林", "220000", PROVINCE),
        ("吉林市", "220200", CITY),
        ("海南", "460000", PROVINCE),
        ("仙桃", "429004", COUNTY),
        ("华东某大型城市", "CN-E", MACRO),
        ("西北", "CN-NW", MACRO),
        ("环京（张家口、乌兰察布）", "CN-N", MACRO),
        ("环京", "CN-N", MACRO),
        ("全国", "CN", NATION),
        ("国内", "CN", NATION),
        ("海外", None, NO),
        ("港台", None, NO),
        ("新加坡", "SG", NO),
        ("北京/上海", None, NO),
        ("广州、深圳", "440000", PROVINCE),
        ("上海、杭州", "CN-E", MACRO),
        ("BGP多线", None, NO),
        ("电信", None, NO),
        ("现货", None, NO),
        ("L20专区", None, NO),
        ("3090专区", None, NO),
        ("南京新手区", None, NO),
        ("", None, NO),
        ("cn-beijing", "110000", CITY),
        ("cn-zhangjiakou", "130700", CITY),
        ("ap-beijing-3", "110000", CITY),
        ("cn-wlcb", "150900", CITY),
        ("cn-north-4", "110000", CITY),
        ("China (Beijing)", "110000", CITY),
        ("Zhangjiakou, Hebei", "130700", CITY),
        ("Inner Mongolia", "150000", PROVINCE),
        ("Hong Kong", "810000", PROVINCE),
        ("ulanqab", "150900", CITY),
        ("bj", None, NO),
        ("上海 36", "310000", CITY),
        ("北　京", "110000", CITY),
    ],
)
def test_names_alone(label: str, code: str | None, precision: str) -> None:
    assert place(label) == (code, precision)


def test_codes_are_filled_down_to_the_level_and_not_below() -> None:
    assert read("怀来") == RegionReading("130000", "130700", "130730", "华北", COUNTY, "130730")
    assert read("张家口") == RegionReading("130000", "130700", None, "华北", CITY, "130700")
    assert read("河北") == RegionReading("130000", None, None, "华北", PROVINCE, "130000")
    assert read("北京") == RegionReading("110000", "110100", None, "华北", CITY, "110000")
    assert read("西北") == RegionReading(None, None, None, "西北", MACRO, "CN-NW")
    assert read("全国") == RegionReading(None, None, None, None, NATION, "CN")
    assert read("香港") == RegionReading("810000", None, None, None, PROVINCE, "810000")
    assert read("L20专区") == RegionReading(None, None, None, None, NO, None)


def test_every_province_and_city_by_its_name() -> None:
    """With and without 省 and 市, alone, in a room's name, with its province before it."""
    wrong = []
    for region in regions().values():
        if region.level == "county" or (region.level == "city" and region.province_code in MUNICIPALITIES):
            continue
        province = regions()[region.province_code]
        ambiguous = (
            region.short in ("吉林", "海南") and region.level == "city"
        )  # the bare word is the province
        names = (
            {region.name}
            if ambiguous
            else {region.name, region.short, f"{region.short}机房", f"{region.short}A区", f"{region.short}3"}
        )
        names.add(province.name + region.name)
        if not ambiguous and region.level == "city":
            names.add(province.short + region.short)
        wrong += [(name, region.code, read(name).code) for name in names if read(name).code != region.code]
    assert not wrong


def test_every_county_after_its_city() -> None:
    wrong = []
    for region in regions().values():
        if region.level != "county":
            continue
        outer = regions()[region.city_code or region.province_code]
        if outer.short == "海南":
            continue
        for name in {outer.name + region.name, outer.short + region.name}:
            if read(name).code != region.code:
                wrong.append((name, region.code, read(name).code))
    assert not wrong


@given(st.text(max_size=60), st.sampled_from([None, "aliyun", "autodl", "huawei", "nobody"]))
@settings(deadline=None)
def test_no_label_raises_and_levels_hold(text: str, provider: str | None) -> None:
    found = read(text, provider)
    filled = [found.province_code, found.city_code, found.county_code]
    depth = {COUNTY: 3, CITY: 2, PROVINCE: 1}.get(found.precision, 0)
    assert all(code is None for code in filled[depth:])
    if depth:
        assert filled[0] is not None
        assert found.code in filled
    else:
        assert (found.macro is not None) == (found.precision == MACRO)


@given(
    st.sampled_from(sorted(regions())),
    st.sampled_from(["机房", "数据中心", " 3", "A区", " / 063机", "（BGP）"]),
)
def test_words_of_a_room_change_no_place(code: str, words: str) -> None:
    name = regions()[code].name
    assert read(name + words).code == read(name).code


def test_prose_is_no_label() -> None:
    assert read("陕西的能源很便宜，" * 60) == NONE


def test_reading_of_codes() -> None:
    assert reading("110114").city_code == "110100"
    assert reading("US").precision == NO and reading("US").code == "US"
    assert reading(None) == NONE == reading("")
