"""Diffusion in particles on an NVIDIA GPU: launches ``explicit.cu``, ``implicit.cu`` and ``modes.cu``."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from engines.api.errors import ProblemError
from engines.backend.precision import REAL
from engines.backend.tuning import tune, tuning_key
from engines.battery.particles.step.diffusion import ModeDiffusion, ShellDiffusion

if TYPE_CHECKING:
    from engines.backend.cuda import CudaBackend

EXPLICIT, IMPLICIT, MODAL = (Path(__file__).with_name(f"{name}.cu") for name in ("explicit", "implicit", "modes"))
LARGEST = {"float32": "-DLARGEST=32", "float64": "-DLARGEST=16"}
"""Shells that the implicit kernel keeps in registers at most."""
POINTS_PER_LANE = (1, 2, 4, 8, 16)
"""Kernels there are; with a curve up to 8."""
IN_REGISTERS = {"float32": (8, 16, 24, 32), "float64": (8, 16)}
BLOCK = 128
"""Threads per block; the explicit kernels' launch bound. Of the implicit kernel, too."""
TUNING_STEPS = 64


def lane_shapes(points: int, points_per_lane: Sequence[int] = POINTS_PER_LANE) -> list[tuple[int, int, int]]:
    """(shells per lane, lanes per particle, threads per block) that cover ``points`` shells."""
    shapes = []
    for per_lane in points_per_lane:
        lanes = 1
        while lanes * per_lane < points:
            lanes *= 2
        if lanes <= 32 and (lanes == 1 or (lanes // 2) * per_lane < points):
            shapes += [(per_lane, lanes, block) for block in (64, BLOCK)]
    return shapes


class CudaShellDiffusion(ShellDiffusion):
    """Finite volumes on a GPU. Steps go to the stream that is current."""

    backend: CudaBackend

    def __init__(self, backend: CudaBackend, *args: Any, **kwargs: Any) -> None:
        super().__init__(backend, *args, **kwargs)
        name = self.dtype.name
        self._explicit = backend.compile(EXPLICIT, (REAL[name],))
        self._implicit = backend.compile(IMPLICIT, (REAL[name], LARGEST[name]))
        self._scratch: Any = None
        shapes = lane_shapes(self.points, POINTS_PER_LANE if self.curve is None else POINTS_PER_LANE[:-1])
        kind = "constant" if self.curve is None else "varying"
        key = tuning_key(f"{kind} {self.points}", backend.info, EXPLICIT, self.n_particles, (REAL[name],))
        self.shape = tune(key, shapes, self._time)

    def explicit(self, flux: Any, dt: float, steps: int) -> None:
        if steps > 0:
            self._launch(self.shape, flux, dt, steps)

    @property
    def explicit_kernel(self) -> tuple[Any, int]:
        """As :attr:`ShellDiffusion.explicit_kernel`."""
        per_lane, _, block = self.shape
        return self._explicit.get_function(f"constant_{per_lane}"), block

    def _launch(self, shape: tuple[int, int, int], flux: Any, dt: float, steps: int) -> None:
        per_lane, lanes, block = shape
        real = self.dtype.type
        counts = (
            real(dt), np.int32(steps), np.int32(lanes), np.int32(self.points), np.int32(self.n_particles),
            np.int32(self.n_padded),
        )  # fmt: skip
        grid = (-(-self.n_particles * lanes // block),)
        if self.curve is None:
            self._explicit.get_function(f"constant_{per_lane}")(
                grid, (block,),
                (self.deviation, self.base, self._rate, self._radius_per_diffusivity, flux, self._inner, self._outer,
                 self._steady, *counts),
            )  # fmt: skip
            return
        table = (
            self._table, np.int32(len(self.curve.coefficients)), real(self.curve.low), real(self.curve.inverse_step),
            real(self._source),
        )  # fmt: skip
        self._explicit.get_function(f"varying_{per_lane}")(
            grid, (block,),
            (self.deviation, self._rate, self._radius, flux, self._inner, self._outer, *table, *counts),
        )  # fmt: skip

    def _time(self, shape: tuple[int, int, int]) -> float:
        """Seconds of some steps of 0 s without flux, which change nothing."""
        still = self.per_particle(0.0)
        return self.backend.elapsed(lambda: self._launch(shape, still, 0.0, TUNING_STEPS))

    def implicit(self, flux: Any, dt: float, steps: int, theta: float = 0.5) -> None:
        if self.curve is not None:
            raise ProblemError("The implicit scheme takes a constant diffusivity: use the explicit one.")
        real = self.dtype.type
        arguments = [
            self.deviation, self.base, self._rate, self._radius_per_diffusivity, flux, self._inner, self._outer,
            self._steady,
            real(theta), real(dt), np.int32(steps), np.int32(self.points), np.int32(self.n_particles),
            np.int32(self.n_padded),
        ]  # fmt: skip
        size = next((size for size in IN_REGISTERS[self.dtype.name] if size >= self.points), None)
        if size is None:
            if self._scratch is None:
                self._scratch = self.backend.empty((3, self.points, self.n_padded), self.dtype)
            arguments.append(self._scratch)
        name = "implicit_any" if size is None else f"implicit_{size}"
        self._implicit.get_function(name)((-(-self.n_particles // BLOCK),), (BLOCK,), tuple(arguments))


class CudaModeDiffusion(ModeDiffusion):
    """Eigenmodes on a GPU."""

    backend: CudaBackend

    def __init__(self, backend: CudaBackend, *args: Any, **kwargs: Any) -> None:
        super().__init__(backend, *args, **kwargs)
        self._kernels = backend.compile(MODAL, (REAL[self.dtype.name],))

    def advance(self, flux: Any, time: float) -> None:
        self._launch("relax", flux, self._squares, self.dtype.type(time), np.int32(self.modes))

    def _profile(self, flux: Any, shapes: Any, tail: Any) -> Any:
        out = self.backend.empty((len(tail), self.n_padded), self.dtype)
        with self.backend.active():
            self._launch("profile", flux, shapes, tail, out, np.int32(len(tail)), np.int32(self.modes))
        return out

    def _launch(self, kernel: str, flux: Any, *arguments: Any) -> None:
        # The padding moves along (it is as the last particle), so that nothing is left unwritten.
        self._kernels.get_function(kernel)(
            (-(-self.n_padded // 256),), (256,),
            (self.state, *([self._rate] if kernel == "relax" else []), self._radius_per_diffusivity, flux, *arguments,
             np.int32(self.n_padded), np.int32(self.n_padded)),
        )  # fmt: skip
