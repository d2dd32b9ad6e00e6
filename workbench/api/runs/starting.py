"""From a project to a run: the device is opened, the problem judged, the runner started."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from engines.api.device import Backend
from engines.api.errors import ProblemError, WorkbenchError
from engines.api.tools import ToolResult
from engines.backend.devices.faster import open_for
from workbench.api.arrays import end_of
from workbench.api.findings import warn
from workbench.api.runs.keeping import Keeper
from workbench.api.runs.progress import Progress, shown
from workbench.api.runs.recording import EachRecorder
from workbench.api.runs.run import Run
from workbench.api.runs.waiting import LOOK_SECONDS
from workbench.project.document import Document
from workbench.project.findings import estimated_findings
from workbench.project.tooling import carried_out, find_tool, tool_parameters
from workbench.run.frames import RunState
from workbench.run.session import start
from workbench.words.failures import as_sentence


@contextmanager
def opened_backend(device: str) -> Iterator[Backend]:
    """A device, closed at the end. Raises ProblemError, DeviceError."""
    from engines.backend.devices.select import open_backend  # Numba and CuPy are imported when they are needed

    backend = open_backend(device)
    try:
        yield backend
    finally:
        backend.close()


def named(device: str | None, usual: str) -> str:
    """The name of a device; the ``usual`` one where none is given. Raises ProblemError for what is no name."""
    if device is None:
        return usual
    if not isinstance(device, str):
        raise ProblemError(f"A device is 'auto', 'cpu' or 'cuda:N', not {device!r:.60}.")
    return device or usual


def run_document(document: Document, until: float | None, device: str | None, progress: bool | Progress = False) -> Run:
    """Run it to its end, or to where Ctrl-C ends it. Raises WorkbenchError."""
    until = end_of(until, document.time_unit)
    end = document.project.run.until if until is None else until
    if end is None and not document.engine.ends(document.complete_problem()):
        raise ProblemError(f"The project does not say how far to run: give until= [{document.time_unit}].")
    with shown(progress) as show:  # from the start: the device is measured, kernels are loaded
        run = _started(document, device, end)
        try:
            return run.run(end, progress=show)
        except BaseException:  # nobody is there to close it
            run._runner.close()
            raise


def start_document(document: Document, device: str | None) -> Run:
    """Build it, and wait until it stands before its first step. Raises WorkbenchError."""
    run = _started(document, device, document.project.run.until)
    runner = run._runner
    try:
        while runner.wait(RunState.READY, timeout=LOOK_SECONDS) is RunState.BUILDING:
            pass
    except BaseException:
        runner.close()
        raise
    if runner.error is not None:
        raise runner.error from runner.failure
    return run


def use_tool(
    document: Document, name: str, values: Mapping[str, Any], device: str | None, progress: bool | Progress
) -> ToolResult:
    """What a tool of the engine makes of the problem. Raises WorkbenchError."""
    tool = find_tool(document.engine, name)
    problem = document.complete_problem()
    parameters = tool_parameters(tool, problem, values)
    with opened_backend(named(device, document.project.run.device)) as backend, shown(progress) as show:
        return carried_out(tool, problem, parameters, backend, show)


def _started(document: Document, device: str | None, until: float | None) -> Run:
    """A run that is being built, of a copy of the document; what is known before is warned of. ``until``: how far it
    is to go, where that is known."""
    own = replace(
        document, project=document.project.model_copy(deep=True), parameters=document.parameters.model_copy(deep=True)
    )
    ahead = math.inf if until is None else until
    backend = open_for(own.engine, own.complete_problem(), named(device, own.project.run.device), ahead=ahead)
    try:
        findings = estimated_findings(own, backend)
        warn(findings)
        kept, recorded = Keeper(), EachRecorder(own.time_unit)
        runner = start(
            own, backend.id, (kept, recorded), can_reset=False, open_backend=lambda device, reserve_core: backend
        )
    except BaseException as error:
        backend.close()
        if isinstance(error, Exception) and not isinstance(error, WorkbenchError):
            raise as_sentence(error) from error
        raise
    return Run(own, runner, kept, recorded, findings)
