"""Steps of a tissue: Godunov splitting of diffusion and cell reaction (thesis, algorithm 1)."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from typing import Any

from engines.api import KernelTraffic
from engines.backend.base import Backend
from engines.cardiac.diffusion import Diffusion
from engines.cardiac.stimulus import Protocol
from engines.cardiac.tissue import Tissue


class Stepper:
    """Each step diffuses the voltage from one array into the other, then lets every cell react in place there.

    ``voltage: (n_padded,)`` [mV] on the device is the one of the moment; it changes its place with every step.
    """

    def __init__(self, backend: Backend, diffusion: Diffusion, tissue: Tissue, protocol: Protocol, dt: float) -> None:
        self.dt = dt
        self.voltage, self._next = tissue.new_voltage(), tissue.new_voltage()
        self._backend, self._diffusion, self._tissue, self._protocol = backend, diffusion, tissue, protocol

    @property
    def traffic(self) -> tuple[KernelTraffic, ...]:
        return self._diffusion.traffic, self._tissue.traffic

    def set_conductivity_scale(self, scale: float) -> None:
        """Factor on all conductivities from the next step on."""
        self._diffusion.dt = scale * self.dt

    def advance(self, step: int, steps: int) -> None:
        """Take ``steps`` steps (at least one), the first from time ``step * dt``."""
        last = step + steps - 1
        with self._backend.active():
            for k in range(step, last):
                self._take(k, _untimed)
        # The last step of each call is timed and stands for the others: by then a GPU has work queued, so that the
        # time of launching does not stand between the kernel's two events.
        self._take(last, self._backend.timed)

    def _take(self, step: int, timed: Callable[[str], AbstractContextManager[Any]]) -> None:
        currents = self._protocol.currents(step)
        with timed("diffusion"):
            self._diffusion.step(self.voltage, self._next)
        with timed("reaction"):
            self._tissue.step(self._next, self.voltage, step, self.dt, currents)
        self.voltage, self._next = self._next, self.voltage


def _untimed(kernel: str) -> nullcontext[None]:
    return nullcontext()
