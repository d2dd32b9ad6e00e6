"""The run without objects that R and T are measured against: made when it is first needed, then kept.

It ends when the pulse has left the grid: its energy has fallen to a part of its largest that no chart shows.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable

import numpy as np

from engines.api import Progress
from engines.api.device import Backend
from engines.api.errors import ProblemError
from engines.fdtd.grid.yee import METRES, SECONDS, SPEED_OF_LIGHT, VACUUM_PERMITTIVITY
from engines.fdtd.monitors.decay import DecayWatcher
from engines.fdtd.monitors.flux import FluxWatcher
from engines.fdtd.monitors.fourier import Surroundings
from engines.fdtd.monitors.frequencies import over_at
from engines.fdtd.monitors.plans import Incident, MonitorPlans
from engines.fdtd.parameters import Ending, FdtdParameters, PlaneMonitor
from engines.fdtd.step.simulation import FdtdSimulation
from engines.named_files import named_versions

KEPT_BYTES = 1 << 30
"""Of runs without objects, in host memory; the oldest is forgotten first."""
LEFT = 1e-9
CROSSINGS = 20
"""Times that light may cross the grid before a field that does not leave is given up on."""
PASSED_BY = 1e-10
"""Of the largest energy through another plane: a reflection plane with less lies where only scattered waves are."""

LEAK = 1e-9
"""Of the energy in the grid: fp32 leaves 1e-14 of it before a plane wave's box."""

_kept: OrderedDict[tuple[str, str], Incident] = OrderedDict()


def without_objects(parameters: FdtdParameters) -> FdtdParameters:
    """The same problem with nothing in the way, ports neither; planes of R and T measure power, and nothing else is
    measured."""
    planes = [
        _of_power(monitor) for monitor in parameters.monitors
        if isinstance(monitor, PlaneMonitor) and monitor.measures != "power"
    ]  # fmt: skip
    empty = {"objects": [], "ports": [], "monitors": planes, "ending": Ending(at_decay=True, part=LEFT)}
    return parameters.model_copy(update=empty)


def bare_of(parameters: FdtdParameters) -> FdtdParameters:
    """The same problem without objects, and with nothing that is measured against another run: built at once, and a
    step of it takes as long where nothing remembers the field."""
    monitors = [_of_power(each) if isinstance(each, PlaneMonitor) else each for each in parameters.monitors]
    return parameters.model_copy(update={"objects": [], "monitors": monitors})


def _of_power(plane: PlaneMonitor) -> PlaneMonitor:
    return plane.model_copy(update={"measures": "power", "relative_to": ""})


def incident_of(
    parameters: FdtdParameters, plans: MonitorPlans, backend: Backend, progress: Progress,
    build: Callable[[FdtdParameters], FdtdSimulation], rank: int = 0,
) -> Incident:  # fmt: skip
    """``rank``: whose simulation that is, where several share the grid and all ask together. Raises ProblemError if the
    field does not leave the grid."""
    empty = without_objects(parameters)
    roles = {each.plan.name: each.measures for each in plans.normalised}
    key = f"{empty.model_dump_json()} {named_versions(empty)} {roles} {rank}", backend.info.id
    if key not in _kept:
        simulation = build(empty)
        try:
            _run(simulation, plans.around, progress)
            _kept[key] = _read(simulation, plans)
        finally:
            simulation.close()
        while len(_kept) > 1 and sum(_size(each) for each in _kept.values()) > KEPT_BYTES:
            _kept.popitem(last=False)
    _kept.move_to_end(key)
    return _kept[key]


def _size(incident: Incident) -> int:
    return sum(values.nbytes for values in incident.sums.values())


def _run(simulation: FdtdSimulation, around: Surroundings, progress: Progress) -> None:
    over = max(over_at(waveform) for waveform in around.waveforms)
    across = float(np.hypot.reduce([around.yee.nodes(d)[-1] for d in range(3)])) / SPEED_OF_LIGHT
    most = over + CROSSINGS * across
    while not simulation.finished:
        if simulation.time > most:
            raise ProblemError(
                "Without objects the field does not leave the grid, so R and T cannot be measured: "
                "use absorbing faces along the direction of the wave."
            )
        progress("Running without objects", min(simulation.time / (over + across), 1.0))
        simulation.advance(50)
        simulation.synchronize()


def _read(simulation: FdtdSimulation, plans: MonitorPlans) -> Incident:
    watchers = [each for each in simulation.seen_by_watchers() if isinstance(each, FluxWatcher)]
    energies = {each.plan.name: each.energy() for each in watchers}
    largest = max(float(np.abs(values).max()) for values in energies.values())
    sums = {}
    for plan, watcher in zip(plans.normalised, watchers, strict=True):
        if plan.measures == "reflection" and np.abs(energies[plan.plan.name]).max() > PASSED_BY * largest:
            sums[plan.plan.name] = watcher.raw_sums()
    return Incident(_nothing(simulation, plans.around), energies, sums)


def _nothing(simulation: FdtdSimulation, around: Surroundings) -> float:
    """``LEAK`` of the largest energy that was in the grid, spread over the band of the sources [J/Hz]."""
    (watch,) = (each for each in simulation.watchers if isinstance(each, DecayWatcher))
    yee, metre = around.yee, METRES[around.unit]
    volume = np.prod([yee.nodes(d)[-1] * metre for d in range(3)]) / yee.cells
    band = max(waveform.highest_frequency for waveform in around.waveforms) / SECONDS[around.unit]
    return LEAK * 0.5 * VACUUM_PERMITTIVITY * float(volume) * watch.largest / band
