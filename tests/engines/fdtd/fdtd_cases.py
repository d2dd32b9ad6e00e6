"""Small problems for the tests of the steps: random fields and materials between faces of all kinds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from engines.fdtd.grid.boundaries import Face, make_axes
from engines.fdtd.grid.yee import SPEED_OF_LIGHT, Yee
from engines.fdtd.media.materials import Media, Medium, make_media
from engines.fdtd.sources.currents import Dipole, PlaneWave, Sources, make_sources
from engines.fdtd.sources.waveforms import Waveform
from engines.fdtd.step.cpu import CpuYee
from engines.fdtd.step.reference import ReferenceYee

PEC, PMC, WRAP = Face("PEC"), Face("PMC"), Face("periodic")


def cpml(layer: int) -> Face:
    return Face("CPML", layer)


FACES = {
    "walls": ((PEC, PMC), (PMC, PEC), (PMC, PMC)),
    "periodic": ((WRAP, WRAP), (WRAP, WRAP), (WRAP, WRAP)),
    "layers": ((cpml(3), cpml(4)), (cpml(2), cpml(3)), (cpml(4), cpml(2))),
    "mixed": ((cpml(3), PEC), (WRAP, WRAP), (PMC, cpml(3))),
    "thin": ((cpml(4), cpml(3)), (PMC, cpml(3)), (WRAP, WRAP)),
}
SHAPES = {"thin": (23, 11, 1)}
MEDIA = (Medium(), Medium(permittivity=2.5, conductivity=0.003), Medium(perfect_conductor=True))
MAGNETIC = (*MEDIA, Medium(permeability=1.7, magnetic_loss=80.0))
MANY = (
    *MAGNETIC,
    *(
        Medium(
            permittivities=(2.0 + n**0.5, 1.3 + n**0.7, 1.1 + n**0.9),
            permeability=1 + n / 9,
            conductivity=1e-4 * n**0.3,
        )
        for n in range(9)
    ),
)
"""More than 256 mixtures, of which some depend on the direction of the field."""


@dataclass
class Case:
    yee: Yee
    axes: Any
    media: Media
    dt: float
    materials: tuple[Medium, ...]

    def sources(self, dipoles=(), waves=()) -> Sources:
        return make_sources(self.yee, self.axes, self.media, self.materials[0], self.dt, "um", dipoles, waves)

    def random_fields(self, seed: int = 3):
        """(electric, magnetic), float64, (3, nz + 1, ny + 1, row), that the faces allow."""
        rng = np.random.default_rng(seed)
        nx, _ny, _nz = self.yee.counts
        fields = rng.uniform(-1, 1, (2, 3, *self.yee.shape))
        fields[..., nx + 1 :] = 0
        electric, magnetic = fields
        for d, n in enumerate(self.yee.counts):
            along = 3 - d
            for c in range(3):
                if c == d:
                    np.moveaxis(electric[c], along - 1, 0)[n] = 0
                else:
                    np.moveaxis(magnetic[c], along - 1, 0)[n] = 0
                if self.axes[d].wraps:
                    field = magnetic[c] if c == d else electric[c]
                    moved = np.moveaxis(field, along - 1, 0)
                    moved[n] = moved[0]
        electric[self.media.cb[self.media.ids_e] == 0] = 0
        return electric, magnetic


def make_case(faces: str, materials=MEDIA, counts=(21, 13, 12), spacing=(0.02, 0.025, 0.03), courant=0.9) -> Case:
    yee = Yee(SHAPES.get(faces, counts), spacing)
    dt = courant * yee.largest_step()
    axes = make_axes(yee, FACES[faces], dt)
    rng = np.random.default_rng(1)
    nx, ny, nz = yee.counts
    cells = rng.choice(len(materials), (nz, ny, nx), p=[0.7, *[0.3 / (len(materials) - 1)] * (len(materials) - 1)])
    cells[: nz // 2, : ny // 2] = 0  # rows of one material too
    return Case(yee, axes, make_media(yee, axes, cells.astype(np.uint8), materials, dt), dt, materials)


PULSE = Waveform("pulse", 1.0, 0.5, 1.0)


def driven(case: Case) -> Sources:
    """Two currents at one place, one elsewhere, and a wave where there is room for its box."""
    middle = [n * h / 2 for n, h in zip(case.yee.counts, case.yee.spacing, strict=True)]
    cells = case.media
    dipoles = [Dipole(tuple(middle), 2, 1e-6, PULSE), Dipole(tuple(middle), 2, 2e-6, PULSE)]
    free = np.argwhere(cells.cb[cells.ids_e[0]] > 0)
    low, high = [a.low for a in case.axes], [a.n - a.high for a in case.axes]
    for k, j, i in free:
        if all(lo <= at <= hi for lo, at, hi in zip(low, (i, j, k), high, strict=True)):
            place = tuple(at * h for at, h in zip((i + 0.5, j, k), case.yee.spacing, strict=True))
            dipoles.append(Dipole(place, 0, 3e-6, PULSE))
            break
    return case.sources(dipoles, [PlaneWave(0, False, 1, 1.0, PULSE, margin=2)])


def in_the_middle(case: Case, wave: bool) -> Sources:
    """A current and, where there is one, a plane wave in a box, away from the layers."""
    middle = tuple(n * h / 2 for n, h in zip(case.yee.counts, case.yee.spacing, strict=True))
    return case.sources([Dipole(middle, 2, 1e-6, PULSE)], [PlaneWave(0, False, 1, 1.0, PULSE, margin=2)] * wave)


def steps_of(maker, backend, case: Case, sources: Sources, precision: str, fields, **options):
    steps = maker(backend, case.yee, case.axes, case.media, sources, precision, **options)
    steps.electric[...], steps.magnetic[...] = fields
    return steps


def reference_after(case: Case, fields, steps: int):
    """(electric, magnetic) without the padding of rows."""
    reference = ReferenceYee(case.axes, case.media)
    places = case.yee.counts[0] + 1
    reference.electric[...], reference.magnetic[...] = (field[..., :places] for field in fields)
    for _ in range(steps):
        reference.step_electric()
        reference.step_magnetic()
    return reference.electric, reference.magnetic


def empty(yee: Yee, faces, dt: float) -> Case:
    axes = make_axes(yee, faces, dt)
    return Case(yee, axes, make_media(yee, axes, np.zeros(yee.counts[::-1], np.uint8), MEDIA[:1], dt), dt, MEDIA[:1])


def reflected_decibels(backend, short: Case, long: Case, steps: int = 700) -> float:
    """fp64: a pulse of a current sheet, 24 cells of 50 nm per wavelength, on a line along x that ends in a layer; what
    the short domain sees minus what the long one does, over the largest of that."""
    pulse, seen = Waveform("pulse", SPEED_OF_LIGHT / 1.2, 4.0, 20.0), np.empty((2, steps))
    for case, record in zip((short, long), seen, strict=True):
        simulation = CpuYee(backend, case.yee, case.axes, case.media, case.sources(), "float64")
        with backend.active():
            for step in range(steps):
                simulation.electric[1, :, 0, 5] += float(pulse.at(np.array([step * case.dt]))[0])
                simulation.advance(np.zeros((1, 0)))
                record[step] = simulation.electric[1, 0, 0, 20]
    return float(20 * np.log10(np.abs(seen[0] - seen[1]).max() / np.abs(seen[1]).max()))
