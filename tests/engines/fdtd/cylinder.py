"""What a dielectric cylinder scatters: the series of Bessel functions (Bohren and Huffman, Absorption and Scattering of
Light, 1983, ch. 8.4), and a cylinder on a plane grid with the flux of its scattered field around the wave's box."""

from __future__ import annotations

import numpy as np
from scipy.special import h1vp, hankel1, jv, jvp

from engines.fdtd.grid.boundaries import Face, make_axes
from engines.fdtd.grid.dimensions import Parts
from engines.fdtd.grid.yee import SPEED_OF_LIGHT as C
from engines.fdtd.grid.yee import Yee
from engines.fdtd.media.materials import Medium, make_media, with_coupling
from engines.fdtd.media.smoothing.edges import smoothed_edges
from engines.fdtd.media.smoothing.tensor import STEP
from engines.fdtd.media.solids.shapes import Shape
from engines.fdtd.sources.currents import make_sources
from engines.fdtd.sources.waveforms import Waveform
from engines.fdtd.step.cpu import CpuYee
from tests.engines.fdtd.mie import filled

TM, TE = Parts((False, False, True), (True, True, False)), Parts((True, True, False), (False, False, True))
INDEX = 2.0


def scattering_width(size: float, index: float, te: bool) -> float:
    """Q_sca, the width over the diameter, for x = 2πa/λ at normal incidence; eqs. 8.30, 8.32 and 8.36."""
    n = np.arange(0, int(size + 4 * size ** (1 / 3) + 8))
    inside, inside_slope = jv(n, index * size), jvp(n, index * size)
    outside, outside_slope = jv(n, size), jvp(n, size)
    away, away_slope = hankel1(n, size), h1vp(n, size)
    first, second = (index, 1.0) if te else (1.0, index)
    above = first * inside * outside_slope - second * inside_slope * outside
    below = first * inside * away_slope - second * inside_slope * away
    squared = np.abs(above / below) ** 2
    return float(2 / size * (squared[0] + 2 * squared[1:].sum()))


def measured_width(backend, cells_per_um: int, sizes, te: bool, drive, gap=4, margin=4, layer=10, span=14.0):
    """Q_sca of a cylinder of 1 µm across and n = 2 for several size parameters, from one pulse (float64).

    drive: the waves for a waveform and a margin, as keywords of make_sources; gap: cells between the cylinder and the
    total-field box; span: of time [µm/c]. E and H of a face stand half a step and half a cell apart, which is put right
    by a phase and a mean.
    """
    count = cells_per_um + 2 * (gap + margin + layer)
    h = 1.0 / cells_per_um
    yee = Yee((count, count, 1), (h, h, 1.0), flat=(False, False, True))
    dt = 0.99 * STEP * yee.largest_step()
    side = (Face("CPML", layer),) * 2
    axes = make_axes(yee, (side, side, (Face("periodic"),) * 2), dt)
    materials = (Medium(), Medium(permittivity=INDEX**2))
    middle = count * h / 2
    shape = Shape(lambda points: ((points[:, :2] - middle) ** 2).sum(axis=1) <= 0.25)
    cells = filled(yee, shape)
    smoothed = smoothed_edges(yee, axes, cells, materials, [(1, shape)])
    media = make_media(yee, axes, cells, materials, dt, smoothed)
    media = with_coupling(yee, axes, media, smoothed, dt, (TE if te else TM).electric)
    frequencies = np.asarray(sizes) * C / np.pi  # x = 2πa/λ, a = 0.5 µm
    width = 0.585 / C
    waveform = Waveform("pulse", 2 * C / np.pi, width, 4.5 * width)
    around = media, materials[0], dt, "um", ()
    sources = make_sources(yee, axes, *around, **{"waves": (), **drive(waveform, margin)})
    steps = CpuYee(backend, yee, axes, media, sources, "float64", TE if te else TM)
    low, high = layer + margin // 2, count - layer - margin // 2
    nodes = np.arange(low, high + 1)
    halves = nodes[:-1]
    sums = [np.zeros((len(frequencies), 1)) + 0j] * 8
    incident = np.zeros(len(frequencies), complex)
    values = sources.table(0, int(span / C / dt), dt)
    half = np.exp(1j * np.pi * frequencies * dt)
    with backend.active():
        for step in range(len(values)):
            steps.advance(values[step : step + 1])
            time = (step + 1) * dt
            phases = np.exp(2j * np.pi * frequencies * time)
            incident += phases * waveform.at(np.array([time]))[0]
            seen = []
            for d in (0, 1):  # faces across x and y; the field across z first
                e, h_field = (np.moveaxis(field[:, 0], 2 - d, 1) for field in (steps.electric, steps.magnetic))
                for at in (low, high):
                    if te:
                        seen += [e[1 - d, at, halves], 0.5 * (h_field[2, at, halves] + h_field[2, at - 1, halves])]
                    else:
                        seen += [e[2, at, nodes], 0.5 * (h_field[1 - d, at, nodes] + h_field[1 - d, at - 1, nodes])]
            sums = [total + phases[:, None] * part for total, part in zip(sums, seen, strict=True)]
    flux = np.zeros(len(frequencies))
    weights = np.ones(len(halves if te else nodes))
    if not te:
        weights[[0, -1]] = 0.5
    for number in range(4):
        d, sign = number // 2, 1 if number % 2 else -1
        # E × H along x: E_y H_z − E_z H_y; along y: E_z H_x − E_x H_z
        sign *= (1 if d == 0 else -1) * (1 if te else -1)
        part = np.real(sums[2 * number] * np.conj(sums[2 * number + 1] * half[:, None])) @ weights
        flux += sign * part * h
    return flux / np.abs(incident) ** 2
