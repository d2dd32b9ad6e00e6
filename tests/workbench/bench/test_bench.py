"""Benchmark records: what is counted, and that a figure comes from a measurement."""

from __future__ import annotations

import csv
import io
import json

import pytest

from engines.backend import open_backend
from engines.cardiac.engine import CardiacEngine
from workbench.bench.measure import measure
from workbench.bench.report import as_csv, as_json, table
from workbench.cli import main


@pytest.fixture(scope="module")
def records():
    backend = open_backend("cpu")
    engine = CardiacEngine()
    found = [record for case in engine.benchmarks((3000,)) for record in measure(engine, case, backend)]
    backend.close()
    return found


def test_each_kernel_and_the_whole_step_are_timed(records):
    assert [(record.kernel, record.case.split()[-1]) for record in records] == [
        (kernel, precision) for precision in ("fp32", "fp64") for kernel in ("diffusion", "reaction", "step")
    ]
    for record in records:
        assert 0 < record.seconds_p5 <= record.seconds <= record.seconds_p95
        assert record.bytes_per_second == pytest.approx(record.bytes / record.seconds)
    diffusion, reaction, step = records[:3]
    assert step.bytes == diffusion.bytes + reaction.bytes
    assert {(record.elements, record.case) for record in records[:3]} == {(3072, "3,072 tetrahedra fp32")}
    # 16 columns and weights, voltage read and written: 136 bytes a cell in float32 (3,072 cells of the 8³ box)
    assert diffusion.bytes == 136 * 3072


def test_reports_hold_the_same_figures(records):
    rows = list(csv.DictReader(io.StringIO(as_csv(records))))
    content = json.loads(as_json({"date": "today"}, records))
    assert [float(row["seconds"]) for row in rows] == [record["seconds"] for record in content["records"]]
    assert len(table(records).splitlines()) == len(records) + 1


def test_the_command_writes_its_files(tmp_path, capsys):
    assert main(["bench", "cardiac", "--elements", "3e3", "--device", "cpu", "--out", str(tmp_path / "b")]) == 0
    assert "diffusion" in capsys.readouterr().out
    content = json.loads((tmp_path / "b" / "bench.json").read_text())
    assert content["ceilings"]["copy"] > 1e8
    assert content["device"]["kind"] == "cpu"
    assert (tmp_path / "b" / "bench.csv").exists()


def test_an_unknown_engine_is_one_sentence(capsys):
    assert main(["bench", "teapot"]) == 2
    assert "no engine 'teapot'" in capsys.readouterr().err
