"""What ``import workbench`` offers: all of it, and quickly."""

import importlib
import subprocess
import sys
import types

import pytest

import workbench as wb
from engines.api import Finding, Remedy, registry
from engines.api.errors import ProblemError
from tests.workbench.verify import doubles
from workbench.api.findings import WorkbenchWarning, told

HEAVY = ("numpy", "pydantic", "numba", "scipy", "meshio", "cupy", "PySide6", "vispy")


def test_importing_loads_nothing_heavy():
    code = "import sys, workbench; print([m for m in sys.argv[1:] if m in sys.modules])"
    ran = subprocess.run([sys.executable, "-c", code, *HEAVY], capture_output=True, text=True, check=True)
    assert ran.stdout == "[]\n"


def test_every_public_name_is_there_and_says_what_it_is():
    for name in wb.__all__:
        assert getattr(wb, name).__doc__, name
        assert name in dir(wb)
    with pytest.raises(AttributeError, match="no attribute 'opn'"):
        _ = wb.opn


@pytest.mark.parametrize("name", ["sweep", "verify"])
def test_a_room_does_not_take_the_place_of_the_function_that_is_called_as_it(name):
    room = importlib.import_module(f"workbench.{name}")
    assert isinstance(room, types.ModuleType)
    assert isinstance(getattr(wb, name), types.FunctionType)


def test_a_warning_of_ours_is_a_warning_of_python():
    assert issubclass(WorkbenchWarning, UserWarning)
    assert issubclass(wb.UnknownNameError, (ProblemError, KeyError))


def test_cases_with_known_answers_are_run(house):
    with pytest.raises(ProblemError, match="nothing to verify"):
        wb.verify("wave")
    with pytest.raises(ProblemError, match="no engine 'wav' in this installation; the nearest is 'wave'"):
        wb.verify("wav")


def test_all_cases_of_an_engine_are_run_and_it_is_told_how_far_it_is(monkeypatch):
    engine = doubles.engine_with(doubles.relaxation, doubles.too_slow, doubles.undefined)
    monkeypatch.setattr(registry, "engines", lambda: {engine.id: engine})
    told = []
    outcomes = wb.verify(device="cpu", progress=lambda text, part: told.append((text, part)))
    assert [outcome.right for outcome in outcomes] == [True, False, False]
    assert told == [("wave/relaxation", 0.0), ("wave/too-slow", 1 / 3), ("wave/undefined", 2 / 3)]


@pytest.mark.parametrize(
    ("remedy", "words"),
    [
        (Remedy("Take another step", {("step",): 0.1}), "Take another step with set({'step': 0.1})."),
        (Remedy("Repair the mesh", tool="repair"), "Repair the mesh with the tool 'repair'."),
        (Remedy("Look at it"), "Look at it."),
    ],
)
def test_a_remedy_says_how_it_is_done_from_python(remedy, words):
    assert told(Finding("It is coarse.", place=("step",), remedy=remedy)) == f"It is coarse. [step] {words}"
