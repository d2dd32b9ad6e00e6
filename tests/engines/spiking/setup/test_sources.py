"""Sources that have more spikes than a step takes: those at random are refused or told, those of a list are counted."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest

from engines.api import Problem
from engines.api.errors import ProblemError
from engines.spiking.engine import SpikingEngine
from engines.spiking.parameters import SpikingParameters
from engines.spiking.setup.populations import live_of
from engines.spiking.setup.sources import crowded

ENGINE = SpikingEngine()


def problem(*neurons, step=0.1, number=2, **more):
    populations = [{"name": f"S{k}", "number": number, "neuron": each} for k, each in enumerate(neurons)]
    given = {"populations": populations, "connections": [], "numerics": {"step": step}, **more}
    return Problem(SpikingParameters.model_validate(given))


def poisson(rate):
    return {"kind": "poisson", "rate": rate}


def spikes(simulation, steps):
    simulation.advance(steps)
    return np.asarray(simulation.state()["spikes"])


@pytest.mark.parametrize(("rate", "step", "factor"), [(2e4, 0.1, 1.0), (2000.0, 1.0, 1.0), (2500.0, 0.1, 5.0)])
def test_more_than_one_in_a_step_are_refused(rate, step, factor, backend):
    """They fired once in each step, all alike."""
    given = problem(poisson(10.0), poisson(rate), step=step, synapses={"external": factor})
    with pytest.raises(ProblemError, match="of a source in a step are too many") as refused:
        ENGINE.estimate(given, backend)
    assert refused.value.place == ("populations", 1, "neuron", "rate")
    shorter = float(re.search(r"steps of ([\d.]+) ms", str(refused.value))[1])
    ENGINE.estimate(problem(poisson(rate), step=shorter, synapses={"external": factor}), backend)


def test_a_factor_that_makes_them_too_many_is_refused_while_it_runs(backend):
    given = problem(poisson(4000.0))
    simulation = ENGINE.build(given, backend)
    live = live_of(given.parameters)
    with pytest.raises(ProblemError, match="too many"):
        simulation.set_live(replace(live, external=3.0))
    simulation.set_live(replace(live, external=2.5))
    assert (spikes(simulation, 50) == 50).all()  # the chance is 1


@pytest.mark.parametrize(("rate", "chance"), [(1000.0, None), (1200.0, 0.12), (5000.0, 0.5), (1e4, 1.0)])
def test_chances_that_take_from_the_variance_are_told_of_the_fastest(rate, chance, backend):
    """4,000 sources for 20 steps: the variance of their numbers over its mean is 1 − chance."""
    given = problem(poisson(100.0), poisson(rate), number=4000)
    found = [*crowded(given.parameters)]
    numbers = spikes(ENGINE.build(given, backend), 20)[4000:]
    assert numbers.var() / numbers.mean() == pytest.approx(1 - rate * 1e-4, abs=0.07)
    if chance is None:
        assert not found
        return
    (finding,) = found
    assert f"S1 have {chance:g} spikes in a step" in finding.message
    assert f"vary {100 * chance:.0f} % less" in finding.message
    ((place, step),) = finding.remedy.changes.items()
    assert place == ("numerics", "step")
    assert not [*crowded(problem(poisson(rate), step=step).parameters)]


def test_spikes_of_a_list_that_fall_together_are_counted(tmp_path, backend):
    """Three of six were lost without a word."""
    path = tmp_path / "list.csv"
    path.write_text("time,neuron\n1.04,0\n7,0\n1,0\n5,1\n5.05,1\n1.02,0\n1.0,1\n")
    given = problem({"kind": "spike list", "path": str(path)})
    (finding,) = crowded(given.parameters)
    assert finding.message.startswith("3 spikes of list.csv fall into a step with")
    assert spikes(ENGINE.build(given, backend), 100).sum() == 7 - 3
    ((_, step),) = finding.remedy.changes.items()
    finer = problem({"kind": "spike list", "path": str(path)}, step=step)
    assert not [*crowded(finer.parameters)]
    assert spikes(ENGINE.build(finer, backend), round(10 / step)).sum() == 7
    path.write_text("time,neuron\n1,0\n1,0\n1,1\n")
    (finding,) = crowded(given.parameters)
    assert finding.message.startswith("1 spike of list.csv falls")
    assert finding.remedy is None
