"""The slowly absorbing layer: what it reflects, both backends against the reference, what a CPML lets grow."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from engines.fdtd.grid.boundaries import Face, make_axes
from engines.fdtd.grid.yee import Yee
from engines.fdtd.media.dispersion import Pole
from engines.fdtd.media.materials import Medium, make_media
from engines.fdtd.sources.currents import make_sources
from engines.fdtd.step.cpu import CpuYee
from engines.fdtd.step.cuda import CudaYee
from tests.cuda_on_host import COMPILER, HostCudaBackend
from tests.engines.fdtd.fdtd_cases import PEC, PMC, WRAP, Case, cpml, empty, reflected_decibels
from tests.engines.fdtd.media.test_dispersion import assert_equal_to_reference

THREADS = 1
MIXED = ((Face("absorber", 5), cpml(3)), (WRAP, WRAP), (Face("absorber", 3), Face("absorber", 4)))
SIDES = ((PMC, Face("absorber", 4)), (Face("absorber", 3), Face("absorber", 5)), (PEC, PEC))


@pytest.mark.parametrize("faces", [MIXED, SIDES])
def test_cpu(faces, backend):
    assert_equal_to_reference(faces, CpuYee, backend, "float64")


@pytest.mark.skipif(COMPILER is None, reason="no C++ compiler, or not Linux")
@pytest.mark.parametrize("faces", [MIXED, SIDES])
def test_cuda(faces):
    assert_equal_to_reference(faces, CudaYee, HostCudaBackend(), "float64", shape=(2, 32, 4, 64))


def energies(backend, face: Face, parts: int = 6, steps: int = 700) -> list[float]:
    """Of random fields in a vacuum gap between two metals without loss that reach through the layers."""
    yee = Yee((80, 1, 60), (0.01,) * 3)
    dt = 0.99 * yee.largest_step()
    axes = make_axes(yee, ((face, face), (WRAP, WRAP), (face, face)), dt)
    cells = np.ones((60, 1, 80), np.uint8)
    cells[28:32] = 0
    materials = (Medium(), Medium(poles=(Pole("drude", (2 * np.pi * 2.0) ** 2, 0.0),)))
    media = make_media(yee, axes, cells, materials, dt)
    none = make_sources(yee, axes, media, materials[0], dt, "um", (), ())
    simulation = CpuYee(backend, yee, axes, media, none, "float64")
    random = np.random.default_rng(0).uniform(-1, 1, (6, 30))
    simulation.electric[2, 27:33, :, 25:55] = random[:, None, :]
    found = []
    with backend.active():
        for _ in range(parts):
            simulation.advance(np.zeros((steps, 0)))
            found.append(sum(simulation.energy()))
    return found


def test_a_gap_plasmon_grows_in_a_cpml_and_fades_in_an_absorber(backend):
    """fp64: in the CPML 4200 steps multiply the energy by more than a thousand, for ever; the absorber only takes
    (the ripple of ``energy``, with E and H half a step apart, is (ωΔt)² = 2 %)."""
    growing, fading = energies(backend, cpml(10)), energies(backend, Face("absorber", 20))
    print([f"{value:.1e}" for value in growing], [f"{value:.1e}" for value in fading])
    assert growing[-1] > 1e3 * growing[0]
    assert all(later < 1.02 * earlier for earlier, later in pairwise(fading))
    assert fading[-1] < fading[0]


def test_it_reflects_little(backend):
    """A pulse of 24 cells per wavelength in 40 cells: short domain minus long; 1e-6 comes back from the wall by design
    (−120 dB), the rest from the layer's slope."""

    def line(n: int) -> Case:
        yee = Yee((n, 1, 1), (0.05,) * 3)
        return empty(yee, ((PEC, Face("absorber", 40)), (PEC, PEC), (PMC, PMC)), 0.99 * yee.largest_step())

    decibels = reflected_decibels(backend, line(80), line(500))
    print(f"absorber of 40 cells: {decibels:.1f} dB")
    assert decibels < -60
