"""What a problem may not exceed: the memory of the device and the stable time step."""

from __future__ import annotations

import math
import threading

from engines.api import Array, Finding, Remedy
from engines.api.device import Backend
from engines.api.errors import ProblemError
from engines.geometry.grid import Grid
from engines.named_files import named_versions
from engines.quantities import percent, rounded_down
from engines.stencil.parameters import Conductivity, Diffusion, GrayScott, Inclusions, Numerics, Picture, TwoLayers
from engines.stencil.setup.faces import Interfaces, largest_sum
from engines.stencil.setup.fields import relative_conductivity
from engines.stencil.setup.interfaces import enclosed, layered, pictured
from engines.stencil.setup.pictures import picture_pixels
from engines.stencil.setup.sides import Ghosts

MEMORY_SHARE = 0.9
"""The part of a device's memory that a problem may take; the rest is the system's and the viewers'."""
DEFAULT_SHARE = 0.9
"""The part of the stable step that is taken where none is set."""
REACTION_STEP = 1.0
"""The step of Gray-Scott where none is set [s]: reaction rates are about 1/s, and the patterns were mapped with it."""
STEP = ("numerics", "step")
PRECISION = ("numerics", "precision")
LOST = 100
"""Half roundings that a step's source is at least, or it is told."""
ROUNDING = 1e-12
"""Relative: a step that equals the limit but for rounding is not above it."""


class Material:
    """Relative conductivity of a grid's cells and what it does to the stable step.

    conductivity: (grid.shape) float32 of cells, or with faces where interfaces pass through cells; None where it is 1
    sum:          largest of ``Σ (k low + k high)/h²`` [1/mm²]
    """

    def __init__(self, setting: Conductivity, grid: Grid, ghosts: Ghosts) -> None:
        weights = tuple(1.0 / h**2 for h in grid.spacing)
        cells = relative_conductivity(setting, grid)
        self.conductivity: Array | Interfaces | None = cells
        self.sum = 2.0 * sum(weights)
        if cells is not None:
            held = _with_faces(setting, cells, grid, ghosts)
            self.conductivity, self.sum = held, largest_sum(held, ghosts, weights)


def _with_faces(setting: Conductivity, cells: Array, grid: Grid, ghosts: Ghosts) -> Array | Interfaces:
    if isinstance(setting, TwoLayers):
        return layered(setting, grid, ghosts)
    if isinstance(setting, Picture):
        pixels = picture_pixels(setting, grid, "diffusivity")
        return cells if pixels is None else pictured(pixels, grid, ghosts)
    return enclosed(setting, cells, grid, ghosts) if isinstance(setting, Inclusions) else cells


_latest: tuple[object, Material] | None = None
_making = threading.Lock()


def material(setting: Conductivity, grid: Grid, ghosts: Ghosts) -> Material:
    """The latest one is kept: an estimate after each edit asks for it, and then the build. Raises ProblemError."""
    global _latest
    key = (setting.model_dump_json(), id(grid), grid, ghosts, named_versions(setting))
    with _making:
        if _latest is None or _latest[0] != key:
            _latest = (key, Material(setting, grid, ghosts))
        return _latest[1]


def check_memory(grid: Grid, bytes_per_cell: int, backend: Backend) -> None:
    """Raises ProblemError, which names the largest grid that fits, if this one does not."""
    memory = backend.info.memory_bytes * backend.parts
    needed = grid.n_cells * bytes_per_cell
    if memory and needed > MEMORY_SHARE * memory:
        side = math.floor((MEMORY_SHARE * memory / bytes_per_cell) ** (1 / grid.dimensions))
        fits = " × ".join([f"{side:,}"] * grid.dimensions)
        raise ProblemError(
            f"This grid needs {_size(needed)}, and {backend.info.name} has {_size(memory)}: "
            f"use at most {fits} cells, or fp32 if it is fp64."
        )


def _size(count: float) -> str:
    return f"{count / 2**30:,.1f} GB" if count >= 2**30 else f"{count / 2**20:,.0f} MB"


def stable_step(diffusivity: float, face_sum: float) -> float:
    """The largest stable step of forward Euler [s]: ``dt alpha Σ (k low + k high)/h² <= 1`` in every cell.

    With one material that is ``dt alpha Σ 1/h² <= 1/2``. By Gershgorin's circles, whatever the sides.
    """
    return 1.0 / (diffusivity * face_sum)


def chosen_step(numerics: Numerics, limit: float, equation: object) -> tuple[float, tuple[Finding, ...]]:
    """The time step [s], and what its owner should know of it. Raises ProblemError for one above ``limit``."""
    wanted = numerics.step
    if wanted is None:
        step = DEFAULT_SHARE * limit
        return (min(step, REACTION_STEP) if isinstance(equation, GrayScott) else step), ()
    if wanted <= limit * (1 + ROUNDING):
        return wanted, ()
    shown = rounded_down(limit, 4)
    if numerics.lower_step:
        lowered = DEFAULT_SHARE * limit
        return lowered, (
            Finding(
                f"The time step of {wanted:g} s is not stable: {lowered:.4g} s is taken instead.",
                place=STEP,
                remedy=Remedy("Let the step follow from the grid", {STEP: None}),
            ),
        )
    raise ProblemError(
        f"The time step of {wanted:g} s is above the stable limit of this grid and diffusivity: "
        f"use at most {shown:g} s, or let the step be lowered."
    )


def rounding_findings(
    equation: Diffusion, dt: float, largest: float, closed: bool, precision: str
) -> tuple[Finding, ...]:
    """What float32 does to a run that its owner should know. largest: of |u| at first and at sides; closed: whether
    nothing passes the sides"""
    if precision != "fp32":
        return ()
    remedy = Remedy("Use fp64", {PRECISION: "fp64"})
    added, half = abs(equation.source) * dt, largest * 2.0**-24
    if 0 < added < LOST * half:
        share = "is lost wholly" if added <= half else f"is off by up to {percent(half / added)}"
        text = f"A step adds {added:.2g} to values of {largest:.4g}, which fp32 rounds to {2 * half:.2g}: "
        return (Finding(f"{text}the source {share}.", place=PRECISION, remedy=remedy, distorts=True),)
    if closed and not added:
        text = "Nothing passes the sides: in fp32 the total content drifts by up to 1e-3 of itself in a million steps."
        return (Finding(text, "info", PRECISION, remedy),)
    return ()
