"""dmon logs: readers of several drivers' columns, and what they say of a run."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reports.vet.dmon import DmonError, busy, read_dmon, summarise, vet_run

HERE = Path(__file__).parent / "vet"
PUCVMET = (HERE / "dmon_header_pucvmet.txt").read_text(encoding="utf-8")
OLD = (HERE / "dmon_old_columns.txt").read_text(encoding="utf-8")
DATED = (HERE / "dmon_dated_mutc.txt").read_text(encoding="utf-8")


def line(sm: int, pviol: int = 0, tviol: int = 0, fb: int = 20480, pclk: int = 1755, gpu: int = 0) -> str:
    head = f"    {gpu}   277    57    80    {sm}    55     0     0  7000  {pclk}"
    return f"{head}     {pviol}     {tviol} {fb}     2     0     0     0   100   100\n"


def failed(result: dict[str, Any]) -> set[str]:
    return {check["name"] for check in result["checks"] if check["ok"] is False}


def test_a_good_run() -> None:
    samples = read_dmon(PUCVMET + line(98) * 30)
    assert vet_run(samples, plan_gib=21.0)["verdict"] == "as_sold"
    run = summarise(samples)
    assert (run.cards, run.samples, run.hours_from) == (1, 30, "interval")
    assert run.hours == pytest.approx(30 / 3600)
    assert run.peak_gib == 20.0


@pytest.mark.parametrize(
    ("lines", "fails"),
    [
        (line(40) * 10, {"utilisation"}),
        (line(98, pviol=60) * 10, {"power_throttle"}),
        (line(98) * 9 + line(98, tviol=1), {"thermal_throttle"}),
        (line(98, fb=23552) * 10, {"memory_peak"}),
        (line(98, pclk=1755) + line(98, pclk=900) * 9, {"clock"}),
        ((line(98, gpu=0) + line(0, gpu=1)) * 10, {"utilisation", "idle_cards"}),
    ],
)
def test_what_goes_wrong_is_named(lines: str, fails: set[str]) -> None:
    result = vet_run(read_dmon(PUCVMET + lines), plan_gib=21.0)
    assert failed(result) == fails
    assert result["verdict"] == "suspect"


def test_hours_come_from_the_log_when_it_has_times_and_idle_ends_are_no_run() -> None:
    samples = read_dmon(DATED)
    assert len(samples) == 5
    assert len(busy(samples)) == 3
    run = summarise(samples)
    assert run.hours_from == "log"
    assert run.hours == pytest.approx(
        1.5
    )  # three half-hour samples, the last one lasting as long as the others
    assert run.peak_gib == 21.0
    assert failed(vet_run(samples)) == set()
    assert next(c for c in vet_run(samples)["checks"] if c["name"] == "throttle")["ok"] is None


def test_old_columns_and_repeated_headers() -> None:
    samples = read_dmon(OLD + OLD)
    assert [s.gpu for s in samples] == [0, 1, 0, 1]
    assert "pwr" not in samples[0].values
    assert failed(vet_run(samples)) == {"utilisation", "idle_cards"}


def test_csv_format() -> None:
    samples = read_dmon("#gpu, pwr, sm, fb\n#Idx, W, %, MB\n0, 270, 99, 10240\n")
    assert samples[0].values == {"pwr": 270.0, "sm": 99.0, "fb": 10240.0}


@pytest.mark.parametrize("text", ["", "# gpu pwr\n", "0 1 2 3\n", "+---+\n| NVIDIA-SMI 550 |\n"])
def test_no_log_is_an_error(text: str) -> None:
    with pytest.raises(DmonError):
        read_dmon(text)


@given(st.text(max_size=400), st.integers(0, 300))
def test_reader_never_fails_otherwise(noise: str, cut: int) -> None:
    for text in (noise, DATED[:cut] + noise + DATED[cut:], PUCVMET + noise):
        try:
            samples = read_dmon(text)
        except DmonError:
            continue
        assert summarise(samples).hours > 0
        vet_run(samples)
