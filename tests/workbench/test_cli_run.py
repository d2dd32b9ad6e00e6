"""``workbench run``, in this process and in one of its own."""

from __future__ import annotations

import csv
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import meshio
import numpy as np
import pytest

from workbench.cli import main
from workbench.document import open_document, save_document

ROOT = Path(__file__).parents[2]


def rows(path: Path) -> list[list[str]]:
    with path.open(newline="") as file:
        return list(csv.reader(file))


def command(*arguments: Any, **options: Any) -> subprocess.Popen[str]:
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    house = str(ROOT / "tests/workbench/house.py")
    return subprocess.Popen(
        [sys.executable, house, *map(str, arguments)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment,
        **options,
    )


def change(project: Path, **parameters: Any) -> None:
    document = open_document(project)
    for name, value in parameters.items():
        setattr(document.parameters, name, value)
    save_document(document)


def test_a_run_leaves_all_its_results(project, tmp_path, capsys):
    out = tmp_path / "out"
    arguments = ["run", str(project), "--out", str(out), "--device", "cpu", "--snapshot-every", "1", "--no-pictures"]
    assert main(arguments) == 0
    told = capsys.readouterr()
    assert "Finished. Saved in" in told.out
    traces = rows(out / "traces.csv")
    assert traces[0] == ["time [ms]", "near: voltage [mV]", "far, end: voltage [mV]"]
    assert [float(row[0]) for row in traces[1:]] == pytest.approx(np.arange(0, 4.01, 0.1))
    assert rows(out / "series.csv")[0] == ["time [ms]", "mean_voltage [mV]"]
    points = {row[0]: row for row in rows(out / "points.csv")}
    # The wave is at x = 0.25 mm at 0.25 ms; from -80 to 0 mV of 20 mV takes tau ln 5. Two steps of tolerance.
    assert float(points["near"][-1]) == pytest.approx(0.25 + 0.5 * np.log(5), abs=0.04)
    assert points["far, end"][-1] == ""
    moments = json.loads((out / "run.json").read_text())
    assert moments["outcome"] == {"state": "finished", "step": 200, "time": 4.0, "time_unit": "ms", "error": None}
    timing = rows(out / "timing.csv")
    assert timing[1][timing[0].index("kernel")] == "follow"
    grids = sorted((out / "fields").iterdir())
    assert [grid.name for grid in grids] == [f"fields_{step:09d}.vtu" for step in (0, 50, 100, 150, 200)]
    final = meshio.read(grids[-1])
    assert np.isnan(final.cell_data["activation_time [ms]"][0]).any()
    assert len(final.cells_dict["tetra"]) == 216


def test_the_same_run_in_a_process_of_its_own(project, tmp_path):
    process = command("run", project, "--until", "2", "--out", tmp_path / "out")
    out, error = process.communicate(timeout=60)
    assert process.returncode == 0, error
    assert "points.csv" in out
    assert "100%" in error.splitlines()[-1] or "100%" in error
