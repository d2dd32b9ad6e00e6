"""Our side of each comparison against answers that are worked out here, and the peers themselves where they are."""

from __future__ import annotations

import importlib
import importlib.util

import numpy as np
import pytest

from engines.backend.cpu import CpuBackend
from workbench.bench.peers import cases
from workbench.bench.peers.case import Place, largest_difference
from workbench.bench.peers.cases import diffusion, discharge, fdtd, gray_scott, network, products
from workbench.bench.peers.contest import Effort, contest

PLACE = Place("cpu", 2)
SMALL = {
    "fdtd": fdtd.size(32, 60),
    "diffusion": diffusion.size(24, 20),
    "gray_scott": gray_scott.size(32, 50),
    "products": products.size(400, 0.1, 0.05, 20),
    "network": network.size(1_000, 60),
    "discharge": discharge.size("SPM", 1),
}


def answered(module, size, runs: int = 2):
    """Of the last of some runs: each begins where the problem does."""
    side = module.ours(size.values, PLACE)
    for _ in range(runs):
        side.reset()
        side.run()
    return side.answer()


def test_every_case_is_tried():
    assert set(SMALL) == set(cases.MODULES)


@pytest.mark.parametrize("case", [diffusion, fdtd, gray_scott, network, products], ids=lambda module: module.CASE.id)
def test_the_work_of_a_size_is_what_its_numbers_make(case):
    """Cells times steps of a box or a square, seconds of a network, thousands of products."""
    every = [size for sizes in case.CASE.sizes.values() for size in sizes]
    assert len(every) >= 4
    for size in every:
        of = size.values
        steps = of.get("steps", of.get("calls"))
        work = {
            "diffusion": lambda of=of: of["side"] * of["side"] * of["side"] * of["steps"] / 1e9,
            "fdtd": lambda of=of: of["side"] * of["side"] * of["side"] * of["steps"] / 1e9,
            "gray_scott": lambda of=of: of["side"] * of["side"] * of["steps"] / 1e9,
            "network": lambda steps=steps: steps * network.STEP * 1e-3,
            "products": lambda steps=steps: steps * 1e-3,
        }[case.__name__.rpartition(".")[2]]()
        assert size.work == pytest.approx(work)
        assert size.steps == steps
        assert str(of.get("side", f"{of.get('neurons', 0):,}")) in size.name


def test_diffusion_is_seven_points_and_forward_euler():
    size = SMALL["diffusion"]
    u = diffusion.start(24).astype(float)
    for _ in range(20):
        p = np.pad(u, 1, mode="edge")
        around = sum(np.roll(p, by, axis) for axis in range(3) for by in (1, -1))[1:-1, 1:-1, 1:-1]
        u = u + diffusion.RATE * (around - 6 * u)
    assert largest_difference(answered(diffusion, size), {"u": u.reshape(24, -1)}) < 2e-6  # float32 there


def test_diffusion_begins_with_modes_that_insulated_sides_keep():
    """A product of cosines and a little noise."""
    u, (m, n, k) = diffusion.start(16), diffusion.MODES
    at = np.pi * (np.arange(16) + 0.5) / 16
    modes = np.cos(k * at)[:, None, None] * np.cos(n * at)[:, None] * np.cos(m * at)
    assert u.dtype == np.float32
    noise = u - modes
    assert -1e-6 < noise.min() < noise.max() < diffusion.NOISE * 1.001


def test_gray_scott_is_five_points_and_forward_euler():
    u, v = gray_scott.start(32)
    for _ in range(50):
        reaction = u * v**2
        of_u, of_v = (sum(np.roll(each, by, axis) for axis in (0, 1) for by in (1, -1)) - 4 * each for each in (u, v))
        u, v = (
            u + gray_scott.U * of_u - reaction + gray_scott.FEED * (1 - u),
            v + gray_scott.V * of_v + reaction - (gray_scott.FEED + gray_scott.KILL) * v,
        )
    assert largest_difference(answered(gray_scott, SMALL["gray_scott"]), {"u": u, "v": v}) < 1e-13


@pytest.mark.parametrize("share", [0.1, 1.0])
def test_products_are_sums_of_the_rows_of_those_that_fired(share):
    size = products.size(400, share, 0.05, 20)
    if share == 1.0:
        rows = products.dense(size.values).astype(float)
    else:
        starts, targets, weights = products.synapses(size.values)
        rows = np.zeros((400, 400))
        np.add.at(rows, (np.repeat(np.arange(400), np.diff(starts)), targets), weights)
        assert (rows != 0).sum() == 0.1 * 400 * 400
    fired = products.spikes(size.values)
    expected = {f"{number}": rows[fired[number]].sum(axis=0) for number in range(4)}
    assert largest_difference(answered(products, size), expected) < 1e-6


def test_waves_are_those_of_the_leapfrog_until_they_reach_the_layers():
    """H half a step behind E, in its unit; in 12 steps nothing comes back from layers that begin after six cells."""
    steps, n = 12, 32
    courant = fdtd.COURANT / np.sqrt(3)
    e, h = np.zeros((3, n, n, n)), np.zeros((3, n, n, n))
    dt = courant * fdtd.CELL * 1e-6 / 299_792_458.0
    for value in fdtd.current(dt, steps):
        for c in range(3):
            a, b = (c + 1) % 3, (c + 2) % 3
            e[c] += courant * (h[b] - np.roll(h[b], 1, a) - h[a] + np.roll(h[a], 1, b))
        e[2, n // 2, n // 2, n // 2] -= courant * value
        for c in range(3):
            a, b = (c + 1) % 3, (c + 2) % 3
            h[c] -= courant * (np.roll(e[b], -1, a) - e[b] - np.roll(e[a], -1, b) + e[a])
    assert np.abs(e).max() > 0
    assert largest_difference(answered(fdtd, fdtd.size(n, steps)), fdtd.inside(e)) < 1e-6


def test_the_network_spikes_as_its_definition_in_float64():
    from engines.spiking.connectivity.pairs import random_synapses
    from engines.spiking.lif.model import Lif, Sources, Start
    from engines.spiking.lif.reference import spikes
    from engines.spiking.network.plan import first_values

    size = SMALL["network"]
    given = network.parameters(size.values)
    synapses = random_synapses(1_000, network.INPUTS / 1_000, given.numerics.seed)
    start = Start(first_values(given.populations, given.numerics.seed).voltage)
    expected = spikes(Lif(), Sources((0, 800, 1_000), (1.62, -9.0)), synapses, start, size.steps)
    found = answered(network, size)
    assert found["count"] > 100
    assert network.apart(found, network.seen(*expected)) < 0.02


def test_the_discharge_has_the_voltages_of_the_series():
    from engines.battery.cells.step.reference import spm
    from engines.battery.parameter_sets import PARAMETER_SETS

    chen = PARAMETER_SETS["Chen2020"]
    current = chen.values()["nominal_capacity"]
    expected = {"voltage": np.array([spm(chen, current, time)[0] for time in discharge.TIMES])}
    found = answered(discharge, SMALL["discharge"])
    assert discharge.largest_millivolts(found, expected) < 0.05  # 16 modes of the particles, steps of 5 s


@pytest.mark.peers
@pytest.mark.parametrize("name", cases.MODULES)
def test_the_peer_has_the_same_answers(name):
    case = cases.case_of(name)
    if importlib.util.find_spec(case.module.partition(".")[0]) is None:
        pytest.skip(f"needs {case.peer}: {case.install}")
    effort = Effort(least=1, most=1, seconds=0.0)
    found = contest(case, cases.MODULES[name], SMALL[name], CpuBackend().info, 2, effort)
    assert not found.refused
    assert found.ratio > 0
