"""A sphere on the grid with the flux of its scattered field, summed step by step around the total-field box."""

from __future__ import annotations

import numpy as np

from engines.fdtd.grid.boundaries import Face, make_axes
from engines.fdtd.grid.yee import SPEED_OF_LIGHT as C
from engines.fdtd.grid.yee import Yee
from engines.fdtd.media.materials import Medium, make_media, with_coupling
from engines.fdtd.media.smoothing.edges import smoothed_edges
from engines.fdtd.media.smoothing.tensor import STEP
from engines.fdtd.media.solids.shapes import Shape
from engines.fdtd.sources.currents import PlaneWave, make_sources
from engines.fdtd.sources.waveforms import Waveform
from engines.fdtd.step.cpu import CpuYee
from engines.fdtd.verification.mie import efficiencies, scattering_efficiency

__all__ = ["ball", "efficiencies", "filled", "measured_efficiency", "scattering_efficiency"]


def ball(center, radius: float) -> Shape:
    center = np.asarray(center)
    return Shape(lambda points: ((points - center) ** 2).sum(axis=1) <= radius**2)


def filled(yee: Yee, shape: Shape) -> np.ndarray:
    """(nz, ny, nx) uint8: 1 where the centre of a cell lies in the shape."""
    grid = np.meshgrid(*(yee.halves(axis) for axis in (2, 1, 0)), indexing="ij")
    points = np.stack([each.reshape(-1) for each in grid[::-1]], axis=1)
    return shape.contains(points).reshape(yee.shape[0] - 1, yee.shape[1] - 1, -1).astype(np.uint8)


def measured_efficiency(backend, cells_per_um: int, sizes, smoothing: bool, gap=3, margin=4, layer=10, span=20.0):
    """Q_sca of a sphere of 1 µm across and n = 2 for several size parameters, from one pulse (float32).

    gap: cells between the sphere and the total-field box; span: of time [µm/c]. The flux box lies half the margin
    outside of the total-field box; E and H of a face stand half a step and half a cell apart, which is put right by a
    phase and a mean.
    """
    count = cells_per_um + 2 * (gap + margin + layer)
    h = 1.0 / cells_per_um
    yee = Yee((count,) * 3, (h,) * 3)
    dt = 0.99 * STEP * yee.largest_step()
    axes = make_axes(yee, ((Face("CPML", layer),) * 2,) * 3, dt)
    materials = (Medium(), Medium(permittivity=4.0))
    shape = ball([count * h / 2] * 3, 0.5)
    cells = filled(yee, shape)
    smoothed = smoothed_edges(yee, axes, cells, materials, [(1, shape)]) if smoothing else None
    media = make_media(yee, axes, cells, materials, dt, smoothed)
    if smoothed is not None:
        media = with_coupling(yee, axes, media, smoothed, dt)
    frequencies = np.asarray(sizes) * C / np.pi  # x = 2πa/λ, a = 0.5 µm
    width = 0.585 / C  # half of the amplitude at x = 1 and at x = 3
    waveform = Waveform("pulse", 2 * C / np.pi, width, 4.5 * width)
    sources = make_sources(yee, axes, media, materials[0], dt, "um", (), [PlaneWave(0, True, 2, 1.0, waveform, margin)])
    steps = CpuYee(backend, yee, axes, media, sources, "float32")
    low, high = layer + margin // 2, count - layer - margin // 2
    every = max(1, cells_per_um // 4)
    faces = [_Face(d, at, low, high, len(frequencies)) for d in range(3) for at in (low, high)]
    incident = np.zeros(len(frequencies), complex)
    with backend.active():
        for step in range(0, int(span / C / dt), every):
            steps.advance(sources.table(step, every, dt))
            time = (step + every) * dt
            phases = np.exp(2j * np.pi * frequencies * time)
            incident += phases * waveform.at(np.array([time]))[0]
            for face in faces:
                face.add(steps.electric, steps.magnetic, phases)
    half = np.exp(1j * np.pi * frequencies * dt)
    flux = sum(face.flux(half) * (1 if face.at == high else -1) for face in faces) * h**2
    return flux / np.abs(incident) ** 2 / (np.pi * 0.25)


class _Face:
    """Sums of tangential E and H over a square at a node of axis d."""

    def __init__(self, d: int, at: int, low: int, high: int, count: int) -> None:
        self.d, self.at, self.low, self.high = d, at, low, high
        self.u, self.v = (d + 1) % 3, (d + 2) % 3
        self.sums = [[np.zeros((count, 1), complex), np.zeros((count, 1), complex)] for _ in range(2)]

    def _part(self, field, component: int, at: int, halves_along: int):
        index: list = [None, None, None]
        for axis in range(3):
            stop = self.high if axis == halves_along else self.high + 1
            index[2 - axis] = at if axis == self.d else slice(self.low, stop)
        return field[component][tuple(index)]

    def add(self, electric, magnetic, phases) -> None:
        for sums, (e, h) in zip(self.sums, ((self.u, self.v), (self.v, self.u)), strict=True):
            # E_e and H_h stand at halves along e
            of_e = self._part(electric, e, self.at, e)
            of_h = 0.5 * (self._part(magnetic, h, self.at, e) + self._part(magnetic, h, self.at - 1, e))
            sums[0] = sums[0] + phases[:, None] * of_e.reshape(1, -1)
            sums[1] = sums[1] + phases[:, None] * of_h.reshape(1, -1)

    def flux(self, half) -> np.ndarray:
        """Re ∫ (E × η₀H*) along +d: E_u H_v − E_v H_u, each by the trapezoidal rule."""
        total = np.zeros(len(half))
        n = self.high - self.low
        for sign, along, (e, h) in zip((1, -1), (self.u, self.v), self.sums, strict=True):
            ends = np.ones(n + 1)
            ends[[0, -1]] = 0.5
            # arrays are (higher axis, lower axis)
            first_is_halves = along == max(self.u, self.v)
            weights = np.outer(np.ones(n), ends) if first_is_halves else np.outer(ends, np.ones(n))
            total += sign * (np.real(e * np.conj(h * half[:, None])) * weights.reshape(1, -1)).sum(axis=1)
        return total
