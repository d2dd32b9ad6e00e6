"""The coupled cardiac simulation on a GPU against the same one on the CPU."""

from __future__ import annotations

import numpy as np
import pytest

from engines.api import Dab, Problem, Selection
from engines.backend import open_backend
from engines.cardiac.engine import CardiacEngine
from engines.cardiac.parameters import VERTEX_CENTRED, CardiacParameters, Numerics, Sphere, Stimulus
from engines.geometry.meshes.box import box_mesh

pytestmark = pytest.mark.gpu

STEPS = 700


def problem(precision: str, discretisation: str = "cell-centred") -> Problem:
    mesh = box_mesh((12, 6, 6), (6.0, 3.0, 3.0), jitter=0.2, seed=int(np.random.default_rng().integers(2**31)))
    stimulus = Stimulus(name="corner", site=Sphere(center=(0, 0, 0), radius=1.5))
    numerics = Numerics(step=0.02, precision=precision, discretisation=discretisation)
    return Problem(CardiacParameters(stimuli=[stimulus], numerics=numerics), mesh)


@pytest.mark.parametrize(
    ("precision", "voltage_error", "activation_error"),
    # fp64: rounding grows along the upstroke, 1e-9 mV is 1e-11 of its height. fp32: the upstroke of 300 mV/ms turns
    # the 1e-4 ms by which rounding shifts an activation into some 0.05 mV.
    [("fp64", 1e-8, 1e-9), ("fp32", 0.2, 1e-3)],
)
@pytest.mark.parametrize("discretisation", ["cell-centred", VERTEX_CENTRED])
def test_cuda_and_cpu_carry_the_same_wave(gpu, precision, voltage_error, activation_error, discretisation):
    case = problem(precision, discretisation)
    results = []
    for backend in (gpu, open_backend("cpu")):
        simulation = CardiacEngine().build(case, backend)
        simulation.advance(STEPS)
        simulation.synchronize()
        results.append((simulation.field("voltage"), simulation.field("activation")))
        simulation.close()
    (v, activation), (v_cpu, activation_cpu) = results
    # a wave on vertices is slower at this edge length
    least = 0.5 if discretisation == "cell-centred" else 0.2
    assert (activation >= 0).mean() > least, "the wave must have gone through a part of the box"
    np.testing.assert_array_equal(activation >= 0, activation_cpu >= 0)
    # field() rounds to float32: 4e-6 mV, 1e-6 ms
    assert np.abs(v - v_cpu).max() < max(voltage_error, 2e-5)
    assert np.abs(activation - activation_cpu).max() < max(activation_error, 5e-6)


def test_a_checkpoint_continues_bit_for_bit(gpu):
    case = problem("fp32")
    simulation = CardiacEngine().build(case, gpu)
    simulation.advance(200)
    kept = simulation.state()
    simulation.advance(200)
    expected = simulation.state()
    again = CardiacEngine().build(case, gpu)
    again.restore(kept)
    again.advance(200)
    for name, value in again.state().items():
        np.testing.assert_array_equal(value, expected[name], err_msg=name)


def test_gather_is_in_the_numbering_of_the_mesh(gpu):
    case = problem("fp32")
    simulation = CardiacEngine().build(case, gpu)
    simulation.advance(100)
    elements = np.random.default_rng().integers(0, case.geometry.n_cells, 1000).astype(np.int32)
    got = simulation.gather("voltage", simulation.select(Selection(elements)))
    np.testing.assert_array_equal(got, simulation.field("voltage")[elements])


def touched(simulation):
    simulation.advance(100)
    simulation.paint(Dab("stimulus", (5.0, 1.5, 1.5), 1.2, 50_000.0))
    simulation.paint(Dab("scar", (3.0, 1.5, 1.5), 1.0, 0.0))
    simulation.paint(Dab("scar", (3.0, 0.0, 0.0), 1.0, 0.2))
    simulation.advance(60)
    simulation.paint(Dab("scar", (3.0, 1.5, 1.5), 0.4, 0.0, erase=True))
    return simulation


def test_clicks_and_scar_do_the_same_as_on_the_cpu(gpu):
    """fp64: rounding grows along the upstroke, and field() rounds to float32."""
    case = problem("fp64")
    ones = [touched(CardiacEngine().build(case, backend)) for backend in (gpu, open_backend("cpu"))]
    for one in ones:
        one.advance(300)
    dead = ones[1].field("scar") == 1
    assert dead.any()
    for name, tolerance in (("voltage", 2e-5), ("activation", 5e-6), ("scar", 0.0)):
        assert np.abs(ones[0].field(name) - ones[1].field(name)).max() <= tolerance, name
    cells = np.flatnonzero(dead).astype(np.int32)
    assert np.isnan(ones[0].gather("voltage", ones[0].select(Selection(cells)))).all()
    assert ones[0].measure(0, 100).facts[0] == ones[1].measure(0, 100).facts[0]


def test_a_checkpoint_with_paint_and_pulses_continues_bit_for_bit(gpu):
    case = problem("fp32")
    simulation = touched(CardiacEngine().build(case, gpu))
    kept = simulation.state()
    simulation.advance(200)
    expected = simulation.state()
    again = CardiacEngine().build(case, gpu)
    again.restore(kept)
    again.advance(200)
    for name, value in again.state().items():
        np.testing.assert_array_equal(value, expected[name], err_msg=name)
