"""Steps of small problems on a CPU beside another program: threads that spin while they wait, and threads that sleep.

How threads wait is settled when OpenMP is loaded (:mod:`engines.backend.threads`), so each measurement has a process of
its own: this module, with a preset and a number of seconds. Both ways take turns, round by round.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager

from engines.api import Array, Progress, Simulation, no_progress
from engines.api.device import Backend
from engines.api.errors import ProblemError
from engines.api.lab import Column, LabTable, Row
from engines.backend import open_backend
from engines.backend.threads import WAITING
from workbench.project.presets import open_named

FEW = ("sine_mode", "fdtd_slab", "small_slab", "notched_concrete_beam")
"""Presets whose steps take 20 to 200 µs."""
MANY = (*FEW, "composite_heat", "fdtd_ring", "pack_cooling", "crack_branching", "spiral_wave", "brunel")
WAYS = {"spin": {"GOMP_SPINCOUNT": "300000", "KMP_BLOCKTIME": "200"}, "sleep": {"OMP_WAIT_POLICY": "PASSIVE"}}
"""Settings by which threads spin as OpenMP's libraries have them do by themselves, and by which they sleep."""
SECONDS, ROUNDS = 0.5, 2
THOROUGH_SECONDS, THOROUGH_ROUNDS = 1.0, 7
BATCH_SECONDS = 0.05
PATIENCE = 300.0
"""[s] that one measurement may take: its kernels may have to be compiled first."""
BUSY = "print('busy', flush=True)\nwhile True: pass"


class Neighbour(LabTable):
    """Medians of rounds."""

    id = "neighbour"
    title = "Steps of small problems beside a busy process"
    summary = (
        "Steps a second of presets on all cores, with the machine as it is and beside one process that is always busy;"
        " threads that wait spin, as OpenMP lets them by itself, or sleep, as they do here. Short loops stay on one"
        " core either way."
    )
    columns = (
        Column("Problem", result=False),
        Column("Spinning", "steps/s"),
        Column("Sleeping", "steps/s"),
        Column("Spinning, beside", "steps/s"),
        Column("Sleeping, beside", "steps/s"),
    )
    devices = ("cpu",)

    def measure(self, backend: Backend, progress: Progress = no_progress, thorough: bool = False) -> Sequence[Row]:
        presets = MANY if thorough else FEW
        rounds, seconds = (THOROUGH_ROUNDS, THOROUGH_SECONDS) if thorough else (ROUNDS, SECONDS)
        rows: list[Row] = []
        for number, preset in enumerate(presets):
            rates: dict[str, list[tuple[float, float]]] = {way: [] for way in WAYS}
            for turn in range(rounds):
                progress(preset, (number + turn / rounds) / len(presets))
                for way, settings in WAYS.items():
                    rates[way].append(measured(preset, seconds, settings, backend.info.threads))
            medians = [statistics.median(pair[place] for pair in rates[way]) for place in (0, 1) for way in WAYS]
            rows.append((preset, *medians))
        return rows


def measured(preset: str, seconds: float, settings: dict[str, str], threads: int) -> tuple[float, float]:
    """Steps a second of a preset as the machine is and beside a busy process, in a process with these settings."""
    environment = {name: value for name, value in os.environ.items() if name not in WAITING}
    environment |= {**settings, "NUMBA_NUM_THREADS": str(threads)}
    command = [sys.executable, "-P", "-m", __name__, preset, str(seconds)]
    try:
        run = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=PATIENCE, check=True)
    except subprocess.TimeoutExpired as error:
        raise ProblemError(f"'{preset}' was not measured within {PATIENCE:.0f} s.") from error
    except subprocess.CalledProcessError as error:
        last = (error.stderr.strip().splitlines() or ["nothing was said"])[-1]
        raise ProblemError(f"'{preset}' could not be measured: {last}") from error
    alone, beside = json.loads(run.stdout)
    return float(alone), float(beside)


def rates(preset: str, seconds: float) -> tuple[float, float]:
    """Steps a second here, alone and beside."""
    document, backend = open_named(preset), open_backend("cpu")
    simulation = document.engine.build(document.complete_problem(), backend)
    begin = simulation.state()
    try:
        steps = 1
        while (taken := _batch(simulation, steps, begin))[0] < BATCH_SECONDS and taken[1] == steps:
            steps = max(2 * steps, int(0.5 * steps * BATCH_SECONDS / taken[0]))
        alone = _rate(simulation, steps, seconds, begin)
        with busy_neighbour():
            return alone, _rate(simulation, steps, seconds, begin)
    finally:
        simulation.close()
        backend.close()


@contextmanager
def busy_neighbour() -> Iterator[None]:
    """Inside, a process beside this one is always busy."""
    with subprocess.Popen([sys.executable, "-P", "-c", BUSY], stdout=subprocess.PIPE) as process:
        try:
            assert process.stdout is not None
            process.stdout.readline()
            yield
        finally:
            process.kill()


def _rate(simulation: Simulation, steps: int, seconds: float, begin: Mapping[str, Array]) -> float:
    """Steps a second, the median of batches."""
    paces: list[float] = []
    end = time.perf_counter() + seconds
    while time.perf_counter() < end:
        taken, made = _batch(simulation, steps, begin)
        paces.append(made / taken)
    return statistics.median(paces)


def _batch(simulation: Simulation, steps: int, begin: Mapping[str, Array]) -> tuple[float, int]:
    """Seconds and number of steps, at most so many: a run that has come to its end begins anew, for it takes none."""
    if simulation.finished:
        simulation.restore(begin)
    before, begun = simulation.step, time.perf_counter()
    simulation.advance(steps)
    return time.perf_counter() - begun, simulation.step - before


if __name__ == "__main__":
    print(json.dumps(rates(sys.argv[1], float(sys.argv[2]))))
