"""The worker thread that owns a simulation: builds it, advances it, answers its viewers.

The thread takes steps in batches that last about one frame. Between batches it carries out what others
asked for, so pausing, closing and changing a parameter take effect within a frame; it never waits for
the window. Viewers poll: :attr:`Runner.frames`, :meth:`Runner.take_samples`, :meth:`Runner.take_messages`.
"""

from __future__ import annotations

import threading
import time as clock
import traceback
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from typing import Any, Protocol, TypeVar

import numpy as np

from engines.api import Array, KernelTiming, Progress, Selection, Simulation, SimulationInfo
from engines.backend.base import Backend
from engines.errors import InstabilityError, WorkbenchError
from workbench.frames import Frame, FrameRequest, KernelRate, Mailbox, Message, RunState, Sample

T = TypeVar("T")
Build = Callable[[Backend, Progress], Simulation]

FRAME_SECONDS = 1 / 30


class Observer(Protocol):
    """Something on the worker thread that wants to see the simulation at certain steps (a recorder)."""

    def next_step(self, simulation: Simulation) -> int | None:
        """The next step at which :meth:`observe` must be called; None for never."""

    def observe(self, simulation: Simulation) -> None: ...

    def sampled(self, sample: Sample) -> None:
        """Called after each batch."""

    def finish(self, simulation: Simulation, state: RunState) -> None:
        """The run ended (finished, failed or closed); write what is left. Called once."""


class Runner:
    """Runs one simulation on one worker thread.

    ``make_backend`` and ``build`` are called on the worker; ``until`` is in the engine's time unit, None
    for open end. The runner starts in BUILDING, and goes on to RUNNING at once if ``autostart``.
    """

    def __init__(
        self,
        make_backend: Callable[[], Backend],
        build: Build,
        *,
        time_unit: str,
        until: float | None = None,
        probes: Sequence[tuple[str, int]] = (),
        observers: Sequence[Observer] = (),
        autostart: bool = False,
    ) -> None:
        self.frames: Mailbox[Frame] = Mailbox()
        self.time_unit = time_unit
        self.until = until
        self.info: SimulationInfo | None = None
        self.error: WorkbenchError | None = None
        self.progress: tuple[str, float] = ("", 0.0)
        self._make_backend = make_backend
        self._build = build
        self._observers = list(observers)
        self._wanted = RunState.RUNNING if autostart else RunState.READY
        self._state = RunState.BUILDING
        self._steps_wanted: int | None = None
        self._condition = threading.Condition()
        self._calls: deque[tuple[Callable[[Simulation], Any], Future[Any]]] = deque()
        self._samples: deque[Sample] = deque(maxlen=4096)
        self._messages: deque[Message] = deque(maxlen=4096)
        self._request: FrameRequest | None = None
        self._handles: dict[str, tuple[str, Any]] = {}
        self._handles_serial: int | None = None
        self._probes: list[tuple[str, int]] = list(probes)
        self._probe_handle: Any = None
        self._seconds_per_step = 0.0
        self._rates: dict[str, KernelTiming] = {}
        self._initial: dict[str, Array] = {}
        self._thread = threading.Thread(target=self._work, name="workbench-runner", daemon=True)
        self._thread.start()

    # What others ask of the run; each returns at once.

    @property
    def state(self) -> RunState:
        return self._state

    def run(self) -> None:
        """Run until told otherwise, or until ``until``."""
        self._want(RunState.RUNNING)

    def pause(self) -> None:
        self._want(RunState.PAUSED)

    def advance(self, steps: int) -> None:
        """Take exactly ``steps`` steps, then pause."""
        self._want(RunState.RUNNING, steps)

    def reset(self) -> None:
        """Back to the initial state; the run is READY."""
        self.post(self._reset)

    def watch(self, request: FrameRequest | None) -> None:
        """Ask for frames; a frame that answers follows at once also while paused."""
        with self._condition:
            self._request = request
            self._condition.notify()

    def set_probes(self, probes: Sequence[tuple[str, int]]) -> None:
        """Follow these (label, element) from now on."""
        self.post(lambda simulation: self._place_probes(simulation, list(probes)))

    def set_control(self, name: str, value: Any) -> Future[None]:
        """Change a live parameter between two batches."""
        return self.post(lambda simulation: simulation.set_control(name, value))

    def post(self, call: Callable[[Simulation], T]) -> Future[T]:
        """Have the worker carry out ``call`` between two batches."""
        future: Future[T] = Future()
        with self._condition:
            if self._state in (RunState.CLOSED, RunState.FAILED) or self._wanted is RunState.CLOSED:
                future.cancel()
            else:
                self._calls.append((call, future))
                self._condition.notify()
        return future

    def take_samples(self) -> list[Sample]:
        """The samples since the last call."""
        return _drain(self._samples)

    def take_messages(self) -> list[Message]:
        return _drain(self._messages)

    def join(self, timeout: float | None = None) -> None:
        """Wait until the worker has ended (after :meth:`close`, or a run with ``until`` that closes by itself)."""
        self._thread.join(timeout)

    def wait(self, *states: RunState, timeout: float = 60.0) -> RunState:
        """Block until the run is in one of ``states`` (or has failed or closed)."""
        ends = {*states, RunState.FAILED, RunState.CLOSED}
        with self._condition:
            self._condition.wait_for(lambda: self._state in ends, timeout)
        return self._state

    def close(self, timeout: float = 30.0) -> None:
        """Stop within a batch, let the observers write, free the device, end the thread."""
        self._want(RunState.CLOSED)
        self.join(timeout)

    # The worker thread.

    def _want(self, state: RunState, steps: int | None = None) -> None:
        with self._condition:
            if self._wanted is not RunState.CLOSED:
                self._wanted = state
                self._steps_wanted = steps
                self._condition.notify()

    def _work(self) -> None:
        simulation: Simulation | None = None
        backend: Backend | None = None
        try:
            backend = self._make_backend()
            simulation = self._build(backend, self._report)
            self._present(simulation, backend)
            self._loop(simulation, backend)
        except WorkbenchError as error:
            self._fail(error)
        except Exception as error:  # the thread's last line of defence: anything unforeseen ends the run, not the app
            self.say(traceback.format_exc(), "error")
            self._fail(WorkbenchError(f"The run ended with an unexpected {type(error).__name__}: {error}"))
        finally:
            self._end(simulation, backend)

    def _loop(self, simulation: Simulation, backend: Backend) -> None:
        ceiling = backend.ceilings().copy
        while True:
            with self._condition:
                self._condition.wait_for(lambda: self._has_work(simulation))
                if self._wanted is RunState.CLOSED:
                    return
                calls = list(self._calls)
                self._calls.clear()
                running = self._wanted is RunState.RUNNING
            for call, future in calls:
                _carry_out(call, future, simulation)
            if running:
                self._set_state(RunState.RUNNING)
                self._batch(simulation, ceiling)
            elif self._state is RunState.RUNNING:
                self._set_state(RunState.PAUSED)
            self._answer(simulation)

    def _has_work(self, simulation: Simulation) -> bool:
        wanted = self._wanted
        return bool(
            self._calls
            or wanted in (RunState.RUNNING, RunState.CLOSED)
            or (wanted is RunState.PAUSED and self._state is RunState.RUNNING)
            or (self._request is not None and self._request.serial != self._handles_serial)
        )

    def _batch(self, simulation: Simulation, ceiling: float) -> None:
        """Steps for about one frame, sampled on the way, stopped exactly where somebody wants to look."""
        first, started = simulation.step, clock.perf_counter()
        goal = self._goal(simulation)
        if goal > first:
            times, traces, series = self._sampled_steps(simulation, goal, started)
            simulation.synchronize()
            wall = clock.perf_counter() - started
            self._seconds_per_step = wall / (simulation.step - first)
            sample = self._sample(simulation, first, wall, ceiling, times, traces, series)
            self._samples.append(sample)
            for observer in self._observers:
                observer.sampled(sample)
            self._check_finite(simulation)
        for observer in self._observers:
            if observer.next_step(simulation) == simulation.step:
                observer.observe(simulation)
        with self._condition:
            if self._steps_wanted is not None:
                self._steps_wanted -= simulation.step - first
                if self._steps_wanted <= 0 and self._wanted is RunState.RUNNING:
                    self._wanted, self._steps_wanted = RunState.PAUSED, None
            if self._last_step(simulation) == simulation.step and self._wanted is RunState.RUNNING:
                self._wanted = RunState.FINISHED
        if self._wanted is RunState.FINISHED:
            self._set_state(RunState.FINISHED)

    def _goal(self, simulation: Simulation) -> int:
        """The step at which this batch ends."""
        per_frame = max(1, int(FRAME_SECONDS / self._seconds_per_step)) if self._seconds_per_step else 1
        goals = [simulation.step + per_frame, self._last_step(simulation)]
        goals += [observer.next_step(simulation) for observer in self._observers]
        if self._steps_wanted is not None:
            goals.append(simulation.step + self._steps_wanted)
        return max(simulation.step, min(goal for goal in goals if goal is not None))

    def _last_step(self, simulation: Simulation) -> int | None:
        return None if self.until is None else round(self.until / simulation.dt)

    def _sampled_steps(
        self, simulation: Simulation, goal: int, started: float
    ) -> tuple[list[float], dict[str, list[Array]], dict[str, list[float]]]:
        times: list[float] = []
        traces: dict[str, list[Array]] = {info.name: [] for info in simulation.fields if not info.summary}
        series: dict[str, list[float]] = {info.name: [] for info in simulation.series}
        every = simulation.sample_steps
        while simulation.step < goal:
            simulation.advance(min(goal, (simulation.step // every + 1) * every) - simulation.step)
            if simulation.step % every == 0:
                times.append(simulation.time)
                if self._probe_handle is not None:
                    for name, values in traces.items():
                        values.append(simulation.gather(name, self._probe_handle))
                for name, value in simulation.observe().items():
                    series[name].append(value)
            if clock.perf_counter() - started > 4 * FRAME_SECONDS or self._wanted is not RunState.RUNNING:
                break
        return times, traces, series

    def _sample(
        self,
        simulation: Simulation,
        first: int,
        wall: float,
        ceiling: float,
        times: list[float],
        traces: dict[str, list[Array]],
        series: dict[str, list[float]],
    ) -> Sample:
        steps = simulation.step - first
        moved = sum(traffic.bytes for traffic in simulation.traffic) * steps / wall
        last = self._last_step(simulation)
        return Sample(
            step=simulation.step,
            time=simulation.time,
            steps=steps,
            wall_seconds=wall,
            steps_per_second=steps / wall,
            time_per_second=steps * simulation.dt / wall,
            bytes_per_second=moved,
            fraction_of_ceiling=moved / ceiling,
            kernels=self._kernel_rates(simulation, ceiling),
            remaining=None if last is None else (last - simulation.step) * wall / steps,
            trace_times=np.array(times),
            traces={name: np.array(values) for name, values in traces.items() if values},
            probes=tuple(label for label, _ in self._probes),
            series={name: np.array(values) for name, values in series.items()},
        )

    def _kernel_rates(self, simulation: Simulation, ceiling: float) -> tuple[KernelRate, ...]:
        for timing in simulation.drain_timings():
            self._rates[timing.kernel] = timing
        rates = []
        for traffic in simulation.traffic:
            latest = self._rates.get(traffic.kernel)
            if latest is not None and latest.seconds > 0:
                seconds = latest.seconds / latest.launches
                rate = traffic.bytes / seconds
                rates.append(KernelRate(traffic.kernel, seconds, rate, rate / ceiling))
        return tuple(rates)

    def _check_finite(self, simulation: Simulation) -> None:
        bad = simulation.non_finite()
        if bad is not None:
            raise InstabilityError(
                f"{bad.field} is no longer a number at element {bad.element} after step {simulation.step}: {bad.advice}"
            )

    def _answer(self, simulation: Simulation) -> None:
        """Gather what the viewers want of this moment."""
        request = self._request
        if request is None:
            self._handles_serial = None
            return
        if request.serial != self._handles_serial:
            self._handles = {
                part: (name, simulation.select(selection)) for part, (name, selection) in request.parts.items()
            }
            self._handles_serial = request.serial
        values = {part: simulation.gather(name, handle) for part, (name, handle) in self._handles.items()}
        self.frames.put(Frame(request.serial, simulation.step, simulation.time, values))

    def _present(self, simulation: Simulation, backend: Backend) -> None:
        self._initial = simulation.state()
        self._place_probes(simulation, self._probes)
        self.info = SimulationInfo(
            geometry=simulation.geometry,
            dt=simulation.dt,
            time_unit=self.time_unit,
            fields=simulation.fields,
            series=simulation.series,
            traffic=simulation.traffic,
            front=simulation.front,
            device=backend.info.name,
        )
        self._set_state(RunState.READY)

    def _place_probes(self, simulation: Simulation, probes: list[tuple[str, int]]) -> None:
        self._probes = probes
        elements = np.array([element for _, element in probes], np.int32)
        self._probe_handle = simulation.select(Selection(elements)) if probes else None

    def _reset(self, simulation: Simulation) -> None:
        simulation.restore(self._initial)
        self._samples.clear()
        with self._condition:
            if self._wanted is not RunState.CLOSED:
                self._wanted = RunState.READY
        self._handles_serial = None
        self._set_state(RunState.READY)

    def _report(self, message: str, fraction: float) -> None:
        self.progress = (message, fraction)
        if self._wanted is RunState.CLOSED:
            raise WorkbenchError("Building was stopped.")

    def say(self, text: str, severity: str = "info") -> None:
        """A line for the log."""
        self._messages.append(Message(text, severity))  # type: ignore[arg-type]  # severities are literals at all callers

    def _set_state(self, state: RunState) -> None:
        with self._condition:
            self._state = state
            self._condition.notify_all()

    def _fail(self, error: WorkbenchError) -> None:
        if self._wanted is not RunState.CLOSED:
            self.error = error
            self.say(str(error), "error")

    def _end(self, simulation: Simulation | None, backend: Backend | None) -> None:
        failed = self.error is not None
        state = RunState.FAILED if failed else RunState.CLOSED
        if simulation is not None:
            for observer in self._observers:
                observer.finish(simulation, state)
            simulation.close()
        if backend is not None:
            backend.close()
        with self._condition:
            for _, future in self._calls:
                future.cancel()
            self._calls.clear()
        self._set_state(state)


def _drain(queue: deque[T]) -> list[T]:
    taken = []
    while queue:
        taken.append(queue.popleft())
    return taken


def _carry_out(call: Callable[[Simulation], T], future: Future[T], simulation: Simulation) -> None:
    if not future.set_running_or_notify_cancel():
        return
    try:
        future.set_result(call(simulation))
    except WorkbenchError as error:
        future.set_exception(error)
