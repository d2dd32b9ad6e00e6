"""The worker thread that owns a simulation: builds it, advances it, answers its viewers.

The thread takes steps in batches that last about one frame. Between batches it carries out what others
asked for, so pausing, closing and changing a parameter take effect within a frame; it never waits for
the window. Viewers poll: :attr:`Runner.frames`, :meth:`Runner.take_samples`, :meth:`Runner.take_messages`.
"""

from __future__ import annotations

import math
import threading
import time as clock
import traceback
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from functools import partial
from types import MappingProxyType
from typing import Any, Literal, TypeVar

from engines.api import Array, Dab, Finding, Progress, Simulation, SimulationInfo
from engines.api.abilities import Traced
from engines.api.device import Backend
from engines.api.errors import DeviceError, InstabilityError, ProblemError, WorkbenchError
from engines.api.simulation.contract import check_declared, check_taken, noticed_of, of_changes
from engines.backend.ceilings.curve import working_set_of
from workbench.run.frames import Frame, FrameRequest, Mailbox, Message, Outbox, Reading, Rewound, RunState, Sample
from workbench.run.meters import Meters
from workbench.run.observer import Audience, Observer
from workbench.run.orders import Orders
from workbench.run.pacing import LONGEST_BATCH_SECONDS, LONGEST_REST_SECONDS, Pacer
from workbench.run.states.controls import Controls, RefusedChange
from workbench.run.states.fitting import go_on
from workbench.run.states.history import History, KeptState, Mark
from workbench.run.strokes import Strokes, TakenBack
from workbench.run.viewing import FrameSource
from workbench.words.failures import as_sentence
from workbench.words.units import time_text

T = TypeVar("T")
Build = Callable[[Backend, Progress], Simulation]


class _BuildingStopped(Exception):
    """Raised through the engine's ``build`` when the run is closed meanwhile."""


class Runner(Orders):
    """Runs one simulation on one worker thread.

    ``make_backend`` and ``build`` are called on the worker; ``until`` is in the engine's time unit, None
    for open end; the run stops at the step nearest to it. ``pace`` is the simulated time per second that it keeps
    to, None for as fast as it can; both may be set at any time. ``resume_from`` is a state to continue from, with
    the live parameters ``set_later``.
    ``can_reset`` keeps the initial state on the host, which takes as much memory as the state itself; ``checkpoints``
    is how many states on the way are kept there at most, to :meth:`rewind` to.
    The runner starts in BUILDING, and goes on to RUNNING at once if ``autostart``.
    """

    def __init__(
        self,
        make_backend: Callable[[], Backend],
        build: Build,
        *,
        time_unit: str,
        until: float | None = None,
        pace: float | None = None,
        probes: Sequence[tuple[str, int]] = (),
        observers: Sequence[Observer] = (),
        autostart: bool = False,
        resume_from: Mapping[str, Array] | None = None,
        set_later: Mapping[str, Any] = MappingProxyType({}),
        can_reset: bool = True,
        checkpoints: int = 0,
        noticed: tuple[Finding, ...] = (),
    ) -> None:
        super().__init__(RunState.RUNNING if autostart else RunState.READY)
        self._source = FrameSource(self.say)
        self.frames: Mailbox[Frame] = self._source.frames
        self.time_unit = time_unit
        self.until = until
        self.pace = pace
        self.info: SimulationInfo | None = None
        self.error: WorkbenchError | None = None
        self.failure: BaseException | None = None
        """What nobody expected and ``error`` puts in a sentence: its traceback helps whoever mends it."""
        self.rescued: KeptState | None = None
        """Of a run that failed in the middle of a step, or with its device: the last state that was kept before."""
        self.device = ""
        """The device that it has opened, as ``open_backend`` names it."""
        self.progress: tuple[str, float] = ("", 0.0)
        self._make_backend = make_backend
        self._build = build
        self._probes = list(probes)
        self._audience = Audience(observers)
        self._resume_from, self._set_later = resume_from, set_later
        self._can_reset = can_reset
        self._samples: Outbox[Sample] = Outbox(4096)
        self._messages: Outbox[Message] = Outbox(4096)
        self._pacer = Pacer()
        self.ended = False
        """Whether the problem has come to an end of its own: there is nothing left to run, whatever ``until`` says."""
        self.ending = ""
        """Why it has, where there is something to say."""
        self.noticed = noticed
        """What the simulation says of its answers, while the run stands where it was to end; before the first step what
        its owner knows."""
        self._of_changes: tuple[Finding, ...] = ()
        """What live changes made of the answers: it holds while the run goes on."""
        self._beyond = ""
        self._initial: dict[str, Array] = {}
        self._controls = Controls()
        self._strokes = Strokes(self.say)
        self._stepping = False  # what the simulation holds is no state of the problem
        self._history = History(checkpoints, self.say)
        self._thread = threading.Thread(target=self._work, name="workbench-runner", daemon=True)
        self._thread.start()

    # What others ask of the run; each returns at once.

    @property
    def alive(self) -> bool:
        """Whether the worker thread still lives."""
        return self._thread.is_alive()

    @property
    def state_bytes(self) -> int:
        """Of a state, where the one of the start is known; else 0."""
        return sum(values.nbytes for values in self._initial.values())

    def reset(self) -> Future[None]:
        """Back to the initial state; the run is READY."""
        if not self._can_reset:
            raise ProblemError("This run keeps no initial state to go back to: start it anew.")
        with self._condition:
            self._want(RunState.READY)
            return self.post(self._reset)

    @property
    def marks(self) -> tuple[Mark, ...]:
        """Where :meth:`rewind` can go to, in the order of time."""
        return self._history.marks

    def rewind(self, step: int) -> Future[Rewound]:
        """Back (or forth) to the checkpoint at ``step``; the run is PAUSED there, with its live parameters as they are.

        Going on from there leaves the branch that the run was on: its later checkpoints are forgotten then.
        """
        with self._condition:
            self._want(RunState.PAUSED)
            return self.post(lambda simulation: self._rewind(simulation, step))

    def watch(self, request: FrameRequest | None) -> None:
        """Ask for frames; a frame that answers follows at once also while paused."""
        with self._condition:
            self._source.request = request
            self._condition.notify_all()

    def set_probes(self, probes: Sequence[tuple[str, int]]) -> Future[Reading | None]:
        """Follow these (label, element) from now on; what they read now, unless the run has yet to begin."""
        wanted = list(probes)
        return self.post(lambda simulation: self._follow(simulation, wanted))

    def set_control(self, name: str, value: Any) -> Future[None]:
        """Change a live parameter between two batches; it stays changed after :meth:`reset`.

        Where the simulation does not know it as one, the error names who can mend that. Where this run cannot take it,
        the future alone says so.
        """
        return self.post(lambda simulation: self._change(simulation, name, value))

    def paint(self, stroke: int, dabs: Sequence[Dab]) -> Future[None]:
        """Go on with the stroke of this number, which whoever paints gives it."""
        wanted = tuple(dabs)
        return self.post(lambda simulation: self._strokes.paint(simulation, stroke, wanted))

    def take_back(self, stroke: int) -> Future[TakenBack]:
        return self.post(lambda simulation: self._strokes.take_back(simulation, stroke))

    def paint_again(self, stroke: int) -> Future[None]:
        """One that was taken back."""
        return self.post(lambda simulation: self._strokes.again(simulation, stroke))

    def take_samples(self) -> list[Sample]:
        """The samples since the last call (the newest 4096 of them)."""
        return self._samples.take()

    def take_messages(self) -> list[Message]:
        return self._messages.take()

    def say(self, text: str, severity: Literal["info", "warning", "error"] = "info") -> None:
        """A line for the log."""
        self._messages.put(Message(text, severity))

    def join(self, timeout: float | None = None) -> None:
        """Wait until the worker has ended (after :meth:`close`, or a failure)."""
        if threading.current_thread() is not self._thread:
            self._thread.join(timeout)

    def leave(self) -> None:
        """Nobody looks any more: a run of this process ends with that."""
        self.close()

    def close(self, timeout: float = 30.0) -> None:
        """Stop within a batch, let the observers write, free the device, end the thread. What is being built has
        nothing to write, and may never look up: it is waited for a tenth of that."""
        self._want(RunState.CLOSED)
        self.join(timeout / 10 if self._state is RunState.BUILDING else timeout)

    # The worker thread.

    def _work(self) -> None:
        simulation: Simulation | None = None
        backend: Backend | None = None
        try:
            backend = self._make_backend()
            self.device = backend.id
            if backend.chosen:
                self.say(backend.chosen)
            self._report("Building", 0.0)
            simulation = self._build(backend, self._report)
            self._present(simulation, backend)
            with backend.held():
                self._loop(simulation)
        except _BuildingStopped:
            pass
        except BaseException as error:  # the last line of defence: whatever happens (even SystemExit) ends the run only
            self._fail(error)
        finally:
            self._end(simulation, backend)

    def _present(self, simulation: Simulation, backend: Backend) -> None:
        """Make the new simulation known to those who watch."""
        check_declared(simulation)
        self._audience.check(simulation)
        self._report("Measuring the device", 1.0)
        backend.ceilings()
        self._initial = simulation.state() if self._can_reset else {}
        if self._resume_from is not None:
            go_on(simulation, self._resume_from, self._initial or simulation.state())
            for name, value in self._set_later.items():
                self._controls.change(simulation, name, value)
            self._heed(simulation)
            self._resume_from = None
            self.say(f"Goes on from {time_text(simulation.time, self.time_unit)}.")
            if self._is_at_end(simulation):  # what was told of its end when it came there holds still
                self._tell_end(simulation)
        ceiling = backend.ceiling_over(working_set_of(simulation.traffic))
        warn = partial(self.say, severity="warning")
        self._meters = Meters(simulation, ceiling, self._probes, profiles=self._audience.wants_profiles, warn=warn)
        self.info = SimulationInfo.of(simulation, self.time_unit, backend, ceiling)
        self._audience.begin(simulation, self.info)
        self._audience.followed(self._probes)
        self._set_state(RunState.READY)

    def _loop(self, simulation: Simulation) -> None:
        while True:
            with self._condition:
                while not self._has_work():
                    # Due or not is asked only once, above: a run that goes must not wait for a call that never comes.
                    self._condition.wait(min(self._pacer.rest, LONGEST_REST_SECONDS) if self._is_going() else None)
                if self._wanted is RunState.CLOSED:
                    break
                calls = list(self._calls)
                self._calls.clear()
            for call, future in calls:
                self._carry_out(call, future, simulation)
            if self._begin_batch(simulation):
                self._batch(simulation)
            self._settle(simulation)
            self._source.answer(simulation, resting=self._state is not RunState.RUNNING)
        if isinstance(simulation, Traced) and simulation.step > self._meters.latest:  # each step is recorded
            self._meters.collect(simulation)
            self._audience.sampled(self._meters.sample(simulation, 0, 0.0, None))

    def _has_work(self) -> bool:
        wanted = self._wanted
        return bool(
            self._calls
            or wanted is RunState.CLOSED
            or (wanted is RunState.RUNNING and not self._is_ahead())
            or (wanted is RunState.PAUSED and self._state is RunState.RUNNING)
            or self._source.is_asked
        )

    def _is_ahead(self) -> bool:
        """Whether a run that keeps a pace has to wait for its next batch."""
        return self.pace is not None and self._is_going() and self._pacer.rest > 0

    def _is_going(self) -> bool:
        return self._wanted is RunState.RUNNING and self._state is RunState.RUNNING

    def _steps_per_second(self, simulation: Simulation) -> float:
        return math.inf if self.pace is None else self.pace / simulation.dt

    def _begin_batch(self, simulation: Simulation) -> bool:
        with self._condition:
            if self._wanted is not RunState.RUNNING or self._is_ahead():
                return False
            if self._steps_wanted is not None:
                self._stop_step, self._steps_wanted = simulation.step + self._steps_wanted, None
            rested = self._state is not RunState.RUNNING
            self._set_state(RunState.RUNNING)
        if rested and not self._is_at_end(simulation):
            simulation.forget_end()
        return True

    def _batch(self, simulation: Simulation) -> None:
        """Steps for about one frame, sampled on the way, stopped exactly where somebody wants to look."""
        self._audience.show(simulation)
        first, started = simulation.step, clock.perf_counter()
        goal = self._goal(first, simulation)
        if goal > first:
            self.noticed = self._of_changes
            self._history.forget_after(first)
            self._stepping = True
            self._take_steps(simulation, goal, started)
            simulation.synchronize()
            self._stepping = False
            steps, wall = simulation.step - first, clock.perf_counter() - started
            if not steps:  # the problem was at its end
                return
            self._pacer.took(steps, wall, self._steps_per_second(simulation))
            paced = 1.0 / self._steps_per_second(simulation)
            sample = self._meters.sample(simulation, steps, wall, self._last_step(simulation), paced)
            self._samples.put(sample)
            self._audience.sampled(sample)
            if (bad := simulation.non_finite()) is not None:
                raise InstabilityError(bad.told(simulation.step))
            if simulation.beyond is not None and self._beyond != (told := simulation.beyond.told_beyond()):
                self._beyond = told
                self.say(told, "warning")
            self._history.ran(simulation, max(wall, paced * steps))
            self._audience.show(simulation)

    def _goal(self, step: int, simulation: Simulation) -> int:
        """The step at which this batch ends; the present one if there is nowhere to go."""
        if simulation.finished:
            return step
        ends = (self._last_step(simulation), self._stop_step)
        whole = simulation.whole_batch
        goals = [
            -(-(step + self._pacer.steps(self._steps_per_second(simulation))) // whole) * whole,
            *(end for end in ends if end is not None),
            *self._audience.wishes(step),
        ]
        return max(step, min(goals))

    def _last_step(self, simulation: Simulation) -> int | None:
        return None if math.isinf(steps := (self.until or math.inf) / simulation.dt) else max(1, round(steps))

    def _take_steps(self, simulation: Simulation, goal: int, started: float) -> None:
        every, last = simulation.sample_steps, self._last_step(simulation)
        if simulation.step == 0 and not self._meters.collected:
            self._meters.collect(simulation)
        while simulation.step < goal:
            before = simulation.step
            asked = min(goal, (before // every + 1) * every) - before
            simulation.advance(asked)
            finished = simulation.finished
            check_taken(simulation, before, asked, finished)
            if simulation.step > before and (simulation.step % every == 0 or finished or simulation.step == last):
                self._meters.collect(simulation)
            late = clock.perf_counter() - started > LONGEST_BATCH_SECONDS
            if finished or late or self._wanted is not RunState.RUNNING:
                break

    def _settle(self, simulation: Simulation) -> None:
        """Come to rest where the run was to end, or was told to."""
        with self._condition:
            if self._state is not RunState.RUNNING:
                return
            if self._wanted is RunState.RUNNING:
                if self._is_at_end(simulation):
                    self._tell_end(simulation)
                    self._want(RunState.FINISHED)
                elif self._stop_step is not None and simulation.step >= self._stop_step:
                    self._want(RunState.PAUSED)
            if self._wanted in (RunState.PAUSED, RunState.FINISHED):
                self._set_state(self._wanted)

    def _is_at_end(self, simulation: Simulation) -> bool:
        last = self._last_step(simulation)
        return simulation.finished or (last is not None and simulation.step >= last)

    def _tell_end(self, simulation: Simulation) -> None:
        """Why the run has ended and what is to be known of its answers: in the log what has not been told yet."""
        known, self.ended = self.ended, simulation.finished
        if self.ended and not known and simulation.ending:
            self.ending = simulation.ending
            self.say(self.ending)
        before, self.noticed = self.noticed, noticed_of(simulation)
        for finding in self.noticed:
            if finding not in before and finding.message != self._beyond:
                self.say(finding.message, finding.severity)

    def _carry_out(self, call: Callable[[Simulation], T], future: Future[T], simulation: Simulation) -> None:
        if not future.set_running_or_notify_cancel():
            return
        try:
            result = call(simulation)
            self.ended = self.ended and simulation.finished  # a live change may free what had come to its end
            future.set_result(result)
        except Exception as error:
            future.set_exception(error)
            if isinstance(error, DeviceError) or call == self._reset:
                raise  # the simulation is in no state to go on
            if isinstance(error, RefusedChange):
                return
            self.say(str(error) if isinstance(error, WorkbenchError) else f"{type(error).__name__}: {error}", "error")

    def _follow(self, simulation: Simulation, probes: Sequence[tuple[str, int]]) -> Reading | None:
        reading = self._meters.read_at(simulation, probes)
        self._audience.followed(probes)
        return reading

    def _change(self, simulation: Simulation, name: str, value: Any) -> None:
        self._controls.change(simulation, name, value)
        self._heed(simulation)
        self._audience.changed(name, value)

    def _heed(self, simulation: Simulation) -> None:
        """In the log once, for a slider that is pulled changes the figures only."""
        before, self._of_changes = self._of_changes, of_changes(simulation)
        for finding in () if before else self._of_changes:
            self.say(finding.message, finding.severity)
        others = (each for each in self.noticed if each not in (*before, *self._of_changes))
        self.noticed = (*self._of_changes, *others)

    def _reset(self, simulation: Simulation) -> None:
        simulation.restore(self._initial)
        self.ended, self.noticed = False, ()
        self._controls.set_again(simulation)
        self._heed(simulation)
        self._samples.take()
        self.frames.take()
        self._strokes.clear()
        self._history.clear()
        self._meters.forget()
        self._audience.restarted(simulation)
        self._set_state(RunState.READY)

    def _rewind(self, simulation: Simulation, step: int) -> Rewound:
        state = self._history.state(step)
        self._history.keep(simulation)  # so that a person can come back to where the run was
        before = self._samples.take()
        simulation.restore(state)
        self._controls.set_again(simulation)
        self._meters.forget()
        self._audience.rewound(simulation)
        self.ended, self.noticed = simulation.finished, ()
        self._heed(simulation)
        self._set_state(RunState.PAUSED)
        return Rewound(simulation.step, simulation.time, tuple(before))

    def _report(self, message: str, fraction: float) -> None:
        self.progress = (message, fraction)
        if self._wanted is RunState.CLOSED:
            raise _BuildingStopped

    def _fail(self, error: BaseException) -> None:
        known = as_sentence(error)
        if known is not error:
            known.torn = known.torn or self._stepping
            if not isinstance(known, DeviceError):  # of which the sentence says all
                self.failure = self.failure or error
            self.say("".join(traceback.format_exception(error)), "info")
        self.say(str(known), "error")
        self.error = self.error or known

    def _end(self, simulation: Simulation | None, backend: Backend | None) -> None:
        """Let the observers write, free the device, leave nobody waiting; each whatever the others raise."""
        reached = RunState.FINISHED if self._state is RunState.FINISHED else RunState.CLOSED
        if self.error is not None and self.error.torn:
            self.rescued = self._history.newest
        if simulation is not None:

            def finish(observer: Observer) -> None:
                state = RunState.FAILED if self.error else reached
                self._guarded(lambda: observer.finish(simulation, state, self.error))

            self._audience.dismiss(finish)
            self._guarded(simulation.close)
        if backend is not None:
            self._guarded(backend.close)
        with self._condition:
            for _, future in self._calls:
                future.cancel()
            self._calls.clear()
            self._initial = {}
            self._history.clear()
            self._source.release()
            self._set_state(RunState.FAILED if self.error else RunState.CLOSED)

    def _guarded(self, call: Callable[..., None], *arguments: Any) -> None:
        try:
            call(*arguments)
        except Exception as error:
            self._fail(error)
