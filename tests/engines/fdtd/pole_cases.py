"""Dispersive problems of random fields, their reference, and a plane wave on a line through a slab."""

from __future__ import annotations

from typing import Any

import numpy as np

from engines.fdtd.grid.boundaries import make_axes
from engines.fdtd.grid.yee import SPEED_OF_LIGHT, VACUUM_IMPEDANCE, Yee
from engines.fdtd.media.dispersion import Pole
from engines.fdtd.media.materials import Medium, make_media
from engines.fdtd.sources.currents import PlaneWave, make_sources
from engines.fdtd.step.cpu import CpuYee
from engines.fdtd.step.reference import ReferencePoles, ReferenceYee
from tests.engines.fdtd.fdtd_cases import FACES, SHAPES, WRAP, Case, cpml

DRUDE = Pole("drude", 300.0, 2.0)
STIFF = Pole("lorentz", 900.0, 3.0, 80.0)
"""ω₀Δt is 2.9 on the grid of the cases: beyond what an explicit step allows."""
LORENTZ = Pole("lorentz", 500.0, 1.0, 12.0)
DEBYE = Pole("debye", 3.0, 4.0)
DISPERSIVE = (
    Medium(),
    Medium(permittivity=1.5, conductivity=0.003, poles=(DRUDE, LORENTZ, STIFF)),
    Medium(perfect_conductor=True),
    Medium(permittivity=2.0, poles=(DEBYE,)),
    Medium(permittivity=1.2, permeability=1.7, poles=(LORENTZ, Pole("lorentz", 90.0, 0.0, 5.0))),
)


def pole_case(faces: Any, materials=DISPERSIVE, courant=0.9, counts=(21, 13, 12)) -> tuple[Case, Any]:
    """The case and its cells. Faces: a name, or faces."""
    yee = Yee(SHAPES.get(faces, counts) if isinstance(faces, str) else counts, (0.02, 0.025, 0.03))
    dt = courant * yee.largest_step()
    axes = make_axes(yee, FACES[faces] if isinstance(faces, str) else faces, dt)
    nx, ny, nz = yee.counts
    rng = np.random.default_rng(1)
    cells = rng.choice(len(materials), (nz, ny, nx)).astype(np.uint8)
    cells[: nz // 2, : ny // 2] = 0  # rows without a pole
    cells[nz // 2 :, : ny // 2, : nx // 2] = 0  # rows with a span that begins late
    return Case(yee, axes, make_media(yee, axes, cells, materials, dt), dt, materials), cells


def reference_of(case: Case, cells: Any) -> ReferenceYee:
    """With means of ε, σ and strengths over four cells, by index."""
    media, axes, yee = case.materials, case.axes, case.yee
    shapes = sorted({pole.shape for medium in media for pole in medium.poles})

    def mean(values: Any) -> Any:
        found = []
        for c in range(3):
            mixed = np.asarray(values, float)[cells]
            for d in range(3):
                along = 2 - d
                if d != c:
                    mode = {"mode": "wrap"} if axes[d].wraps else {"mode": "edge"}
                    wide = np.pad(mixed, [(int(a == along),) * 2 for a in range(3)], **mode)
                    wide = np.moveaxis(wide, along, 0)
                    mixed = np.moveaxis(0.5 * (wide[1:] + wide[:-1]), 0, along)
                else:
                    mixed = np.pad(mixed, [(0, int(a == along)) for a in range(3)])
            found.append(mixed)
        return np.array(found)

    unit = VACUUM_IMPEDANCE * SPEED_OF_LIGHT * case.dt
    blocked = case.media.cb[case.media.ids_e[..., : yee.counts[0] + 1]] == 0
    strengths = [
        mean([sum(pole.strength for pole in medium.poles if pole.shape == shape) for medium in media])
        for shape in shapes
    ]
    poles = ReferencePoles(
        shapes, strengths, mean([m.permittivity for m in media]), unit * mean([m.conductivity for m in media]), blocked,
        SPEED_OF_LIGHT * case.dt / yee.smallest, case.dt,
    )  # fmt: skip
    return ReferenceYee(axes, case.media, poles)


def states_of(case: Case, electric: Any) -> Any:
    """What the steps have to hold while J = P = 0 and E is ``electric``: Y = −βE."""
    poles = case.media.dispersion
    states = np.zeros((poles.slots.states, poles.places))
    for c, k, j in np.argwhere(poles.spans[..., 1] > 0):
        first, last, start, _ = poles.spans[c, k, j]
        values = -poles.beta[:, case.media.ids_e[c, k, j, first:last]] * electric[c, k, j, first:last]
        here = slice(4 * start, 4 * start + last - first)
        states[: poles.slots.count, here] = values
        states[poles.slots.count :, here] = values[: poles.slots.seconds]
    return states


def line_record(backend, medium, waveform, cells, spacing, steps, at, layer=12):
    """E_y (steps, len(at)) of a plane wave along x at nodes ``at`` of a line of cells, with ``medium`` where cells are
    1, and the time step (0.99 of the vacuum's)."""
    n = cells.shape[-1]
    yee = Yee((n, 1, 1), (spacing,) * 3)
    dt = 0.99 * yee.largest_step()
    axes = make_axes(yee, ((cpml(layer), cpml(layer)), (WRAP, WRAP), (WRAP, WRAP)), dt)
    materials = (Medium(), medium)
    media = make_media(yee, axes, cells, materials, dt)
    sources = make_sources(yee, axes, media, materials[0], dt, "um", (), [PlaneWave(0, True, 1, 1.0, waveform)])
    simulation = CpuYee(backend, yee, axes, media, sources, "float64")
    seen = np.empty((steps, len(at)))
    values = sources.table(0, steps, dt)
    with backend.active():
        for step in range(steps):
            simulation.advance(values[step : step + 1])
            seen[step] = simulation.electric[1, 0, 0, at]
    return seen, dt
