"""Provider files: the built-in ones, the user's own, and errors that name file, key and reason."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from catalog.providers import ProviderFileError, load_providers, read_provider

IDC = """
slug = "idc_example"
name = "某某算力"
class = "idc"
homepage = "https://www.idc.example"
status = "active"
[source]
archetype = "div_table"
pages = ["https://www.idc.example/a.html"]
rows = "div.data-table-row"
cells = "div.data-table-col"
[regions]
"A区" = "430400"
[read]
card = { column = "显卡" }
region = { css = "h3" }
basis = "server"
tax = "included"
[[read.price]]
column = "月付"
unit = "元/月"
[[read.price]]
column = "年付"
unit = "元/年"
[billing]
granularity_s = 1
free_disk_gb = { value = 50, source = "price page", as_of = "2026-11-01" }
starts = "running"
stops = ["shutdown"]
[checklist]
vpc = "unknown"
invoice = true
[terms]
terms_url = ""
robots = { verdict = "unknown", as_of = "" }
"""


def write(home: Path, text: str, name: str = "idc_example") -> Path:
    path = home / "providers" / f"{name}.toml"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def test_the_built_in_table_tells_the_whole_truth() -> None:
    providers = load_providers()
    active = {slug for slug, provider in providers.items() if provider.status == "active"}
    assert {"autodl", "matpool", "gongji", "compshare", "omniyq", "gitee_ai", "shengsuanyun"} <= active
    assert {
        "aws_cn",
        "azure_cn",
        "tencent",
        "huawei",
        "aliyun",
        "volcengine",
        "baidu",
        "ctyun",
        "jdcloud",
    } <= active
    assert {"jianmiyun", "kufanyun", "ecloud", "xiangongyun", "ai_galaxy"} <= set(providers) - active
    for slug, provider in providers.items():
        assert provider.slug == slug and provider.builtin
        if provider.status == "active":
            assert provider.routes, slug
            assert all(
                route.known_as.startswith(("documented", "verified_live")) for route in provider.routes
            )
        else:
            assert provider.reason, slug
    assert str(providers["luchen"].closed_on) == "2026-09-21"
    assert providers["smm"].class_ == "assessment"


def test_routes_that_need_a_key_name_its_variables() -> None:
    providers = load_providers()
    assert providers["autodl"].routes[0].needs == ()
    assert providers["autodl"].routes[1].needs == ("SUANJIA_AUTODL_TOKEN",)
    assert providers["compshare"].routes[1].needs == (
        "SUANJIA_COMPSHARE_PUBLIC_KEY",
        "SUANJIA_COMPSHARE_PRIVATE_KEY",
    )
    assert providers["gpushare"].routes[0].needs == ("SUANJIA_GPUSHARE_TOKEN",)


def test_facts_are_exact_and_keep_their_source() -> None:
    fact = load_providers()["autodl"].billing.disk_cny_per_gb_day
    assert fact is not None and fact.value == Decimal("0.0066") and fact.source and fact.as_of == "2026-10"


def test_a_users_file_is_added_and_replaces_a_built_in_one(tmp_path: Path) -> None:
    write(tmp_path, IDC)
    write(tmp_path, IDC.replace("idc_example", "omniyq", 1), "omniyq")
    providers = load_providers(tmp_path)
    mine = providers["idc_example"]
    assert mine.class_ == "idc" and mine.source.archetype == "div_table" and not mine.builtin
    assert mine.read is not None and [price.unit for price in mine.read.price] == ["元/月", "元/年"]
    assert mine.regions == {"A区": "430400"}
    assert mine.routes[0].known_as == "declared" and mine.routes[0].needs == ()
    assert mine.billing.granularity_s is not None and mine.billing.granularity_s.value == 1
    assert mine.billing.free_disk_gb is not None and mine.billing.free_disk_gb.source == "price page"
    assert providers["omniyq"].name == "某某算力"
    assert list(providers) == sorted(providers)


def test_no_home_or_no_folder_is_no_error(tmp_path: Path) -> None:
    assert load_providers(tmp_path).keys() == load_providers(None).keys()


@pytest.mark.parametrize(
    ("change", "key", "word"),
    [
        (('class = "idc"', 'class = "shop"'), "class", "marketplace"),
        (('class = "idc"', 'class = "assessment"'), "class", "one of"),
        (('status = "active"', 'status = "aktive"'), "status", "active"),
        (('name = "某某算力"\n', ""), "name", "required"),
        (('slug = "idc_example"', 'slug = "other"'), "slug", "file name"),
        (('slug = "idc_example"', 'slug = "Idc"'), "slug", "pattern"),
        (('archetype = "div_table"', 'archetype = "fake_table"'), "source.archetype", "no archetype"),
        (('rows = "div.data-table-row"\n', ""), "source", "rows"),
        (('cells = "div.data-table-col"\n', ""), "source", "cells"),
        (('pages = ["https://www.idc.example/a.html"]\n', ""), "source", "pages"),
        (("https://www.idc.example/a.html", "ftp://www.idc.example/a"), "source.pages[0]", "pattern"),
        (('"A区" = "430400"', '"A区" = "衡阳"'), "regions.A区", "pattern"),
        (('card = { column = "显卡" }', "card = { }"), "read.card", "exactly one"),
        (('card = { column = "显卡" }', 'card = { column = "显卡", css = "b" }'), "read.card", "exactly one"),
        (('card = { column = "显卡" }', 'card = { colum = "显卡" }'), "read.card.colum", "not permitted"),
        (('basis = "server"', 'basis = "machine"'), "read.basis", "card"),
        (('tax = "included"', 'tax = "yes"'), "read.tax", "included"),
        (('column = "月付"\n', ""), "read.price[0]", "exactly one"),
        (("granularity_s = 1", 'granularity_s = "second"'), "billing.granularity_s", "integer"),
        (("granularity_s = 1", "granularity_s = -1"), "billing.granularity_s", "greater"),
        (('starts = "running"', 'starts = "boot"'), "billing.starts", "running"),
        (("[billing]", "[billing]\nfree_dsik_gb = 3"), "billing.free_dsik_gb", "not permitted"),
        (("[checklist]", "[chekclist]"), "chekclist", "not permitted"),
        (("[source]", "[source"), "", "TOML"),
    ],
)
def test_an_error_names_file_key_and_reason(
    tmp_path: Path, change: tuple[str, str], key: str, word: str
) -> None:
    assert change[0] in IDC
    path = write(tmp_path, IDC.replace(*change, 1))
    with pytest.raises(ProviderFileError) as caught:
        load_providers(tmp_path)
    assert caught.value.file == path
    assert caught.value.key == key
    assert word in caught.value.reason
    assert str(path) in str(caught.value) and "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("source", "missing"),
    [
        ('archetype = "shop"', "origin"),
        ('archetype = "text"\npages = ["https://a.example/"]', "lines"),
        ('archetype = "select_period"\npages = ["https://a.example/"]', "options"),
        ('archetype = "per_sku_pages"\npages = ["https://a.example/"]', "follow"),
        ('archetype = "shop"\norigin = "https://a.example/path"', "pattern"),
        ('spider = "x"\narchetype = "shop"\norigin = "https://a.example"', "not both"),
    ],
)
def test_each_archetype_names_what_it_needs(tmp_path: Path, source: str, missing: str) -> None:
    write(tmp_path, f'slug = "idc_example"\nname = "x"\nclass = "idc"\n[source]\n{source}\n')
    with pytest.raises(ProviderFileError, match=missing):
        load_providers(tmp_path)


def test_a_shop_needs_an_origin_alone(tmp_path: Path) -> None:
    path = write(
        tmp_path,
        'slug = "idc_example"\nname = "x"\nclass = "idc"\n[source]\narchetype = "shop"\norigin = "https://a.example:8443"\n',
    )
    provider = read_provider(path)
    assert provider.source.origin == "https://a.example:8443" and provider.routes[0].name == "shop"
    assert provider.billing.granularity_s is None and provider.checklist.vpc is None


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.binary(max_size=400))
def test_hostile_bytes_give_a_provider_or_the_one_error(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "providers" / "idc_example.toml"
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(data)
    with pytest.raises(ProviderFileError):
        read_provider(path)
