"""What the runner measures: probe traces and series on the way, kernel rates and pace of each batch."""

from __future__ import annotations

import math
import time as clock
from collections import deque
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from engines.api import Array, FieldInfo, KernelTiming, Selection, Simulation
from engines.api.abilities import Traced
from engines.api.simulation.contract import FOR_THE_AUTHOR, gathered_later
from workbench.run.frames import KernelRate, Reading, Sample

PACE_SECONDS = 1.0
"""Span over which the pace is smoothed for the remaining time; single batches scatter by tens of percent."""
SURE = 0.02
"""Of the way to an end of its own, that a run has gone before it is foretold when it comes there."""


KERNEL_SECONDS = 1.0
"""Span over which the time of a kernel is the mean: single launches scatter where the cores are shared."""


Reads = Mapping[str, Callable[[], Array]]
LONGEST_VECTOR = 3
"""Numbers of a field at an element that are followed over time; more (the shells of a particle) are a profile."""


def followed(fields: Iterable[FieldInfo], *, profiles: bool = False) -> list[FieldInfo]:
    """The fields whose values at the probes are sampled while a run goes on; long ones for who records ``profiles``."""
    wanted = (info for info in fields if info.traced and not info.summary)
    return [info for info in wanted if profiles or info.components <= LONGEST_VECTOR]


class Meters:
    """Collects one batch at a time. Lives on the worker thread.

    ``profiles``: whether the probes' traces hold fields of many components too.
    ``ceiling`` [bytes/s] is the best bandwidth measured on the device over as many bytes as a launch moves. ``warn``
    is told, once each, where a simulation gives other series or times other kernels than it declares.
    """

    def __init__(
        self,
        simulation: Simulation,
        ceiling: float,
        probes: Sequence[tuple[str, int]],
        *,
        profiles: bool = False,
        warn: Callable[[str], None] = lambda sentence: None,
    ) -> None:
        self._warn = warn
        self._warned: set[str] = set()
        self._profiles = profiles
        self._ceiling = ceiling
        self._recent: dict[str, deque[tuple[float, KernelTiming]]] = {}
        self._cold = True
        self._span: tuple[float, float] = (0.0, 0.0)
        """Seconds and steps of the last while, of which the pace is: a batch that had to wait is no more of it than
        its steps were."""
        self._approached: tuple[float, float] | None = None
        """Seconds since a part of the way to an end of its own was done, and that part."""
        self.latest = simulation.step
        """The step that was collected last, or that the run goes on from."""
        self._begun: list[Callable[[], None]] = []
        """Samples that no one has waited for yet."""
        self._times: list[float] = []
        self._traces: dict[str, list[Array]] = {}
        self._finer: dict[str, tuple[list[Array], list[Array]]] = {}
        self._series: dict[str, list[float]] = {}
        self.place_probes(simulation, probes)

    def read_at(self, simulation: Simulation, probes: Sequence[tuple[str, int]]) -> Reading | None:
        """Follow these (label, element) from now on; what they read, unless the run has yet to begin."""
        self.place_probes(simulation, probes)
        return Reading(simulation.time, self._labels, _arrived(self._reads(simulation))) if simulation.step else None

    def place_probes(self, simulation: Simulation, probes: Sequence[tuple[str, int]]) -> None:
        """As :meth:`read_at`, and reads nothing."""
        elements = np.array([element for _, element in probes], np.int32)
        self._handle: Any = simulation.select(Selection(elements)) if probes else None
        self._labels = tuple(label for label, _ in probes)
        if isinstance(simulation, Traced):
            recorded = simulation.follow(elements)
            if recorded < len(probes):
                self._warn_once(
                    "probes",
                    f"The first {recorded} probes are recorded in each step; the others have a value each"
                    f" {simulation.sample_steps:,} steps, and what is shorter does not show.",
                )

    def forget(self) -> None:
        """The run was reset: what was measured and collected before says nothing about what comes."""
        self._span, self._approached = (0.0, 0.0), None
        self._begun, self._times, self._traces, self._finer, self._series = [], [], {}, {}, {}

    @property
    def collected(self) -> bool:
        """Whether something was collected that no sample has taken yet."""
        return bool(self._begun or self._times)

    def collect(self, simulation: Simulation) -> None:
        """Take the probes and series of this step; a GPU is not waited for until :meth:`sample` reads them."""
        self.latest = simulation.step
        begun, observed = self._reads(simulation), simulation.observe_later()
        self._begun.append(partial(self._keep, simulation, simulation.step, simulation.time, begun, observed))
        if self._handle is not None and isinstance(simulation, Traced):
            self._read()  # who keeps all steps has room for those between two samples
            times, steps = simulation.traced()
            for name, values in steps.items():
                finer = self._finer.setdefault(name, ([], []))
                finer[0].append(times if len(times) else np.array([simulation.time]))
                finer[1].append(values if len(times) else self._traces[name][-1][None, : values.shape[1]])

    def _read(self) -> None:
        begun, self._begun = self._begun, []
        for keep in begun:
            keep()

    def _keep(
        self, simulation: Simulation, step: int, time: float, begun: Reads, observed: Callable[[], Mapping[str, float]]
    ) -> None:
        self._times.append(time)
        for name, values in _arrived(begun).items():
            self._traces.setdefault(name, []).append(values)
        series = observed()
        for name, value in series.items():
            self._series.setdefault(name, []).append(value)
            if math.isinf(value):
                self._warn_of_infinite(name, simulation, step)
        self._warn_of_series(series, [info.name for info in simulation.series])

    def _reads(self, simulation: Simulation) -> Reads:
        """What the probes read, by field; a GPU is waited for by whoever reads first, series or probes."""
        if self._handle is None:
            return {}
        fields = followed(simulation.fields, profiles=self._profiles)
        return {f.name: gathered_later(simulation, f.name, self._handle, len(self._labels)) for f in fields}

    def sample(
        self, simulation: Simulation, steps: int, wall: float, last_step: int | None, paced: float = 0.0
    ) -> Sample:
        """The batch of ``steps`` steps that took ``wall`` seconds; empties what was collected.

        ``paced`` is the least seconds per step that the run is kept to: it counts for the time that remains.
        """
        self._read()
        wall = max(wall, 1e-9)
        left = max(0.0, 1 - max(wall, paced * steps) / PACE_SECONDS)
        span = left * self._span[0] + wall, left * self._span[1] + steps
        pace = span[0] / max(span[1], 1e-9)
        self._span = (0.0, 0.0) if self._cold else span  # the first batch may have compiled the kernels
        kernels = self._kernel_rates(simulation)  # first: what a step moves may depend on what is happening
        part, remaining = self._outlook(simulation, wall, last_step, max(pace, paced))
        moved = sum(traffic.bytes for traffic in simulation.traffic) * steps / wall
        sample = Sample(
            step=simulation.step,
            time=simulation.time,
            steps=steps,
            wall_seconds=wall,
            steps_per_second=steps / wall,
            time_per_second=steps * simulation.dt / wall,
            bytes_per_second=moved,
            fraction_of_ceiling=moved / self._ceiling,
            kernels=kernels,
            remaining=remaining,
            trace_times=np.array(self._times),
            traces={name: np.array(values) for name, values in self._traces.items()},
            probes=self._labels,
            series={name: np.array(values) for name, values in self._series.items()},
            part=part,
            finer={name: (np.concatenate(times), np.concatenate(each)) for name, (times, each) in self._finer.items()},
        )
        self._times, self._traces, self._finer, self._series = [], {}, {}, {}
        return sample

    def _outlook(
        self, simulation: Simulation, wall: float, last_step: int | None, per_step: float
    ) -> tuple[float | None, float | None]:
        """The part that is done and the seconds that remain, of the way to the last step or to an end of its own,
        whichever is nearer; what the latter takes is judged by the pace since it was first nearer."""
        part = remaining = None
        if last_step is not None:
            part, remaining = min(1.0, simulation.step / last_step), max(0, last_step - simulation.step) * per_step
        done = simulation.done
        if done is None:
            return part, remaining
        if self._approached is None or done <= self._approached[1]:
            self._approached = 0.0, done
        else:
            self._approached = self._approached[0] + wall, self._approached[1]
        seconds, first = self._approached
        if done - first >= SURE:
            left = (1 - done) * seconds / (done - first)
            remaining = left if remaining is None else min(left, remaining)
        return max(done, part or 0.0), remaining

    def _warn_of_series(self, observed: Collection[str], declared: Collection[str]) -> None:
        if set(observed) != set(declared):
            given, wanted = _quoted(observed), _quoted(declared)
            self._warn_once(
                "series",
                f"observe() gives {given}, and the simulation declares the series {wanted}: what is in one alone is"
                f" not shown. {FOR_THE_AUTHOR}",
            )

    def _warn_of_infinite(self, name: str, simulation: Simulation, step: int) -> None:
        """A sum may leave the range of its numbers while all that it is of stays within."""
        title = next((info.title for info in simulation.series if info.name == name), name)
        self._warn_once(
            f"infinite {name}",
            f"'{title}' is beyond all numbers from step {step:,} on: its curve ends there, and what is made "
            "of it is wrong; the fields are looked at by themselves.",
        )

    def _warn_of_kernels(self, timed: Collection[str], declared: Collection[str]) -> None:
        unknown = [name for name in timed if name not in declared]
        if unknown:
            self._warn_once(
                "traffic",
                f"The simulation times {_quoted(unknown)}, and declares the traffic of {_quoted(declared)}: the meters"
                f" leave out what is not declared. {FOR_THE_AUTHOR}",
            )

    def _warn_once(self, subject: str, sentence: str) -> None:
        if subject not in self._warned:
            self._warned.add(subject)
            self._warn(sentence)

    def _kernel_rates(self, simulation: Simulation) -> tuple[KernelRate, ...]:
        timed: dict[str, KernelTiming] = {}
        timings = simulation.drain_timings()
        declared = [traffic.kernel for traffic in simulation.traffic]
        self._warn_of_kernels(dict.fromkeys(timing.kernel for timing in timings), declared)
        if self._cold:  # the first launch compiles the kernel or loads it from the cache: no measure of its speed
            timings, self._cold = (), False
        for timing in timings:
            before = timed.get(timing.kernel, KernelTiming(timing.kernel, 0, 0.0))
            timed[timing.kernel] = KernelTiming(
                timing.kernel, before.launches + timing.launches, before.seconds + timing.seconds
            )
        now = clock.perf_counter()
        for name, timing in timed.items():
            if timing.launches and timing.seconds > 0:
                self._recent.setdefault(name, deque()).append((now, timing))
        rates = []
        for traffic in simulation.traffic:
            recent = self._recent.get(traffic.kernel)
            if recent:
                while len(recent) > 1 and now - recent[0][0] > KERNEL_SECONDS:
                    recent.popleft()
                fresh = timed.get(traffic.kernel, KernelTiming(traffic.kernel, 0, 0.0))
                seconds = sum(one.seconds for _, one in recent) / sum(one.launches for _, one in recent)
                rate = traffic.bytes / seconds
                rates.append(
                    KernelRate(traffic.kernel, seconds, rate, rate / self._ceiling, fresh.launches, fresh.seconds)
                )
        return tuple(rates)


def _arrived(begun: Reads) -> dict[str, Array]:
    return {name: np.array(found(), np.float32) for name, found in begun.items()}


def _quoted(names: Iterable[str]) -> str:
    return ", ".join(f"'{name}'" for name in names) or "none"
