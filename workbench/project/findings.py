"""What a person should know of a problem before it runs, in one place for the window, the command line and records."""

from __future__ import annotations

import math
import threading
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import asdict, fields, replace
from functools import cache
from typing import Any

from pydantic import TypeAdapter, ValidationError

from engines.api import Estimate, Finding, Remedy
from engines.api.device import Backend
from engines.api.errors import ProblemError, told_of
from engines.api.registry import is_own
from engines.api.simulation.contract import BrokenContract
from engines.backend.compile.stamp import compiled_ahead
from engines.backend.devices.faster import faster
from engines.recording import IN_SINGLE_AT_POINTS, series_of, series_on_disk
from workbench.project.document import Document
from workbench.project.probing import lines_outside, probes_outside
from workbench.project.reading.commas import commas_in
from workbench.words.units import at_most, time_text

FAR_FROM_END = 0.02
"""Of a run's end: by how much whole steps may miss it without a word."""
LONGEST_TEXT, MOST_TEXTS = 4096, 512
"""Characters of a finding or of what mends it, and how many of both there are."""


def estimate_of(
    document: Document, backend: Backend, until: float | None = None, interval: float | None = None
) -> Estimate:
    """What the engine says of a run on ``backend``, whether there is room for it now, and how much its fields take on
    disk ``until`` then, written every ``interval`` (default: as the project says). Raises ProblemError if it cannot
    run."""
    found = estimate_beside_others(document, backend, until, interval)
    free = backend.free_memory() * backend.parts
    if not free or found.memory_bytes <= free:
        return found
    short = Finding(
        f"This run needs {found.memory_bytes / 1e9:.3g} GB, and {backend.info.name} has {free / 1e9:.3g} GB free: "
        "close other programs, make the problem smaller or choose another device."
    )
    return replace(found, findings=(*found.findings, short))


def estimate_beside_others(
    document: Document, backend: Backend, until: float | None = None, interval: float | None = None
) -> Estimate:
    """The same where what fills the memory now makes room for this run."""
    found = plain_estimate(document.engine.estimate(document.complete_problem(), backend))
    series, end = series_of(document.parameters, interval), until or document.project.run.until
    endless = None
    if end is None and not document.engine.ends(document.problem):
        endless = document.engine.without_end(document.problem)
    if endless is not None:
        found = replace(found, findings=(*found.findings, endless))
        found = plain_estimate(found)
    unit = document.time_unit
    told = (*of_whole_steps(end, found.step, unit), *of_close_moments(series.interval, found.step, unit))
    geometry = document.geometry
    elements = geometry.n_points if series.format in IN_SINGLE_AT_POINTS else geometry.n_cells
    room = series_on_disk(series, elements, end, found.step, found.field_bytes)
    return replace(found, findings=(*found.findings, *told), facts=(*found.facts, *room))


def of_whole_steps(end: float | None, step: float, unit: str) -> tuple[Finding, ...]:
    """Of a run that takes whole steps, so that it ends before or after the time that is asked for."""
    if end is None:
        return ()
    asked, comes = time_text(end, unit), time_text(max(1, round(end / step)) * step, unit, ".6g")
    if end < step * (1 - 1e-9):
        return (Finding(f"The run is to end at {asked}, before its first step: it takes one, and ends at {comes}."),)
    if abs(round(end / step) * step - end) <= FAR_FROM_END * end:
        return ()
    every = time_text(step, unit, ".4g")
    return (Finding(f"The run is to end at {asked}, and its steps of {every} come to {comes}: it ends there.", "info"),)


def of_close_moments(interval: float, step: float, unit: str) -> tuple[Finding, ...]:
    """Of whole fields that are to be written more often than there are steps."""
    if not 0 < interval < step * (1 - 1e-9):
        return ()
    asked, every = time_text(interval, unit), time_text(step, unit, ".4g")
    told = f"Fields are to be written every {asked}, and a step is {every}: each step is written once."
    return (Finding(told, "info", ("recording", "fields", "interval")),)


def plain_estimate(found: Any) -> Estimate:
    """The same, of no class of its engine's. Raises BrokenContract for what is none: engines are packages of others."""
    try:
        if not isinstance(found, Estimate):
            raise TypeError(f"it is a {type(found).__name__}")
        if type(found) is not Estimate:
            found = Estimate(**{one.name: getattr(found, one.name) for one in fields(Estimate)})
        _adapter().validate_python(asdict(found))
        finite = (found.memory_bytes, found.bytes_per_step, found.step)
        others = [each for each in (found.stable_step, found.seconds_per_simulated_unit) if each is not None]
        if not all(0 <= each < math.inf for each in finite) or not all(each >= 0 for each in others) or not found.step:
            raise TypeError("one of its figures is no number above 0")
        texts = [text for each in found.findings for text in (each.message, *(one.text for one in each.remedies))]
        if len(texts) > MOST_TEXTS or any(len(text) > LONGEST_TEXT for text in texts):
            raise TypeError("its findings are more than anybody reads")
    except ValidationError as error:
        first = error.errors(include_input=False)[0]
        raise _no_estimate(f"{'.'.join(map(str, first['loc']))}: {first['msg']}") from None
    except Exception as error:  # of its own words, too
        raise _no_estimate(told_of(error)) from None
    return found


def _no_estimate(why: str) -> BrokenContract:
    return BrokenContract(f"What the engine says of a run before it begins is no estimate: {why:.200}.")


@cache
def _adapter() -> TypeAdapter[Estimate]:
    return TypeAdapter(Estimate)


class Estimator:
    """Estimates of documents on the devices of this machine, which are opened once. For any thread."""

    def __init__(self, reserve_core: bool = False) -> None:
        self._reserve_core = reserve_core
        self._backends: dict[str, Backend] = {}
        self._opening = threading.Lock()
        self._turns: defaultdict[str, threading.Lock] = defaultdict(threading.Lock)
        """One for all engines of ours, and for each of others, which may never answer."""

    def estimate(self, document: Document, beside: bool) -> Estimate:
        """On the device that the project names, or the faster one where it names none. ``beside``: as
        :func:`estimate_beside_others`. Raises ProblemError, DeviceError."""
        engine = document.engine.id
        with self._turns["" if is_own(engine) else engine]:
            device = document.project.run.device
            backend = self._backend(device)
            if device == "auto" and backend.info.kind != "cpu" and compiled_ahead():
                problem, cpu = document.complete_problem(), self._backend("cpu")
                backend = faster(document.engine, problem, backend, cpu, trial=False)[0]
            return (estimate_beside_others if beside else estimate_of)(document, backend)

    def _backend(self, device: str) -> Backend:
        with self._opening:
            if device not in self._backends:
                from engines.backend.devices.select import open_backend  # imports Numba and CuPy

                self._backends[device] = open_backend(device, reserve_core=self._reserve_core)
            return self._backends[device]


def findings_of(document: Document, estimate: Estimate | None) -> tuple[Finding, ...]:
    """Of the files that the document was read from, its probes and lines and what was estimated of it, in order."""
    estimated = () if estimate is None else estimate.findings
    own = (*document.findings, *commas_in(document.parameters), *probes_outside(document), *lines_outside(document))
    return in_order((*own, *estimated))


def above_stable(estimate: Estimate, unit: str) -> str:
    """A sentence where the step is above the largest stable one, else nothing: such a run does not begin."""
    stable = estimate.stable_step
    if stable is None or not 0 < stable < estimate.step:
        return ""
    return f"The step is above the largest stable one: set it to {at_most(stable, unit)} or less."


def findings_with_step(document: Document, estimate: Estimate) -> tuple[Finding, ...]:
    """The same, and a step above the largest stable one, which the window says beside its figures."""
    above = above_stable(estimate, document.time_unit)
    return (*((Finding(above),) if above else ()), *findings_of(document, estimate))


def in_order(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """Warnings first, and of those that are alike what makes a number wrong; each once."""
    return tuple(sorted(dict.fromkeys(findings), key=lambda one: (one.severity != "warning", not one.distorts)))


def estimated_findings(document: Document, backend: Backend, until: float | None = None) -> tuple[Finding, ...]:
    """All that is known of the document before a run on ``backend``, ``until`` then. Raises ProblemError if it cannot
    run."""
    return findings_of(document, estimate_of(document, backend, until))


def findings_before_changes(document: Document, backend: Backend, until: float | None = None) -> tuple[Finding, ...]:
    """The same of a project that is still to be worked on: why it cannot run yet is a finding like the others."""
    try:
        return estimated_findings(document, backend, until)
    except ProblemError as error:
        return tuple(dict.fromkeys((*findings_of(document, None), refusal(error))))


def refusal(error: ProblemError) -> Finding:
    """Why a problem cannot run yet, as a finding like the others."""
    return Finding(str(error), place=error.place, remedy=error.remedy)


def as_record(finding: Finding) -> dict[str, Any]:
    """For ``run.json``."""
    remedy, other = finding.remedy, finding.alternative
    alternative = {} if other is None else {"alternative": remedy_record(other)}
    return {
        "severity": finding.severity,
        "place": list(finding.place),
        "message": finding.message,
        "remedy": None if remedy is None else remedy_record(remedy),
        **alternative,
    }


def remedy_record(remedy: Remedy) -> dict[str, Any]:
    """For ``run.json`` and for programs that read the answer of a command."""
    record: dict[str, Any] = {
        "text": remedy.text,
        "changes": [{"place": list(place), "value": value} for place, value in remedy.changes.items()],
    }
    others = {"length_unit": remedy.length_unit, "tool": remedy.tool, "without_end": remedy.without_end}
    return record | {name: value for name, value in others.items() if value}
