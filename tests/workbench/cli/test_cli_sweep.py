"""``workbench sweep``: its folder, its files, what it says."""

from __future__ import annotations

import pytest

from workbench.cli import main


@pytest.mark.parametrize("name", ["sweep.csv", "sweep.h5", "convergence.csv", "charts/mine.csv"])
def test_files_that_no_sweep_has_left_are_not_replaced(project, tmp_path, capsys, name):
    out = tmp_path / "out"
    (out / name).parent.mkdir(parents=True)
    (out / name).write_text("mine")
    command = ["sweep", str(project), "--vary", "speed=1,2", "--until", "0.1", "--device", "cpu", "--out", str(out)]
    assert main(command) == 2
    assert f"'{out / name}' is there already, and no 'cases' that a sweep has left" in capsys.readouterr().err
    assert (out / name).read_text() == "mine"
    (out / name).unlink()
    assert main(command) == 0
    assert main(command) == 0  # those of a sweep are


def test_an_end_before_the_first_step_is_told(project, tmp_path, capsys):
    command = ["sweep", str(project), "--vary", "speed=1,2", "--device", "cpu", "--out", str(tmp_path / "out")]
    assert main([*command, "--until", "1e-3"]) == 0
    assert "The run is to end at 0.001 ms, before its first step" in capsys.readouterr().err
