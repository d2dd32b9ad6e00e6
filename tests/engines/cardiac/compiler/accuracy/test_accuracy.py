"""Schemes and steps held against a beat that shares neither with them."""

from __future__ import annotations

from dataclasses import replace

import pytest

from engines.cardiac.compiler.accuracy import beat as beats
from engines.cardiac.compiler.accuracy import trials
from engines.cardiac.compiler.accuracy.beat import Beat, reference_beat
from engines.cardiac.compiler.accuracy.trials import Accuracy, Trial, accuracy
from engines.cardiac.compiler.model import State, shipped
from engines.cardiac.parameters import CardiacParameters
from engines.cardiac.setup import cells
from engines.formulas.graph import const, make, symbol

pytestmark = pytest.mark.usefixtures("own_cache")
STIFF_RATE = 400.0
"""Relaxation of a gate [1/ms] that forward Euler bears up to 0.005 ms."""


@pytest.fixture
def from_file(monkeypatch):
    """Parameters of a problem whose cell model, Mitchell-Schaeffer's, came from a file."""
    model = replace(shipped("mitchell_schaeffer_2003"), limits=())
    monkeypatch.setattr(cells, "compiled_model", lambda _: model)

    def parameters(step: float, **changes):
        made = CardiacParameters(cell_model="from file")
        settings = made.cells.model_copy(update=changes)
        return made.model_copy(update={"cells": settings, "numerics": made.numerics.model_copy(update={"step": step})})

    return parameters


def test_a_beat_lasts_as_long_as_at_steps_of_a_microsecond():
    """Mitchell-Schaeffer by GRL2 at 1 µs, which takes no step and no kernel of LSODA's: 286.966 ms."""
    beat = reference_beat(shipped("mitchell_schaeffer_2003"))
    assert beat.duration == pytest.approx(286.966, abs=2e-3)
    assert beat.lowest == pytest.approx(-80.0, abs=1e-3)


def test_trials_converge_to_the_reference_and_are_kept(monkeypatch):
    model = replace(shipped("mitchell_schaeffer_2003"), limits=())
    known = accuracy(model, "GRL2", 0.03)
    errors = [abs(trial.duration_error) for trial in known.trials]
    assert [trial.step for trial in known.trials] == sorted((*trials.STEPS, 0.03))
    assert errors[0] < 2e-3
    assert known.limit.accurate == 0.2
    trials._trials.cache_clear()
    monkeypatch.setattr(trials, "run", None)  # nothing is integrated again
    assert accuracy(model, "GRL2", 0.03) == known


@pytest.mark.parametrize("kept", ["[]", "{}", "7", "[1]"])
def test_trials_that_were_cut_short_are_tried_again(monkeypatch, tmp_path, kept):
    tried = []
    trials._trials.cache_clear()
    monkeypatch.setattr(trials, "_trial", lambda _, dt, beat: tried.append(dt) or Trial("RL", dt, True, 1.0, 0.0, 0.0))
    model, beat = replace(shipped("mitchell_schaeffer_2003"), limits=()), Beat(1.0, 280.0, -80.0, 20.0)
    found = trials._trials(model, "RL", (0.1, 0.2), beat)
    (file,) = trials.beats_dir().glob("*.json")
    file.write_text(kept)
    trials._trials.cache_clear()
    assert trials._trials(model, "RL", (0.1, 0.2), beat) == found
    assert tried == [0.1, 0.2] * 2


def test_a_step_that_is_not_accurate_is_told_with_one_that_is(from_file, monkeypatch):
    """A bound of 10 µs stands for a model that needs small steps."""
    monkeypatch.setattr(trials, "DURATION_ERROR", 0.01)
    parameters = from_file(0.125, scheme="RL")
    (finding,) = cells.cell_findings(parameters)
    assert finding.severity == "warning"
    assert "by RL at 0.125 ms has an APD90 of" in finding.message
    assert "an integration to 8 digits gives an APD90 of 287.0 ms" in finding.message
    wanted = finding.remedy.changes["numerics", "step"]
    (finding,) = cells.cell_findings(from_file(wanted, scheme="RL"))
    assert finding.severity == "info"


@pytest.mark.parametrize(
    ("largest", "taken"),
    [
        ({"RL": 0.02, "LRL": 0.1}, "RL"),
        ({"RL": 0.01, "LRL": 0.02, "GRL2": 0.1}, "LRL"),
        ({"RL": 0.005, "LRL": 0.0025, "GRL1": 0.01}, "GRL1"),
    ],
)
def test_a_model_takes_the_first_scheme_that_is_accurate(from_file, monkeypatch, largest, taken):
    """Rush-Larsen unless it is not accurate at 0.02 ms; where none is, the one that is at the largest step."""
    beat = Beat(1.0, 300.0, -80.0, 20.0)

    def tried(model, scheme, own):
        bound = largest.get(scheme, 0.0)
        return Accuracy(beat, tuple(Trial(scheme, dt, True, 300.0, 0.0, 51.0 * (dt > bound)) for dt in trials.STEPS))

    monkeypatch.setattr(cells, "accuracy", tried)
    parameters = from_file(0.02)
    assert cells.scheme_of(cells.compiled_model(parameters), parameters) == taken


def test_an_unstable_step_is_refused_with_one_that_is_stable(from_file, monkeypatch):
    """A gate that relaxes at 400/ms is unstable by forward Euler above 0.005 ms; runs at 0.02 ms were let begin."""
    model = cells.compiled_model(from_file(0.02))
    rate = make("mul", const(STIFF_RATE), make("sub", const(0.5), symbol("stiff")))
    rates = [make("add", model.rates[0], make("mul", const(1e-9), symbol("stiff"))), *model.rates[1:], rate]
    stiff = replace(model, states=(*model.states, State("stiff", "", 0.2)), rates=tuple(rates), open_rates=tuple(rates))
    monkeypatch.setattr(cells, "compiled_model", lambda _: stiff)
    parameters = from_file(0.02, scheme="FE")
    assert cells.step_limit(parameters) == 0.005
    (finding,) = cells.cell_findings(parameters)
    assert "by FE at 0.02 ms is unstable" in finding.message
    assert finding.remedy.changes == {("numerics", "step"): 0.005}
    assert cells.working_step(parameters, 1.0) == 0.005


def test_a_cell_that_is_not_excited_is_said(from_file, monkeypatch):
    model = cells.compiled_model(from_file(0.02))
    v = model.states[model.voltage]
    leak = make("mul", const(-1.0), make("add", symbol(v.name), const(80.0)))
    passive = replace(model, rates=tuple(leak if k == model.voltage else r for k, r in enumerate(model.rates)))
    monkeypatch.setattr(cells, "compiled_model", lambda _: passive)
    (finding,) = cells.cell_findings(from_file(0.02))
    assert finding.place == ("cells", "file")


def test_an_integration_that_would_not_end_is_given_up_and_said(from_file, monkeypatch):
    """A budget of 20 rates stands for a model that oscillates by the microsecond."""
    monkeypatch.setattr(beats, "MOST_RATES", 20)
    model = replace(cells.compiled_model(from_file(0.02)), notes=("Another model than the one that is known.",))
    monkeypatch.setattr(cells, "compiled_model", lambda _: model)
    note, finding = cells.cell_findings(from_file(0.02))
    assert note.severity == "info"
    assert "cannot be integrated to 8 digits beyond 0 ms" in finding.message
    assert cells.step_limit(from_file(0.02)) == 0.125
