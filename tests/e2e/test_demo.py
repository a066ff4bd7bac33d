"""The whole chain on the stand-in market: sites → listings → offers → index → fits → report."""

from __future__ import annotations

import json
import os
import random
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from spiders.evidence import EvidenceStore
from tests.e2e.conftest import ROOT, rows, suanjia

pytestmark = [pytest.mark.e2e, pytest.mark.browser, pytest.mark.xdist_group("demo")]
# What differs between two runs of the same thing by its nature (docs/method.md, "same bytes").
PROVENANCE = re.compile(r"(?:run_id|loaded_at|built_at|published_at)")


@pytest.mark.timeout(900)
def test_the_demo_ends_with_a_report_on_real_input(demo_home: Path) -> None:
    providers = {r["provider"] for r in rows(demo_home, "SELECT DISTINCT provider FROM offers")}
    assert {"matpool", "aliyun", "ctyun", "autodl"} <= providers
    fits = rows(demo_home, "SELECT DISTINCT region_code FROM cheapest_fit WHERE week = DATE '2026-09-28'")
    assert {"CN", "110000", "440000", "130700", "150000"} <= {r["region_code"] for r in fits}
    workloads = rows(demo_home, "SELECT DISTINCT workload FROM cheapest_fit")
    assert {"lora-7b", "full-7b", "qlora-14b", "full-14b", "lora-70b", "infer-7b-day"} <= {
        r["workload"] for r in workloads
    }
    assert (demo_home / "suanjia.toml").stat().st_mode & 0o077 == 0  # `doctor` has nothing to complain of
    report = (demo_home / "report" / "report.zh.html").read_text(encoding="utf-8")
    for words in ("北京", "广东", "张家口", "内蒙古", "站点为本机重建"):
        assert words in report
    _from_the_report_to_the_page(demo_home)
    _known_errors_stay_out(demo_home)
    _a_second_demo_adds_nothing(demo_home)


def _from_the_report_to_the_page(home: Path) -> None:
    """A fit of the report → offer → evidence → the bytes that the stand-in page served."""
    steps = json.loads(suanjia(home, "explain", "fit:2026-W40/lora-7b/CN/1", "--json"))["steps"]
    offer = re.search(r"offer:[0-9a-f]{16}", json.dumps(steps))
    assert offer is not None
    (row,) = rows(home, f"SELECT evidence, price, source_url FROM offers WHERE offer_id = '{offer[0]}'")
    assert "127.0.0.1" not in row["source_url"]
    body = EvidenceStore(home / "evidence").read(row["evidence"])
    # Matpool prints hundred-thousandths of a yuan.
    assert re.search(rf'"priceMillicent": ?{int(row["price"] * 100_000)}\b'.encode(), body)


def _known_errors_stay_out(home: Path) -> None:
    wrong = rows(home, "SELECT count(*) AS n FROM observations WHERE card = 'RTX5090' AND price >= 500000")
    refused = rows(home, "SELECT count(*) AS n FROM rejections WHERE reason = 'not_an_offer'")
    assert (wrong[0]["n"], refused[0]["n"] > 200) == (0, True)


def _a_second_demo_adds_nothing(home: Path) -> None:
    before = rows(home, "SELECT count(*) AS n, count(DISTINCT obs_id) AS ids FROM observations")[0]
    generations = sorted(p.name for p in (home / "published").glob("*.duckdb"))
    suanjia(home, "demo")
    assert rows(home, "SELECT count(*) AS n, count(DISTINCT obs_id) AS ids FROM observations")[0] == before
    assert before["n"] == before["ids"]
    assert sorted(p.name for p in (home / "published").glob("*.duckdb")) == generations


def _export(home: Path, to: Path) -> dict[str, str]:
    """Every published table as text, without the columns of provenance."""
    suanjia(home, "export", "--format", "csv", str(to))
    out = {}
    for path in sorted(to.rglob("*.csv")):
        if path.stem in {"runs", "generation"}:
            continue
        header, *lines = path.read_text(encoding="utf-8").splitlines()
        assert lines is not None
        keep = [i for i, name in enumerate(header.split(",")) if not PROVENANCE.fullmatch(name)]
        import csv
        import io

        table = [[row[i] for i in keep] for row in csv.reader(io.StringIO("\n".join([header, *lines])))]
        out[path.name] = json.dumps(table, ensure_ascii=False)
    return out


@pytest.mark.slow
@pytest.mark.timeout(1500)
def test_a_killed_demo_run_again_ends_in_the_same_bytes(demo_home: Path, tmp_path: Path) -> None:
    home = tmp_path / "var"
    rng = random.Random(11)
    for wait in (rng.uniform(4, 12), rng.uniform(15, 45)):
        child = subprocess.Popen(
            [sys.executable, "-m", "suanjia", "--home", str(home), "demo"],
            cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True,
        )  # fmt: skip
        time.sleep(wait)
        os.killpg(child.pid, signal.SIGKILL)
        child.wait()
    suanjia(home, "demo")
    left, right = _export(demo_home, tmp_path / "a"), _export(home, tmp_path / "b")
    assert sorted(left) == sorted(right)
    assert [name for name in left if left[name] != right[name]] == []
    for name in ("report.zh.txt", "report.en.txt", "report.csv", "chart.zh.png"):
        assert (home / "report" / name).read_bytes() == (demo_home / "report" / name).read_bytes(), name
