"""How long a step takes, before a problem runs."""

from __future__ import annotations

import numpy as np

from engines.api.device import Backend
from engines.backend.timing import best_seconds, measured_once
from engines.backend.twins import pick
from engines.fdtd.grid.boundaries import Face, make_axes
from engines.fdtd.grid.yee import Yee
from engines.fdtd.media.materials import Medium, make_media
from engines.fdtd.sources.currents import make_sources
from engines.fdtd.step.steps import make_steps
from engines.fdtd.step.traffic import traffic

SAMPLE_CELLS, SAMPLE_STEPS, SAMPLES, LAYER = 72, 3, 8, 10
GPU_SHARE = 0.55
"""Of the memory's bandwidth: 600 × 600 × 200 cells with CPML ran at 2.3 of 4.2 TB/s on an H200, one pass and two."""


def expected_rate(backend: Backend, precision: str) -> float:
    """Bytes per second that a step moves: on a CPU those of a small grid between CPML, measured at the first call."""
    return pick(backend, cpu=_measured_rate, cuda=lambda gpu, _: GPU_SHARE * gpu.ceilings().best)(backend, precision)


def _measured_rate(backend: Backend, precision: str) -> float:
    def measure() -> float:
        yee = Yee((SAMPLE_CELLS,) * 3, (1.0, 1.0, 1.0))
        dt, face, vacuum = 0.99 * yee.largest_step(), Face("CPML", LAYER), Medium()
        axes = make_axes(yee, [(face, face)] * 3, dt)
        media = make_media(yee, axes, np.zeros(yee.counts, np.uint8), [vacuum], dt)
        steps = make_steps(
            backend, yee, axes, media, make_sources(yee, axes, media, vacuum, dt, "um", [], []), precision
        )
        values = np.zeros((SAMPLE_STEPS, 0))
        seconds = best_seconds(backend, lambda: steps.advance(values), SAMPLES) / SAMPLE_STEPS
        return traffic(yee, axes, np.dtype(precision).itemsize, False).bytes / seconds

    return measured_once(backend, (__name__, precision), measure)
