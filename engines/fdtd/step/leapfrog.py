"""Leapfrog steps of E and H on a device; the equations are in README.md."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any

from engines.api import Array
from engines.backend.twins import Twins
from engines.fdtd.grid.dimensions import make_twins
from engines.fdtd.grid.yee import Yee
from engines.fdtd.media.materials import Media


class LeapfrogSteps(ABC):
    """Made of a backend, a grid, its axes, media, sources, a precision and which components there are (``parts``).

    electric, magnetic: (3, nz + 1, ny + 1, row); psi: six arrays, of E for x, y, z and then of H; signals: (count,);
    states: of the poles, (states, places). They are all that changes from step to step.
    """

    electric: Any
    magnetic: Any
    psi: list[Any]
    signals: Any
    states: Any
    dtype: Any
    between: Callable[[], None] | None = None
    _arrive: Callable[[], None] | None = None
    _ends: tuple[int, int] | None = None
    _yee: Yee

    @property
    def passes(self) -> int:
        """How often a step reads the fields: twice, or once where E and H are stepped together."""
        return 2

    @abstractmethod
    def advance(self, values: Array) -> None:
        """A step for each row of ``values``, (steps, drives) of the sources. Inside ``backend.timed`` or ``active``."""

    def fetch(self, begin: Callable[[], None], arrive: Callable[[], None], ends: tuple[int, int]) -> None:
        """A part of the fields comes from elsewhere: ``begin`` is called after each step, ``arrive`` before the next
        needs what comes. Planes from the first of ``ends`` to before the second do not, and may be stepped before."""
        self.between, self._arrive, self._ends = begin, arrive, ends

    def _arrived(self) -> None:
        if self._arrive is not None:
            self._arrive()

    @abstractmethod
    def prepare(self, values: Array) -> Any:
        """What the halves of steps are given of ``values``."""

    @abstractmethod
    def electric_half(self, values: Any, step: int) -> None:
        """E of a step, and what sources add to it; ``values`` as prepared, of which this is row ``step``."""

    @abstractmethod
    def magnetic_half(self) -> None:
        """H of a step, and what sources add to it."""

    def finish(self) -> None:
        """What is to be done when steps have been taken by halves."""
        make_twins(self._yee, self.electric, self.magnetic)

    @abstractmethod
    def repaint(self, media: Media, block: tuple[slice, slice, slice]) -> None:
        """Ids of ``media`` in a block along z, y, x have changed, and so may its tables. Inside ``active``."""

    @abstractmethod
    def energy_rows(self) -> tuple[Array, Array]:
        """(nz + 1, 2) of ε_r E² and μ_r (η₀H)², and (nz + 1,) of what the poles hold, on the host: sums over the nodes
        and halves of a plane."""

    def energy(self) -> tuple[float, float]:
        """Σ ε_r E² with what the poles hold, and Σ μ_r (η₀H)² over the cells [V²/m²]. Inside ``backend.active``."""
        return energy_of(*self.energy_rows())

    def values(self, electric: bool, places: Any) -> Any:
        """Of E or H at places of the flat field, on the device."""
        return (self.electric if electric else self.magnetic).reshape(-1)[places]

    def energy_later(self) -> Callable[[], tuple[float, float]]:
        """:meth:`energy` of now, asked for when a device has had time to find it. Inside ``backend.active``."""
        found = self.energy()
        return lambda: found

    def parts(self) -> dict[str, Any]:
        """What changes from step to step, by name."""
        psi = {
            f"psi {field}{axis}": self.psi[3 * n + a] for n, field in enumerate("eh") for a, axis in enumerate("xyz")
        }
        poles = {"poles": self.states} if self.states.size else {}
        fields = {"electric": self.electric, "magnetic": self.magnetic, "signals": self.signals}
        return {**fields, **poles, **psi, **self.line_psi()}

    @abstractmethod
    def line_psi(self) -> dict[str, Any]:
        """ψ of the lines of plane waves."""


def energy_of(sums: Array, held: Array) -> tuple[float, float]:
    """Electric and magnetic energy of the rows of :meth:`LeapfrogSteps.energy_rows`."""
    electric, magnetic = sums.sum(axis=0)
    return float(electric + held.sum()), float(magnetic)


LEAPFROG = Twins[LeapfrogSteps](__package__, cpu="cpu:CpuYee", cuda="cuda:CudaYee")
