"""The device of a run where nobody named one: the faster of the GPU and the processor for this problem.

A GPU wins by its bandwidth and loses by what a launch costs: a hundred cells or a slab of a few thousand points are
through sooner on two cores. Large problems are judged by the estimates of both devices. Of small ones a few steps are
taken on both: an estimate would have to know latencies, caches and launches better than the devices themselves do.
"""

from __future__ import annotations

import logging
import math
import time as clock
from collections.abc import Callable

from engines.api import Estimate, Problem
from engines.api.device import Backend
from engines.api.engine import Engine
from engines.api.errors import ProblemError, WorkbenchError
from engines.backend.compile.stamp import compiled_ahead

log = logging.getLogger(__name__)

OpenBackend = Callable[[str, bool], Backend]

SMALL_MEMORY = 256 << 20
"""Bytes up to which a problem is tried on both devices: it is built there within a second."""
SMALL_STEP = 64 << 20
"""Bytes moved by a step up to which it is: more take a GPU longer than it takes to launch them."""
TRIAL_SECONDS = 0.05
"""For which steps are taken on each device, once what they compile is compiled."""
WORTH_COMPILING = 10.0
"""[s] of a run on a GPU from which on kernels of the processor are compiled to compare both: that takes as long."""

COMPILES = "Compiling what this problem needs on the processor, to take the faster device: some seconds, once."


def open_for(
    engine: Engine,
    problem: Problem,
    device: str,
    *,
    reserve_core: bool = False,
    trial: bool = True,
    state_of: str = "",
    ahead: float | None = None,
    say: Callable[[str], None] = log.info,
    open_backend: OpenBackend | None = None,
) -> Backend:
    """Open ``device`` (``auto``, ``cpu``, ``cuda:N``) for a run of ``problem``; its ``chosen`` says why it is this
    one, where that was a choice.

    ``auto`` is the faster of the GPU and the processor; without ``trial`` by their estimates alone. As long as kernels
    have not been compiled on this machine the processor is asked only for small problems of which so much simulated
    time lies ``ahead`` (infinity: to an end that comes by itself) that compiling them pays, which is told to ``say``;
    without, the GPU is taken.
    A run that goes on from a state stays on the device of which the name is ``state_of``: on another one its bits would
    be others.
    Raises ProblemError for a name that is not there, DeviceError.
    """
    opener = open_backend or _open_backend
    first = opener(device, reserve_core)
    if device != "auto" or first.info.kind == "cpu" or state_of == first.info.name:
        return first
    cpu = opener("cpu", reserve_core)
    try:
        if state_of == cpu.info.name:
            chosen, reason = cpu, f"Goes on on {cpu.info.name}, on which it began."
        elif compiled_ahead():
            chosen, reason = faster(engine, problem, first, cpu, trial=trial)
        elif trial and _is_long(engine, problem, first, ahead):
            say(COMPILES)
            chosen, reason = faster(engine, problem, first, cpu)
        else:
            chosen, reason = first, _not_compared(engine, problem, first)
    except Exception:  # whatever it was, the run meets it and says it, or goes on without a choice
        log.exception("The devices could not be compared, so the GPU is taken.")
        chosen, reason = first, ""
    except BaseException:
        cpu.close()
        first.close()
        raise
    (cpu if chosen is first else first).close()
    chosen.chosen = reason
    return chosen


def faster(engine: Engine, problem: Problem, gpu: Backend, cpu: Backend, *, trial: bool = True) -> tuple[Backend, str]:
    """The one of the two that gets further in a second with this problem, and that in a sentence.

    What only one of them can run, or has the memory for, is run there; what neither can is left to the GPU to refuse.
    """
    on_gpu, on_cpu = _estimate(engine, problem, gpu), _estimate(engine, problem, cpu)
    if on_cpu is None:
        return gpu, ""
    if on_gpu is None:
        return cpu, f"Runs on {cpu.info.name}: {gpu.info.name} cannot run this problem."
    free = gpu.free_memory()
    if free and on_gpu.memory_bytes > free:
        needed = f"{on_gpu.memory_bytes / 1e9:.3g} GB are needed, and it has {free / 1e9:.3g} GB free"
        return cpu, f"Runs on {cpu.info.name} and not on {gpu.info.name}: {needed}."
    if trial and _small(on_gpu):
        paces, how = (_tried(engine, problem, gpu), _tried(engine, problem, cpu)), "as tried on both"
    else:
        paces, how = (on_gpu.seconds_per_simulated_unit, on_cpu.seconds_per_simulated_unit), "by the estimates of both"
    of_gpu, of_cpu = paces
    if not of_gpu or not of_cpu:
        return gpu, ""
    quick, slow, ratio = (gpu, cpu, of_cpu / of_gpu) if of_gpu <= of_cpu else (cpu, gpu, of_gpu / of_cpu)
    return quick, f"Runs on {quick.info.name}, {ratio:.2g} times as fast as {slow.info.name} for this problem, {how}."


def _is_long(engine: Engine, problem: Problem, gpu: Backend, ahead: float | None) -> bool:
    """Whether a small problem takes the GPU longer than the processor's kernels take to be compiled."""
    on_gpu = None if ahead is None else _estimate(engine, problem, gpu)
    if ahead is None or on_gpu is None or not _small(on_gpu):
        return False
    if math.isinf(ahead):
        return True
    pace = _tried(engine, problem, gpu)
    return pace is not None and pace * ahead > WORTH_COMPILING


def _not_compared(engine: Engine, problem: Problem, gpu: Backend) -> str:
    """What to do where the processor may be the faster one, and has no kernels yet."""
    on_gpu = _estimate(engine, problem, gpu)
    if on_gpu is None or not _small(on_gpu):
        return ""
    return (
        f"Runs on {gpu.info.name}; the processor, which may be faster for a problem as small as this, is compared once "
        "'workbench doctor --warm' has compiled its kernels."
    )


def _small(estimate: Estimate) -> bool:
    return estimate.memory_bytes <= SMALL_MEMORY and estimate.bytes_per_step <= SMALL_STEP


def _estimate(engine: Engine, problem: Problem, backend: Backend) -> Estimate | None:
    """None where it cannot run there; the run itself says why."""
    try:
        return engine.estimate(problem, backend)
    except ProblemError:
        return None


def _tried(engine: Engine, problem: Problem, backend: Backend) -> float | None:
    """Wall time [s] for one unit of simulated time, over the first steps; None where none could be taken."""
    try:
        simulation = engine.build(problem, backend)
    except WorkbenchError:
        return None
    try:
        # As a run does it: in batches from sample to sample, each sample looked at.
        steps = -(-simulation.sample_steps // simulation.whole_batch) * simulation.whole_batch

        def go() -> None:
            simulation.advance(steps)
            simulation.observe()

        go()
        go()  # what begins with the second step is compiled, or captured, there
        simulation.synchronize()
        first, started = simulation.time, clock.perf_counter()
        while not simulation.finished and clock.perf_counter() - started < TRIAL_SECONDS:
            go()
        simulation.synchronize()
        passed = simulation.time - first
        return (clock.perf_counter() - started) / passed if passed > 0 else None
    except WorkbenchError:
        return None
    finally:
        simulation.close()


def _open_backend(device: str, reserve_core: bool) -> Backend:
    from engines.backend.devices.select import open_backend  # Numba and CuPy are imported when a run needs them

    return open_backend(device, reserve_core=reserve_core)
