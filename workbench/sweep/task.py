"""What a worker does: one case of a sweep after the other, on the device that it has."""

from __future__ import annotations

import math
import threading
import time as clock
import traceback
from dataclasses import replace

from engines.api.device import Backend
from engines.api.errors import ProblemError
from engines.backend.devices.faster import open_for
from workbench import __version__
from workbench.sweep.plan import SweepPlan
from workbench.sweep.running import Row, run_case

LOOK_SECONDS = 2.0
"""Between two looks whether the sweep has been ended."""

_turn = threading.Lock()
_backends: dict[tuple[str, str], Backend] = {}


class CaseEnded(Exception):
    """The sweep was ended while this case ran."""


class UnexpectedError(Exception):
    """What nobody expected of a case on a worker: its traceback there."""


def same_version(plan: SweepPlan, version: str) -> SweepPlan:
    """The plan as it has arrived at a worker. Raises ProblemError where another Workbench has made it."""
    if version != __version__:
        raise ProblemError(
            f"The workers have Workbench {__version__}, and the sweep is of {version}: install the same on both."
        )
    return plan


def case_on_worker(plan: SweepPlan, place: int, device: str, ended: str) -> Row:
    """Run a case on ``device`` (``auto``: the faster one here). ``ended`` names the event by which the sweep is ended;
    empty: by the end of this process. Raises CaseEnded, and ProblemError as :func:`run_case` does."""
    with _turn:  # a worker of several threads has one device
        backend = _backend(plan, device)
        row = run_case(plan, place, backend, _Look(ended))
    if row.failure is not None:  # exceptions of any kind need not pass from process to process
        row = replace(row, failure=UnexpectedError("".join(traceback.format_exception(row.failure))))
    return row


def _backend(plan: SweepPlan, device: str) -> Backend:
    key = (plan.document.engine.id, device)
    if key not in _backends:
        _backends[key] = open_for(plan.document.engine, plan.document.complete_problem(), device, ahead=math.inf)
    return _backends[key]


class _Look:
    """Ends the case once the sweep has been ended."""

    def __init__(self, name: str) -> None:
        self._name, self._next = name, clock.monotonic() + LOOK_SECONDS

    def __call__(self, fraction: float) -> None:
        if self._name and clock.monotonic() >= self._next:
            from distributed import Event

            self._next = clock.monotonic() + LOOK_SECONDS
            if Event(self._name).is_set():
                raise CaseEnded
