"""The three schemes with one face: what the simulation asks of shells and of eigenmodes."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

import numpy as np

from engines.api import Array, KernelTraffic
from engines.api.device import Backend
from engines.battery.parameters.particles import Scheme
from engines.battery.particles.series import shell_modes, static_tail
from engines.battery.particles.step.diffusion import MODE_DIFFUSION, SHELL_DIFFUSION, ModeDiffusion, ShellDiffusion
from engines.battery.setup.curves import Curve


class Solver(ABC):
    """Particles on a device. All concentrations are deviations from the start [mol/m³]; fluxes are device arrays."""

    diffusion: ShellDiffusion | ModeDiffusion

    @property
    @abstractmethod
    def arrays(self) -> dict[str, Any]:
        """All that changes, on the device."""

    @abstractmethod
    def advance(self, flux: Any, dt: float, steps: int) -> None:
        """``steps`` steps of ``dt`` [s]. Inside ``backend.timed``."""

    @abstractmethod
    def profiles(self, flux: Any, handle: Any) -> Array:
        """(m, points) float32 on the host: means over the shells of what was selected."""

    @abstractmethod
    def traffic(self, fused: int) -> KernelTraffic:
        """Per step, if ``fused`` steps are taken in a launch."""

    def copy(self) -> dict[str, Any]:
        with self.diffusion.backend.active():
            return {name: values.copy() for name, values in self.arrays.items()}

    def restore(self, arrays: dict[str, Any]) -> None:
        """``arrays`` on the device."""
        with self.diffusion.backend.active():
            for name, values in self.arrays.items():
                values[...] = arrays[name]


class ShellSolver(Solver):
    """Finite volumes, explicit or implicit."""

    diffusion: ShellDiffusion

    def __init__(self, diffusion: ShellDiffusion, scheme: Scheme) -> None:
        self.diffusion, self._scheme = diffusion, scheme

    @property
    def arrays(self) -> dict[str, Any]:
        return {"deviation": self.diffusion.deviation, "base": self.diffusion.base}

    def advance(self, flux: Any, dt: float, steps: int) -> None:
        if self._scheme == "explicit":
            self.diffusion.explicit(flux, dt, steps)
        else:
            self.diffusion.implicit(flux, dt, steps)

    def profiles(self, flux: Any, handle: Any) -> Array:
        backend, diffusion = self.diffusion.backend, self.diffusion
        shells = backend.gather(diffusion.deviation.T, handle)
        shells += backend.gather(diffusion.base[0], handle)[:, None]
        return shells

    def traffic(self, fused: int) -> KernelTraffic:
        whole = self.diffusion.traffic
        work = 4 if self._scheme == "implicit" else 1 if self.diffusion.curve is None else 3
        return KernelTraffic(
            whole.kernel, whole.bytes_read // fused, whole.bytes_written // fused, work * whole.flops, fused
        )


class ModeSolver(Solver):
    """Eigenmodes; shown in ``points`` shells."""

    diffusion: ModeDiffusion

    def __init__(self, diffusion: ModeDiffusion, points: int) -> None:
        self.diffusion = diffusion
        self._shapes = shell_modes(points, diffusion.modes)
        self._tail = static_tail(points, diffusion.modes)[0]
        self._gain = diffusion.per_particle(diffusion.radius / diffusion.diffusivity)

    @property
    def arrays(self) -> dict[str, Any]:
        return {"state": self.diffusion.state}

    def advance(self, flux: Any, dt: float, steps: int) -> None:
        self.diffusion.advance(flux, dt * steps)

    def profiles(self, flux: Any, handle: Any) -> Array:
        backend, diffusion = self.diffusion.backend, self.diffusion
        state = backend.gather(diffusion.state.T, handle).astype(float)
        with backend.active():
            gain = flux * self._gain
        steady = backend.gather(gain, handle)[:, None] * self._tail
        return (state[:, :1] + state[:, 2:] @ self._shapes.T + steady).astype(np.float32)

    def traffic(self, fused: int) -> KernelTraffic:
        """One launch, whatever the steps."""
        n, size, modes = self.diffusion.n_particles, self.diffusion.dtype.itemsize, self.diffusion.modes
        return KernelTraffic(
            "particles",
            n * (5 + modes) * size // fused,
            n * (2 + modes) * size // fused,
            10 * modes * n // fused,
            fused,
        )


def make_solver(
    backend: Backend,
    scheme: Scheme,
    radius: Array,
    diffusivity: float,
    points: int,
    precision: str,
    relative: Curve | None = None,
) -> Solver:
    """``radius: (n,)`` [m]; ``relative``: D over ``diffusivity`` [m²/s] as a curve of the deviation (explicit only)."""
    if scheme == "eigenmodes":
        return ModeSolver(MODE_DIFFUSION.open(backend, radius, diffusivity, precision), points)
    return ShellSolver(SHELL_DIFFUSION.open(backend, radius, diffusivity, points, precision, relative), scheme)
