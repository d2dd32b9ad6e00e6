"""A checked problem on its grid: cells, mixtures along edges and at faces, gaps of ports, what sources add."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from engines.api import Array, Progress
from engines.api.device import Backend
from engines.fdtd.media.materials import Media, make_media, with_coupling
from engines.fdtd.media.smoothing.edges import smoothed_edges
from engines.fdtd.media.solids.painting import Painter
from engines.fdtd.media.solids.shapes import cells_of, shapes_of
from engines.fdtd.ports.lumped import Gap, gap_of, with_port_currents, with_resistors
from engines.fdtd.setup.problem import Setup
from engines.fdtd.sources.currents import Sources, make_sources


@dataclass(frozen=True)
class OnGrid:
    """cells: (nz, ny, nx) uint8 materials; smoothed: places of E with a permittivity of their own"""

    setup: Setup
    cells: Array
    media: Media
    gaps: list[Gap]
    sources: Sources
    smoothed: Array

    def painter(self) -> Painter:
        """Which changes cells and media."""
        setup = self.setup
        held = [gap.electric for gap in self.gaps]
        return Painter(
            setup.parameters, setup.yee, setup.axes, self.cells, self.media, setup.media, self.sources, setup.dt, held,
            self.smoothed,
        )  # fmt: skip


def on_grid(setup: Setup, backend: Backend, progress: Progress) -> OnGrid:
    """Raises ProblemError."""
    parameters, yee, axes, dt = setup.parameters, setup.yee, setup.axes, setup.dt
    unit = parameters.grid.length_unit
    cells = cells_of(parameters, yee, backend)
    progress("Mixing materials along edges", 0.2)
    smoothed = None
    if parameters.numerics.smoothing:
        smoothed = smoothed_edges(yee, axes, cells, setup.media, shapes_of(parameters))
    media = make_media(yee, axes, cells, setup.media, dt, smoothed)
    gaps = [gap_of(yee, axes, media, port, n) for n, port in enumerate(setup.ports, 1)]
    if gaps:
        media = with_resistors(yee, media, gaps, setup.ports, dt)
    if smoothed is not None:
        media = with_coupling(yee, axes, media, smoothed, dt, setup.parts.electric)

    driven = setup.driven
    sources = make_sources(
        yee, axes, media, setup.media[0], dt, unit, driven.dipoles, driven.waves, driven.oblique, driven.beams,
        driven.launches,
    )  # fmt: skip
    if gaps:
        sources = with_port_currents(sources, yee, media, gaps, setup.ports, unit)
    return OnGrid(
        setup, cells, media, gaps, sources, np.zeros(0, np.int64) if smoothed is None else smoothed.places
    )  # fmt: skip
