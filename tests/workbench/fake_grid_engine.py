"""A small engine that makes its own grid: a value that fades, from a ramp along x or from the bytes of a picture.

``u`` is multiplied by ``1 − rate · step`` at each step, so it can be checked by hand; ``flow`` is (x, y) of the cell's
centre. With ``count`` it counts iterations instead of milliseconds, of one each.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import BaseModel, Field

from engines.api import (
    Dab,
    Engine,
    Estimate,
    FieldInfo,
    KernelTiming,
    KernelTraffic,
    NonFinite,
    PaintInfo,
    Problem,
    Selection,
    Simulation,
    no_progress,
)
from engines.api.device import Backend
from engines.api.errors import ProblemError
from engines.api.parameters import ParameterGroup, quantity
from engines.geometry.grid import Grid

LARGEST = 4096


class GridSize(ParameterGroup):
    """How many cells."""

    nx: int = quantity(6, "1", "Cells along x", gt=0)
    ny: int = quantity(4, "1", "Cells along y", gt=0)
    nz: int = quantity(0, "1", "Cells along z; 0 for two dimensions", ge=0)
    spacing: float = quantity(0.5, "um", "Size of a cell", gt=0)


class Ramp(ParameterGroup):
    """Grows along x."""

    kind: Literal["ramp"] = "ramp"
    height: float = quantity(1.0, "1", "Value at the far side")


class FromPicture(ParameterGroup):
    """The mean of the file's bytes, everywhere."""

    kind: Literal["picture"] = "picture"
    picture: str = quantity("", "", "What to start from", file="picture")


class FadeParameters(ParameterGroup):
    """Parameters of the fading."""

    grid: GridSize = quantity(GridSize(), "", "The grid")
    start: Annotated[Ramp | FromPicture, Field(discriminator="kind")] = quantity(Ramp(), "", "What it begins with")
    overlays: list[FromPicture] = quantity([], "", "More pictures")
    mask: str | None = quantity(None, "", "Where not to", file="picture", title="Mask of the obstacle")
    step: float = quantity(0.5, "ms", "Time step", gt=0)
    rate: float = quantity(0.1, "1/ms", "How fast it fades", ge=0, live=True)
    count: bool = quantity(False, "", "Count iterations instead of time")


@lru_cache(maxsize=8)
def grid_of(nx: int, ny: int, nz: int, spacing: float) -> Grid:
    shape = (nz, ny, nx) if nz else (ny, nx)
    return Grid(shape, (spacing,) * len(shape), (1.0, 2.0, 3.0), "um")


class FadeSimulation(Simulation):
    """See the module."""

    def __init__(self, problem: Problem, backend: Backend) -> None:
        p: Any = problem.parameters
        self.parameters, self.backend = p, backend
        self.geometry = FadeEngine().geometry_of(problem)
        self.dt, self.step = 1.0 if p.count else p.step, 0
        self.fields = (
            FieldInfo("u", "Value", "mol/m³", "grid", (0, 1)),
            FieldInfo("flow", "Flow", "", "grid", (0, 1), components=2, summary=True),
        )
        n = self.geometry.n_cells
        self.traffic = (KernelTraffic("fade", 4 * n, 4 * n, n),)
        self.brushes = (PaintInfo("u", "Value", "mol/m³", 1.0),)
        self._centers = self.geometry.centers(np.arange(n))
        if p.start.kind == "picture":
            self._u = np.full(n, np.frombuffer(Path(p.start.picture).read_bytes(), np.uint8).mean())
        else:
            self._u = p.start.height * (self._centers[:, 0] - 1.0) / self.geometry.lengths[0]
        self._steps = 0

    def advance(self, steps: int) -> None:
        self._u *= (1 - self.parameters.rate * self.parameters.step) ** steps
        self.step += steps
        self._steps += steps

    def synchronize(self) -> None: ...

    def select(self, selection: Selection) -> Any:
        return self.backend.select(selection)

    def gather(self, name: str, handle: Any) -> Any:
        return self.backend.gather(self.field(name), handle)

    def field(self, name: str) -> Any:
        values = self._u if name == "u" else self._centers[:, :2]
        return values.astype(np.float32)

    def set_control(self, name: str, value: Any) -> None:
        self.parameters = self.parameters.model_copy(update={name: value})

    def paint(self, dab: Dab) -> None:
        touched = np.linalg.norm(self._centers - np.array(dab.position), axis=1) <= dab.radius
        self._u[touched] = 0.0 if dab.erase else self._u[touched] + dab.amount

    def state(self) -> dict[str, Any]:
        return {"u": self._u.copy(), "step": np.array(self.step)}

    def restore(self, state: Mapping[str, Any]) -> None:
        self._u[:] = state["u"]
        self.step = int(state["step"])

    def drain_timings(self) -> tuple[KernelTiming, ...]:
        steps, self._steps = self._steps, 0
        return (KernelTiming("fade", steps, 1e-6 * steps),) if steps else ()

    def non_finite(self) -> NonFinite | None:
        return None

    def close(self) -> None: ...


class FadeEngine(Engine):
    id = "fade"
    title = "Fade"
    summary = "A value that fades on a grid"
    time_unit = "ms"
    Parameters = FadeParameters
    geometry_type = None

    def default_parameters(self, geometry: Any) -> FadeParameters:
        assert geometry is None
        return FadeParameters()

    def geometry_of(self, problem: Problem) -> Grid:
        p: Any = problem.parameters
        if p.grid.nx > LARGEST:
            raise ProblemError(f"A grid of {p.grid.nx} cells along x is too long: take at most {LARGEST}.")
        return grid_of(p.grid.nx, p.grid.ny, p.grid.nz, p.grid.spacing)

    def check_file(self, path: Path, kind: str) -> bool:
        if path.read_bytes().startswith(b"secret"):  # any other bytes are a picture to it
            raise ProblemError(f"'{path.name}' is no {kind}.")
        return True

    def time_unit_of(self, parameters: BaseModel) -> str:
        return "iterations" if getattr(parameters, "count", False) else "ms"

    def title_of(self, parameters: BaseModel) -> str:
        return "Fade, counted" if getattr(parameters, "count", False) else "Fade"

    def estimate(self, problem: Problem, backend: Backend) -> Estimate:
        p: Any = problem.parameters
        n = self.geometry_of(problem).n_cells
        return Estimate(8 * n, 8 * n, 1.0 if p.count else p.step, None if p.count else 1.0, 1e-3)

    def build(self, problem: Problem, backend: Backend, progress: Any = no_progress) -> FadeSimulation:
        return FadeSimulation(problem, backend)
