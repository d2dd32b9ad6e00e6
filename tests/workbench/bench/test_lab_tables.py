"""Tables of the Lab: measured, refused, cancelled, kept, held against what was published, written as text."""

import csv
import io
import json
import time
from dataclasses import replace

import numpy as np
import pytest

from engines.api import registry
from engines.api.errors import ProblemError
from engines.api.lab import Column, PublishedRows
from engines.backend.ceilings.curve import BandwidthPoint, Curve
from tests.workbench.fake_engine import FakeBackend
from tests.workbench.fake_tables import DIFFUSION_BLOCKS, STEP_TIMES, OnGpu, StepTimes, TabledEngine, Trouble
from workbench.bench import lab
from workbench.bench.lab import Lab
from workbench.bench.lab_run import Ceilings, Finished, LabRun, MeasuredTable, Progress
from workbench.bench.record_files import kept_records, read_record, write_json
from workbench.bench.records import LabRecord, MachineRecord, TableRecord, lab_record, to_json
from workbench.bench.table_lines import grouped, published_beside, ratio_text, ratios, value_text
from workbench.bench.table_text import as_csv, markdown
from workbench.cli import bench, main

MACHINE = MachineRecord("2026-11-21", {"name": "NumPy on paper", "kind": "cpu"}, (), 1e-6, None)


@pytest.fixture(autouse=True)
def _flat_ceiling(monkeypatch):
    flat = Curve(
        tuple(BandwidthPoint(name, 1 << 20, 1e12) for name in ("copy", "mul", "add", "triad", "read")), 1e-6, None
    )

    def measured(*_, progress, **__):
        progress("copy", 1.0)
        return flat

    monkeypatch.setattr(lab, "measured_curve", measured)


def of(table, rows=None):
    rows = table.rows() if rows is None else rows
    return TableRecord(table.id, table.title, table.columns, rows, True, 1.5, "", table.heat)


# Measuring.


def test_a_session_measures_tables_and_says_how_far_it_is():
    said = []
    session = Lab(FakeBackend(), progress=lambda text, fraction: said.append((text, fraction)))
    first, second = session.tables([STEP_TIMES, DIFFUSION_BLOCKS], thorough=True)
    assert first.rows == STEP_TIMES.rows()
    assert first.thorough
    assert first.refused == ""
    assert second.heat == DIFFUSION_BLOCKS.heat
    assert (f"{STEP_TIMES.title}: follow", 0.25) in said  # half of the first of two
    assert [fraction for _, fraction in said] == sorted(fraction for _, fraction in said)
    assert said[-1][1] == 1.0


@pytest.mark.parametrize(
    ("table", "words"),
    [
        (Trouble(), "The wave is too small"),
        (Trouble(ZeroDivisionError("nobody thought of this")), "unexpected ZeroDivisionError"),
        (OnGpu(), "measured on a GPU: choose another device."),
    ],
)
def test_what_cannot_be_measured_is_a_sentence_and_the_next_table_goes(table, words):
    first, second = Lab(FakeBackend()).tables([table, DIFFUSION_BLOCKS])
    assert words in first.refused
    assert first.rows == ()
    assert second.rows == DIFFUSION_BLOCKS.rows()


class Odd(StepTimes):
    def __init__(self, *rows):
        self.odd = rows

    def measure(self, backend, progress=None, thorough=False):
        return self.odd


def test_numbers_of_numpy_and_numbers_that_are_none_are_kept_as_json_can():
    row = ("follow", np.int64(1000), np.float32(0.5), float("inf"), np.str_("memory"))
    (record,) = Lab(FakeBackend()).tables([Odd(row)])
    assert record.rows == (("follow", 1000.0, 0.5, None, "memory"),)
    assert lab_record(to_json(LabRecord(MACHINE, tables=(record,)))).tables == (record,)


def test_a_row_that_does_not_fit_the_columns_is_refused_and_not_kept():
    (record,) = Lab(FakeBackend()).tables([Odd(("follow", 1000.0))])
    assert "has 5 columns and a row of 2 values" in record.refused
    assert record.rows == ()


def test_a_run_ends_at_the_tables_next_word_when_it_is_cancelled():
    class Endless(StepTimes):
        def measure(self, backend, progress=None, thorough=False):
            while True:
                progress("again", 0.5)
                time.sleep(0.001)

    run = LabRun(FakeBackend, [], tables=[DIFFUSION_BLOCKS, Endless()])
    run.start()
    events = []
    until = time.monotonic() + 60
    while not any(isinstance(event, MeasuredTable) for event in events) and time.monotonic() < until:
        events += run.poll()
    run.cancel()
    while run.alive and time.monotonic() < until:
        time.sleep(0.005)
    events += run.poll()
    kinds = [type(event) for event in events if not isinstance(event, Progress)]
    assert kinds == [Ceilings, MeasuredTable, Finished]
    assert all(0 <= event.fraction <= 1 for event in events if isinstance(event, Progress))
    assert [table.table for table in events[-1].record.tables] == ["wave_blocks"]


# Records.


def test_records_of_before_there_were_tables_still_open(tmp_path):
    old = json.loads(to_json(LabRecord(MACHINE)))
    del old["tables"]
    path = tmp_path / "old.json"
    path.write_text(json.dumps(old))
    assert read_record(path) == LabRecord(MACHINE)


def test_kept_records_name_their_tables(tmp_path):
    write_json(LabRecord(MACHINE, tables=(of(STEP_TIMES),)), tmp_path / "a.json")
    (found,) = kept_records(tmp_path)
    assert (found.title, found.measured) == ("NumPy on paper, 2026-11-21", ("wave_step",))


@pytest.mark.parametrize("wrong", [{"rows": [["follow", 1.0]]}, {"heat": ["N", "M", "Time"]}, {"heat": False}])
def test_a_record_that_does_not_fit_itself_is_a_sentence(wrong):
    broken = json.loads(to_json(LabRecord(MACHINE, tables=(of(STEP_TIMES),))))
    broken["tables"][0] |= wrong
    with pytest.raises(ProblemError, match="no record of the Kernel Lab"):
        lab_record(json.dumps(broken))


# Published rows beside measured ones.


def test_published_rows_stand_with_their_key_and_ratios_have_two_numbers():
    table = STEP_TIMES
    groups = grouped(table.columns, table.rows(), "Ours", table.published)
    assert [[line.device for line in group] for group in groups] == [
        ["Ours", "Tesla P100"],
        ["Ours", "Tesla P100", "Tesla V100-SXM3"],
        ["Ours", "Tesla V100-SXM3"],
        ["Tesla P100"],
    ]
    own, p100, v100 = groups[1]
    assert own.ratios == (None,) * 5
    assert p100.ratios[:2] == (None, None)  # what a row is about has no ratio
    assert p100.ratios[2] == pytest.approx(2.1 / 7.6)
    assert v100.ratios[3] == pytest.approx(5.566 / 2.783)
    assert p100.ratios[4] is None  # a word
    assert groups[2][1].ratios == (None,) * 5  # measured: nothing


def test_published_figures_of_no_device_are_called_published():
    beside = [PublishedRows("A book", "", STEP_TIMES.rows()[:1])]
    ((_, theirs),) = grouped(STEP_TIMES.columns, STEP_TIMES.rows()[:1], "Ours", beside)
    assert theirs.device == "Published"
    assert theirs.ratios[2] == 1.0


@pytest.mark.parametrize(
    ("own", "theirs", "ratio"),
    [(1.0, 4.0, 0.25), (0.0, 4.0, 0.0), (1.0, 0.0, None), (-3.6, -2.6, None), ("2b", 1.0, None)],
)
def test_ratios_are_of_numbers_that_have_a_quotient(own, theirs, ratio):
    assert ratios((own,), (theirs,), (Column("Time"),)) == (ratio,)


def test_two_measured_rows_of_one_key_have_no_ratio():
    rows = (STEP_TIMES.rows()[1],) * 2
    group = grouped(STEP_TIMES.columns, rows, "Ours", STEP_TIMES.published)[0]
    assert len(group) == 4
    assert all(ratio is None for line in group for ratio in line.ratios)


def test_other_columns_have_nothing_beside_them_and_another_record_has():
    other = LabRecord(replace(MACHINE, device={"name": "Other"}), tables=(of(STEP_TIMES),))
    assert [one.device for one in published_beside(STEP_TIMES, STEP_TIMES.columns, other)] == [
        "Tesla P100", "Tesla V100-SXM3", "Other",
    ]  # fmt: skip
    assert published_beside(STEP_TIMES, (Column("Another"),), other) == []
    assert published_beside(None, STEP_TIMES.columns, other) == []


@pytest.mark.parametrize(
    ("value", "digits", "result", "measured", "text"),
    [
        (2.1, 3, True, True, "2.10"),
        (2.1, 3, True, False, "2.1"),
        (29.0, 4, True, True, "29"),
        (123.456, 2, True, True, "120"),
        (76_492_165.0, 8, True, True, "76\u202f492\u202f165"),
        (12_345.678, 7, True, True, "12\u202f345.68"),
        (9.999, 2, True, True, "10.0"),
        (11_688_851.0, 2, False, True, "11\u202f688\u202f851"),
        (0.5, 4, False, True, "0.5"),
        (3.21e-7, 2, True, True, "3.2 × 10⁻⁷"),
        (-0.25, 2, True, True, "−0.25"),
        (0.0, 3, True, True, "0"),
        (None, 3, True, True, "–"),
        (float("nan"), 3, True, True, "–"),
        ("", 3, True, True, "–"),
        ("2b", 3, True, True, "2b"),
    ],
)
def test_values_as_text(value, digits, result, measured, text):
    assert value_text(value, Column("Time", "ms", digits, result), measured) == text


def test_ratios_as_text():
    """Three digits, but two behind the point of what is near 1."""
    ratios = (None, 0.276, 1.0, 25.33, 0.00123, 9.994, 9.996, 0.0949, 0.0951, -9.994, -12.34)
    assert [ratio_text(ratio) for ratio in ratios] == [
        "", "0.28×", "1.00×", "25.3×", "0.00123×", "9.99×", "10×", "0.0949×", "0.10×", "-9.99×", "-12.3×",
    ]  # fmt: skip


def test_markdown_is_a_table_that_reads_well_as_it_is():
    text = markdown(LabRecord(MACHINE, tables=(of(STEP_TIMES),)), of(STEP_TIMES), STEP_TIMES)
    lines = [line for line in text.splitlines() if line.startswith("|")]
    assert len({len(line) for line in lines}) == 1
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    assert cells[0] == ["Kernel", "N", "Device", "Time [ms]", "Throughput [cells/s]", "Limit"]
    assert cells[1][1].endswith("-:")
    assert cells[4] == [
        "follow",
        "11\u202f688\u202f851",
        "NumPy on paper",
        "2.10",
        "5\u202f566\u202f000\u202f000",
        "memory",
    ]
    assert cells[5][2:4] == ["Tesla P100", "7.6 (0.28×)"]
    assert text.startswith(f"### {STEP_TIMES.title}\n")
    assert "- Tesla P100: A paper on waves, table 5.4" in text


def test_csv_has_every_digit_and_every_row():
    record = LabRecord(MACHINE, tables=(of(STEP_TIMES),))
    rows = list(csv.DictReader(io.StringIO(as_csv(record, record.tables[0], STEP_TIMES))))
    assert len(rows) == 8
    assert rows[2]["Time [ms]"] == "2.1"
    assert rows[2]["date"] == "2026-11-21"
    assert rows[3]["source"] == "A paper on waves, table 5.4"
    assert rows[5]["Time [ms]"] == ""


# The command.


@pytest.fixture
def wave(monkeypatch):
    engine = TabledEngine()
    monkeypatch.setattr(registry, "engines", lambda: {"wave": engine})
    monkeypatch.setattr(registry, "engine", lambda name: engine)
    monkeypatch.setattr(bench, "open_backend", lambda device: FakeBackend())
    monkeypatch.setattr(bench, "save_plots", lambda record, folder: ([], ""))


def test_the_command_measures_a_table_alone_and_writes_it(wave, tmp_path, capsys):
    assert main(["bench", "wave", "--table", "wave_step", "--thorough", "--out", str(tmp_path)]) == 0
    said = capsys.readouterr().out
    assert "### Time of a step by kernel" in said
    assert "whole steps" not in said
    (kept,) = read_record(tmp_path / "lab.json").tables
    assert kept.thorough
    assert kept.rows == STEP_TIMES.rows()
    assert {path.name for path in tmp_path.iterdir()} == {"lab.json", "table-wave_step.csv", "tables.md"}
    assert (tmp_path / "tables.md").read_text("utf-8").strip() in said


def test_all_names_every_table(wave, tmp_path, capsys):
    asked = ["bench", "wave", "--table", "all", "--out", str(tmp_path)]
    for name in ("tables.md", "table-wave_step.csv", "table_wave-step.png"):
        (tmp_path / name).write_text("of a person")
        assert main(asked) == 2
        assert f"{name}' is there already, and is none of Workbench's" in capsys.readouterr().err
        (tmp_path / name).unlink()
    assert main(asked) == 0
    tables = read_record(tmp_path / "lab.json").tables
    assert [(table.table, len(table.rows)) for table in tables] == [("wave_step", 1), ("wave_blocks", 24)]


def test_the_list_names_tables_and_measures_nothing(wave, capsys, monkeypatch):
    monkeypatch.setattr(bench, "open_backend", lambda device: pytest.fail("a device was opened"))
    assert main(["bench", "wave", "--list"]) == 0
    assert f"Wave: tables\n  wave_step    {STEP_TIMES.title}\n" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--table", "teapot"], "no table 'teapot' (there are: wave_step, wave_blocks, neighbour)"),
        (["--thorough"], "--thorough is for tables"),
    ],
)
def test_what_is_not_there_is_one_sentence(wave, capsys, options, words):
    assert main(["bench", "wave", *options]) == 2
    assert words in capsys.readouterr().err


def test_every_engines_tables_keep_the_contract():
    """Published rows fit the columns, ids are those of no other, and a map names columns that are there."""
    tables = [table for engine in [*registry.engines().values(), TabledEngine()] for table in engine.tables()]
    assert len({table.id for table in tables}) == len(tables) >= 2
    for table in tables:
        for published in table.published:
            assert all(len(row) == len(table.columns) for row in published.rows), (table.id, published.source)
        of(table, ())  # checks the map
