"""The internal forces of a bond-based body in all the ways, after the report on pypd's way to a GPU."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np

from engines.api.device import Backend
from engines.api.lab import Case, Inputs, Prepared, Resources, Shape, Variant
from engines.backend.lab.variants import (
    KernelPrepared,
    Launch,
    Layout,
    array_variant,
    kernel_resources,
    kernel_variant,
    up_to,
)
from engines.peridynamics.lab.stepping import bonds_in
from engines.peridynamics.lab.variants import cpu_kernels, expressions, packing
from engines.peridynamics.lab.variants.inputs import NEIGHBOURS, REACH, counts_of
from engines.peridynamics.lab.variants.steps import StepPrepared

if TYPE_CHECKING:
    from engines.backend.cuda import CudaBackend

FILE = Path(__file__).with_name("forces.cu")
HOME = FILE.parents[2]
SLOW = 100_000
"""Particles up to which all forces of bonds are kept, or arrays of all bonds are made, and CPUs add in series."""
PARTICLE_SHAPES: tuple[Shape, ...] = ((256,), (128,), (64,))
ROW_THREADS = {2: 32, 3: 128}
"""LANES in ``forces.cu``."""
WEIGHTS = 2.5e-4
"""Weights of irregular points have 13 significant bits: 1.2e-4 of a bond's force."""


def _threads(count: Callable[[Case], int], *scalars: Callable[[Case], int]) -> Callable[[Case, Shape], Launch]:
    """A thread for each of so many, with these numbers behind the arrays."""

    def launch(case: Case, shape: Shape) -> Launch:
        return Launch((-(-count(case) // shape[0]),), shape[:1], tuple(np.int32(number(case)) for number in scalars))

    return launch


def _points(case: Case) -> int:
    return case.points


def _bonds(case: Case) -> int:
    """Of the whole body, each once."""
    return bonds_in(case.size[::-1], REACH)


class _Cleared(KernelPrepared):
    """The second kernel does the work."""

    def resources(self) -> Resources:
        kernel, how = self._kernels[1]
        return kernel_resources(self._cuda, kernel, how.block, how.shared_bytes)


def _bond_list(d: int, bytes: float, flops: float) -> Variant:
    def prepare(backend: Backend, case: Case, inputs: Inputs, sets: int, shape: Shape | None) -> Prepared:
        cuda: CudaBackend = backend  # type: ignore[assignment]  # the Lab gives it to no other device
        module, chosen = cuda.compile(FILE, (f"-DDIMENSIONS={d}",)), shape or PARTICLE_SHAPES[0]
        kernels = [
            (module.get_function("clear_forces"), _threads(_points, _points, _bonds)(case, chosen)),
            (module.get_function("bond_list"), _threads(_bonds, _points, _bonds)(case, chosen)),
        ]
        return _Cleared(cuda, inputs, sets, packing.PAIRS, kernels, None)

    return Variant(
        id="bonds", title="Bond list, atomics", language="CUDA", bytes=bytes, flops=flops, source=FILE,
        symbol="bond_list", prepare=prepare, shapes=PARTICLE_SHAPES,
        note="Each bond once, and its force added to both ends by atomics: sums differ from run to run.",
    )  # fmt: skip


def _kernel(
    d: int, id: str, title: str, symbol: str, launch: Callable[[Case, Shape], Launch], layout: Layout, bytes: float,
    flops: float, note: str, shapes: tuple[Shape, ...] = PARTICLE_SHAPES,
    after: Sequence[tuple[str, Callable[[Case, Shape], Launch]]] = (),
) -> Variant:  # fmt: skip
    return kernel_variant(
        id, title, FILE, symbol, launch, bytes=bytes, flops=flops, shapes=shapes, note=note, layout=layout,
        macros=(f"-DDIMENSIONS={d}",), after=after,
    )  # fmt: skip


def _own(
    d: int, id: str, title: str, language: Literal["CUDA", "Numba"], kind: Literal["lattice", "cloud"], bytes: float,
    flops: float, note: str,
) -> Variant:  # fmt: skip
    def prepare(backend: Backend, case: Case, inputs: Inputs, sets: int, shape: Shape | None) -> Prepared:
        return StepPrepared(backend, inputs, sets, kind)

    cuda = {"lattice": ("bonds.cu", "step_bonds"), "cloud": ("cloud.cu", "step_cloud")}[kind]
    numba = ("cpu_kernels.py", "advance")
    source, symbol = cuda if language == "CUDA" else numba
    return Variant(
        id=id, title=title, language=language, bytes=bytes, flops=flops, source=HOME / kind / source, symbol=symbol,
        prepare=prepare, note=note, tolerance=WEIGHTS if kind == "cloud" else None,
    )  # fmt: skip


def _array(
    id: str, title: str, language: Literal["CuPy", "Numba", "NumPy"], function: Callable[..., None], layout: Layout,
    bytes: float, flops: float, note: str,
) -> Variant:  # fmt: skip
    source = expressions if function is expressions.gathered else cpu_kernels
    return array_variant(
        id, title, language, str(source.__file__), function.__name__, lambda backend, case: function, bytes=bytes,
        flops=flops, note=note, layout=layout,
    )  # fmt: skip


class _Counts(NamedTuple):
    """Of a particle: neighbours, floating-point operations, and bytes of a vector, of its words of bits, of a list of
    its neighbours, of a step on the lattice, of one of irregular points, and of forces as pypd has them."""

    neighbours: int
    flops: float
    vector: int
    words: int
    listed: float
    stepping: float
    cloud: float
    pypd: float


def _counts(d: int) -> _Counts:
    neighbours, vector = NEIGHBOURS[d], 4 * d
    words = 4 * -(-neighbours // 32)
    return _Counts(
        neighbours, float(neighbours * (8 * d + 8)), vector, words, 3.0 * vector + 8 * neighbours,
        4.0 * vector + 2 * words + 1,
        3.0 * vector + 32 + words + 4 * neighbours + 5,  # 16 of a displacement with its place, twice
        6.0 * vector + neighbours / 2 * (16 + 16 * d),
    )  # fmt: skip


def _by_rows(d: int, of: _Counts) -> tuple[Variant, ...]:
    """Lists of bonds or of neighbours, on a GPU."""
    tree = (ROW_THREADS[d],)

    def rows(case: Case, shape: Shape) -> Launch:
        return Launch((case.points,), shape, (np.int32(case.points),))

    def components(case: Case, shape: Shape) -> Launch:
        return Launch((case.points, d), tree, (np.int32(case.points),))

    def entries(case: Case) -> int:
        return of.neighbours * case.points

    def warps(case: Case) -> int:
        return 32 * case.points

    return (
        _bond_list(d, 3.0 * of.vector + 6 * of.neighbours, of.flops * 0.6),
        _kernel(
            d, "neighbours", "Neighbour list, a thread per particle", "neighbour_list", _threads(_points, _points),
            packing.ROWS, of.listed, of.flops,
            "Each bond twice and no atomics; threads beside each other read a whole row apart.",
        ),
        _kernel(
            d, "tree", "Tree of sums, two launches", "tree_forces", _threads(entries, _points), packing.MATRIX,
            of.listed + 2 * of.vector * of.neighbours, of.flops,
            "Forces of all bonds go through memory, then a block per row adds them up in shared memory.",
            after=(("tree_sums", components),),
        ),
        _kernel(
            d, "block", "Tree of sums, a block per particle", "block_per_particle", rows, packing.ROWS, of.listed,
            of.flops, "One launch: only the sums are written; most threads wait while the tree narrows.", (tree,),
        ),
        _kernel(
            d, "warp", "A warp per particle", "warp_per_particle", _threads(warps, _points), packing.ROWS, of.listed,
            of.flops, "Rows are read whole, shuffles instead of barriers.",
        ),
    )  # fmt: skip


def _by_columns(d: int, of: _Counts) -> tuple[Variant, ...]:
    """Columns of neighbours, and none, on a GPU."""

    def row(case: Case) -> int:
        return int(counts_of(case)[0])

    def plane(case: Case) -> int:
        return int(counts_of(case)[1])

    return (
        _kernel(
            d, "ell32", "Columns (ELL), 32 bits", "columns", _threads(_points, _points), packing.COLUMNS,
            3.0 * of.vector + 4 * of.neighbours + of.words, of.flops,
            "Threads beside each other read numbers beside each other; a bit for what holds instead of a damage.",
        ),
        _kernel(
            d, "ell16", "Columns (ELL), 16-bit deltas", "deltas", _threads(_points, _points), packing.DELTAS,
            3.0 * of.vector + 2 * of.neighbours + of.words, of.flops,
            "Half the bytes, if neighbours have numbers nearby.",
        ),
        _kernel(
            d, "stencil", "Lattice, neighbours compiled in", "stencil", _threads(_points, _points, row, plane),
            packing.STENCIL, 2.0 * of.vector + of.words, of.flops,
            "No list and no places at rest: what is left is arithmetic, and displacements from the caches.",
        ),
    )  # fmt: skip


def _whole_steps(d: int, of: _Counts) -> tuple[Variant, ...]:
    """The engine's, on a GPU."""
    return (
        _own(
            d, "cloud", "The engine's whole step, irregular points", "CUDA", "cloud", of.cloud, of.flops,
            "Hilbert order; a block's neighbours in shared memory, 16 bits each and 16 for a weight; with the step.",
        ),
        _own(
            d, "engine", "The engine's whole step, lattice", "CUDA", "lattice", of.stepping, of.flops,
            "Displacements in shared memory, sums in mirror orbits, bonds that break and the step in one launch.",
        ),
    )  # fmt: skip


def _arrays_and_cpus(d: int, of: _Counts) -> tuple[Variant, ...]:
    """Arrays of all bonds, and what runs on a CPU."""
    return (
        _array(
            "cupy", "CuPy, all bonds at once", "CuPy", expressions.gathered, packing.FULL_ROWS, of.listed, of.flops,
            "Some thirty passes over arrays of all bonds.",
        ),
        _array(
            "numba-pypd", "Bond list, sums in series (pypd)", "Numba", cpu_kernels.KERNELS[d][0], packing.PYPD,
            of.pypd, of.flops * 0.6, "Bonds in parallel, float64; one core adds them up while the others wait.",
        ),
        _array(
            "numba-neighbours", "Neighbour list, a particle at a time", "Numba", cpu_kernels.KERNELS[d][1],
            packing.STRUCTURES, of.listed, of.flops, "Twice the arithmetic, and all of it in parallel; no vectors.",
        ),
        _own(
            d, "numba-cloud", "The engine's whole step, irregular points", "Numba", "cloud", of.cloud, of.flops,
            "Vectors of particles; a column's neighbours are brought together first.",
        ),
        _own(
            d, "numba-engine", "The engine's whole step, lattice", "Numba", "lattice", of.stepping, of.flops,
            "Vectors of particles along x: a bond of all of them is one load, unaligned.",
        ),
        _array(
            "numpy", "NumPy, all bonds at once", "NumPy", expressions.gathered, packing.FULL_ROWS, of.listed, of.flops,
            "Some thirty passes over arrays of all bonds, one core.",
        ),
    )  # fmt: skip


def variants(d: int) -> tuple[Variant, ...]:
    """In the plane (2) or in space (3)."""
    of = _counts(d)
    found = (*_by_rows(d, of), *_by_columns(d, of), *_whole_steps(d, of), *_arrays_and_cpus(d, of))
    small = {"tree", "cupy", "numba-pypd", "numpy"} if d == 3 else {"numpy", "cupy"}
    return tuple(up_to(SLOW, variant) if variant.id in small else variant for variant in found)
