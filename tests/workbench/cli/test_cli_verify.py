"""``workbench verify``."""

from __future__ import annotations

import json
from itertools import count
from types import SimpleNamespace
from typing import Any

import pytest

from engines.api import registry
from tests.workbench.verify import doubles
from workbench.cli import main, verify
from workbench.verify import running


@pytest.fixture
def offered(house: None, monkeypatch: pytest.MonkeyPatch) -> Any:
    """The fake engine with these cases is the only one that is installed."""

    def offer(*measures: Any) -> None:
        monkeypatch.setattr(registry, "engines", lambda: {"wave": doubles.engine_with(*measures)})

    return offer


def test_right_figures_are_shown_and_written(offered, tmp_path, capsys, monkeypatch):
    offered(doubles.relaxation)
    monkeypatch.setattr(running, "clock", SimpleNamespace(perf_counter=count(100.0, 3.0).__next__))
    assert main(["verify", "--out", str(tmp_path / "out")]) == 0
    told = capsys.readouterr().out
    assert "Workbench 0.2.0 on NumPy on paper: 1 case, about 1.0 s." in told
    row = next(line for line in told.splitlines() if line.startswith("wave/relaxation"))
    assert "Voltage behind the front [mV]" in row
    assert " right " in row
    assert "The one figure is right, of 1 case in 3 s.\n" in told
    assert "Saved in" in told
    (case,) = json.loads((tmp_path / "out" / "verify.json").read_text())["cases"]
    assert case["answers"][0]["right"] is True
    assert "wave,relaxation,Voltage behind the front,mV," in (tmp_path / "out" / "verify.csv").read_text()
    assert "# How right is it" in (tmp_path / "out" / "verify.md").read_text()


def test_one_wrong_figure_is_told_by_the_exit_code(offered, capsys):
    offered(doubles.relaxation, doubles.too_slow)
    assert main(["verify", "wave"]) == 1
    assert "1 of 3 figures is wrong: wave/too-slow (Speed | of it)." in capsys.readouterr().out
    assert main(["verify", "wave", "--case", "relaxation"]) == 0


def test_a_case_that_raises_costs_itself_alone(offered, tmp_path, capsys):
    offered(doubles.astray, doubles.unstable, doubles.relaxation)
    assert main(["verify", "--out", str(tmp_path)]) == 1
    told = capsys.readouterr()
    assert "The case ended with an unexpected ZeroDivisionError: division by zero" in told.out
    assert "The voltage is no longer a number: use a smaller step." in told.out
    assert "The one figure is right" in told.out
    assert "Traceback" not in told.out + told.err
    assert f"Its traceback is in '{tmp_path / 'error.log'}'." in told.err
    assert "doubles.py" in (tmp_path / "error.log").read_text()


def test_interrupted_it_ends_cleanly_with_what_there_is(offered, tmp_path, capsys):
    offered(doubles.relaxation, doubles.interrupted, doubles.too_slow)
    assert main(["verify", "--out", str(tmp_path)]) == 130
    told = capsys.readouterr()
    assert "Interrupted after 1 of 3 cases. The one figure is right" in told.out
    assert "Traceback" not in told.err
    assert len(json.loads((tmp_path / "verify.json").read_text())["cases"]) == 1


def test_names_that_are_nearly_right_are_suggested(offered, capsys):
    offered(doubles.relaxation)
    assert main(["verify", "wive"]) == 2
    assert "There is no engine 'wive' in this installation; the nearest is 'wave'" in capsys.readouterr().err
    assert main(["verify", "--case", "relaxed"]) == 2
    assert "There is no case 'relaxed'; the nearest is 'relaxation'" in capsys.readouterr().err


def test_cases_are_listed_and_their_absence_is_said(offered, capsys):
    offered(doubles.relaxation)
    assert main(["verify", "--list"]) == 0
    assert capsys.readouterr().out == "wave/relaxation  A case (about 1.0 s)\n"
    offered()
    assert main(["verify"]) == 2
    assert "no cases with known answers are offered (wave)" in capsys.readouterr().err


def test_a_real_engine_is_verified_as_a_user_would(monkeypatch, capsys):
    monkeypatch.setattr(registry, "engines", lambda: {"stencil": doubles.GridEngine(), "wave": doubles.engine_with()})
    assert main(["verify", "--device", "cpu"]) == 0
    told = capsys.readouterr().out
    assert "stencil/heat-mode" in told
    assert "No cases are offered by: wave." in told


def test_how_far_it_is_is_the_share_of_the_cases_that_are_through(offered, monkeypatch):
    said: list[float] = []

    class Kept:
        def __call__(self, text: str, fraction: float) -> None:
            said.append(fraction)

        def clear(self) -> None: ...

    monkeypatch.setattr(verify, "Line", Kept)
    offered(doubles.relaxation, doubles.nothing, doubles.too_slow)
    main(["verify"])
    assert said == [0.0, pytest.approx(1 / 3), pytest.approx(2 / 3)]


@pytest.mark.parametrize("name", ["verify.json", "verify.csv", "verify.md"])
def test_what_is_no_record_of_ours_is_not_replaced(offered, tmp_path, capsys, name):
    offered(doubles.relaxation)
    (tmp_path / name).write_text("of a person")
    assert main(["verify", "--out", str(tmp_path)]) == 2
    assert f"{name}' is there already, and is none of Workbench's" in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == [name]
    assert (tmp_path / name).read_text() == "of a person"
    (tmp_path / name).unlink()
    assert main(["verify", "--out", str(tmp_path)]) == main(["verify", "--out", str(tmp_path)]) == 0
