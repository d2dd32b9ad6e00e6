"""First activations: none in scar, of the problem or painted, whatever its cells do by themselves."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from engines.api import Dab, Problem
from engines.cardiac.cells.tt06_tissue import NOT_ACTIVATED
from engines.cardiac.engine import CardiacEngine
from engines.cardiac.parameters import VERTEX_CENTRED, CardiacParameters, Numerics, RegionSetting
from engines.cardiac.parameters.recording import Recording
from engines.cardiac.tissue.silent import Silent
from engines.cardiac.watch.maps import FirstActivation
from engines.geometry.meshes.box import box_mesh
from tests.engines.cardiac.problems import assert_same_state
from tests.engines.cardiac.watch.kernels import both_kernels

STEP = 0.05


def built(backend, sites="cell-centred", maps=True):
    """A slab whose half is scar."""
    mesh = box_mesh((16, 3, 2), (8.0, 1.5, 1.0), jitter=0.2, seed=4, fibre=(1, 0, 0))
    half = mesh.centroids[:, 0] > 4.0
    mesh = replace(mesh, regions=half.astype(np.int32), region_names={0: "tissue", 1: "scar"})
    parameters = CardiacParameters(
        numerics=Numerics(step=STEP, discretisation=sites),
        recording=Recording(ecg="off", maps=maps),
        regions=[RegionSetting(region="scar", condition="non-conducting scar")],
    )
    simulation = CardiacEngine().build(Problem(parameters, mesh), backend)
    return simulation, half, simulation.state()["cells"]


def fire(simulation, rested):
    """All cells, which have rested, by themselves, within 5 ms."""
    state = simulation.state()
    simulation.restore({**state, "cells": rested, "voltage": np.full_like(state["voltage"], -40.0)})
    simulation.advance(round(5 / STEP))


@pytest.mark.parametrize("maps", [True, False])
def test_cells_of_a_scar_that_fire_by_themselves_are_not_activated(backend, maps):
    simulation, scar, rested = built(backend, maps=maps)
    simulation.paint(Dab("scar", (0.0, 0.7, 0.5), 2.0, 0.0))
    painted = (simulation.field("scar") == 1) & ~scar
    assert 10 < painted.sum() < (~scar).sum() - 10
    fire(simulation, rested)
    np.testing.assert_array_equal(simulation.field("activation") >= 0, ~(scar | painted))
    if maps:
        np.testing.assert_array_equal(simulation.field("latest_activation") >= 0, ~(scar | painted))
    kept = simulation.state()
    again, _, _ = built(backend, maps=maps)
    again.restore(kept)
    for each in (simulation, again):
        each.paint(Dab("scar", (0.0, 0.7, 0.5), 9.0, 0.0, erase=True))
        assert (each.field("activation")[painted] < 0).all(), "it is tissue again, and nothing has happened since"
        fire(each, rested)
        np.testing.assert_array_equal(each.field("activation") >= 0, ~scar)
    assert_same_state(again, simulation)


def test_what_was_activated_before_it_became_scar_keeps_its_time(backend):
    simulation, scar, rested = built(backend)
    fire(simulation, rested)
    before = simulation.field("activation")
    simulation.paint(Dab("scar", (0.0, 0.7, 0.5), 9.0, 0.0))
    fire(simulation, rested)
    np.testing.assert_array_equal(simulation.field("activation"), before)
    np.testing.assert_array_equal(before >= 0, ~scar)


def test_vertices_of_a_scar_are_not_activated_either(backend):
    simulation, _, rested = built(backend, VERTEX_CENTRED)
    fire(simulation, rested)
    activated = simulation.state()["activation"] >= 0
    assert 0.3 < activated.mean() < 0.7


def test_on_either_device(backend):
    for kernels in both_kernels(backend, "float64", 6):
        times = kernels.backend.array(np.full(8, float(NOT_ACTIVATED)))
        still = np.array([True, False, False, False, False, False])
        tissue = SimpleNamespace(backend=kernels.backend, activation=times, n_cells=6)
        watcher = FirstActivation(tissue, Silent(kernels.backend, still))
        with kernels.backend.active():
            times[:2] = 1.0  # as the kernels of the cells note it
        watcher.conduct(np.array([1, 2]), np.array([1.0, 0.0, 0.0, 1.0, 1.0, 1.0]))
        with kernels.backend.active():
            times[2:4] = 3.0
        expected = [NOT_ACTIVATED, 1.0, NOT_ACTIVATED, 3.0, NOT_ACTIVATED, NOT_ACTIVATED]
        np.testing.assert_array_equal(watcher.state()["activation"], expected)
        np.testing.assert_array_equal(kernels.backend.to_host(watcher.values("activation"))[:6], expected)
