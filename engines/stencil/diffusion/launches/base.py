"""What the launches of the two- and the three-dimensional kernels have in common."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from engines.backend.compile.variants import declared
from engines.backend.precision import REAL
from engines.stencil.setup.sides import Ghosts, sides_for_kernels
from engines.stencil.step.launch_shapes import Shape

MOST_DEPTH = 16


@dataclass(frozen=True)
class Call:
    """A kernel with all that a launch of it is given."""

    kernel: Any
    grid: tuple[int, ...]
    block: tuple[int, ...]
    arguments: tuple[Any, ...]
    shared_bytes: int = 0

    def __call__(self) -> None:
        self.kernel(self.grid, self.block, self.arguments, shared_mem=self.shared_bytes)


@dataclass(frozen=True)
class Planes:
    """What a launch does of the slowest axis: from ``first`` to before ``last``, ``each`` planes at a time that begin
    every ``stride``; None of the two: those of the launch's shape, in a row."""

    first: int
    last: int
    each: int | None = None
    stride: int | None = None


class Launches(ABC):
    """The kernels of one ``.cu`` file for one grid: what they are compiled with, and the arguments that stay the same.

    shape, rates, ghosts, dt: as in :class:`engines.stencil.diffusion.cuda.CudaDiffusion`
    """

    source: ClassVar[Path]
    arrays_read = 1
    """Arrays that a launch reads, each once, without a source."""

    def __init__(
        self, backend: Any, shape: tuple[int, ...], rates: Sequence[float], ghosts: Ghosts, dt: float, precision: str
    ) -> None:
        self.backend, self.shape = backend, shape
        self.dtype = np.dtype(precision)
        self.rates = tuple(self.dtype.type(rate) for rate in rates)
        self.dt = self.dtype.type(dt)
        self.wraps, host_sides = sides_for_kernels(ghosts, self.dtype)
        self.sides = backend.array(host_sides)
        self.macros: tuple[str, ...] = (REAL[precision],)
        if len(set(self.rates)) == 1:
            self.macros += ("-DEQUAL",)
        self._variants = declared(self.source.read_text(encoding="utf-8")).variants
        self._kernels: dict[tuple[str, tuple[str, ...]], Any] = {}

    def variant(self, depth: int, source: bool) -> tuple[str, ...]:
        """The macros of the kernels that take ``depth`` steps; those of one step have sources built in."""
        if depth == 1:
            return self.macros
        return (*self.macros, f"-DDEPTH={depth}", *(["-DSOURCE"] if source else []))

    def is_declared(self, macros: tuple[str, ...]) -> bool:
        return macros in self._variants

    def depths(self, source: bool) -> list[int]:
        """Steps per launch that there are kernels for, in increasing order; 1 is the first."""
        return [depth for depth in range(1, MOST_DEPTH + 1) if self.is_declared(self.variant(depth, source))]

    def kernel(self, name: str, macros: tuple[str, ...]) -> Any:
        key = (name, macros)
        if key not in self._kernels:
            self._kernels[key] = self.backend.compile(self.source, macros).get_function(name)
        return self._kernels[key]

    @abstractmethod
    def single_shapes(self) -> list[Shape]:
        """Shapes of the kernels that take one step, the usual one first."""

    @abstractmethod
    def fused_shapes(self, depth: int) -> list[Shape]:
        """Shapes of the kernel that takes ``depth`` steps (more than one), the usual one first."""

    def with_depth(self, shape: Shape, depth: int) -> Shape:
        """The shape of another fused kernel that goes with ``shape``."""
        return (depth, *shape[1:])

    @property
    def flops(self) -> int:
        """Per cell and step: a multiply-add counts as two."""
        axes = len(self.shape)
        if "-DEQUAL" in self.macros:
            return 7 if axes == 2 else 11
        return 5 * axes

    def by_planes(self, shape: Shape) -> bool:
        """Whether a launch of this shape can do some planes alone."""
        return False

    @abstractmethod
    def call(self, u: Any, out: Any, source: Any, shape: Shape, planes: Planes | None = None) -> Call:
        """What takes ``shape[0]`` steps from ``u`` to ``out``; ``source`` is an array or None. ``planes``: these alone,
        where it can."""

    def launch(self, u: Any, out: Any, source: Any, shape: Shape, planes: Planes | None = None) -> None:
        """Take ``shape[0]`` steps from ``u`` to ``out``; arguments as of :meth:`call`."""
        self.call(u, out, source, shape, planes)()
