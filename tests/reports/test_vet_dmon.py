"""dmon logs: readers of several drivers' columns, and what they say of a run."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reports.fit.job import JobError, job_of
from reports.fit.planner import SizingPlanner
from reports.fit.use import Good
from reports.vet.dmon import DmonError, busy, read_dmon, summarise, vet_run
from reports.vet.record import Ran, planned, record
from tests.reports.fitkit import NOW

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


DATE_TIME = """#Date       Time        gpu    pwr  gtemp  mtemp     sm    mem    enc    dec     fb   bar1
#YYYYMMDD   HH:MM:SS    Idx      W      C      C      %      %      %      %     MB     MB
"""
TIME_ONLY = """#Time        gpu    pwr  gtemp     sm     fb
#HH:MM:SS    Idx      W      C      %     MB
"""


def test_dates_and_times_of_the_log() -> None:
    rows = "".join(
        f" 20261127   {10 + n}:00:00      0    410     61      -     97     55      0      0  40960     4\n"
        for n in range(3)
    )
    run = summarise(read_dmon(DATE_TIME + rows))
    assert (run.hours_from, run.hours, run.peak_gib) == ("log", pytest.approx(3), 40)


def test_a_log_of_clock_times_goes_over_midnight() -> None:
    clocks = ["22:30:00", "23:00:00", "23:30:00", "00:00:00", "00:30:00", "01:00:00"]
    rows = "".join(f" {clock}      {gpu}    410     61     97  40960\n" for clock in clocks for gpu in (0, 1))
    run = summarise(read_dmon(TIME_ONLY + rows))
    assert (run.cards, run.hours_from, run.hours) == (2, "log", pytest.approx(3))
    twice = summarise(read_dmon(TIME_ONLY + rows + rows))
    assert twice.hours == pytest.approx(26.5 * 12 / 11)


def test_only_the_cards_that_worked_are_the_run() -> None:
    lines = "".join(line(95, gpu=0) + line(93, gpu=1) + line(0, gpu=2) + line(0, gpu=3) for _ in range(10))
    run = summarise(read_dmon(PUCVMET + lines), interval_s=2)
    assert (run.cards, run.hours, run.sm_mean) == (2, pytest.approx(20 / 3600), 94)
    assert "idle_cards" in failed(vet_run(read_dmon(PUCVMET + lines)))


def test_an_idle_log_is_not_kept() -> None:
    run = summarise(read_dmon(PUCVMET + line(0) * 5))
    with pytest.raises(JobError, match="shows no work"):
        record(Ran(job_of({"model": "Qwen2.5-7B", "method": "lora", "tokens": 1e6}), "RTX4090"), run, NOW)


def test_a_run_is_kept_as_it_was_planned() -> None:
    """A run that needed what its plan said moves nothing: the plan's batch, not the default one, is kept."""
    job = job_of({"model": "Qwen2.5-7B", "method": "lora", "tokens": 1e7})
    way = planned(Ran(job, "RTX4090"), 1)
    assert way is not None and way.task.micro_batch < 4
    log = PUCVMET + line(98, fb=round(way.peak_gib_p50 * 1024)) * 5
    kept = record(Ran(job, "RTX4090"), summarise(read_dmon(log)), NOW)
    assert (kept.micro_batch, kept.optimizer, kept.zero) == (way.task.micro_batch, "adamw", "0")
    memory = SizingPlanner.of(job, [kept]).table.measured(Good("RTX4090", None), way.task.profile).memory
    assert memory is not None and memory.factor == pytest.approx(1, abs=0.002)


def test_headers_repeat_change_and_lines_break_off() -> None:
    """A log that goes on after a new driver, in Windows line ends, cut in its last line."""
    text = PUCVMET + line(98) * 3 + PUCVMET + line(98) * 2 + DATE_TIME
    text += " 20261127   10:00:00      0    410     61      -     97     55      0      0  40960     4\n"
    text += " 20261127   10:00:01      0    410     61"
    samples = read_dmon(text.replace("\n", "\r\n"))
    assert len(samples) == 6
    assert summarise(samples).hours_from == "interval"  # not every line has a time
    assert max(sample.values["fb"] for sample in samples) == 40960


def test_a_column_that_the_card_has_not_is_left_out() -> None:
    samples = read_dmon(
        "# gpu    pwr  gtemp  mtemp     sm     fb\n# Idx      W      C      C      %     MB\n"
        "    0    300     60      -     99  20480\n    0      -     60    N/A     99  20480\n"
    )
    assert "mtemp" not in samples[0].values
    assert summarise(samples).power_mean_w == 300


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
