"""Typed equations on an NVIDIA GPU: launches what ``cuda_kernel`` writes."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from engines.api import Array
from engines.backend.precision import REAL
from engines.stencil.equations.cuda_kernel import ROWS, kernel_file
from engines.stencil.equations.explicit import Explicit
from engines.stencil.equations.noise.drawn import HIGH
from engines.stencil.equations.passes import Pass
from engines.stencil.equations.strips.march import March, marches_of, strips_file
from engines.stencil.step.launch_shapes import Shape, best_shape, split

if TYPE_CHECKING:
    from engines.backend.cuda import CudaBackend

BLOCKS = ((32, 8), (64, 4), (128, 2))
SINGLE: Shape = (1,)
"""Passes one by one."""
REGISTERS = 96
"""Values of a thread's rows from which fewer rows are taken, in values of four bytes."""


Ready = Callable[[Mapping[int, Any]], None]
LANES, WARPS, SPANS = 32, (4, 2), (128, 64, 32)
"""Threads of a warp; warps of a block, and rows of the parts that strips are cut into, of launches of whole steps."""
GRAPHS = (64, 16)
"""Steps of a CUDA graph, an even number of launches, after which arrays are where they were: on small grids the host
launches more slowly than they run."""
IN_A_ROW = 8
"""Launches in a graph by which their shapes are measured."""


class CudaExplicit(Explicit):
    """On a GPU. Shapes of launches, rows of a thread and how many steps a launch takes are measured once for each pass,
    device and size."""

    _backend: CudaBackend

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        packed = 16 // self.dtype.itemsize
        self._width = packed if self.box[2] % packed == 0 else 1
        self._files: dict[Pass, Path] = {}
        self._shapes: dict[Pass, Shape] = {}
        self._marches: dict[int, tuple[March, Path]] = {}
        self._plan: list[Shape] = []  # (steps, warps, rows) of launches of whole steps, the deepest first
        self._same: tuple[Any, ...] = ()  # what these hang on
        self._beside: Any = None
        self._made: dict[tuple[Shape, int], list[Ready]] = {}
        self._graphs: dict[tuple[int, int], Callable[[], None]] = {}
        bits = self.sides.wraps @ np.array([1, 2, 4])
        where = np.concatenate([bits[:, None], self.sides.where.reshape(len(bits), -1)], axis=1)
        self._where = self._backend.array(where.astype(np.int32))

    def compile(self) -> None:
        """As the base's; how many steps a launch takes is measured, against passes one by one."""
        super().compile()
        marches = {each.depth: (each, strips_file(each, self.dtype.name)) for each in marches_of(self)}
        if not marches:
            return
        self._marches = marches
        numbers, laws = self.usual(), self._laws(0.0)
        shapes = [(depth, warps, span) for depth in marches for span in SPANS for warps in WARPS]

        graphs: dict[Shape, Callable[[], None]] = {}

        def launch(scratch: Sequence[Any], shape: Shape) -> None:
            if shape not in graphs:
                ready = self._ready(shape, scratch[0], numbers, laws)
                _all(ready)
                graphs[shape] = self._backend.captured(lambda: _all(ready * IN_A_ROW))
            graphs[shape]()

        best = best_shape(
            self._backend, f"equations {self.plan.method} steps", marches[max(marches)][1], (REAL[self.dtype.name],),
            (len(self._now), *self.box), self.dtype, [*shapes, SINGLE], launch, arrays=1,
        )  # fmt: skip
        if best != SINGLE:
            self._plan = [(depth, *best[1:]) for depth in sorted(marches, reverse=True) if depth <= best[0]]
            for shape in self._plan:  # shapes may be remembered, and kernels that never ran cannot be captured
                _all(self._ready(shape, self._banks[0], numbers, laws))
            moved = len(self._now) * math.prod(self.box) * self.dtype.itemsize
            self.traffic = replace(self.traffic, bytes_read=moved, bytes_written=moved).spread(best[0])

    def advance(self, step: int, steps: int) -> None:
        """Steps whose arguments stay the same are captured once."""
        changing = self._time_at_sides or any(one.draws for one in self.plan.passes)
        if changing or self._implicit is not None or self.arrive is not None or not self._shapes:
            super().advance(step, steps)
            return
        if steps and self.plan.remembers and (step == 0 or self.anew):
            super().advance(step, 1)
            step, steps = step + 1, steps - 1
        if self.timed:
            laws = self._laws(0.0)
            for number in range(step, step + steps):
                self._take(1, self.numbers(number), laws, {})
            return
        sides, numbers = self.sides.numbers(self._known(0.0, 1.0)), self.usual()
        same = sides.tobytes(), *(each.tobytes() for each in numbers), *self._plan
        if same != self._same:
            self._same, self._beside, self._made, self._graphs = same, self.laws(sides), {}, {}
        for size in GRAPHS:
            while steps >= size:
                key = size, id(self._now)
                if key not in self._graphs:
                    take = partial(self._take, size, numbers, self._beside, self._made)
                    self._graphs[key] = self._backend.captured(take)
                self._graphs[key]()
                steps -= size
        self._take(steps, numbers, self._beside, self._made)

    def _take(
        self, steps: int, numbers: Sequence[Array], laws: Any, made: dict[tuple[Shape, int], list[Ready]]
    ) -> None:
        """Put steps of these numbers on the device. made: launches of the same that were made ready."""
        for shape in split(steps, [*self._plan, SINGLE]):
            key = shape, id(self._now)
            if key not in made:
                made[key] = self._ready(shape, self._banks[0], numbers, laws)
            _all(made[key])
            if shape == SINGLE:
                self.turn()
            else:
                self._now, self._banks[0] = self._banks[0], self._now

    def _ready(self, shape: Shape, out: Any, numbers: Sequence[Array], laws: Any) -> list[Ready]:
        """Launches of the next steps, so many as ``shape`` says: whole ones go to ``out``."""
        if shape == SINGLE:
            return [
                self._backend.ready(*self._call(one, arrays, given, laws, self._shapes[one]))
                for (_, one, arrays), given in zip(self.sweeps(), numbers, strict=True)
            ]
        depth, warps, span = shape
        march, file = self._marches[depth]
        _, ny, nx = self.box
        packed = 16 // self.dtype.itemsize
        useful = warps * (LANES * packed - 2 * (-(-march.columns // packed) * packed))
        kernel = self._backend.compile(file, (REAL[self.dtype.name],)).get_function("strips")
        scalars = (self.dtype.type(value) for values in numbers for value in values)
        sizes = map(np.int32, (nx, ny, span))
        grid, block = (-(-nx // useful), -(-ny // span)), (LANES, warps)
        return [self._backend.ready(kernel, grid, block, (*sizes, self._now, out, laws, self._where, *scalars))]

    def laws(self, numbers: Array) -> Any:
        return self._backend.array(numbers.astype(self.dtype))

    def sweep(self, one: Pass, arrays: Sequence[Any], numbers: Array, laws: Any, step: int = 0) -> None:
        if one not in self._shapes:
            self._files[one] = kernel_file(one, self.plan.system.fields, self.dtype.name)
            self._shapes[one] = self._best(one, arrays, numbers, laws)
        self._launch(one, arrays, numbers, laws, self._shapes[one], step)

    def _launch(self, *arguments: Any) -> None:
        kernel, grid, block, values = self._call(*arguments)
        kernel(grid, block, values)

    def _best(self, one: Pass, arrays: Sequence[Any], numbers: Array, laws: Any) -> Shape:
        """Measured on arrays of its own where it writes what it reads."""
        rows = [each for each in ROWS if self._values(one, each) <= REGISTERS or each == 1]
        candidates = [(1, each, *block) for each in rows[-2:] for block in BLOCKS]

        def launch(scratch: Sequence[Any], shape: Shape) -> None:
            self._launch(one, [*arrays[:5], scratch[0]], numbers, laws, shape)

        return best_shape(
            self._backend, f"equations {one.name}", self._files[one], self._macros(1), (len(arrays[5]), *self.box),
            self.dtype, candidates, launch, arrays=1,
        )  # fmt: skip

    def _values(self, one: Pass, rows: int) -> int:
        each = sum(rows + 2 if dz == 0 else rows for offsets in one.reads.values() for dz in {o[2] for o in offsets})
        return each * (self._width + 2) * self.dtype.itemsize // 4

    def _macros(self, rows: int) -> tuple[str, ...]:
        wide = ("-DWIDE",) if self._width > 1 else ()
        return (REAL[self.dtype.name], f"-DROWS={rows}", *wide)

    def _call(
        self, one: Pass, arrays: Sequence[Any], numbers: Array, laws: Any, shape: Shape, step: int = 0
    ) -> tuple[Any, tuple[int, ...], tuple[int, ...], tuple[Any, ...]]:
        """A launch of a pass: its kernel, grid, block and arguments."""
        _, rows, *block = shape
        nz, ny, nx = self.box
        grid = (math.ceil(nx / (self._width * block[0])), math.ceil(ny / (rows * block[1])), nz)
        kernel = self._backend.compile(self._files[one], self._macros(rows)).get_function("sweep")
        number = self.dtype.type
        scalars: list[Any] = [number(value) for value in numbers]
        if one.draws:
            scalars += [np.uint32(word & 0xFFFFFFFF) for word in (step, self.seed, step >> (32 - HIGH))]
        if one.placed:
            scalars += map(np.int32, self.whole)
        arguments = *map(np.int32, (nx, ny, nz)), *arrays, laws, self._where, *scalars
        return kernel, grid, tuple(block), arguments


def _all(ready: Sequence[Ready]) -> None:
    for launch in ready:
        launch({})
