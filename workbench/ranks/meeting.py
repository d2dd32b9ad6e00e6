"""One run on several ranks: rank 0 has the runner, the folder and the terminal, the others do what it orders."""

from __future__ import annotations

import socket
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from engines.api import Progress, Simulation
from engines.api.device import Backend
from engines.api.errors import ProblemError, WorkbenchError
from engines.api.simulation.ranks import Part, Ranks
from engines.ranks.following import follow
from engines.ranks.halos import ranks_on
from engines.ranks.leading import LedSimulation
from engines.ranks.world import BUILD, World
from workbench import __version__
from workbench.project.document import Document
from workbench.run.states.checkpoint import problem_fingerprint
from workbench.words.failures import as_sentence


@dataclass(frozen=True)
class Presence:
    """What a rank says of itself before anything is built: ``trouble`` where it cannot take part."""

    version: str
    problem: str
    host: str
    device: str
    """Which GPU of the host, by its place on the bus; empty: its processor."""
    name: str
    trouble: str = ""


def open_of_rank(world: World, named: str) -> Backend:
    """This rank's device: the GPU with its number among the ranks of this host, or where there is none (or ``named``
    is ``cpu``) the processor. All ranks ask together. Raises ProblemError, DeviceError."""
    from engines.backend.devices.cuda_status import cuda_status
    from engines.backend.devices.select import open_backend

    number, _ = world.here
    if named not in ("auto", "cpu"):
        raise ProblemError(f"'{named}' is one GPU, and ranks need one each: say auto or cpu.")
    gpus = 0 if named == "cpu" else len(cuda_status().devices)
    backend = open_backend(f"cuda:{number % gpus}" if gpus else "cpu")
    backend.parts = world.size
    return backend


def presence(document: Document, backend: Backend) -> Presence:
    """What this rank says."""
    device = ""
    if backend.id != "cpu":
        cuda: Any = backend
        device = str(cuda.cupy.cuda.runtime.deviceGetPCIBusId(cuda.device))
    problem = problem_fingerprint(document, ())
    return Presence(__version__, problem, socket.gethostname(), device, backend.info.name)


def check_presences(found: list[Presence]) -> None:
    """Raises WorkbenchError in one sentence where the ranks, the first of them rank 0, do not fit together."""
    first = found[0]
    for rank, one in enumerate(found):
        if one.trouble:
            raise WorkbenchError(f"Rank {rank} on {one.host} cannot take part: {one.trouble}")
        if one.version != first.version:
            raise ProblemError(
                f"Rank {rank} on {one.host} has Workbench {one.version}, rank 0 on {first.host} has {first.version}: "
                "install the same on both."
            )
        if one.problem != first.problem:
            raise ProblemError(
                f"Rank {rank} on {one.host} has another problem than rank 0 on {first.host}: give both the same files."
            )
        if bool(one.device) != bool(first.device):
            has = "a GPU, and others have none" if one.device else "no GPU, and others have one"
            raise ProblemError(f"Rank {rank} on {one.host} has {has}: say --device cpu, or leave it out.")
    places = [(one.host, one.device) for one in found if one.device]
    for place in places:
        if (there := places.count(place)) > 1:
            host = [one for one in found if one.host == place[0]]
            gpus = len({one.device for one in host})
            raise ProblemError(
                f"There are {len(host)} ranks on {place[0]} and {gpus} GPU{'s' * (gpus != 1)} for them, "
                f"{there} on one: take fewer ranks, or --device cpu."
            )


Seen = Callable[[Ranks, Backend], Ranks]
"""What all ranks do with the ranks before anything is built; those that it is built with."""


def _as_they_are(ranks: Ranks, backend: Backend) -> Ranks:
    return ranks


def lead(
    world: World, document: Document, backend: Backend, progress: Progress, seen: Seen = _as_they_are
) -> Simulation:  # fmt: skip
    """On rank 0: the problem as one simulation. Raises WorkbenchError."""
    problem = document.complete_problem()
    progress("Building: waiting for the other ranks", 0.0)
    check_presences([presence(document, backend), *world.answers()])
    world.order(BUILD)
    failure: Exception | None = None
    try:
        progress("Building: how ranks reach each other", 0.0)
        ranks = seen(ranks_on(world, backend), backend)
        part = document.engine.build_part(problem, backend, ranks, progress)
        progress("Building: waiting until the other ranks are built", 1.0)
    except Exception as error:
        failure = error
    others: list[Any] = []
    try:
        others = world.answers(failed=failure is not None)
    except Exception as error:
        failure = failure or error
    if failure is not None:
        raise failure
    return LedSimulation(world, part, backend, others)


def stand_by(world: World, document: Document, named: str, seen: Seen = _as_they_are) -> None:
    """On the other ranks: take part until rank 0 has come to its end."""
    backend: Backend | None = None
    try:
        backend = open_of_rank(world, named)
        world.answer(presence(document, backend))
    except Exception as error:
        trouble = str(as_sentence(error))
        world.answer(Presence(__version__, "", socket.gethostname(), "", "", trouble))

    def build() -> Part:
        assert backend is not None
        ranks = seen(ranks_on(world, backend), backend)
        return document.engine.build_part(document.complete_problem(), backend, ranks)

    try:
        follow(world, build, as_sentence)
    finally:
        if backend is not None:
            backend.close()
