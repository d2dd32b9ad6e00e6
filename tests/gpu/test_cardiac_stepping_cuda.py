"""Graphs of steps and multirate reaction on a GPU, against steps launched one by one and against the CPU."""

from __future__ import annotations

import numpy as np
import pytest

from engines.api import Problem
from engines.backend import open_backend
from engines.cardiac.engine import CardiacEngine
from engines.cardiac.parameters import CardiacParameters, Numerics, Sphere, Stimulus
from engines.cardiac.parameters.multirate import Multirate
from engines.geometry.meshes.box import box_mesh

pytestmark = pytest.mark.gpu

CHOICES = [{}, {"diffusion_substeps": 2, "reaction_substeps": 3}, {"multirate": Multirate(on=True)}]


def problem(cell_model: str = "ten Tusscher-Panfilov 2006", **numerics: object) -> Problem:
    mesh = box_mesh((20, 6, 6), (10.0, 3.0, 3.0), jitter=0.2, seed=3, fibre=(1.0, 0.0, 0.0))
    stimulus = Stimulus(name="end", site=Sphere(center=(0, 0, 0), radius=1.5), start=0.7, duration=1.5)
    parameters = {"cell_model": cell_model, "stimuli": [stimulus], "numerics": Numerics.model_validate(numerics)}
    return Problem(CardiacParameters.model_validate(parameters), mesh)


@pytest.mark.parametrize("precision", ["fp32", "fp64"])
@pytest.mark.parametrize("choice", CHOICES, ids=["plain", "substeps", "multirate"])
@pytest.mark.parametrize("cell_model", ["ten Tusscher-Panfilov 2006", "Bueno-Orovio 2008"])
def test_graphs_change_no_bit(gpu, cell_model, choice, precision):
    """``advance(1)`` launches each step by itself; groups are listed in any order, which nothing depends on."""
    case = problem(cell_model, precision=precision, **choice)
    together, alone = (CardiacEngine().build(case, gpu) for _ in range(2))
    for steps in (3, 500, 1, 77, 400):
        together.advance(steps)
    for _ in range(981):
        alone.advance(1)
    expected = alone.state()
    for name, value in together.state().items():
        np.testing.assert_array_equal(value, expected[name], err_msg=name)
    assert (together.field("activation") >= 0).any()


def test_multirate_is_that_of_the_cpu(gpu):
    """fp64: rounding grows along the upstroke (1e-8 mV); a group may be held a step longer where it is at the limit."""
    case = problem(precision="fp64", multirate=Multirate(on=True))
    results = []
    for backend in (gpu, open_backend("cpu")):
        simulation = CardiacEngine().build(case, backend)
        simulation.advance(1200)
        results.append(simulation)
    one, other = results
    assert np.mean(one.state()["groups_waiting"] == other.state()["groups_waiting"]) > 0.99
    np.testing.assert_allclose(one.field("activation"), other.field("activation"), atol=1e-5)
    np.testing.assert_allclose(one.field("voltage"), other.field("voltage"), atol=1e-3)


def test_multirate_moves_activation_as_the_readme_says(gpu):
    """0.022 ms at one cell of this box, on the CPU as well; the mean, 0.0012 ms, is a twentieth of that."""
    activations = []
    for on in (False, True):
        simulation = CardiacEngine().build(problem(multirate=Multirate(on=on)), gpu)
        simulation.advance(2500)
        simulation.synchronize()
        simulation.drain_timings()
        activations.append(simulation.field("activation"))
    assert (activations[0] >= 0).all()
    moved = np.abs(activations[0] - activations[1])
    assert moved.max() < 0.025
    assert moved.mean() < 0.002
