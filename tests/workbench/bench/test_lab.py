"""The measuring procedure: what is refused, what is rotated, how a session ends, and what its files hold."""

from __future__ import annotations

import csv
import io
import json
import math
from dataclasses import replace
from importlib.resources import as_file, files
from pathlib import Path

import numpy as np
import pytest

import workbench as wb
from engines.api import registry
from engines.api.errors import DeviceError, ProblemError
from engines.api.lab import Case, Prepared, Published, Study, Variant
from engines.backend import open_backend
from engines.backend.ceilings import curve
from engines.backend.ceilings.curve import BandwidthPoint, Curve
from workbench.bench import check, lab, timed
from workbench.bench.check import Checker
from workbench.bench.lab import Lab
from workbench.bench.record_files import kept_records, read_record
from workbench.bench.records import LabRecord, lab_record, to_csv, to_json
from workbench.bench.tables import curve_table, duration, measured, published_table, size_name, study_table
from workbench.bench.timed import COLD_CACHES, Bench, sets_needed
from workbench.cli import main

FLAT = 1e12
"""A ceiling that no test machine reaches."""


@pytest.fixture
def backend(monkeypatch):
    """The CPU with a curve that need not be measured."""
    points = tuple(BandwidthPoint(name, size, FLAT) for name in curve.OPERATIONS for size in (1 << 15, 1 << 30))
    monkeypatch.setattr(lab, "measured_curve", lambda backend, **options: Curve(points, 1e-6, None))
    opened = open_backend("cpu")
    yield opened
    opened.close()


class Doubling(Prepared):
    """``y = 2 x`` on NumPy arrays, with what goes wrong as an option; remembers the sets that were launched."""

    def __init__(self, inputs, sets, wrong=lambda answer: answer) -> None:
        self.x, self.y = inputs["x"], [np.empty_like(inputs["x"]) for _ in range(sets)]
        self.wrong, self.launched, self.closed = wrong, [], False
        self.set_bytes = 2 * self.x.nbytes

    def launch(self, index):
        self.launched.append(index)
        self.y[index][:] = self.wrong(2 * self.x)

    def poison(self, index):
        self.y[index].fill(np.nan)

    def result(self, index):
        return self.y[index]

    def close(self):
        self.closed = True


THOUSAND = Case("1000", (1000,), 1000)


def study_of(*variants, cases=(THOUSAND,), **options):
    return Study(
        id="double",
        title="Doubling",
        summary="Twice a number.",
        cases=cases,
        variants=variants,
        inputs=lambda case, generator: {"x": generator.random(case.size)},
        reference=lambda inputs, steps: 2.0 * inputs["x"],
        tolerance=1e-12,
        **options,
    )


def variant_of(id="right", wrong=lambda answer: answer, made=None, **options):
    def prepare(backend, case, inputs, sets, shape):
        prepared = Doubling(inputs, sets, wrong)
        if made is not None:
            made.append(prepared)
        return prepared

    given = {"bytes": 16.0, "flops": 1.0, **options}
    return Variant(id, id, "NumPy", source=Path(__file__), symbol="launch", prepare=prepare, **given)


def spoiled(answer):
    answer[17] += 1e-3
    return answer


def unwritten(answer):
    answer[-1] = np.nan
    return answer


def test_a_right_variant_gets_a_figure(backend):
    made: list[Doubling] = []
    (record,) = Lab(backend).run([study_of(variant_of(made=made))])
    assert record.refused == ""
    assert 0 < record.seconds_p5 <= record.seconds <= record.seconds_p95
    assert record.bytes == 16_000
    assert record.ceiling == FLAT
    assert record.error == 0.0
    assert made[0].closed


@pytest.mark.parametrize(("wrong", "words"), [(spoiled, "Wrong answer: off by 5"), (unwritten, "not finite")])
def test_a_wrong_answer_is_refused(backend, wrong, words):
    """One element of a thousand is off by 1e-3 (5e-4 of the largest, 2), or was not written."""
    made: list[Doubling] = []
    (record,) = Lab(backend).run([study_of(variant_of("wrong", wrong, made))])
    assert words in record.refused
    assert str(record.seed) in record.refused
    assert record.seconds == record.fraction == 0.0
    assert made[0].launched == [0]  # it was never timed
    assert made[0].closed


@pytest.mark.parametrize(("above", "refused"), [(0.04, False), (0.06, True)])
def test_a_figure_above_the_ceiling_is_refused_beyond_noise(backend, monkeypatch, above, refused):
    """Of 5 %. A variant that claims to move 16 KB in less than the memory takes."""
    seconds = 16_000 / (FLAT * (1 + above))
    monkeypatch.setattr(Bench, "_times", lambda *_: ([seconds], 0.0))
    (record,) = Lab(backend, cache="warm").run([study_of(variant_of())])
    assert ("of what the memory gives" in record.refused) == refused
    assert record.seconds == (0.0 if refused else seconds)


def test_fresh_input_each_time(backend):
    seeds = {record.seed for _ in range(5) for record in Lab(backend).run([study_of(variant_of())])}
    assert len(seeds) == 5


def test_what_the_device_cannot_do_is_said(backend):
    def refuses(*_):
        raise DeviceError("Not on this device.")

    def too_large(*_):
        raise MemoryError

    broken = replace(variant_of("broken"), prepare=refuses)
    large = replace(variant_of("large"), prepare=too_large)
    huge = variant_of("huge", bytes=1e15)
    records = {record.variant: record for record in Lab(backend).run([study_of(broken, large, huge, variant_of())])}
    assert records["broken"].refused == "Not on this device."
    assert "does not hold 1000" in records["large"].refused
    assert "Needs" in records["huge"].refused
    assert records["right"].refused == ""


def test_the_cold_rotation_covers_the_cache(backend, monkeypatch):
    """With a cache of 100 sets' tenth, more than four caches are gone through before a set is met again."""
    monkeypatch.setattr(timed, "cache_bytes", lambda backend: 160_000)
    made: list[Doubling] = []
    (cold,) = Lab(backend).run([study_of(variant_of(made=made))])
    sets = len(made[0].y)
    assert cold.working_set == sets * made[0].set_bytes > COLD_CACHES * 160_000
    timed_launches = made[0].launched[1 + timed.WARM_UP :]
    first = timed_launches[0]
    assert timed_launches[: 2 * sets] == [(first + k) % sets for k in range(min(2 * sets, len(timed_launches)))]
    (warm,) = Lab(backend, cache="warm").run([study_of(variant_of(made=made))])
    assert set(made[1].launched) == {0}
    assert warm.working_set == made[1].set_bytes
    assert (cold.cache, warm.cache) == ("cold", "warm")


def test_sets_of_buffers():
    assert sets_needed(1e9, 50_000_000) == 1
    assert sets_needed(200e6, 50_000_000) == 2  # four caches exactly are not more than four
    assert sets_needed(8e6, 50_000_000) * 8e6 > 200e6


def test_a_session_can_be_cancelled(backend):
    """After the first record nothing else is started; during a timing it ends between two runs."""
    found: list[str] = []
    for record in Lab(backend, cancelled=lambda: bool(found)).run([study_of(variant_of("a"), variant_of("b"))]):
        found.append(record.variant)
    assert found == ["a"]
    made: list[Doubling] = []
    asked = iter([False, False, False, True])
    assert list(Lab(backend, cancelled=lambda: next(asked)).run([study_of(variant_of(made=made))])) == []
    assert made[0].closed


def test_progress_ends_at_one(backend):
    heard: list[tuple[str, float]] = []
    list(Lab(backend, progress=lambda *said: heard.append(said)).run([study_of(variant_of("a"), variant_of("b"))]))
    assert [fraction for _, fraction in heard] == [0.0, 0.5, 1.0]
    assert "Doubling, 1000: a" in heard[0][0]


def test_a_quick_session_takes_one_case_and_one_shape(backend):
    cases = tuple(Case(str(n), (n,), n) for n in (10, 1000, 1 << 23))
    many = variant_of("many", shapes=((1,), (2,), (3,)))
    quick = list(Lab(backend, quick=True).run([study_of(many, cases=cases)]))
    assert [(record.case, record.shape) for record in quick] == [("1000", (1,))]
    full = list(Lab(backend).run([study_of(many, cases=cases[:2])]))
    assert len(full) == 6


def test_large_answers_are_compared_by_rows(monkeypatch):
    """The first, the last and random rows are compared, and all must be finite."""
    monkeypatch.setattr(check, "WHOLE", 100)
    monkeypatch.setattr(check, "WINDOW_POINTS", 50)
    asked = []

    def rows(inputs, steps, first, stop):
        asked.append((first, stop))
        return 2.0 * inputs["x"][first:stop]

    study = study_of(variant_of(), reference_rows=rows)
    checker = Checker(study, study.cases[0], seed=3)
    right = 2.0 * checker.inputs["x"]
    assert checker.error(right, 1) == 0.0
    assert (0, 50) in asked
    assert (950, 1000) in asked
    assert len(set(asked)) == check.WINDOWS
    for place in (0, 999):
        wrong = right.copy()
        wrong[place] += 1.0
        assert checker.error(wrong, 1) > 0.4
    outside = next(k for k in range(1000) if not any(first <= k < stop for first, stop in asked))
    right[outside] = np.nan
    assert checker.error(right, 1) == float("inf")
    assert len(asked) == check.WINDOWS  # computed once


def test_another_shape_is_wrong():
    study = study_of(variant_of())
    checker = Checker(study, study.cases[0], seed=3)
    assert checker.error(np.zeros(999), 1) == float("inf")


# ---- records and tables -----------------------------------------------------------------------------------------


@pytest.fixture
def record(backend):
    session = Lab(backend)
    many = variant_of("many", shapes=((32, 8), (32, 4)))
    records = session.run([study_of(many, variant_of("wrong", spoiled))])
    return LabRecord(session.machine(), tuple(records))


def test_json_comes_back_equal(record):
    assert lab_record(to_json(record)) == record


@pytest.mark.parametrize(
    "text", ["", "{}", "[1]", '{"machine": 3}', '{"machine": null, "variants": [{"study": "a"}]}'], ids=repr
)
def test_another_text_is_one_sentence(text):
    with pytest.raises(ProblemError, match="no record of the Kernel Lab"):
        lab_record(text)


def test_a_damaged_figure_is_named(record):
    content = json.loads(to_json(record))
    content["variants"][1]["seconds"] = "fast"
    with pytest.raises(ProblemError, match=r"variants\.1\.seconds"):
        lab_record(json.dumps(content))


@pytest.mark.parametrize(
    ("figure", "value"),
    [
        *((name, value) for name in ("seconds", "bytes") for value in (0.0, -1.0, math.nan, math.inf, 1e308)),
        ("seconds", 1e-320), ("flops", 1e308), ("flops", -2.0), ("ceiling", math.nan), ("error", math.nan),
        ("points", 0), ("points", -3), ("points", 10**30), ("working_set", -1), ("shape", [0, 8]),
    ],
)  # fmt: skip
def test_figures_that_nobody_measured_are_no_record(record, figure, value):
    """Plots take logarithms of their quotients: the Lab's window ended with the process."""
    content = json.loads(to_json(record))
    content["variants"][0][figure] = value
    with pytest.raises(ProblemError, match=r"variants\.0"):
        lab_record(json.dumps(content))


@pytest.mark.parametrize("value", [0.0, -1.0, math.nan, math.inf, 1e-30])
def test_a_ceiling_that_nobody_measured_is_none(record, value):
    content = json.loads(to_json(record))
    content["machine"]["curve"][0]["bytes_per_second"] = value
    with pytest.raises(ProblemError, match=r"machine\.curve\.0"):
        lab_record(json.dumps(content))


def test_csv_holds_the_same_figures(record):
    rows = list(csv.DictReader(io.StringIO(to_csv(record))))
    assert [row["shape"] for row in rows] == ["32x8", "32x4", ""]
    for row, variant in zip(rows, record.variants, strict=True):
        assert float(row["seconds"]) == variant.seconds
        assert float(row["fraction"]) == variant.fraction


def test_shipped_records_can_be_read():
    """Every ``lab-*.json`` that ships is listed; records of other kinds beside them are not."""
    with as_file(files("workbench.bench") / "records") as folder:
        listed = [found.path for found in kept_records(folder)]
        assert sorted(listed) == sorted(folder.glob("lab-*.json"))
        for path in listed:
            record = read_record(path)
            assert record.variants or record.tables


def test_tables_say_what_was_measured_and_what_was_refused(record):
    study = study_of(variant_of("many"))
    text = study_table(study, record)
    assert "32x8" in text
    assert "refused: Wrong answer" in text
    assert "32 KB" in curve_table(record.machine)
    assert len(text.splitlines()) == 2 + len(record.variants)


def test_published_figures_stand_beside_ours(record):
    table = Published("A paper", "Their card", "GB/s", {"many": {"1000 32x4": 99.0, "1000 64x1": 98.0}})
    text = published_table(study_of(), table, record.variants, "Ours")
    ours = record.variants[1].bytes_per_second / 1e9
    assert f"99 [{ours:.4g}]" in text
    assert "98 [-]" in text
    for unit, each in (("ms", 1e3), ("us", 1e6), ("µs", 1e6), ("s", 1.0)):
        ours = measured("double", "many", "1000", unit, record.variants)
        assert ours == pytest.approx(record.variants[0].seconds * each)
    assert measured("double", "wrong", "1000", "ms", record.variants) is None


def test_units():
    assert [duration(s) for s in (1.5e-6, 2.5e-3, 3.0)] == ["1.5 µs", "2.5 ms", "3 s"]
    assert [size_name(1 << power) for power in (15, 22, 32)] == ["32 KB", "4 MB", "4 GB"]


# ---- the command --------------------------------------------------------------------------------------------------


class Bare:
    """What the command asks of an engine."""

    id = "bare"

    def studies(self):
        table = Published("A paper", "Their card", "ms", {"right": {"1000": 1.0}})
        return (study_of(variant_of(), published=(table,)),)

    def tables(self):
        return ()

    def benchmarks(self, elements=()):
        return ()


@pytest.fixture
def bare(backend, monkeypatch):
    monkeypatch.setattr(registry, "engines", lambda: {"bare": Bare()})


def test_the_command_prints_tables_and_writes_files(bare, tmp_path, capsys, monkeypatch):
    drawn: list[LabRecord] = []

    class Point:
        def load(self):
            return lambda record, folder: drawn.append(record) or [folder / "curve.png"]

    from workbench.bench import plots

    monkeypatch.setattr(plots, "entry_points", lambda group: [Point()] if group == "workbench.plots" else [])
    out = tmp_path / "lab"
    assert main(["bench", "bare", "--device", "cpu", "--study", "double", "--quick", "--out", str(out)]) == 0
    said = capsys.readouterr().out
    assert said.index("working set") < said.index("Doubling (double)") < said.index("A paper")
    assert "1 plots drawn" in said
    kept = lab_record((out / "lab.json").read_text("utf-8"))
    assert drawn == [kept]
    assert (out / "lab.csv").read_text("utf-8").count("\n") == 2


@pytest.mark.parametrize(
    ("name", "ours"),
    [("double_roofline.png", True), ("bandwidth.png", True), ("double.png", False), ("table_double.png", False)],
)
def test_a_picture_of_a_person_is_not_replaced_by_a_plot(bare, tmp_path, capsys, name, ours):
    (tmp_path / name).write_text("of a person")
    measure = ["bench", "bare", "--device", "cpu", "--study", "double", "--quick", "--out", str(tmp_path)]
    assert main(measure) == (2 if ours else 0)
    assert (f"{name}' is there already, and is none of Workbench's" in capsys.readouterr().err) == ours
    assert (tmp_path / name).read_text() == "of a person"
    assert (tmp_path / "lab.json").exists() != ours
    (tmp_path / name).unlink()
    assert main(measure) == main(measure) == 0, "its own plots make way for those of the next session"


def test_without_a_plotter_the_command_says_so(bare, tmp_path, capsys, monkeypatch):
    from workbench.bench import plots

    monkeypatch.setattr(plots, "entry_points", lambda group: [])
    assert main(["bench", "bare", "--device", "cpu", "--study", "double", "--quick", "--out", str(tmp_path)]) == 0
    assert "no plots" in capsys.readouterr().out


def test_an_unknown_study_is_one_sentence(bare, capsys):
    assert main(["bench", "bare", "--study", "teapot"]) == 2
    assert "no study 'teapot' (there are: double)" in capsys.readouterr().err


def test_named_sizes_are_all_that_is_measured(backend, monkeypatch, tmp_path):
    """Quick or not; ``all`` names every study. Two engines' studies: one has no such size and is left out."""
    other = (Case("1000", (1000,), 1000), Case("2000", (2000,), 2000), Case("3000", (3000,), 3000))

    class Two(Bare):
        def studies(self):
            return (study_of(variant_of(), cases=other), replace(study_of(variant_of(), cases=other[:1]), id="small"))

        def benchmarks(self, elements=()):
            raise AssertionError("whole steps were not asked for")

    monkeypatch.setattr(registry, "engines", lambda: {"bare": Two()})
    wanted = ["bench", "bare", "--device", "cpu", "--quick", "--study", "all", "--case", "2000", "--case", "3000"]
    assert main([*wanted, "--out", str(tmp_path)]) == 0
    record = lab_record((tmp_path / "lab.json").read_text("utf-8"))
    assert [(one.study, one.case) for one in record.variants] == [("double", "2000"), ("double", "3000")]


def test_studies_before_it_was_broken_off_are_kept(backend, monkeypatch, tmp_path):
    class Two(Bare):
        def studies(self):
            return tuple(replace(study_of(variant_of()), id=name) for name in ("one", "two"))

    monkeypatch.setattr(registry, "engines", lambda: {"bare": Two()})
    run = Lab.run

    def broken_off(self, studies):
        if studies[0].id == "two":
            raise KeyboardInterrupt
        return run(self, studies)

    monkeypatch.setattr(Lab, "run", broken_off)
    asked = ["bench", "bare", "--device", "cpu", "--quick", "--study", "all", "--out", str(tmp_path)]
    assert main(asked) == 130
    record = lab_record((tmp_path / "lab.json").read_text("utf-8"))
    assert [one.study for one in record.variants] == ["one"]


def test_python_measures_a_study_too(bare):
    assert dict(wb.studies()) == {"double": "Doubling"}
    (found,) = measured = wb.study("double", cases=["1000"], device="cpu", quick=True)
    assert (found.case, found.refused, found.error) == ("1000", "", 0.0)
    assert found.seconds > 0
    assert "of the measured ceiling" in measured._repr_html_()
    with pytest.raises(ProblemError, match=r"no study 'teapot' \(there are: double\)"):
        wb.study("teapot")


def test_an_unknown_size_is_one_sentence(bare, capsys):
    assert main(["bench", "bare", "--study", "double", "--case", "7"]) == 2
    assert "no size '7' (there are: 1000)" in capsys.readouterr().err
