"""From the address of a page to offers: `new-provider --declared`, `crawl`, `providers`, a bad file."""

from __future__ import annotations

import subprocess
import sys
from datetime import datetime
from pathlib import Path

import pytest
from click.testing import CliRunner

from catalog.providers import read_provider
from market.server import running
from suanjia.cli import COMMANDS, cli
from tests.spiders.conftest import ROOT
from tests.suanjia.cli import NOW, said, suanjia

PAGES = {
    # site of the market → (page, archetype, offers of the untouched draft)
    "idc_div_table": ("https://www.tengyun-idc.example/zuyong/bgp/hengyang", "div_table", 3),
    "idc_table": ("https://www.guiyun-idc.example/gpu/rooms.html", "table", 6),
    "idc_script_price": ("https://www.rongcheng-idc.example/city/chengdu.html", "script_price", 6),
    "idc_cards": ("https://www.cuxiao-idc.example/", "cards", 5),
    "idc_select_period": ("https://www.xuanpei-idc.example/gpu/4090.html", "select_period", 4),
    "idc_mobile": ("https://m.tengyun-idc.example/m/zuyong/bgp/huizhou", "cards", 4),
    "idc_text": ("https://www.wenben-idc.example/price.html", "text", 6),
    "shop_yunsuan_a": ("https://www.yunsuan-a.example/cart/goods.htm", "shop", 19),
}


@pytest.mark.slow
@pytest.mark.parametrize("site", PAGES)
def test_a_draft_that_already_reads(site: str, tmp_path: Path) -> None:
    url, archetype, offers = PAGES[site]
    with running(datetime.fromisoformat(NOW), [site], samples=True) as origins:
        made = suanjia(tmp_path, "new-provider", "idc_mine", "--declared", url, origins=dict(origins))
        assert made.returncode == 0, made.stderr
        file = tmp_path / "providers" / "idc_mine.toml"
        assert made.stdout.strip() == str(file)
        text = file.read_text(encoding="utf-8")
        assert f'archetype = "{archetype}"' in text and text.count("# REVIEW") >= 3
        assert read_provider(file).source.archetype == archetype
        done = suanjia(tmp_path, "crawl", "idc_mine", "--json", origins=dict(origins))
        row = said(done)["providers"][0]
        assert (row["outcome"], row["offers"]) == ("ok", offers), row
        again = suanjia(tmp_path, "new-provider", "idc_mine", "--declared", url, origins=dict(origins))
        assert again.returncode == 5 and "exists already" in again.stderr
        assert file.read_text(encoding="utf-8") == text


@pytest.mark.slow
def test_pages_that_give_no_draft(tmp_path: Path) -> None:
    moment = datetime.fromisoformat(NOW)
    with running(moment, ["idc_article", "idc_no_price"], samples=True) as origins:
        for url, words in (
            ("https://www.wenzhang.example/article/756332.html", "article"),
            ("https://www.wujia-idc.example/image.html", "picture"),
            ("https://www.wujia-idc.example/nothing.html", "404"),
        ):
            done = suanjia(tmp_path, "new-provider", "idc_mine", "--declared", url, origins=dict(origins))
            assert done.returncode == 4 and words in done.stderr, done.stderr
            assert not (tmp_path / "providers").exists()
    done = suanjia(tmp_path, "new-provider", "idc_mine", "--declared", "http://127.0.0.1:9/x")
    assert done.returncode == 5 and "not a public address" in done.stderr


BAD = """slug = "idc_bad"
name = "坏"
class = "idc"
[source]
archetype = "table"
pages = ["https://www.idc.example/a.html"]
rows = "table"
[read]
card = { colum = "显卡" }
[[read.price]]
column = "月付"
"""


@pytest.mark.parametrize(
    "command", [["crawl", "matpool"], ["providers"], ["load"], ["publish"], ["import", "x.csv"]]
)
def test_a_bad_file_stops_every_command_before_anything_runs(command: list[str], tmp_path: Path) -> None:
    (tmp_path / "providers").mkdir()
    (tmp_path / "providers" / "idc_bad.toml").write_text(BAD, encoding="utf-8")
    done = suanjia(tmp_path, *command)
    assert done.returncode == 2, done.stderr
    assert (
        "idc_bad.toml" in done.stderr and "read.card.colum" in done.stderr and "Traceback" not in done.stderr
    )
    assert sorted(p.name for p in tmp_path.iterdir()) == ["providers"]


def test_a_users_file_is_listed_and_read_by_the_same_code(tmp_path: Path) -> None:
    (tmp_path / "providers").mkdir()
    good = BAD.replace("colum ", "column ").replace("idc_bad", "idc_good")
    (tmp_path / "providers" / "idc_good.toml").write_text(good, encoding="utf-8")
    rows = {row["slug"]: row for row in said(suanjia(tmp_path, "providers", "--json"))}
    assert rows["idc_good"]["class"] == "idc" and rows["idc_good"]["status"] == "active"
    assert rows["idc_good"]["routes"] == [
        {"name": "page", "kind": "table", "needs": [], "known_as": "declared"}
    ]
    for slug in ("jianmiyun", "kufanyun"):
        assert rows[slug]["status"] == "not_built" and "first live look" in rows[slug]["notes"]


def test_every_command_stops_at_a_bad_file_of_the_user(tmp_path: Path) -> None:
    """Also those that read no provider: file, key and reason, exit 2, nothing run. Help still helps."""
    folder = tmp_path / "providers"
    folder.mkdir()
    (folder / "idc_mine.toml").write_text(
        'slug = "idc_mine"\nname = "某某"\nclass = "idx"\n', encoding="utf-8"
    )
    runner = CliRunner()
    for command in COMMANDS:
        done = runner.invoke(cli, ["--home", str(tmp_path), command])
        assert isinstance(done.exception, SystemExit) and done.exit_code == 2, (command, done.output)
        assert "idc_mine.toml: class: " in done.stderr, (command, done.stderr)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["providers"]
    assert runner.invoke(cli, ["--home", str(tmp_path), "cheapest", "--help"]).exit_code == 0
    (folder / "idc_mine.toml").unlink()
    assert "idc_mine" not in runner.invoke(cli, ["--home", str(tmp_path), "cheapest"]).output


def test_without_files_of_the_user_nothing_heavy_is_loaded(tmp_path: Path) -> None:
    told = (
        "import sys; from click.testing import CliRunner; from suanjia.cli import cli; "
        f"CliRunner().invoke(cli, ['--home', {str(tmp_path)!r}, 'cheapest', '--help']); "
        "print('pydantic' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", told], capture_output=True, text=True, cwd=ROOT, check=True)
    assert done.stdout.strip() == "False"
