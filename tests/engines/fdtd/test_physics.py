"""Cavities, absorbing layers and a slab against analytic answers, on the CPU's kernels (which equal the reference)."""

from __future__ import annotations

import numpy as np
import pytest

from engines.fdtd.grid.boundaries import make_axes
from engines.fdtd.grid.yee import SPEED_OF_LIGHT, Yee
from engines.fdtd.media.materials import Medium, make_media
from engines.fdtd.sources.currents import PlaneWave, make_sources
from engines.fdtd.sources.waveforms import Waveform
from engines.fdtd.step.cpu import CpuYee, energy_weights
from tests.engines.fdtd.fdtd_cases import PEC, PMC, WRAP, Case, cpml, make_case, reflected_decibels, steps_of

THREADS = 1
C = SPEED_OF_LIGHT
VACUUM = (Medium(),)


def empty(counts, spacing, faces, courant=0.99, media=VACUUM, cells=None) -> Case:
    yee = Yee(counts, spacing)
    dt = courant * yee.largest_step()
    axes = make_axes(yee, faces, dt)
    cells = np.zeros(counts[::-1], np.uint8) if cells is None else cells
    return Case(yee, axes, make_media(yee, axes, cells, media, dt), dt, media)


def cavity_frequency(n: int, backend, steps: int = 30) -> tuple[float, Case]:
    """Of mode 110 in a cube of 50 mm: cos(ω Δt) from three successive fields, ``E⁺ + E⁻ = 2 cos(ωΔt) E``."""
    case = empty((n, n, n), (50.0 / n,) * 3, ((PEC, PEC),) * 3)
    mode = np.sin(np.pi * np.arange(n + 1) / n)
    electric, magnetic = np.zeros((2, 3, *case.yee.shape))
    electric[2, :n, :, : n + 1] = np.outer(mode, mode)
    electric[2][case.media.ids_e[2] == 0] = 0
    simulation = steps_of(CpuYee, backend, case, case.sources(), "float64", (electric, magnetic))
    seen = []
    with backend.active():
        for _ in range(steps):
            simulation.advance(np.zeros((1, 0)))
            seen.append(simulation.electric[2, n // 2, n // 2, n // 2])
    values = np.array(seen)
    cosine = (values[2:] + values[:-2]) @ values[1:-1] / (2 * values[1:-1] @ values[1:-1])
    return float(np.arccos(cosine) / case.dt / (2 * np.pi)), case


def test_cavity_has_the_frequency_of_the_discrete_dispersion(backend):
    """sin²(ωΔt/2)/(cΔt)² = Σ sin²(k Δ/2)/Δ². Mode 110 of 50³ cells of 1 mm at S = 0.99/√3: 4.239463822 GHz.

    ε = 1e-16 in a field of size 1 over 30 steps, and arccos multiplies by 1/sin(ωΔt) = 20.
    """
    found, case = cavity_frequency(50, backend)
    h, k = 1.0, np.pi / 50
    expected = np.arcsin(C * case.dt * np.sqrt(2) * np.sin(k * h / 2) / h) * 2 / case.dt / (2 * np.pi)
    assert expected * 1e3 == pytest.approx(4.239463822, abs=5e-10)
    assert found == pytest.approx(expected, rel=1e-12)


def test_cavity_is_of_second_order(backend):
    exact = C * np.sqrt(2) / 100
    errors = [abs(cavity_frequency(n, backend)[0] - exact) for n in (10, 20, 40)]
    orders = np.log2(np.array(errors[:-1]) / errors[1:])
    assert (abs(orders - 2) < 0.03).all()


def test_a_lossless_cavity_keeps_its_energy(backend):
    """E·εE + H⁻·μH⁺ is exact for leapfrog, whatever the materials and walls; fp64 rounding over 200 steps."""
    media = (Medium(), Medium(permittivity=3.0, permeability=2.0), Medium(perfect_conductor=True))
    case = make_case("walls", media)
    fields = case.random_fields()
    simulation = steps_of(CpuYee, backend, case, case.sources(), "float64", fields)
    w = energy_weights(case.axes)
    nx, ny, nz = case.yee.counts
    at = [w[0, : nx + 1][None, None, :], w[1, : ny + 1][None, :, None], w[2, : nz + 1][:, None, None]]
    eps, mu = case.media.permittivity[case.media.ids_e], case.media.permeability[case.media.ids_h]

    def energy(electric, before, after):
        total = 0.0
        for c in range(3):
            here = np.s_[c, :, :, : nx + 1]
            total += (eps[here] * at[(c + 1) % 3] * at[(c + 2) % 3] * electric[here] ** 2).sum()
            total += (mu[here] * at[c] * before[here] * after[here]).sum()
        return total

    seen = []
    with backend.active():
        for _ in range(5):
            before = simulation.magnetic.copy()
            simulation.advance(np.zeros((1, 0)))
            seen.append(energy(simulation.electric, before, simulation.magnetic))
            simulation.advance(np.zeros((40, 0)))
    assert seen[0] > 1
    np.testing.assert_allclose(seen, seen[0], rtol=1e-11)


def wave_record(backend, n, media=VACUUM, cells=None, steps=900, spacing=0.05, layer=10):
    """E_y (steps, nodes) of a plane wave along x, on a line of cells periodic across, and the time step."""
    side = (WRAP, WRAP)
    case = empty((n, 1, 1), (spacing,) * 3, ((cpml(layer), cpml(layer)), side, side), 0.99, media, cells)
    wave = PlaneWave(0, True, 1, 1.0, Waveform("pulse", C / 1.2, 4.0, 20.0))
    sources = make_sources(case.yee, case.axes, case.media, media[0], case.dt, "um", (), [wave])
    simulation = CpuYee(backend, case.yee, case.axes, case.media, sources, "float64")
    seen = np.empty((steps, n + 1))
    values = sources.table(0, steps, case.dt)
    with backend.active():
        for step in range(steps):
            simulation.advance(values[step : step + 1])
            seen[step] = simulation.electric[1, 0, 0, : n + 1]
    return seen, case.dt


def test_nothing_leaks_from_the_total_field_box(backend):
    """Before the box there is only rounding: the line and the grid have the same dispersion."""
    seen, _ = wave_record(backend, 120)
    assert np.abs(seen[:, 40]).max() > 0.9
    assert np.abs(seen[:, :14]).max() < 1e-12
    assert np.abs(seen[:, 107:]).max() < 1e-12


def test_the_absorbing_layer_reflects_less_than_80_db(backend):
    """Ten cells at normal incidence: a pulse made by a current sheet in a short domain minus the same in a long one."""

    short, long = (empty((n, 1, 1), (0.05,) * 3, ((PEC, cpml(10)), (PEC, PEC), (PMC, PMC))) for n in (50, 500))
    decibels = reflected_decibels(backend, short, long)
    print(f"CPML-10: {decibels:.1f} dB")
    assert decibels < -80


def test_a_slab_transmits_as_airy_says(backend):
    """T = [1 + ((n² − 1)/2n)² sin²(2πnd/λ)]⁻¹ over the band of the pulse, from 41 cells per
    wavelength in the slab on, where good codes reach 1.5e-3."""
    n, spacing, index, thick = 330, 0.02, 1.5, 60
    cells = np.zeros((1, 1, n), np.uint8)
    cells[..., 150 : 150 + thick] = 1
    media = (Medium(), Medium(permittivity=index**2))
    with_slab, dt = wave_record(backend, n, media, cells, 3000, spacing)
    without, _ = wave_record(backend, n, media, None, 3000, spacing)
    wavelengths = np.linspace(1.24, 1.6, 26)
    kernel = np.exp(2j * np.pi * C / wavelengths[:, None] * dt * np.arange(3000))
    incident, through, back = (np.abs(kernel @ e) ** 2 for e in (without[:, 300], with_slab[:, 300], with_slab[:, 12]))
    transmitted, reflected = through / incident, back / incident
    airy = 1 / (
        1 + ((index**2 - 1) / (2 * index)) ** 2 * np.sin(2 * np.pi * index * thick * spacing / wavelengths) ** 2
    )
    print("slab", np.abs(transmitted - airy).max(), np.abs(transmitted + reflected - 1).max())
    assert np.abs(transmitted - airy).max() < 2e-3
    assert np.abs(transmitted + reflected - 1).max() < 2e-4  # −80 dB from the layers
