"""Energy of the fields on an NVIDIA GPU: launches ``energy.cu``."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from engines.api import Array
from engines.fdtd.grid.boundaries import Axis
from engines.fdtd.grid.yee import Yee
from engines.fdtd.media.materials import Media
from engines.fdtd.step.cpu import energy_weights
from engines.fdtd.step.cuda_parts import THREADS, CudaPoles

SOURCE = Path(__file__).parent / "energy.cu"
PLACES_A_BLOCK, BLOCKS = 2048, 2048
"""Places of a plane whose energy a block adds at least, and blocks from which on no more are asked for."""


class CudaEnergy:
    """``compiled(path, name, *macros)``: a kernel; ``ids``: of E and of H, as the steps hold them. Everything is called
    inside ``backend.active``, with E and H."""

    def __init__(
        self, backend: Any, yee: Yee, axes: Sequence[Axis], media: Media, ids: tuple[Any, Any], poles: CudaPoles,
        counts: Sequence[Any], compiled: Callable[..., Any],
    ) -> None:  # fmt: skip
        self._backend, self._yee, self._ids, self._poles, self._counts = backend, yee, ids, poles, tuple(counts)
        self._compiled, self._macros = compiled, ["-DWIDE"] * media.wide
        self._mixtures = len(media.permittivity)
        self._media = backend.array(_of(media))
        self._weights = backend.array(energy_weights(axes))

    def repaint(self, media: Media) -> None:
        self._media[...] = self._backend.array(_of(media))

    def rows(self, electric: Any, magnetic: Any) -> tuple[Array, Array]:
        """As :meth:`engines.fdtd.step.leapfrog.LeapfrogSteps.energy_rows`."""
        planes = self._yee.shape[0]
        values = self._backend.to_host(self._sums(electric, magnetic))
        ends = self._end_of_fields(values)
        rows = values[:ends].reshape(-1, planes, 2).sum(axis=0)
        return rows, values[ends:].reshape(-1, planes).sum(axis=0)

    def later(self, electric: Any, magnetic: Any) -> Callable[[], tuple[float, float]]:
        """Of now; nothing waits for the device before it is asked for."""
        sums = self._sums(electric, magnetic)

        def found() -> tuple[float, float]:
            values = self._backend.to_host(sums)
            ends = self._end_of_fields(values)
            of_electric, of_magnetic = values[:ends].reshape(-1, 2).sum(axis=0)
            return float(of_electric + values[ends:].sum()), float(of_magnetic)

        return found

    def _end_of_fields(self, values: Array) -> int:
        """Where the sums of the poles begin."""
        return 2 * (values.size // 3) if self._poles.arguments else values.size

    def _sums(self, electric: Any, magnetic: Any) -> Any:
        """On the device, in float64: (parts, planes, 2), and (parts, planes) of poles behind it (energy.cu)."""
        nz, ny, row = self._yee.shape
        parts = max(1, min(-(-ny * row // PLACES_A_BLOCK), -(-BLOCKS // nz)))
        share, blocks = np.int32(-(-ny * row // parts)), nz * parts
        sums = self._backend.empty((3 * blocks if self._poles.arguments else 2 * blocks,), np.float64)
        weights = self._weights, np.int32(self._weights.shape[1])
        self._compiled(SOURCE, "energy", *self._macros)(
            (nz, parts), (THREADS,),
            (
                electric, magnetic, *self._ids, self._media, np.int32(self._mixtures), *weights, sums, share,
                *self._counts,
            ),
        )  # fmt: skip
        if self._poles.arguments:
            self._compiled(SOURCE, "pole_energy", *self._macros)(
                (nz, parts), (THREADS,),
                (
                    electric, self._ids[0], *self._poles.stored, *weights, sums[2 * blocks :], share, *self._counts,
                    *self._poles.arguments,
                ),
            )  # fmt: skip
        return sums


def _of(media: Media) -> Array:
    return np.concatenate([media.permittivity, media.permeability])
