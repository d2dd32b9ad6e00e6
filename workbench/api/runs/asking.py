"""What a run asks of its simulation; each of these is carried out on the thread that owns it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from contextlib import nullcontext
from typing import Any

import numpy as np

from engines.api import Dab, FieldInfo, Simulation, SimulationInfo
from engines.api.abilities import OnDevice, Painted
from engines.api.errors import ProblemError
from engines.api.parameters import LARGEST
from engines.api.simulation import contract
from engines.geometry.grid import Grid
from engines.geometry.line_cut import LONGEST_VECTOR, line_through
from engines.geometry.particles import Particles
from workbench.api import arrays
from workbench.api.arrays import Quantity
from workbench.api.names import Named, unknown
from workbench.api.runs.curves import Curve
from workbench.api.runs.keeping import Keeper
from workbench.project.document import Document
from workbench.run.lines import along
from workbench.run.runner import Runner
from workbench.run.strokes import beside


def info_of(runner: Runner) -> SimulationInfo:
    """What is known of a simulation that was built. Raises ProblemError before that."""
    if runner.info is None:
        raise ProblemError("This run was not built: there is nothing to ask of it.")
    return runner.info


def whole_field(simulation: Simulation, info: FieldInfo) -> Quantity:
    """(n,) or (n, components) of the geometry's elements, or (n, shells); of a grid (ny, nx) or (nz, ny, nx)."""
    values = contract.whole_field(simulation, info)
    if info.missing is not None:
        values = np.where(values == info.missing, np.float32(np.nan), values)
    found, geometry = np.asarray(values), simulation.geometry
    if not isinstance(geometry, Grid) or found.size != geometry.n_cells:
        if isinstance(geometry, Particles) and info.components > LONGEST_VECTOR:  # shells of spheres, equally thick
            middles = (np.arange(info.components) + 0.5) / info.components
            radius = {"radius": Quantity(middles, "1", "Distance from the centre, of the radius")}
            shells = found.reshape(-1, info.components)
            return Quantity(shells, info.unit, info.title, (info.location, "radius"), radius)
        shape = (-1, info.components) if info.components > 1 else (-1,)
        dims = (info.location, "component")[: len(shape)]
        return Quantity(found.reshape(shape), info.unit, info.title, dims)
    axes = "xyz"[: geometry.dimensions]
    coordinates = {
        axis: Quantity(geometry.centers_along(place), geometry.length_unit, axis) for place, axis in enumerate(axes)
    }
    return Quantity(found.reshape(geometry.shape), info.unit, info.title, tuple(axes[::-1]), coordinates)


def along_line(
    simulation: Simulation, info: FieldInfo, start: Sequence[float], end: Sequence[float], count: int | None
) -> Curve:
    """The field at points of a line, over their distance from its start. Raises ProblemError."""
    cut = line_through(simulation.geometry, info, start, end, count)
    distance = Quantity(cut.distance, simulation.geometry.length_unit, "Distance")
    values = Quantity(along(simulation, info, cut), info.unit, info.title)
    return Curve(f"{info.name} along a line", info.title, distance, values)


def field_on_device(simulation: Simulation, info: FieldInfo) -> Any:
    """The same as an array of the device, in the precision of the run. Raises ProblemError where there is none."""
    found = simulation.on_device(info.name) if isinstance(simulation, OnDevice) else None
    if found is None:
        raise ProblemError(f"'{info.name}' stands in no array of the device as it is shown: leave out on_device.")
    simulation.synchronize()
    if info.missing is not None:
        with nullcontext() if isinstance(found, np.ndarray) else found.device:
            found[found == info.missing] = np.nan
    geometry = simulation.geometry
    return found.reshape(geometry.shape) if isinstance(geometry, Grid) else found


def paint(
    simulation: Simulation,
    brush: str,
    position: Sequence[float],
    amount: float | None,
    radius: float | None = None,
    erase: bool = False,
) -> str:
    """One dab of a brush; what the engine says of it. Raises ProblemError."""
    brushes = {one.name: one for one in simulation.brushes} if isinstance(simulation, Painted) else {}
    if brush not in brushes or not isinstance(simulation, Painted):
        raise unknown("brush", brush, brushes)
    place = arrays.position(position, "Where to paint")
    known = brushes[brush]
    low, high = simulation.geometry.bounds
    reach = known.radius * float((np.asarray(high) - np.asarray(low)).max())
    if radius is not None and not 0 <= (reach := arrays.number(radius, "A radius")) < math.inf:
        raise ProblemError(f"A brush has a finite radius, of 0 or more, not {reach:g}.")
    much = known.amount if amount is None else arrays.number(amount, "An amount")
    least, most = known.bounds or (-LARGEST, LARGEST)
    if not least <= much <= most:
        raise ProblemError(f"An amount of the brush '{brush}' is from {least:g} to {most:g}, not {much:g}.")
    dab = Dab(brush, place, reach, much, erase)
    return beside(simulation.geometry, dab) or simulation.paint(dab) or ""


def probes_of(runner: Runner, document: Document, kept: Keeper) -> Named[Named[Curve]]:
    """Of each probe the fields that were followed, by name."""
    names, infos = [probe.name for probe in document.project.probes], {one.name: one for one in info_of(runner).fields}

    def curve(probe: str, field: str) -> Curve:
        (times, values), info = kept.trace(field, names.index(probe)), infos[field]
        time, quantity = Quantity(times, runner.time_unit, "Time"), Quantity(values, info.unit, info.title)
        return Curve(f"{probe}/{field}", info.title, time, quantity, over_time=True)

    def at(probe: str) -> Named[Curve]:
        return Named(f"followed field at '{probe}'", kept.traced, lambda field: curve(probe, field))

    return Named("probe", names, at)
