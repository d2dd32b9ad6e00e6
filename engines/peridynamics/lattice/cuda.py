"""Bonds on an NVIDIA GPU: launches ``bonds.cu``."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache, cached_property, partial
from pathlib import Path
from typing import Any

import numpy as np

from engines.api import Array
from engines.backend.cache_dir import source_file
from engines.backend.precision import REAL
from engines.backend.tuning import tune, tuning_key
from engines.peridynamics.lattice.layout import Layout, Planes
from engines.peridynamics.lattice.small.cuda import MOST_PARTICLES, ManySteps
from engines.peridynamics.lattice.small.cuda import SOURCE as MANY_STEPS
from engines.peridynamics.lattice.solver import Discretised, LatticeSolver, Slab
from engines.peridynamics.material.laws.law import Law
from engines.peridynamics.step.solver import Follower, paces_of

SOURCE = Path(__file__).with_name("bonds.cu")
COLUMNS = 32
Shape = tuple[int, int]
"""Columns of a block's tile; rows of tiles that it takes (2D) or planes (3D)."""
RESIDENT = 3
"""Blocks that a processor has room for, about."""
MOST_SHAPES = 8
"""That are measured."""
WORTH_TUNING = 1 << 17
"""Particles from which on shapes are measured; smaller bodies take a few microseconds a step in any."""
THREADS = 256
OWN_LAW = re.compile(r"(?<=^// law\n).*(?=^// end of law$)", re.MULTILINE | re.DOTALL)


class CudaSolver(LatticeSolver):
    """As :class:`LatticeSolver`; arrays are CuPy's."""

    def __init__(self, backend: Any, body: Discretised, precision: str, slab: Slab | None = None) -> None:
        super().__init__(backend, body, precision, slab)
        family, layout = body.family, body.layout
        d, reach = layout.dimensions, family.reach
        macros: tuple[str, ...] = (REAL[self.dtype.name], f"-DDIMENSIONS={d}", f"-DREACH={reach}")
        softening, self._general = body.law is not None, body.paired or (body.weights is not None and body.law is None)
        macros += ("-DGENERAL",) * self._general + ("-DSOFTENING",) * softening
        self._compiled = partial(backend.compile, SOURCE if body.law is None else law_file(body.law))
        module = self._compiled((*macros, "-DPUSHED=0"))
        self._advance, self._measure, self._damage = map(module.get_function, ("step_bonds", "measure", "damage"))
        offsets, lengths = np.zeros((32 * family.words, 4), np.int32), np.zeros((32 * family.words, 4))
        offsets[: family.bonds, :3], offsets[: family.bonds, 3] = family.offsets, self._steps
        lengths[: family.bonds, 0], lengths[: family.bonds, 1] = family.lengths, 1 / family.lengths**2
        lengths[: family.bonds, 2], lengths[: family.bonds, 3] = body.bond_weights, 1 / family.lengths
        self._offsets, self._lengths_seen = backend.array(offsets), backend.array(lengths.astype(self.dtype))
        self._lengths = self._lengths_seen if softening else backend.array(lengths)  # a break is counted in double
        self._weights: tuple[Any, ...] = ()
        self._weighing: tuple[Any, ...] = ()
        self._laws = backend.array(body.laws.astype(self.dtype))
        if not body.plain:
            self._weigh()
        self._macros, self._device = macros, backend
        self._many: ManySteps | None = None
        bodies = body.size // layout.size
        if bodies > 1 or (slab is None and backend.cooperative and len(body.places) <= MOST_PARTICLES):
            path = MANY_STEPS if body.law is None else many_steps_file(body.law)
            most = threads_of(d, self.dtype.itemsize)
            self._take(shapes(layout, self.dtype.itemsize, backend.multiprocessors)[0])
            many = ManySteps(self, bodies, path, macros, most)
            self._many = many if many.useful else None
        self._take(self._best_shape())

    def advance(self, table: Array, half: bool, decay: float | Array = 1.0) -> None:
        """Of a small body in one launch, unless something acts between steps."""
        if self._many is None or self.followers or not len(table):
            super().advance(table, half, decay)
        else:
            self._many.advance(self, table, paces_of(len(table), half, decay), self._breakable is self._weak)

    def followed_by(self, followers: Iterable[Follower]) -> None:
        """The step of bodies that nothing pushes has no part for that."""
        before = self.pushes
        super().followed_by(followers)
        if before is None and self.pushes is not None:
            self._advance = self._compiled((*self._macros, "-DPUSHED=1")).get_function("step_bonds")
            self._take(self.shape)

    # What ManySteps launches with.

    @property
    def general(self) -> bool:
        """Whether bonds of one length may differ."""
        return self._general

    @property
    def spare(self) -> Any:
        """(d, size) beside u."""
        return self._spare

    @property
    def weak(self) -> Any:
        """(words, size) bonds that can break."""
        return self._weak

    @property
    def of_bonds(self) -> tuple[Any, ...]:
        """Offsets and lengths, as ``bonds.cu`` takes them."""
        return self._offsets, self._lengths

    @property
    def of_kind(self) -> tuple[Any, ...]:
        """The last arguments: of weights and of a law."""
        return (*self._weights, *self._weighing, *self._softening(True))

    def _best_shape(self) -> Shape:
        """Measured on the body as it is, at rest and without loads: a step then changes nothing."""
        body, backend = self.body, self._device
        known = shapes(body.layout, self.dtype.itemsize, backend.multiprocessors)
        if len(body.places) < WORTH_TUNING or self._many is not None:
            return known[0]

        def seconds(shape: Shape) -> float:
            self._take(shape)
            return float(backend.elapsed(lambda: self.rest(1)))

        extras = (body.weights is not None, body.paired, body.law is not None)
        name = f"bonds {'x'.join(map(str, body.layout.counts))} {' '.join(str(int(extra)) for extra in extras)}"
        return tune(tuning_key(name, backend.info, SOURCE, body.size, self._macros), known, seconds)

    def rest(self, steps: int) -> None:
        """Steps of a body at rest without loads, to be timed: of a slab by itself."""
        for _ in range(steps):
            self._step_planes(self._nothing, 0, 1.0, 1.0, (0, self.body.layout.planes))

    @cached_property
    def _nothing(self) -> Any:
        kinds = int(self.body.kind.max()) + 1
        return self._prepared(np.zeros((1, kinds, 4, self.body.dimensions), self.dtype))

    def _take(self, shape: Shape) -> None:
        columns, span = self.shape = shape
        reach, d = self.body.family.reach, self.body.dimensions
        threads = threads_of(d, self.dtype.itemsize)
        high = threads // columns
        tall = high * span if d == 2 else high
        self._block = (threads,)
        tile = columns, tall, 1 if d == 2 else span
        self._grid_of = cache(partial(grid_of, self.body.layout, self.body.size, tile))
        planes = 1 if d == 2 else 2 * reach + 1
        stored = d + self._general  # STORED of family.cuh
        self._shared = (COLUMNS + 2 * reach) * (tall + 2 * reach) * planes * stored * self.dtype.itemsize
        self._device.allow_shared(self._advance, self._shared)

    def _weigh(self) -> None:
        """What bonds are weighted with, as arguments of the kernels."""
        body, backend = self.body, self.backend
        weights = np.zeros(body.family.reach**2 + 1, self.dtype)
        weights[np.rint(body.family.lengths**2).astype(int)] = body.bond_weights / body.family.lengths**3
        pairs = lightness = np.ones(1, self.dtype)
        mixture, materials = body.mixture, 1
        traits: Array | None = None
        if body.half_shares is not None:
            traits = body.half_shares.view(np.uint32)
        if mixture is not None:
            materials = len(mixture.lightness)
            pairs, lightness = np.stack([mixture.stiffness, mixture.limit], axis=-1), mixture.lightness
            traits = mixture.material.astype(np.uint32) | (0 if traits is None else traits)
        self._weights = (backend.array(weights),)
        if not self._general:
            return
        self._weighing = (
            None if traits is None else backend.array(traits), backend.array(pairs.astype(self.dtype)),
            backend.array(lightness.astype(self.dtype)), np.int32(materials), np.int32(body.half_shares is not None),
        )  # fmt: skip

    def _prepared(self, table: Array) -> Any:
        self._kinds = table.shape[1]
        return self.backend.array(table)

    def _step(self, table: Any, row: int, kick: float, decay: float) -> None:
        self._by_planes(partial(self._step_planes, table, row, kick, decay), self._spare)

    def _step_planes(self, table: Any, row: int, kick: float, decay: float, planes: Planes) -> None:
        arrays, number, (grid, sizes) = self.arrays, self.dtype.type, self._grid_of(planes)
        self._advance(
            grid, self._block,
            (
                arrays["u"], self._spare, arrays["v"], arrays["words"], self._breakable, self._kind, table,
                np.int32(row * self._kinds), self._offsets, self._lengths, arrays["work"], arrays["loss"],
                arrays["damped"], *sizes, np.int32(self.shape[1]), number(self.body.stiffness),
                number(self.body.limit), number(kick), number(decay), np.int32(self.shape[0]), self.pushes,
                *self.of_kind,
            ),
            shared_mem=self._shared,
        )  # fmt: skip

    def _softening(self, stepping: bool) -> tuple[Any, ...]:
        """The last arguments of kernels with a law."""
        if self.body.law is None:
            return ()
        state = (self.arrays["soft"], self.arrays["history"])
        return (*state, self._laws, np.int32(self._laws.shape[1])) if stepping else state

    def measure(self) -> None:
        size = self.body.size
        self._measure(
            (-(-size // THREADS),), (THREADS,),
            (
                self.arrays["u"], self.arrays["words"], self._offsets, self._lengths_seen, self.energy_values,
                self.kick_values, np.int64(size), self.dtype.type(self.body.stiffness), *self._weighing,
                *self._softening(False),
            ),
        )  # fmt: skip

    def find_damage(self) -> None:
        size = self.body.size
        self._damage(
            (-(-size // THREADS),), (THREADS,),
            (self.arrays["words"], self._whole, self.damage_values, np.int64(size)),
        )  # fmt: skip


def grid_of(
    layout: Layout, size: int, tile: tuple[int, int, int], planes: Planes
) -> tuple[tuple[int, ...], tuple[Any, ...]]:
    """Blocks of ``tile`` particles for these planes, and the sizes that kernels take; ``size``: places in all."""
    counts, base = layout.part(planes)
    grid = tuple(-(-count // part) for count, part in zip(counts, tile, strict=True))
    numbers = (np.int32(number) for number in (*counts, layout.pitch, layout.rows))
    return grid, (*numbers, np.int64(base), np.int64(size))


def threads_of(dimensions: int, itemsize: int) -> int:
    """THREADS of ``family.cuh``."""
    return COLUMNS * (4 if dimensions == 3 and itemsize == 8 else 8)


def shapes(layout: Layout, itemsize: int, processors: int) -> list[Shape]:
    """Shapes worth measuring, the one that should be best first.

    A tile is to leave few threads without a particle, blocks are to come in whole rounds of what the device has room
    for, and each block loads a horizon of planes (in 2D: rows) beside its own.
    """
    (nx, ny, nz), d, halo = layout.counts, layout.dimensions, 2 * layout.reach
    threads, room = threads_of(d, itemsize), RESIDENT * processors
    found: list[tuple[float, Shape]] = []
    for columns in range(8, COLUMNS + 1):
        high = threads // columns
        across = -(-nx // columns)
        for span in (1, 2, 4, 8) if d == 2 else spans(nz):
            if d == 2:
                each = span + 0.25 + 0.03 * (columns + halo) * (high * span + halo) / threads
                effort = rounds(across * -(-ny // (high * span)), room) * each
            else:
                effort = planes_effort(across * -(-ny // high), nz, span, halo, room)
            if 32 % columns:  # rows of a tile lie across warps, and share banks
                effort *= 1.05
            found.append((effort, (columns, span)))
    return [shape for _, shape in sorted(found)][:MOST_SHAPES]


def spans(nz: int) -> set[int]:
    """Planes that a block may take."""
    return {-(-nz // parts) for parts in range(1, nz + 1)}


def planes_effort(tiles: int, nz: int, span: int, halo: int, room: int) -> float:
    """Of a step in which each block takes ``span`` planes of a tile and brings ``halo`` more; in planes of a block."""
    return rounds(tiles * -(-nz // span), room) * (span + 0.2 + 0.05 * (span + halo))


def rounds(blocks: int, room: int) -> float:
    """In which so many blocks run, where the device has room for ``room``: between whole ones and none lost."""
    return 0.5 * (-(-blocks // room) + blocks / room)


def law_file(law: Law) -> Path:
    """``bonds.cu`` with the code of ``law``, written to the cache: compilers want a file."""
    return source_file(_with_law(law), "laws")


def many_steps_file(law: Law) -> Path:
    """``small/steps.cu`` with the code of ``law``, as :func:`law_file`."""
    text = MANY_STEPS.read_text("utf-8").replace('#include "peridynamics/lattice/bonds.cu"\n', _with_law(law))
    return source_file(text, "laws")


def _with_law(law: Law) -> str:
    return OWN_LAW.sub(lambda _: law.cuda.rstrip() + "\n", SOURCE.read_text("utf-8"))
