"""The engine: presets, state, controls, sentences."""

import json

import numpy as np
import pytest

from engines.api import Problem
from engines.api.errors import ProblemError
from engines.fdtd.parameters import (
    Box,
    Cylinder,
    Faces,
    FdtdParameters,
    GridSetting,
    Material,
    Numerics,
    PointSource,
    Pulse,
    Sphere,
    WaveSource,
)
from tests.engines.fdtd.problems import ENGINE, GRID, small


def test_presets_can_run(backend):
    found = ENGINE.presets()
    assert len(found) >= 3
    for preset in found:
        content = json.loads(preset.project.joinpath("project.json").read_text("utf-8"))
        parameters = FdtdParameters.model_validate(content["parameters"])
        estimate = ENGINE.estimate(Problem(parameters), backend)
        assert all(finding.severity == "info" for finding in estimate.findings)


def test_a_run_continues_bit_for_bit(backend):
    one = ENGINE.build(small(), backend)
    one.advance(40)
    state = one.state()
    one.set_control("source_scale", 1.0)
    one.advance(25)
    two = ENGINE.build(small(), backend)
    two.restore(state)
    for steps in (10, 15):
        two.advance(steps)
    assert two.step == 65
    for name, part in one.state().items():
        np.testing.assert_array_equal(part, two.state()[name])
    assert one.observe()["energy"] > 0


def test_the_source_is_scaled_while_it_runs(backend):
    fields = []
    for scale in (1.0, 2.0):
        simulation = ENGINE.build(small(), backend)
        simulation.set_control("source_scale", scale)
        simulation.advance(30)
        fields.append(simulation.field("Ez"))
    np.testing.assert_allclose(fields[1], 2 * fields[0], rtol=1e-5, atol=1e-6 * np.abs(fields[0]).max())
    with pytest.raises(ProblemError, match="cannot change during a run"):
        simulation.set_control("numerics.courant", 0.5)


def test_objects_fill_the_cells_whose_centres_they_hold(backend):
    objects = [
        Box(material="a", low=(-1, -1, -1), high=(0.5, 9, 9)),
        Cylinder(material="b", center=(1.2, 0.8, 0.75), axis="y", radius=0.3, length=0.4),
    ]
    materials = [Material(name="a"), Material(name="b")]
    simulation = ENGINE.build(small(objects=objects, materials=materials), backend)
    cells = simulation.field("material")
    x, y, z = simulation.geometry.centers(np.arange(simulation.geometry.n_cells)).T
    right = np.where(x < 0.5, 1, 0)
    right[((x - 1.2) ** 2 + (z - 0.75) ** 2 <= 0.09) & (np.abs(y - 0.8) < 0.2)] = 2
    np.testing.assert_array_equal(cells, right)


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"numerics": Numerics(courant=1.01)}, "Courant number of 1.01 is not stable: use at most 1"),
        ({"sources": [PointSource(signal=Pulse(wavelength=0.3))]}, "use cells of at most"),
        ({"sources": [PointSource(place=(0.1, 0.8, 0.7))]}, "Point source 1 lies in the absorbing layer of x"),
        ({"sources": [PointSource(place=(5.0, 0.8, 0.7))]}, "Point source 1 lies outside of the grid along x"),
        ({"sources": [WaveSource(polarization="x")]}, "field across that"),
        ({"sources": [WaveSource(margin=20)]}, "no room along x"),
        ({"faces": Faces(layer=20)}, "absorbing layers along x take 40 of 36 cells"),
        ({"faces": Faces(x_low="periodic")}, "Only one face of x is periodic"),
        ({"objects": [Sphere(material="gold")]}, "'gold', which is not among the materials"),
        ({"materials": [Material(), Material()]}, "Two materials are called 'glass'"),
        ({"grid": GRID.model_copy(update={"cells_x": 99_999, "cells_y": 99_999})}, "use at most about"),
    ],
)
def test_what_cannot_run_is_said_in_a_sentence(backend, changes, sentence):
    with pytest.raises(ProblemError, match=sentence):
        ENGINE.build(small(**changes), backend)


def test_what_is_timed_is_what_is_counted(backend):
    """The meters find the time of a kernel by its name."""
    simulation = ENGINE.build(Problem(FdtdParameters(grid=GridSetting(cells_x=30, cells_y=30, cells_z=30))), backend)
    simulation.advance(3)
    simulation.synchronize()
    assert {each.kernel for each in simulation.traffic} <= {each.kernel for each in simulation.drain_timings()}


@pytest.mark.parametrize(("place", "words"), [((2.0, 2.0, 0.1), "absorbing layer of z"), ((9.0, 2.0, 2.0), "outside")])
def test_a_source_that_is_in_no_open_place_is_told_before_a_run(backend, place, words):
    with pytest.raises(ProblemError, match=words):
        ENGINE.estimate(Problem(FdtdParameters(sources=[PointSource(place=place)])), backend)
