"""Accuracy on the measured rows: the panel, the figures we promise, the out-of-memory list."""

from __future__ import annotations

import csv
import math
from collections.abc import Callable
from statistics import median

import pytest

from sizing import calibrate_speed, speed, truth
from sizing.estimate import Estimate, estimate
from sizing.lines import TASK_FIELDS
from sizing.truth import Row, quantile

ROWS = truth.read(("sizing_truth", "sizing_extra"))
BY_ID = {row.id: row for row in ROWS}
PANEL = (truth.DATA / "panel.txt").read_text(encoding="utf-8").split()


def sized(row: Row) -> Estimate:
    assert row.task is not None, row.why
    return estimate(row.task)


def peak_errors(rows: list[Row]) -> list[float]:
    return [abs(sized(r).peak_gib_p50 / r.peak_gib - 1) for r in rows if r.peak_gib]


def test_every_measured_row_is_answered() -> None:
    assert len(ROWS) == 499 + 104
    assert [row.id for row in ROWS if row.task is None] == []


def test_ids_are_unique_and_every_row_names_its_source() -> None:
    assert len(BY_ID) == len(ROWS)
    assert all(row.source for row in ROWS)


def test_the_panel_has_eighteen_mixed_rows() -> None:
    rows = [BY_ID[i] for i in PANEL]
    assert len(rows) == 18
    assert {row.raw["method"] for row in rows} == {"full", "lora", "qlora"}
    assert {row.raw["cards"] for row in rows} >= {1, 2, 4, 8}


def test_panel_median_error() -> None:
    errors = peak_errors([BY_ID[i] for i in PANEL])
    assert median(errors) <= 0.06
    assert max(errors) <= 0.30


@pytest.mark.parametrize("name", PANEL)
def test_panel_row(name: str) -> None:
    row = BY_ID[name]
    assert row.peak_gib
    found = sized(row)
    assert found.peak_gib_p50 == pytest.approx(row.peak_gib, rel=0.30)
    assert found.peak_gib_p50 <= found.peak_gib_p90


def test_peak_on_calibration_rows() -> None:
    calibration = [r for r in truth.read() if r.peak_gib]
    assert median(peak_errors(calibration)) <= 0.08
    complete = [r for r in calibration if r.complete]
    assert median(peak_errors(complete)) <= 0.07
    assert quantile(peak_errors(complete), 0.9) <= 0.25
    assert quantile(peak_errors(calibration), 0.9) <= 0.25


def test_peak_on_calibration_rows_as_their_own_sources_state_them() -> None:
    rows = [r for r in truth.read(corrected=True) if r.peak_gib]
    complete = [r for r in rows if r.complete]
    assert median(peak_errors(rows)) <= 0.06
    assert quantile(peak_errors(complete), 0.9) <= 0.20


def test_corrections_name_a_row_a_field_and_a_source() -> None:
    with (truth.DATA / "corrections.csv").open(encoding="utf-8", newline="") as file:
        table = list(csv.DictReader(file))
    assert all(line["id"] in BY_ID and line["source"] for line in table)
    assert {line["field"] for line in table} <= TASK_FIELDS
    assert len({(line["id"], line["field"]) for line in table}) == len(table)


def test_peak_on_further_rows() -> None:
    further = [r for r in truth.read(("sizing_extra",)) if r.peak_gib]
    assert median(peak_errors(further)) <= 0.08


@pytest.mark.parametrize("row", [r for r in ROWS if r.out_of_memory], ids=lambda row: row.id)
def test_out_of_memory_is_never_called_fits(row: Row) -> None:
    if row.id == "oom-llama-2-13b-lora-bs4-a100-40g":
        pytest.skip("its length is not stated; see test_at_most_one_false_promise")
    found = sized(row)
    assert found.fits is False
    assert found.verdict in ("tight", "does_not_fit")


def test_at_most_one_false_promise_on_the_calibration_rows() -> None:
    assert [r.id for r in truth.read() if r.out_of_memory and sized(r).fits] == []
    assert sum(bool(sized(r).fits) for r in ROWS if r.out_of_memory) <= 1


def test_false_alarms_on_rows_that_ran() -> None:
    ran = [r for r in truth.read() if r.ran and not r.out_of_memory and r.task and r.task.visible_gib]
    assert len(ran) > 300
    assert sum(not sized(r).fits for r in ran) / len(ran) <= 0.10


def test_p90_covers_what_was_measured() -> None:
    complete = [r for r in ROWS if r.peak_gib and r.complete]
    covered = [r.peak_gib <= sized(r).peak_gib_p90 for r in complete if r.peak_gib]
    assert sum(covered) / len(covered) >= 0.85


def test_tokens_per_second() -> None:
    rows = calibrate_speed.usable(truth.read())
    errors, inside = [], 0
    for row, rate in rows:
        found = sized(row)
        assert found.tokens_per_s_p10 and found.tokens_per_s_p50 and found.tokens_per_s_p90
        errors.append(abs(found.tokens_per_s_p50 / rate - 1))
        inside += found.tokens_per_s_p10 <= rate <= found.tokens_per_s_p90
    assert len(rows) > 200
    assert median(errors) <= 0.15
    assert inside / len(rows) >= 0.80


@pytest.mark.parametrize(
    "row", [r for r in map(truth.at_limit, ROWS) if r is not None], ids=lambda row: row.id
)
def test_longest_sequence_that_a_memory_size_holds(row: Row) -> None:
    assert row.peak_gib
    assert sized(row).peak_gib_p50 == pytest.approx(row.peak_gib, rel=0.15)


def test_inference_peaks() -> None:
    rows = [r for r in ROWS if r.raw["method"] == "inference" and r.complete and r.peak_gib]
    assert len(rows) == 10
    assert median(peak_errors(rows)) <= 0.08


@pytest.mark.slow
@pytest.mark.parametrize(
    ("group", "share"),
    [(lambda row: row.model, 0.85), (calibrate_speed.source_of, 0.80)],
    ids=["model", "source"],
)
def test_tokens_per_second_of_rows_left_out_of_the_fit(group: Callable[[Row], str], share: float) -> None:
    sample = calibrate_speed.usable(truth.read(("sizing_truth", "sizing_extra"), corrected=True))
    bands = speed.rates().spread
    inside = [
        abs(error) <= math.log(bands[known])
        for row, _, error, known in calibrate_speed.left_out(sample, group)
        # its attention runs in fp32: 3-14 times slower than any other trainer, which nobody foresees unseen
        if "universal-llm-trainer" not in row.source
    ]
    assert sum(inside) / len(inside) >= share


@pytest.mark.slow
def test_leave_one_model_out() -> None:
    from sizing import calibrate

    pairs = calibrate.leave_one_model_out(truth.read(("sizing_truth", "sizing_extra"), corrected=True))
    errors = [abs(p / r.peak_gib - 1) for r, p in pairs if r.peak_gib and r.complete]
    assert median(errors) <= 0.10


def test_the_constants_in_the_files_are_those_the_scripts_fit() -> None:
    from sizing import calibrate, profiles

    fitted = calibrate.fit_all(calibrate.group(truth.read(("sizing_truth", "sizing_extra"), corrected=True)))
    for key, profile in fitted.items():
        for name in calibrate.FITTED[key]:
            assert getattr(profiles.load()[key], name) == pytest.approx(getattr(profile, name)), (key, name)
