"""The TT06 reaction step on an NVIDIA GPU: launches ``tt06.cu``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from engines.api import Array
from engines.cardiac.cells.model import Tt06Tissue

SOURCE = Path(__file__).with_name("tt06.cu")
MACROS = {"float32": ("-DREAL=float",), "float64": ("-DREAL=double",)}
MAX_STIMULI = 32


class CudaTissue(Tt06Tissue):
    """TT06 on a GPU. Steps go to the stream that is current: call them inside ``backend.timed`` or ``active``."""

    block: tuple[int] = (128,)
    """Threads per block, at most 256; an engine that measures launch shapes may set another."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._kernel = self.backend.compile(SOURCE, MACROS[self.dtype.name]).get_function("react")  # type: ignore[attr-defined]  # CudaBackend's
        self._currents_on_host = np.zeros(MAX_STIMULI, self.dtype)
        self._currents = self.backend.array(self._currents_on_host)

    def step(self, voltage: Any, voltage_before: Any, step: int, dt: float, currents: Array | None = None) -> None:
        active = self._active(currents)
        if active:
            self._set_currents(currents)
        real = self.dtype.type
        grid = (-(-self.n_cells // self.block[0]),)
        self._kernel(
            grid, self.block,
            (
                self.states, np.int64(self.n_padded), voltage, voltage_before, self.activation, self.cell_types,
                self.stimulus_mask, np.uint32(active), self._currents, real(self.potassium_stimulus),
                real(self.threshold), real(step * dt), real(dt), np.int64(self.n_cells),
            ),
        )  # fmt: skip

    def reset_activation(self) -> None:
        with self.backend.active():  # type: ignore[attr-defined]  # CudaBackend's
            super().reset_activation()

    def _set_currents(self, currents: Array | None) -> None:
        """Copy the currents to the device, in the order of the stream, when they change: at the edges of a stimulus."""
        wanted = np.zeros(MAX_STIMULI, self.dtype)
        wanted[: len(currents)] = currents  # type: ignore[arg-type]  # some current is on, so there are currents
        if not np.array_equal(wanted, self._currents_on_host):
            self._currents_on_host = wanted
            self._currents.set(wanted)
