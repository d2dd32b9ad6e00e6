"""From a document to a run: probes become elements, the device is opened, the runner starts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

import numpy as np

from engines.api import Array, Finding, Progress, Simulation
from engines.api.device import Backend
from engines.api.errors import ProblemError
from engines.backend.devices.faster import OpenBackend, open_for
from engines.geometry.base import Geometry
from workbench.project.document import Document
from workbench.run.observer import Observer
from workbench.run.runner import Build, Runner


def start(
    document: Document,
    device: str = "auto",
    observers: Iterable[Observer] = (),
    *,
    reserve_core: bool = False,
    autostart: bool = False,
    until: float | None = None,
    pace: float | None = None,
    resume_from: Mapping[str, Array] | None = None,
    state_of: str = "",
    set_later: Mapping[str, Any] = MappingProxyType({}),
    can_reset: bool = True,
    checkpoints: int = 0,
    open_backend: OpenBackend | None = None,
    build: Build | None = None,
    noticed: tuple[Finding, ...] = (),
) -> Runner:
    """Run the document as it is now; later edits do not reach the run.

    ``device`` is ``auto``, ``cpu`` or ``cuda:N``; ``until`` is in the document's time unit (default: what the project
    says), ``pace`` in that unit per second (default: as fast as it can). ``resume_from`` is a state to go on from, of
    the device with the name ``state_of``, on which ``auto`` stays, with the live parameters ``set_later`` than that.
    ``reserve_core`` leaves one core to a window;
    ``checkpoints`` is how many states are kept to rewind to; ``build`` makes the simulation where that is not this
    process alone; ``noticed`` is said until the first step. Raises ProblemError if a probe has no place or a file
    is missing.
    """
    engine, problem = document.engine, document.complete_problem()
    parameters = problem.parameters.model_copy(deep=True)
    problem = type(problem)(parameters, problem.geometry)

    def build_here(backend: Backend, progress: Progress) -> Simulation:
        return engine.build(problem, backend, progress)

    return Runner(
        lambda: open_for(
            engine, problem, device, reserve_core=reserve_core, state_of=state_of, open_backend=open_backend
        ),
        build or build_here,
        time_unit=document.time_unit,
        until=document.project.run.until if until is None else until,
        pace=pace,
        probes=probe_elements(document),
        observers=tuple(observers),
        autostart=autostart,
        resume_from=resume_from,
        set_later=set_later,
        can_reset=can_reset,
        checkpoints=checkpoints,
        noticed=noticed,
    )


def probe_elements(document: Document) -> list[tuple[str, int]]:
    """(name, element) of each probe of the document. Raises ProblemError."""
    probes = document.project.probes
    if not probes:
        return []
    found = nearest_elements(document.geometry, [probe.position for probe in probes])
    return [(probe.name, element) for probe, element in zip(probes, found, strict=True)]


def nearest_elements(geometry: Geometry, positions: Sequence[Sequence[float]]) -> list[int]:
    """The element of ``geometry`` whose centre is nearest to each of ``positions: (n, 3)``, in its unit of length.

    Raises ProblemError if the geometry has no elements.
    """
    if not geometry.n_cells:
        raise ProblemError("This geometry has no elements that a probe could follow: remove the probes.")
    return [int(element) for element in geometry.nearest(np.asarray(positions, float))]
