"""Heat of a pack on a real GPU: the bits of the CPU, energy, and whole packs."""

import numpy as np
import pytest

from engines.api import Problem
from engines.backend.cpu import CpuBackend
from engines.battery.engine import BatteryEngine
from engines.battery.pack.heat import HEAT
from engines.battery.pack.layout import body_of, layout
from engines.battery.parameters import BatteryParameters
from engines.battery.parameters.pack import Pack

pytestmark = pytest.mark.gpu


@pytest.mark.parametrize(("precision", "tolerance"), [("float64", 1e-11), ("float32", 1e-5)])
def test_heat_has_the_bits_of_the_cpu_and_keeps_its_energy(gpu, precision, tolerance):
    pack = Pack()
    where = layout(pack)
    found = []
    for backend in (gpu, CpuBackend()):
        heat = HEAT.open(
            backend,
            body_of(pack, where),
            where.boxes,
            where.owner,
            5.0,
            (0.0, 0.0, 1.0, 1.0, -5.0, 2.0),
            0.0,
            precision,
        )
        with backend.active():
            for _ in range(20):
                heat.advance(np.linspace(1, 2, 12))
            means = heat.means()
        assert heat.balance() < tolerance
        found.append((backend.to_host(heat.inside), means))
    np.testing.assert_array_equal(found[0][0], found[1][0])
    np.testing.assert_array_equal(found[0][1], found[1][1])


@pytest.mark.parametrize("pack", [{}, {"parallel": 3, "cells": "SPMe"}, {"segments_y": 2, "segments_z": 4}])
@pytest.mark.parametrize("precision", ["fp32", "fp64"])
def test_packs_agree_with_the_cpu(gpu, pack, precision):
    """Voltages to the tolerance of the network of currents (coupled.py), temperatures to what that moves."""
    parameters = BatteryParameters.model_validate(
        {
            "model": "pack",
            "pack": {**pack, "arrangement": {"voxels_y": 8, "voxels_z": 8}},
            "protocol": ["Discharge at 2C for 2 minutes", "Hold at 3.9 V for 1 minute"],
            "numerics": {"precision": precision},
        }
    )
    one, two = (BatteryEngine().build(Problem(parameters), backend) for backend in (gpu, CpuBackend()))
    for simulation in (one, two):
        simulation.advance(40)
        assert simulation.finished
    np.testing.assert_allclose(one.field("temperature"), two.field("temperature"), rtol=0, atol=2e-4)
    expected = two.observe()
    for name in ("lowest_voltage", "highest_voltage"):
        assert one.observe()[name] == pytest.approx(expected[name], abs=5e-5)
    assert one.observe()["capacity"] == pytest.approx(expected["capacity"], rel=1e-4)
    if pack == {}:
        shown = one.field("temperature").reshape(one.geometry.shape)
        np.testing.assert_array_equal(shown, shown[..., ::-1])
