"""Benchmark records: what is counted, and that a figure comes from a measurement."""

from __future__ import annotations

import csv
import io
import json
import os
import signal
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from engines.api import no_progress, registry
from engines.backend import open_backend
from engines.cardiac.engine import CardiacEngine
from engines.stencil.engine import StencilEngine
from tests.workbench.fake_engine import WaveEngine
from workbench.bench.measure import MINIMUM_SECONDS, _batch, _step_seconds, measure
from workbench.bench.report import as_csv, as_json, table
from workbench.cli import main
from workbench.cli.runs.progress import Line


@pytest.fixture(scope="module")
def records():
    backend = open_backend("cpu")
    engine = CardiacEngine()
    found = [record for case in engine.benchmarks((3000,)) for record in measure(engine, case, backend)]
    backend.close()
    return found


def test_each_kernel_and_the_whole_step_are_timed(records):
    cases = [*(f"3,072 tetrahedra {precision}" for precision in ("fp32", "fp64", "mixed")), "729 vertices fp32"]
    assert [(record.kernel, record.case) for record in records] == [
        (kernel, case) for case in cases for kernel in ("diffusion", "reaction", "step")
    ]
    for record in records:
        assert 0 < record.seconds_p5 <= record.seconds <= record.seconds_p95
        assert record.bytes_per_second == pytest.approx(record.bytes / record.seconds)
    diffusion, reaction, step = records[:3]
    assert step.bytes == diffusion.bytes + reaction.bytes
    assert diffusion.elements == 3072
    # at most 16 columns and weights of four bytes, starts of slices, voltage read and written
    assert 8 * 3072 < diffusion.bytes <= (16 * 8 + 8 + 0.3) * 3072


def test_reports_hold_the_same_figures(records):
    rows = list(csv.DictReader(io.StringIO(as_csv(records))))
    content = json.loads(as_json({"date": "today"}, records))
    assert [float(row["seconds"]) for row in rows] == [record["seconds"] for record in content["records"]]
    lines = table(records).splitlines()
    assert [line.split()[0] for line in lines[1 : 1 + len(records)]] == [record.case.split()[0] for record in records]


@pytest.mark.keeps_time
def test_fused_steps_are_timed_as_they_run(monkeypatch):
    """A launch of several steps is never cut: each call asks for whole launches, and bytes are per step."""

    class Counting(StencilEngine):
        def build(self, problem, backend, progress=no_progress):
            simulation = super().build(problem, backend, progress)
            advance = simulation.advance
            simulation.advance = lambda steps: (asked.append(steps), advance(steps))
            return simulation

    # which candidate is the fastest is the machine's affair
    monkeypatch.setattr("engines.stencil.diffusion.cpu.tune", lambda key, candidates, time_one: candidates[0])
    asked: list[int] = []
    backend = open_backend("cpu")
    single, fused = [case for case in Counting().benchmarks((160_000,)) if "400×400 " in case.name]
    one, _ = measure(Counting(), single, backend)
    assert one.fused == 1
    assert {20, 10} <= set(asked)
    asked.clear()
    many, whole = measure(Counting(), fused, backend)
    assert many.fused > 1
    assert all(steps % many.fused == 0 for steps in asked)
    assert one.bytes == 8 * 160_000
    assert many.bytes == pytest.approx(one.bytes / many.fused, abs=2)
    assert many.working_set == pytest.approx(one.working_set, abs=2 * many.fused)
    backend.close()
    assert f"fused {whole.fused}" in table([whole])


@pytest.mark.parametrize(("step", "fused", "steps"), [(1e-3, 1, 20), (1e-5, 1, 2000), (1.0, 1, 10), (1e-3, 6, 24)])
def test_a_batch_lasts_long_enough_to_be_timed(monkeypatch, step, fused, steps):
    """0.02 s, but ten steps at least, and whole launches: by a clock that a step moves on. Batches are timed by step,
    for as long as is said."""
    now = 0.0

    class Stepping:
        synchronize = drain_timings = staticmethod(lambda: ())

        def advance(self, steps):
            nonlocal now
            now += steps * step

    monkeypatch.setattr("workbench.bench.measure.clock", SimpleNamespace(perf_counter=lambda: now))
    assert _batch(Stepping(), fused) == steps
    before = now
    times = _step_seconds(Stepping(), steps)
    assert times == pytest.approx([step] * len(times))
    assert MINIMUM_SECONDS <= now - before < MINIMUM_SECONDS + (steps + 1) * step


def test_what_a_cache_holds_is_compared_with_the_cache(records):
    """3,072 cells take 0.4 MB: over so few bytes copy is faster than from the memory, and the table says so."""
    assert all(record.in_cache for record in records)
    assert "in cache: " in table(records)


def test_more_than_the_ceilings_is_not_said_without_a_word(records):
    above = replace(records[0], fraction_of_copy=1.4, fraction_of_triad=1.2)
    assert "above: " in table([above])
    assert "above: " in table([replace(above, fraction_of_triad=0.9)])
    assert "above" not in table([replace(above, fraction_of_copy=0.99, fraction_of_triad=0.9)])


def test_the_command_writes_its_files(tmp_path, capsys):
    assert main(["bench", "cardiac", "--elements", "3e3", "--device", "cpu", "--out", str(tmp_path / "b")]) == 0
    assert "diffusion" in capsys.readouterr().out
    content = json.loads((tmp_path / "b" / "bench.json").read_text())
    assert content["ceilings"]["copy"] > 1e8
    assert content["device"]["kind"] == "cpu"
    assert (tmp_path / "b" / "bench.csv").exists()


def test_whole_steps_are_measured_alone_and_of_the_size_that_is_named(tmp_path, capsys):
    """Studies came before them for minutes, and no option left these out."""
    name = "diffusion 100×100 fp32 fused"
    asked = ["stencil", "--steps", "--elements", "1e4", "--case", name, "--device", "cpu", "--out", str(tmp_path)]
    assert main(["bench", *asked]) == 0
    content = json.loads((tmp_path / "bench.json").read_text())
    assert [(record["case"], record["kernel"]) for record in content["records"]] == [
        (name, "diffusion"),
        (name, "step"),
    ]
    assert not (tmp_path / "lab.json").exists()
    asked[asked.index(name)] = "diffusion 99×99 fp32 fused"
    assert main(["bench", *asked]) == 2
    assert name in capsys.readouterr().err


def test_who_breaks_off_has_what_was_measured(records, monkeypatch, tmp_path, capsys):
    """Of a command that ran into its time limit after minutes nothing was left, and it had said nothing."""
    seen = []

    def measured(engine, benchmark, backend, progress):
        seen.append(benchmark.name)
        progress("Building", 0.5)
        if len(seen) == 3:
            os.kill(os.getpid(), signal.SIGTERM)  # as of timeout
        return iter([replace(records[0], case=benchmark.name)])

    monkeypatch.setattr("workbench.cli.bench.measure", measured)
    monkeypatch.setattr(Line, "__call__", lambda self, message, fraction: print(f"{message} {fraction}"))
    out = tmp_path / "b"
    asked = ["bench", "stencil", "--steps", "--elements", "1e4", "1e6", "--device", "cpu", "--out", str(out)]
    assert main(asked) == 128 + signal.SIGTERM
    told = capsys.readouterr().out
    total = len(StencilEngine().benchmarks((10_000, 1_000_000)))
    assert f"2 of {total}, {seen[1]}: Building 0.5\n" in told
    assert f"Broken off after 2 of {total} sizes, which are in {out}." in told
    assert "in cache: " in told
    kept = json.loads((out / "bench.json").read_text())["records"]
    assert (
        [record["case"] for record in kept]
        == seen[:2]
        == [row["case"] for row in csv.DictReader((out / "bench.csv").open())]
    )
    assert all(told.index(name) < told.index("Broken off") for name in seen[:2])
    seen.clear()
    assert main([*asked[:-2], "--json"]) == 128 + signal.SIGTERM
    answer = json.loads(capsys.readouterr().out)
    assert answer["error"] == "Interrupted."
    assert [record["case"] for record in answer["bench"]["records"]] == seen[:2]


def test_sizes_of_whole_steps_are_listed(capsys):
    """Who named one with --case had to guess once to be told of them."""
    assert main(["bench", "stencil", "--list"]) == 0
    told = capsys.readouterr().out
    assert all(f"  {case.name}\n" in told for case in StencilEngine().benchmarks(()))


def test_an_engine_without_benchmarks_says_so(monkeypatch, tmp_path, capsys):
    monkeypatch.setattr(registry, "engines", lambda: {"wave": WaveEngine()})
    assert main(["bench", "wave", "--out", str(tmp_path / "b")]) == 0
    told = capsys.readouterr().out
    assert told == "The engine 'wave' offers no benchmarks, and no studies for the Kernel Lab.\n"
    assert not (tmp_path / "b").exists()


def test_an_unknown_engine_is_one_sentence(capsys):
    assert main(["bench", "teapot"]) == 2
    assert "no engine 'teapot'" in capsys.readouterr().err


@pytest.mark.parametrize(
    "options",
    [
        ["stencil", "--study", "laplace1d", "--set", "nonsense=3"], ["stencil", "--study", "laplace1d", "--ranks", "7"],
        ["stencil", "--study", "laplace1d", "--elements", "1e5"], ["stencil", "--table", "neighbour", "--case", "2^22"],
        ["scaling", "sine_mode", "--study", "laplace1d"], ["scaling", "sine_mode", "--quick"],
        ["peers", "--table", "all"], ["peers", "--steps"],
    ],
)  # fmt: skip
def test_an_option_of_no_account_is_refused(options, capsys):
    """It was passed over: whoever set a number had the figures of another."""
    assert main(["bench", *options, "--device", "cpu"]) == 2
    assert "leave it out" in capsys.readouterr().err


def test_of_many_times_the_median_and_the_ends_of_nine_tenths_are_told(monkeypatch):
    """Of 1 to 101 ms: a launch that something else held up moves none of them."""
    times = np.arange(1.0, 102.0)[::-1] / 1000
    monkeypatch.setattr("workbench.bench.measure._rows", lambda *_: [("swept", 3000, 600, times)])
    backend = open_backend("cpu")
    case = next(case for case in StencilEngine().benchmarks((10_000,)) if "×" in case.name)
    (record,) = measure(StencilEngine(), case, backend)
    assert (record.seconds, record.seconds_p5, record.seconds_p95) == pytest.approx((0.051, 0.006, 0.096))
    assert record.bytes_per_second == pytest.approx(3000 / 0.051)


def test_what_is_no_record_of_ours_is_not_replaced(tmp_path, capsys):
    (tmp_path / "lab.csv").write_text("of a person")
    assert main(["bench", "cardiac", "--elements", "3e3", "--device", "cpu", "--out", str(tmp_path)]) == 2
    assert "lab.csv' is there already, and is none of Workbench's" in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == ["lab.csv"]
