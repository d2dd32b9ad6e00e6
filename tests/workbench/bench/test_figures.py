"""Small sums of the Lab's records and texts, at the edges where one is easily off: each by hand."""

import logging
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from engines.api.errors import ProblemError
from tests.workbench.bench.test_lab import Doubling, backend, study_of, variant_of  # noqa: F401  # a fixture
from tests.workbench.fake_engine import FakeBackend, WaveEngine
from tests.workbench.fake_tables import STEP_TIMES
from workbench.bench import plots, timed
from workbench.bench.lab import Lab
from workbench.bench.measured_tables import measured_table
from workbench.bench.peers.record import SideRecord
from workbench.bench.table_text import _aligned
from workbench.bench.tables import duration
from workbench.bench.timed import Bench, Effort
from workbench.cli import bench


@pytest.fixture
def record(backend):  # noqa: F811
    (record,) = Lab(backend).run([study_of(variant_of())])
    return record


def test_rates_are_of_all_points_and_steps_and_nothing_where_no_time_passed(record):
    one = replace(record, points=1000, steps=4, bytes=6e6, seconds=2.0, ceiling=1e7)
    assert (one.points_per_second, one.bytes_per_second, one.fraction) == (2000.0, 3e6, 0.3)
    none = replace(one, seconds=0.0)
    assert (none.points_per_second, none.bytes_per_second, none.fraction) == (0.0, 0.0, 0.0)
    assert replace(one, ceiling=0.0).fraction == 0.0


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(5e-4, "500 µs"), (1e-3, "1 ms"), (0.9999, "999.9 ms"), (1.0, "1 s"), (1.5, "1.5 s"), (1234.0, "1234 s")],
)
def test_a_duration_has_the_unit_that_it_reaches(seconds, text):
    assert duration(seconds) == text


def test_an_error_as_large_as_the_tolerance_is_none(backend):  # noqa: F811
    """Of exact variants both are 0."""
    exact = variant_of("exact", tolerance=0.0)
    off = variant_of("off", wrong=lambda answer: answer * (1 + 1e-9), tolerance=0.0)
    first, second = Lab(backend).run([study_of(exact, off)])
    assert (first.error, first.refused) == (0.0, "")
    assert second.refused.startswith("Wrong answer")


@pytest.mark.parametrize(
    ("effort", "each", "taken"),
    [
        (Effort(7, 1e9, 3), 1e-3, 7),  # as many runs as are wanted
        (Effort(7, 0.0, 3), 1e-3, 3),  # no time: the least
        (Effort(100, 0.5, 3), 0.1, 5),  # until the time is over
    ],
)
def test_a_variant_runs_until_its_runs_or_its_time_are_over(backend, monkeypatch, effort, each, taken):  # noqa: F811
    monkeypatch.setattr(timed, "estimated", lambda *_: 10.0)  # one launch is a run
    monkeypatch.setattr(timed, "batch", lambda *_, **__: SimpleNamespace(seconds=lambda: each))
    one = Bench(backend, (), "warm", effort, lambda: False)
    study = study_of(variant_of())
    prepared = Doubling(study.inputs(study.cases[0], np.random.default_rng(1)), 1)
    assert len(one._times(study.variants[0], prepared, 1)[0]) == taken


@pytest.mark.parametrize(
    ("language", "sets", "launch_seconds", "batched", "captured", "by_host"),
    [
        ("CUDA", 4, 1e-4, 8, True, 20),  # 5 launches are a run: two rounds of the sets
        ("CUDA", 4, 1e-3, 1, False, 4),  # one is: no graph, and each set is launched by the host
        ("CUDA", 1, 2.5e-4, 2, True, 8),
        ("CUDA", 3, 2.5e-4, 3, True, 12),
        ("CuPy", 2, 2.5e-4, 2, False, 8),  # its expressions allocate, which a graph may not
    ],
)
def test_on_a_gpu_whole_rounds_of_cold_buffers_are_launched(
    monkeypatch, language, sets, launch_seconds, batched, captured, by_host
):
    asked = {}

    def batch(device, launch, count, seconds, capture):
        asked.update(count=count, capture=capture)
        return SimpleNamespace(seconds=lambda: launch_seconds)

    def by_host_alone(device, launch, count):
        asked["host"] = count
        return 3e-6

    monkeypatch.setattr(timed, "cache_bytes", lambda _: 1 << 20)
    monkeypatch.setattr(timed, "estimated", lambda *_: launch_seconds)
    monkeypatch.setattr(timed, "batch", batch)
    monkeypatch.setattr(timed, "host_seconds", by_host_alone)
    gpu = SimpleNamespace(info=SimpleNamespace(kind="cuda"))
    variant = SimpleNamespace(language=language)
    times, host = Bench(gpu, (), "cold", Effort(5, 0.0, 2), lambda: False)._times(variant, None, sets)
    assert (times, host) == ([launch_seconds] * 2, 3e-6)
    assert asked == {"count": batched, "capture": captured, "host": by_host}


def test_a_quick_session_without_a_small_case_takes_the_first_alone(backend):  # noqa: F811
    cases = tuple(replace(study_of(variant_of()).cases[0], name=str(n), points=10**8 + n) for n in range(3))
    lab = Lab(backend, quick=True)
    lab._kind = "cuda"
    assert [case.name for case in lab._cases(study_of(variant_of(), cases=cases))] == ["0"]


@pytest.mark.parametrize(("error", "logged"), [(ProblemError("No."), 0), (KeyError("row"), 1)])
def test_what_no_table_expects_leaves_its_traceback_in_the_log(monkeypatch, caplog, error, logged):
    def measure(*_):
        raise error

    table = STEP_TIMES
    monkeypatch.setattr(type(table), "measure", measure)
    clock = SimpleNamespace(perf_counter=iter([5.0, 7.5]).__next__)
    monkeypatch.setattr("workbench.bench.measured_tables.time", clock)
    with caplog.at_level(logging.WARNING, "workbench.bench"):
        told = measured_table(table, FakeBackend(), lambda *_: None, thorough=False)
    assert told.refused
    assert told.seconds == 2.5
    assert len(caplog.records) == logged
    assert all(each.exc_info and each.exc_info[1] is error for each in caplog.records)


def test_a_column_of_markdown_has_room_for_the_three_dashes_of_its_rule():
    assert _aligned(["a", "b|"], [False, True], [["1", "2"]]) == ["| a   | b\\| |", "| --- | --: |", "| 1   |   2 |"]


@pytest.mark.parametrize(
    ("options", "sizes"),
    [
        ({"quick": True, "elements": ()}, (bench.QUICK_ELEMENTS,)),
        ({"quick": False, "elements": ()}, ()),
        ({"quick": True, "elements": (7,)}, (7,)),
    ],
)
def test_a_quick_bench_has_one_size_unless_others_are_named(options, sizes):
    asked = []

    class Sized(WaveEngine):
        def benchmarks(self, given):
            asked.append(given)
            return super().benchmarks(given)

    bench._benchmarks([Sized()], SimpleNamespace(steps=False, **options))
    assert asked == [sizes]


@pytest.mark.parametrize(("first", "seconds", "compiling"), [(3.0, 1.0, 2.0), (0.5, 1.0, 0.0)])
def test_what_the_first_run_took_longer_is_compiling(first, seconds, compiling):
    assert SideRecord.compiling.fget(SimpleNamespace(first=first, seconds=seconds)) == compiling


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (ProblemError("There is no display."), "There is no display. The tables are complete."),
        (OSError("no driver"), "No plots could be drawn (OSError: no driver); the tables are complete."),
    ],
)
def test_why_there_are_no_plots_is_said(monkeypatch, tmp_path, error, said):
    def fails(*_):
        raise error

    monkeypatch.setattr(plots, "entry_points", lambda group: [SimpleNamespace(load=lambda: fails)])
    assert plots.save_plots(None, tmp_path) == ([], said)
