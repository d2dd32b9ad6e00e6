"""What the CPU's and the GPU's diffusion in particles have in common.

Particles stand side by side: ``deviation[shell, particle]`` is what a shell has above ``base[0, particle]``, the base
what the particle's mean has gained since the start. In float32 these keep the lithium that comes in; a concentration,
a thousand times larger than a step's change, does not.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

import numpy as np

from engines.api import Array, KernelTraffic
from engines.api.device import Backend
from engines.backend.twins import Twins
from engines.battery.particles.series import roots, shell_modes, static_tail
from engines.battery.particles.shells import shells, surface_weights
from engines.battery.setup.curves import Curve
from engines.battery.step.particle_rows import MODES, BaseRow, ModeRow

PADDING = 64
"""Particles are padded to a multiple of this: whole SIMD vectors, whole warps."""


class _Particles:
    """``radius: (n,)`` [m] and ``diffusivity: (n,)`` or a number [m²/s] on the device; padding repeats the last."""

    def __init__(self, backend: Backend, radius: Array, diffusivity: Array | float, precision: str) -> None:
        self.backend = backend
        self.dtype = np.dtype(precision)
        self.radius = np.atleast_1d(np.asarray(radius, float))
        self.diffusivity = np.broadcast_to(np.asarray(diffusivity, float), self.radius.shape)
        self.n_particles = len(self.radius)
        self.n_padded = -(-self.n_particles // PADDING) * PADDING
        self._rate = self.per_particle(self.diffusivity / self.radius**2)
        self._radius_per_diffusivity = self.per_particle(self.radius / self.diffusivity)

    def per_particle(self, values: Array | float) -> Any:
        """A device array (n_padded,) of numbers per particle, as the methods take for ``flux`` [mol/m²/s]."""
        given = np.broadcast_to(np.asarray(values, self.dtype), (self.n_particles,))
        return self.backend.array(np.pad(given, (0, self.n_padded - self.n_particles), mode="edge"))

    def _constants(self, values: Array) -> Any:
        return self.backend.array(np.ascontiguousarray(values, self.dtype))


class ShellDiffusion(_Particles, ABC):
    """Finite volumes with ``points`` shells. With ``curve``, D is ``diffusivity`` times the curve of the deviation.

    On the device, both [mol/m³]: ``deviation: (points, n_padded)``, and ``base: (2, n_padded)`` with its rounding error
    (with a curve it stays 0). Steps go inside ``backend.timed`` or ``active``.
    """

    def __init__(
        self,
        backend: Backend,
        radius: Array,
        diffusivity: Array | float,
        points: int = 32,
        precision: str = "float32",
        curve: Curve | None = None,
    ) -> None:
        super().__init__(backend, radius, diffusivity, precision)
        self.shells = shells(points)
        self.points = points
        self.curve = curve
        self.deviation = backend.array(np.zeros((points, self.n_padded), self.dtype))
        self.base = backend.array(np.zeros((len(BaseRow), self.n_padded), self.dtype))
        grid = self.shells
        self._inner, self._outer, self._steady = map(self._constants, (grid.inner, grid.outer, grid.steady))
        if curve is not None:
            self._table = self._constants(curve.coefficients)
            self._source = float(grid.source[-1])
            self._radius = self.per_particle(self.radius)

    @property
    def stable_step(self) -> float:
        """Longest explicit step [s] that is stable for every particle; with a curve, at its largest D."""
        largest = (
            1.0 if self.curve is None else float(self.curve(np.linspace(self.curve.low, self.curve.high, 999)).max())
        )
        return float((self.shells.stable_rate * self.radius**2 / (largest * self.diffusivity)).min())

    @property
    def traffic(self) -> KernelTraffic:
        """Per launch, whatever its steps: all shells in and out, rate, R/D and flux in."""
        size = self.dtype.itemsize
        return KernelTraffic(
            "particles", self.n_particles * (self.points + 3) * size, self.n_particles * self.points * size,
            6 * self.n_particles * self.points,
        )  # fmt: skip

    @property
    def explicit_kernel(self) -> tuple[Any, int] | None:
        """The kernel that :meth:`explicit` launches where D is constant, and its threads per block; None on a CPU."""
        return None

    @abstractmethod
    def explicit(self, flux: Any, dt: float, steps: int) -> None:
        """``steps`` steps of forward Euler under a steady inward ``flux`` (device, (n_padded,))."""

    @abstractmethod
    def implicit(self, flux: Any, dt: float, steps: int, theta: float = 0.5) -> None:
        """``steps`` steps of the θ scheme (½: second order; 1: never oscillates). Not with a curve."""

    def surface(self, flux: Any) -> Any:
        """(n_padded,) on the device: the deviation at the surface [mol/m³] under ``flux``.

        With a curve, D is that of the two outermost shells extrapolated: what that is off enters times their thickness.
        """
        last, before, slope = map(self.dtype.type, surface_weights(self.points))
        c = self.deviation
        with self.backend.active():
            shape = last * c[-1] + before * c[-2]
            rise = slope * (flux * self._radius_per_diffusivity)
            if self.curve is not None:
                rise = rise / self._on_curve(shape)
            return self.base[BaseRow.BASE] + (shape + rise)

    def _on_curve(self, values: Any) -> Any:
        """The curve at ``values`` on the device, as the kernels look it up."""
        assert self.curve is not None
        last = len(self.curve.coefficients) - 1
        at = ((values - self.dtype.type(self.curve.low)) * self.dtype.type(self.curve.inverse_step)).clip(0, last + 1)
        i = at.astype(np.int32).clip(0, last)
        t, k = at - i.astype(self.dtype), self._table[i]
        return k[:, 0] + t * (k[:, 1] + t * (k[:, 2] + t * k[:, 3]))

    def means(self) -> Any:
        """(n_padded,) on the device: mean deviation of each particle [mol/m³]."""
        with self.backend.active():
            total = self.base[BaseRow.BASE] - self.base[BaseRow.ERROR]
            for volume, row in zip(self.shells.volumes, self.deviation, strict=True):
                total += self.dtype.type(volume) * row
        return total

    def concentration(self) -> Array:
        """(points, n_particles) float64 on the host: what each shell has gained since the start [mol/m³]."""
        base, error = self.backend.to_host(self.base)[:, : self.n_particles].astype(float)
        return self.backend.to_host(self.deviation)[:, : self.n_particles].astype(float) + (base - error)

    def mean(self) -> Array:
        """(n_particles,) float64 on the host: mean deviation of each particle [mol/m³]."""
        return self.shells.volumes @ self.concentration()


class ModeDiffusion(_Particles, ABC):
    """Eigenmodes for constant D: exact for piecewise-constant flux, any step.

    ``state: (2 + modes, n_padded)`` on the device: mean, its rounding error, amplitudes [mol/m³].
    """

    def __init__(
        self,
        backend: Backend,
        radius: Array,
        diffusivity: Array | float,
        precision: str = "float32",
        modes: int = MODES,
    ) -> None:
        super().__init__(backend, radius, diffusivity, precision)
        self.modes = modes
        self.state = backend.array(np.zeros((ModeRow.MODES + modes, self.n_padded), self.dtype))
        self._squares = self._constants(roots(modes) ** 2)
        self._at_surface = self._constants(np.ones((1, modes))), self._constants(np.array([static_tail(8, modes)[1]]))

    @abstractmethod
    def advance(self, flux: Any, time: float) -> None:
        """``time`` [s] under a steady inward ``flux`` (device, (n_padded,)) [mol/m²/s]."""

    @abstractmethod
    def _profile(self, flux: Any, shapes: Any, tail: Any) -> Any: ...

    def means(self) -> Any:
        """(n_padded,) on the device: mean deviation of each particle [mol/m³]."""
        with self.backend.active():
            return self.state[ModeRow.MEAN] - self.state[ModeRow.MEAN_ERROR]

    def surface(self, flux: Any) -> Any:
        """(n_padded,) on the device: the deviation at the surface [mol/m³] under ``flux``."""
        return self._profile(flux, *self._at_surface)[0]

    def profile(self, flux: Any, points: int) -> Any:
        """(points, n_padded) on the device: mean deviation in each of ``points`` shells [mol/m³] under ``flux``."""
        shapes, tail = shell_modes(points, self.modes), static_tail(points, self.modes)[0]
        return self._profile(flux, self._constants(shapes), self._constants(tail))

    def mean(self) -> Array:
        """(n_particles,) float64 on the host: mean deviation of each particle [mol/m³]."""
        mean, error = self.backend.to_host(self.state[: ModeRow.MODES])[:, : self.n_particles].astype(float)
        return mean - error


SHELL_DIFFUSION = Twins[ShellDiffusion](__package__, cpu="cpu:CpuShellDiffusion", cuda="cuda:CudaShellDiffusion")
"""Takes the arguments of :class:`ShellDiffusion`."""
MODE_DIFFUSION = Twins[ModeDiffusion](__package__, cpu="cpu:CpuModeDiffusion", cuda="cuda:CudaModeDiffusion")
"""Takes the arguments of :class:`ModeDiffusion`."""
