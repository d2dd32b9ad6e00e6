"""Pictures without a window: what one needs of a simulation, copied on its thread, and drawn by this installation's
renderer.

The renderer is found through the entry points ``workbench.renderers``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import entry_points
from typing import Any

import numpy as np

from engines.api import Array, Lines, Selection, Simulation, SimulationInfo
from engines.api.abilities import Directed, Displaced, Hiding, Lined, Shifting
from engines.api.errors import ProblemError
from engines.api.placing import Path as Placed
from engines.api.placing import Placement, Position
from engines.api.simulation.contract import BrokenContract, gathered
from engines.geometry.meshes.mesh import TetMesh
from workbench.project.document import Document
from workbench.project.project import ViewSettings
from workbench.words.extras import load

SIZE = (1280, 800)

Render = Callable[..., Array]
"""``render(geometry, info, values, time, view, size=(w, h), lines=(), placement=None, shifts={}, traced=None)`` gives
``(h, w, 4) uint8``."""


@dataclass(frozen=True, eq=False)
class PictureMoment:
    """What a picture is drawn of, copied on the worker: fields by name, how far placed things have gone, and what the
    run traces."""

    step: int
    time: float
    values: Mapping[str, Array]
    shifts: Mapping[Placed, Position]
    traced: Lines | None


def take_moment(simulation: Simulation, view: ViewSettings) -> PictureMoment:
    """Copy what a picture of this moment needs; for the thread that owns the simulation."""
    values = {name: _as_viewed(simulation, name) for name in _shown(simulation, view)}
    traced = None
    if view.lines and isinstance(simulation, Lined) and simulation.lined:
        traced = simulation.lines()
    shifts = simulation.shifts() if isinstance(simulation, Shifting) else {}
    return PictureMoment(simulation.step, simulation.time, values, shifts, traced)


def _as_viewed(simulation: Simulation, name: str) -> Array:
    """A field as a window has it: of cells of a mesh that have none, as scar has no voltage, no number."""
    geometry = simulation.geometry
    if not isinstance(geometry, TetMesh) or all(info.name != name for info in simulation.fields):
        return simulation.field(name)
    every = simulation.select(Selection(np.arange(geometry.n_cells, dtype=np.int32)))
    return gathered(simulation, name, every, geometry.n_cells)


def render_moment(
    render: Render,
    document: Document,
    info: SimulationInfo,
    moment: PictureMoment,
    view: ViewSettings,
    lines: Sequence[str],
    size: tuple[int, int] = SIZE,
) -> Array:
    """(h, w, 4) uint8; for the main thread, where OpenGL is at home. Raises DeviceError where it does not start."""
    rgba: Array = render(
        info.geometry, info, moment.values, moment.time, view, size=size, lines=lines,
        placement=placed(document), shifts=moment.shifts, traced=moment.traced,
    )  # fmt: skip
    return rgba


def placed(document: Document) -> Placement | None:
    """What the window draws outlines of; None where nothing stands in space."""
    try:
        return document.engine.placed(document.problem)
    except (ProblemError, BrokenContract):  # it runs all the same: a picture without outlines is better than none
        return None


def find_renderer() -> Render | None:
    """The first renderer of this installation, or None. Raises ProblemError where what it draws with is missing."""
    found: Any = next(iter(entry_points(group="workbench.renderers")), None)
    return None if found is None else load(found, "Pictures need")


def _shown(simulation: Simulation, view: ViewSettings) -> list[str]:
    """The fields that a picture needs: the one that the view names, or the first, that of the front, and where
    elements have gone and which are hidden."""
    names = [field.name for field in simulation.fields]
    shown = [view.field if view.field in names else names[0]]
    if view.front and simulation.front is not None:
        shown.append(simulation.front.field)
        if view.front_inside and simulation.front.crossing:
            shown.append(simulation.front.crossing)
    if isinstance(simulation, Directed):
        shown += [name for vector in simulation.vectors if vector.name == view.arrows for name in vector.named]
    if isinstance(simulation, Displaced) and simulation.displaced is not None:
        shown.append(simulation.displaced.name)
    if isinstance(simulation, Hiding) and simulation.hidden_by:
        shown.append(simulation.hidden_by)
    return list(dict.fromkeys(shown))
