"""How long a step of a run takes, measured on a small simulation: what no count of bytes knows.

Kernels whose arrays the caches hold compute for longer than memory moves; launches, waking threads and Python take
their time from step to step, monitors and looking at the run from sample to sample. Of small problems these are most
of a run.
"""

from __future__ import annotations

import json
import math
import time
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from statistics import fmean, median
from typing import Any

from pydantic import BaseModel

from engines.api import Simulation
from engines.api.device import Backend
from engines.api.errors import WorkbenchError
from engines.backend.timing import measured_once
from engines.named_files import named_versions

SMALL_MEMORY = 64 << 20
"""Bytes up to which a problem is tried as it is: it is built within moments."""
MOST_STEPS = 1000
"""Between two looks."""
LONGEST_STEP = 0.1
"""Seconds of a step up to which one is tried, told before: nobody waits for an estimate."""
TRY, SEVERAL, SLOW = 2e-3, 4, 0.02
"""Seconds of a try, so short that other programs seldom disturb it; batches of slow steps in it, in which monitors do
what they do now and then; and seconds of a batch from which it is one."""
SECONDS, TRIES, MOST_SECONDS = 0.1, 3, 0.5
"""That all tries take, about, and how many there are at least; and from which one step tells enough (of neurons that
fire without end). Of twice as many the later half counts: looking takes three times as long at first."""
HELD_UP = 3.0
"""Times the median above which the quickest of a few tries does not count."""

Build = Callable[[], Simulation]

_measuring: ContextVar[bool] = ContextVar("_measuring", default=True)


def structure_of(parameters: BaseModel) -> str:
    """Parameters without their real numbers: these change what is computed, and seldom for how long. So an edit of one
    measures nothing anew; networks are timed with the rates that they had when first asked after."""
    return json.dumps([_without_reals(parameters.model_dump(mode="json")), named_versions(parameters)])


def _without_reals(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _without_reals(each) for name, each in value.items()}
    if isinstance(value, list):
        return [_without_reals(each) for each in value]
    return None if isinstance(value, float) else value


def small_pace(backend: Backend, key: Hashable, build: Build, memory: int, otherwise: float) -> float:
    """Seconds a step of a problem of ``memory`` bytes: of a small one on a CPU as they are measured, and ``otherwise``
    of all others, and of those that cannot be built. ``key`` begins with the caller's ``__name__``."""
    if backend.info.kind != "cpu" or memory > SMALL_MEMORY or otherwise > LONGEST_STEP:
        return otherwise
    try:
        return measured_pace(backend, key, build)[0]
    except WorkbenchError:  # the run says it
        return otherwise


@contextmanager
def unmeasured() -> Iterator[None]:
    """Estimates within it are not asked how long a step takes: nothing is built, and their pace is NaN where it would
    be measured. All else of them is as ever, what they find among it."""
    before = _measuring.set(False)
    try:
        yield
    finally:
        _measuring.reset(before)


def measured_pace(backend: Backend, key: Hashable, build: Build) -> tuple[float, int]:
    """:func:`step_seconds` of what ``build`` makes, and the bytes that a step of it moves; once for this ``key``."""
    if not _measuring.get():
        return math.nan, 0

    def measure() -> tuple[float, int]:
        simulation = build()
        try:
            return step_seconds(backend, simulation), sum(each.bytes for each in simulation.traffic)
        finally:
            simulation.close()

    return measured_once(backend, key, measure)


def step_seconds(backend: Backend, simulation: Simulation) -> float:
    """Seconds a step as a run takes them: from sample to sample, each looked at. It advances the simulation."""
    every, whole = simulation.sample_steps, simulation.whole_batch

    def advance(steps: int, times: int) -> None:
        for _ in range(times):
            simulation.advance(steps)
        simulation.synchronize()

    # the first compiles, and what begins with the second step does in the second
    _seconds(backend, lambda: advance(whole, 1))
    once = _seconds(backend, lambda: advance(whole, 1)) / whole
    if once * whole > MOST_SECONDS:
        return once
    once = min(once, _seconds(backend, lambda: advance(whole, 1)) / whole)
    steps = -(-min(every, MOST_STEPS) // whole) * whole
    steps = max(whole, min(steps, int(TRY / once) // whole * whole))
    times = max(1, int(TRY / once / steps), SEVERAL if once * steps < SLOW else 1)
    advancing: list[float] = []
    looking: list[float] = []
    while len(advancing) < TRIES or sum(advancing) + sum(looking) < SECONDS:
        took, looked = _seconds(backend, lambda: advance(steps, times)), _seconds(backend, simulation.observe)
        if simulation.finished and advancing:
            break  # part of these steps were none
        advancing.append(took)
        looking.append(looked)
        if simulation.finished:
            break
    first = len(advancing) // 2 if len(advancing) >= 2 * TRIES else 0
    return _usual(advancing[first:]) / (steps * times) + _usual(looking[first:]) / every


def _usual(seconds: list[float]) -> float:
    """The mean of the quickest of each few tries in a row: others at work hold up single ones, and steps of one run may
    differ (a cell at a held voltage takes twice as long as at a held current), of which it takes all."""
    whole = max(1, len(seconds) // TRIES)  # of one try alone nobody knows whether it was held up
    quickest = [min(seconds[TRIES * place : TRIES * (place + 1)]) for place in range(whole)]
    most = HELD_UP * median(quickest)
    return fmean(each for each in quickest if each <= most)


def _seconds(backend: Backend, call: Callable[[], object]) -> float:
    """Of a call; waiting for a run's turn is no part of it."""
    with backend.active():
        began = time.perf_counter()
        call()
        return max(time.perf_counter() - began, 1e-9)
