"""Studies of the Kernel Lab: a step in vacuum between walls, in two passes and in one, and what a CPML adds to H."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Literal

import numpy as np

from engines.api import Array
from engines.api.device import Backend
from engines.api.lab import Case, Inputs, Prepared, Resources, Shape, Study, Variant
from engines.fdtd.grid.yee import Yee
from engines.fdtd.lab.benchmarks import LAYER, Counts, size_name
from engines.fdtd.lab.layout import TITLES
from engines.fdtd.lab.problems import make_lab_steps, make_scene
from engines.fdtd.lab.variants import cpml, layout_kernels
from engines.fdtd.lab.variants.cpml import LayerExpressions, LayersForm, layer_answer
from engines.fdtd.lab.variants.forms import LAYOUT, EngineForm, ExpressionsForm, Form, LayoutForm, courant_factor
from engines.fdtd.step.cuda import LAYERS, SOURCE
from engines.fdtd.step.curl import sweep
from engines.fdtd.step.curl.one_pass import ONE_PASS

PASSES, ARRAYS, ONE = 75.0, 72.0, 51.0
"""Bytes per cell and step in float32: both passes with ids of 8 bits, without ids, and one pass with them."""
FLOPS = 42.0
LAYER_BYTES, LAYER_FLOPS = 20.0, 7.0
"""Per value of ψ: it and H read and written, E read once; a difference, ψ and H."""
SIZES: tuple[Counts, ...] = ((64,) * 3, (128,) * 3, (256,) * 3, (600, 600, 200))
TWO_SHAPES: tuple[Shape, ...] = ((4, 32, 8, 16), (4, 32, 4, 64), (2, 32, 8, 16), (1, 64, 4, 16), (1, 64, 4, 1))
ONE_SHAPES: tuple[Shape, ...] = ((4, 32, 8, 2, 32), (4, 32, 8, 2, 16), (4, 16, 16, 2, 16))
BLOCKS: tuple[Shape, ...] = ((32, 8), (64, 4), (128, 2))


class StepPrepared(Prepared):
    """A form for each set. Fields change in place: to poison a set is to give it its input again."""

    def __init__(self, backend: Backend, inputs: Inputs, sets: int, make: Callable[[], Form]) -> None:
        self._backend, self._inputs = backend, inputs
        self._forms = [make() for _ in range(sets)]
        self.set_bytes = self._forms[0].bytes
        for index in range(sets):
            self.poison(index)

    def launch(self, index: int) -> None:
        self._forms[index].launch()

    def poison(self, index: int) -> None:
        self._forms[index].put(self._inputs["e"], self._inputs["h"])

    def result(self, index: int) -> Array:
        electric, magnetic = self._forms[index].fields()
        return by_planes(electric, magnetic)

    def resources(self) -> Resources | None:
        return self._forms[0].resources()

    def close(self) -> None:
        self._forms = []


def by_planes(electric: Array, magnetic: Array) -> Array:
    """(nz + 1, 6, ny + 1, row)"""
    return np.moveaxis(np.concatenate([electric, magnetic]), 1, 0)


def counts_of(case: Case) -> Counts:
    nz, ny, nx = case.size
    return nx, ny, nz


def step_inputs(case: Case, generator: np.random.Generator) -> Inputs:
    """``e``, ``h``: (3, nz + 1, ny + 1, row) between -1 and 1, 0 on walls and where nothing stands; ``counts``."""
    nx, ny, nz = counts_of(case)
    shape = (3, *Yee((nx, ny, nz), (1.0, 1.0, 1.0)).shape)
    found = {name: 2 * generator.random(shape, np.float32) - 1 for name in ("e", "h")}
    for values in found.values():
        values[..., nx:], values[:, :, ny:], values[:, nz:] = 0, 0, 0
    for component, axis in ((c, a) for c in range(3) for a in range(3) if a != c):
        np.moveaxis(found["e"][component], 2 - axis, 0)[0] = 0
    return {**found, "counts": np.array([nx, ny, nz])}


def step_answer(inputs: Inputs, steps: int) -> Array:
    """After some steps in float64, (nz + 1, 6, ny + 1, row)."""
    return _stepped(inputs, slice(None), steps)


def step_rows(inputs: Inputs, steps: int, first: int, stop: int) -> Array:
    """Planes first … stop − 1, of a slab with a plane more at each end per step and one that stands for a wall."""
    low, high = max(0, first - steps - 1), min(inputs["e"].shape[1], stop + steps + 1)
    return _stepped(inputs, slice(low, high), steps)[first - low : stop - low]


def _stepped(inputs: Inputs, planes: slice, steps: int) -> Array:
    e, h = (inputs[name][:, planes].astype(float) for name in ("e", "h"))
    nx, ny, _ = (int(n) for n in inputs["counts"])
    for _ in range(steps):
        layout_kernels.step_expressions(e, h, courant_factor(), nx, ny, e.shape[1] - 1)
    return by_planes(e, h)


def _variant(
    id: str, title: str, language: Literal["CUDA", "Numba", "NumPy"], source: Path, symbol: str,
    make: Callable[[Backend, Case, Shape | None], Form], bytes: float, note: str, *, steps: int = 1,
    shapes: tuple[Shape, ...] = (), flops: float = FLOPS,
) -> Variant:  # fmt: skip
    def prepare(backend: Backend, case: Case, inputs: Inputs, sets: int, shape: Shape | None) -> Prepared:
        chosen = shape or (shapes[0] if shapes else None)
        return StepPrepared(backend, inputs, sets, lambda: make(backend, case, chosen))

    return Variant(
        id=id, title=title, language=language, bytes=steps * bytes, flops=steps * flops, source=source, symbol=symbol,
        prepare=prepare, note=note, steps=steps, shapes=shapes,
    )  # fmt: skip


def psi_values(counts: Counts) -> int:
    """Of H, in layers on six faces."""
    nx, ny, nz = counts
    return 2 * 2 * LAYER * (nx * ny + ny * nz + nz * nx)


def _two_passes(backend: Backend, case: Case, shape: Shape | None) -> Form:
    scene = make_scene(counts_of(case), glass=False)
    return EngineForm(backend, make_lab_steps(backend, scene, "fp32", shape=shape))


def _one_pass(backend: Backend, case: Case, shape: Shape | None) -> Form:
    scene = make_scene(counts_of(case), glass=False)
    made = make_lab_steps(backend, scene, "fp32", shape=TWO_SHAPES[0], one_pass=shape)
    return EngineForm(backend, made, steps=2, passes=False)


def _layout(layout: str) -> Callable[[Backend, Case, Shape | None], Form]:
    return lambda backend, case, shape: LayoutForm(backend, counts_of(case), layout, shape or BLOCKS[0])


NOTES = {
    "arrays": "A warp reads 128 consecutive bytes of each component: coalesced; a thread for each cell.",
    "structures": "A warp's loads lie 12 bytes apart: three times the transactions, from the same lines.",
    "one structure": "24 bytes apart, and each pass drags the half of a line along that it only reads or writes.",
    "padded": "One access of 16 bytes per cell and field, a quarter of which is padding.",
}
IDS = {"arrays": "arrays", "structures": "structures", "one structure": "one-structure", "padded": "padded"}
NUMBA = Path(layout_kernels.__file__)

STEP = Study(
    id="fdtd-step",
    title="A step of E and H",
    summary="One leapfrog step in vacuum between perfect conductors: two passes, one pass, and layouts of the fields.",
    cases=[Case(size_name(counts), counts[::-1], counts[0] * counts[1] * counts[2]) for counts in SIZES],
    variants=(
        _variant(
            "two-passes", "The engine's two passes", "CUDA", SOURCE, "electric", _two_passes, PASSES,
            "Values per thread, threads along x and y, planes that a thread marches over.", shapes=TWO_SHAPES,
        ),
        _variant(
            "one-pass", "The engine's one pass, two steps", "CUDA", ONE_PASS, "one_pass", _one_pass, ONE,
            "E stays in registers and shared memory for H; fields go through memory once per step, into a second pair.",
            steps=2, shapes=ONE_SHAPES,
        ),
        *(
            _variant(
                IDS[layout], TITLES[layout], "CUDA", LAYOUT, "layout_electric", _layout(layout), ARRAYS, NOTES[layout],
                shapes=BLOCKS,
            )
            for layout in IDS
        ),
        _variant(
            "engine-numba", "The engine's sweep", "Numba", Path(sweep.__file__), "sweep", _two_passes, ONE,
            "H follows E a plane behind, row by row in vectors of padded rows.",
        ),
        _variant(
            "numba-arrays", TITLES["arrays"], "Numba", NUMBA, "electric_arrays", _layout("arrays"), ARRAYS,
            "Neighbours lie side by side: loops over rows run in vectors.",
        ),
        _variant(
            "numba-structures", TITLES["structures"], "Numba", NUMBA, "electric_structures", _layout("structures"),
            ARRAYS, "The components of a cell lie side by side: vectors would have to be gathered.",
        ),
        _variant(
            "numpy", "Slices of arrays", "NumPy", NUMBA, "step_expressions",
            lambda backend, case, shape: ExpressionsForm(backend, counts_of(case)), ARRAYS,
            "A temporary array and a pass through memory for each operation, one core.",
        ),
    ),
    inputs=step_inputs,
    reference=step_answer,
    reference_rows=step_rows,
    tolerance=4e-6,
    tolerance_note="Seven float32 roundings of numbers below 4 in each pass, 1.7e-6, which the next takes up to 2.3 "
    "times: 5.6e-6 after a step, of answers near 5; three times that after two.",
)  # fmt: skip

CPML = Study(
    id="fdtd-layers",
    title="A CPML beside the pass over H",
    summary=f"Layers of {LAYER} cells on six faces: ψ takes its step from E and is added to H. Points are values of ψ.",
    cases=[Case(size_name(counts), counts[::-1], psi_values(counts)) for counts in SIZES[:3]],
    variants=(
        _variant(
            "own-kernels", "The engine's two launches", "CUDA", LAYERS, "layers_magnetic",
            lambda backend, case, shape: LayersForm(backend, counts_of(case)), LAYER_BYTES,
            "A launch for each of two components, so that no two threads change the same H.", flops=LAYER_FLOPS,
        ),
        _variant(
            "numpy", "Slices of arrays", "NumPy", Path(cpml.__file__), "add_layers",
            lambda backend, case, shape: LayerExpressions(backend, counts_of(case)), LAYER_BYTES,
            "A temporary array for each operation, one core; the engine's passes on a CPU have the layers in them.",
            flops=LAYER_FLOPS,
        ),
    ),
    inputs=step_inputs,
    reference=layer_answer,
    tolerance=1e-6,
    tolerance_note="Six float32 roundings of numbers below 3 for each of two layers, of answers near 2.",
)  # fmt: skip


def studies() -> tuple[Study, ...]:
    """All studies of FDTD kernels."""
    return STEP, CPML
