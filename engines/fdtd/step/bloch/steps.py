"""Periodic faces with a phase: ``F(x + L) = exp(i k L) F(x)``, as the modes of a crystal have it.

Fields are then complex. Two real copies of them, E and H each, take the same steps between walls, and are coupled only
at the faces. Before E is stepped, the half beyond the last node (which stands for −1 too) becomes the last half times
exp(−ikL); after that node n becomes node 0 times exp(ikL). The first copy, the real part, is driven and shown.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from engines.api import Array
from engines.fdtd.grid.boundaries import Axis
from engines.fdtd.grid.yee import Yee
from engines.fdtd.media.materials import Media
from engines.fdtd.sources.currents import Entries, Sources
from engines.fdtd.step.bloch.faces import FACES
from engines.fdtd.step.leapfrog import LeapfrogSteps


class BlochSteps:
    """Methods as those of :class:`engines.fdtd.step.cpu.CpuYee`; ``electric`` and ``magnetic`` are the real parts.

    make: what makes a copy of given axes and sources
    """

    passes = 2

    def __init__(
        self, backend: Any, yee: Yee, axes: Sequence[Axis], sources: Sources,
        make: Callable[[Sequence[Axis], Sources], LeapfrogSteps],
    ) -> None:  # fmt: skip
        walled = [replace(axis, wraps=axis.wraps and axis.phase == 0) for axis in axes]
        self._copies = make(walled, sources), make(walled, NOTHING)
        self.electric, self.magnetic = self._copies[0].electric, self._copies[0].magnetic
        self.dtype = self._copies[0].dtype
        self._phases = [(number, axis.n, axis.phase) for number, axis in enumerate(axes) if axis.phase]
        self._faces = FACES.open(backend, yee, self.dtype)

    def advance(self, values: Array) -> None:
        """A step for each row of ``values``, (steps, drives) of the sources. Inside ``backend.timed`` or ``active``."""
        real, imaginary = self._copies
        prepared, nothing = real.prepare(values), imaginary.prepare(np.zeros((len(values), 0)))
        for step in range(len(values)):
            for axis, n, phase in self._phases:
                self._faces.wrap(real.magnetic, imaginary.magnetic, axis, n - 1, n, -phase)
            real.electric_half(prepared, step)
            imaginary.electric_half(nothing, step)
            for axis, n, phase in self._phases:
                self._faces.wrap(real.electric, imaginary.electric, axis, 0, n, phase)
            real.magnetic_half()
            imaginary.magnetic_half()
        for copy in self._copies:
            copy.finish()

    def energy(self) -> tuple[float, float]:
        """Σ ε_r |E|² and Σ μ_r |η₀H|² over the cells [V²/m²]. Inside ``backend.active``."""
        return self.energy_later()()

    def values(self, electric: bool, places: Any) -> Any:
        """Of the real part."""
        return self._copies[0].values(electric, places)

    def energy_later(self) -> Callable[[], tuple[float, float]]:
        """:meth:`energy` of now, asked for when a device has had time to find it. Inside ``backend.active``."""
        copies = [copy.energy_later() for copy in self._copies]

        def found() -> tuple[float, float]:
            electric, magnetic = np.sum([copy() for copy in copies], axis=0)
            return float(electric), float(magnetic)

        return found

    def repaint(self, media: Media, block: tuple[slice, slice, slice]) -> None:
        for copy in self._copies:
            copy.repaint(media, block)

    def parts(self) -> dict[str, Any]:
        """What changes from step to step, by name."""
        imaginary = {f"imaginary {name}": part for name, part in self._copies[1].parts().items()}
        return {**self._copies[0].parts(), **imaginary}


NONE = Entries(np.zeros(0, np.int64), np.zeros(0), np.zeros(0, np.int32))
NOTHING = Sources(NONE, NONE, (), (), 0)
"""What the imaginary part is driven by."""
