"""The only place that talks to a Runner: starts and stops runs, polls at 30 Hz, passes on what came.

The window never waits for the worker: everything asked of it returns at once, and a runner is closed on
another thread except at the very end of the application.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from concurrent.futures import Future
from typing import Any

from PySide6.QtCore import QObject, QTimer, Signal

from engines.api import SimulationInfo
from engines.api.errors import WorkbenchError
from ui.forms.validation import Path
from ui.session.model import DocumentModel
from ui.session.opening import Opening
from ui.session.paint.kept_paint import KeptPaint
from ui.session.paint.painting import Painting
from ui.session.running.ending import Ending
from ui.session.running.live import LiveChanges
from ui.session.running.phase import UNDER_WAY, Phase, phase_of
from ui.session.running.progress import Progress
from ui.session.running.rewinding import Rewinding
from ui.session.running.viewers import Viewers
from ui.session.services import Services
from ui.widgets.background import Background
from workbench.remote.runner import SPEAKS, AnyRunner, RemoteRunner
from workbench.remote.streams import LineLost
from workbench.run.frames import Message, Reading, RunState
from workbench.run.states.history import KeptState
from workbench.run.streams.curves import Curves, drawn_until

TICK_MILLISECONDS = 33
AS_BEGUN = "This run goes on with the values it began with; Reset takes the new ones."
SAMPLE_TICKS = 3
"""Meters and traces at most every third tick, 10 Hz: with a frame, so that the window is painted once for both, unless
none comes for as long again."""


class Controller(QObject):
    """Runs the document of a :class:`DocumentModel`."""

    phase_changed = Signal(str)
    info_changed = Signal(object)
    """SimulationInfo of the built problem, or None."""
    frame_arrived = Signal(object)
    samples_arrived = Signal(list)
    """At most ten times a second; the samples since the last time."""
    probes_read = Signal(object)
    """What probes read that were placed while the run stands."""
    curves_found = Signal(object)
    """What had been drawn of the run that goes on here: :data:`workbench.run.streams.curves.Curves`."""
    restarted = Signal()
    """Time is zero again: traces and history are void."""
    message = Signal(object)
    problem = Signal(str)
    """One sentence for the banner: something is wrong."""
    broke_off = Signal(object)
    """The runner of a run that a device has ended, or an error that nobody expected; after :attr:`problem`."""
    cut_off = Signal(object)
    """The error of a line that is lost, over which a run was to begin; after :attr:`problem`."""
    noticed = Signal(tuple)
    """The findings of the run that stands at its end, one that was reopened there too; of another there are none."""
    refused_field_asked = Signal()
    """No run begins before a text in the form, or that of its pace or end, is a value: who has it leads to it."""
    hint = Signal(str)
    """One sentence for the banner: something to know."""
    alarm = Signal(str)
    """What a run says that goes on, though something is wrong beside its answers."""
    progressed = Signal(str, float)
    """What is being built and how far; an empty text when nothing is."""

    def __init__(
        self, model: DocumentModel, services: Services, background: Background, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self.model = model
        self.services = services
        self.background = background
        self.runner: AnyRunner | None = None
        self.phase = Phase.EMPTY
        self.info: SimulationInfo | None = None
        self.curves: Callable[[], Curves] = dict
        """What was drawn of the run."""
        self.time = 0.0
        self._stale = self._other_values = False
        self._reading: Future[Reading | None] | None = None
        self._resetting: Future[None] | None = None
        self.is_frame_due: Callable[[], bool] = lambda: True
        """Whether a frame that came now would be drawn: a run need not make those that are not."""
        self._ticks = 0  # since samples were passed on
        self._samples: list[Any] = []
        self._reported = False
        self.closed = False
        self._built_for: tuple[Any, bool] = (None, False)  # the geometry of the run, and whether it was told to start
        self.painting = Painting(lambda: self.runner, model.undo_stack, self)
        self.rewinding = Rewinding(self)
        self.ending = Ending(self)
        self._why = ""
        self.progress = Progress(self)
        self.viewers = Viewers(lambda: self.runner, self)
        self.live = LiveChanges(model, lambda: self.runner, self)
        self.live.refused.connect(self._live_change_refused)
        self.live.held_back.connect(self._live_change_held_back)
        self.kept_paint = KeptPaint(self)
        self.opening = Opening(self)
        self._timer = QTimer(self)
        self._timer.setInterval(TICK_MILLISECONDS)
        self._timer.timeout.connect(self._tick)
        model.replacing.connect(self._keep_curves)
        model.opened.connect(self._document_opened)
        model.changed.connect(self._document_changed)

    # Runs.

    @property
    def locked(self) -> bool:
        """Whether parameters that are not live wait for a reset."""
        return self.phase in (Phase.RUNNING, Phase.PAUSED, Phase.FINISHED)

    @property
    def stale(self) -> bool:
        """Whether parameters, or the device, were changed that the run began with."""
        return self._stale

    @property
    def is_of_other_values(self) -> bool:
        """Whether the problem is another than the run's, which is kept under what it began with."""
        return self._other_values and self.keeps_its_time

    @property
    def away(self) -> bool:
        """Whether the run is on another machine."""
        return isinstance(self.runner, RemoteRunner)

    @property
    def keeps_its_time(self) -> bool:
        """Whether it has come further than zero here, where it is kept under its problem."""
        return not self.away and self.info is not None and self.time > 0

    @property
    def ends_with_window(self) -> bool:
        """Whether the run does: elsewhere one beside the window without an end, of which nobody would think any
        more."""
        place = self.services.place
        beside = place is not None and place.beside
        return not self.away or (beside and self.runner is not None and self.runner.until is None)

    def await_reset(self) -> None:
        """What the run began with is no longer what the next one will begin with."""
        self._stale = True

    def build(self, autostart: bool = False, kept: KeptState | None = None, since: tuple[Path, ...] = ()) -> None:
        """Begin a new run of the document as it is now, where the old one was ``kept`` if it was, with the live values
        that were set ``since``, or all that were; that ends."""
        if self.model.document is None or self.closed:  # what was still on its way when the window closed begins none
            return
        if not self.model.valid:
            self.problem.emit(self.model.first_error())
            return
        state, curves = (None, {}) if kept is None else (kept.state, drawn_until(kept.mark.time, self.curves()))
        since = since if kept is None else self.live.sent
        document = self.live.before(since, self.model.snapshot())
        self.drop_runner()
        try:
            self.runner = self.services.start(document, autostart and not since, state, curves, self.live.lost)
        except WorkbenchError as error:
            self.fail(error)
            if isinstance(error, LineLost):
                self.cut_off.emit(error)
            return
        self._built_for = (self.model.geometry, autostart)
        self._stale = self._other_values = False
        self.live.unsent, self.live.lost = set(), ()
        self.live.begin(document)
        if since:
            self.live.send(*since)
            if autostart:
                self.runner.run()
        self._reported = False
        self.progress.begin()
        self._set_phase(Phase.BUILDING)
        self._timer.start()

    def run(self) -> None:
        """Run, go on, or build and run."""
        if self.phase in (Phase.EMPTY, Phase.RUNNING):
            return
        if self.rewinding.go_on_after():
            return
        if not self.locked and self.is_held_up():
            return
        if self.runner is None or self._needs_build():
            self.build(autostart=True)
        elif self.phase is Phase.FINISHED and self.ending.reached:
            self.start_over()
        else:
            self.runner.run()
        self._timer.start()

    def start_over(self) -> None:
        """From zero, whatever the run has come to."""
        if self.is_held_up():
            return
        self.reset()
        if self.runner is not None:
            self.runner.run()
            self._timer.start()

    def is_held_up(self) -> bool:
        """Whether a field shows what is no value, which is said: a run would begin with another."""
        refused = self.model.refused()
        if refused:
            self.problem.emit(refused)
            self.refused_field_asked.emit()
        return bool(refused)

    @property
    def is_over(self) -> bool:
        """Whether Run has nowhere to go, whether the run was taken there here, elsewhere, or before."""
        rests = self.phase in (Phase.READY, Phase.PAUSED, Phase.FINISHED)
        return rests and self.ending.reached and not self._needs_build() and not self.rewinding.pending

    def pause(self) -> None:
        if self.runner is not None:
            self.runner.pause()

    def toggle(self) -> None:
        """The space key."""
        if self.phase is Phase.RUNNING:
            self.pause()
        else:
            self.run()

    @property
    def leaves_earlier(self) -> bool:
        """Whether Run would begin anew in the place of a run of an earlier session, since something was changed."""
        return self._is_of_earlier and self._stale and self.model.valid

    @property
    def _is_of_earlier(self) -> bool:
        return self.phase is Phase.READY and self.time > 0

    def go_on_as_it_was(self, steps: int | None = None) -> None:
        """With what the run began with, whatever was changed since; ``steps``: take so many and pause."""
        if self.runner is not None:
            self.hint.emit(AS_BEGUN)
            if steps is None:
                self.runner.run()
            else:
                self.runner.advance(steps)
            self._timer.start()

    def step(self, steps: int = 1) -> None:
        """Take ``steps`` steps and pause; builds first if need be."""
        if self.phase is Phase.EMPTY or self.rewinding.pending:
            return
        self.model.wanted.emit()
        if self.is_over:
            self.ending.tell_reached()
            return
        if not self.locked and self.is_held_up():
            return
        if self.runner is None or self._needs_build():
            self.build()
        if self.runner is not None:
            self.runner.advance(steps)
            self._timer.start()

    def reset(self) -> None:
        """Back to time zero, with the parameters as they are in the form now."""
        if self.runner is None:
            return
        self.model.wanted.emit()
        if self._stale or self.phase is Phase.FAILED:
            before = self.runner
            self.build()
            if self.runner is before:  # the form has a mistake, which was said: the run stays as it is
                return
            self._begin_anew()
            return
        resetting, locked = self.runner.reset(), self.locked
        self._begin_anew()
        self._resetting = resetting
        if locked:
            self._set_phase(Phase.READY)  # for the person at once; the worker ends its batch first

    def stand_at(self, time: float, samples: Iterable[Any]) -> None:
        """The run was rewound to ``time``; ``samples`` had not been taken before."""
        taken, self._samples = [*self._samples, *samples], []
        if taken:
            self.samples_arrived.emit(taken)
        self.time = time

    def drop_runner(self) -> None:
        """Let go of the present run; it ends on another thread."""
        runner, self.runner = self.runner, None
        self.live.forget()
        self.viewers.forget()
        self._resetting = None
        if runner is not None:
            self.background.submit("runs", runner.close)
        if self.info is not None:
            self.info = None
            self.info_changed.emit(None)
        self._begin_anew()

    def _keep_curves(self) -> None:
        """Another problem opens, or the window closes: what the run has drawn is kept with where it stands."""
        if self.runner is not None:
            self.services.keep_curves(self.runner, self.model.snapshot(), self.curves())

    def close(self) -> None:
        """Stop the timer and the worker; blocks until the worker has written what it has. A run elsewhere goes on,
        unless it :attr:`ends_with_window`: then it is kept where it stands."""
        self.closed = True
        self._timer.stop()
        self._keep_curves()
        self.painting.forget()
        away, runner, ends = self.away, self.runner, self.ends_with_window
        self.runner = None
        if runner is not None:
            (runner.close if ends else runner.leave)()
            self.background.held_up = runner.alive and not away

    def _begin_anew(self) -> None:
        self._samples.clear()
        self._reading = self._resetting = None
        self.painting.forget()
        self.rewinding.forget()
        self.time = 0.0
        self.restarted.emit()

    # What comes from outside.

    def _document_opened(self) -> None:
        self.drop_runner()
        self.viewers.watch(None)
        self._stale = self._other_values = False
        self._set_phase(Phase.EMPTY if self.model.document is None else Phase.IDLE)
        if self.model.document is not None:
            self.build()

    def _document_changed(self, path: Path) -> None:
        match path[0]:
            case "parameters" if self.model.is_live(path) and not self._waits():
                if self.runner is not None and (kept_back := self.live.change(path)):
                    self.hint.emit(kept_back)
            case "parameters":
                self._stale = self._other_values = True
                if self.locked:
                    self.hint.emit(AS_BEGUN)
                elif not self._is_of_earlier:
                    self._make_way()
            case "probes":
                self._place_probes()
            case "run" if path[-1] == "device":
                self._stale = True
            case "run" if self.runner is not None:
                assert self.model.document is not None
                self.runner.until = self.model.document.project.run.until
                self.runner.pace = self.model.document.project.run.pace
                if path[-1] == "until" and self.phase in UNDER_WAY:
                    self.ending.tell_moved()

    def _live_change_refused(self, sentence: str) -> None:
        self._stale = True
        if not self._waits():
            self.hint.emit(f"{sentence}; Reset begins anew with what stands there.")

    def _live_change_held_back(self) -> None:
        if self._reported:
            self.broke_off.emit(self.runner)  # the question says so from now on

    def _make_way(self) -> None:
        """A run on another geometry than the document has now, of which no step was taken, makes way for a preview; so
        does one that could not begin, with what was said of it; not one that goes on beyond a line that was lost."""
        error = None if self.runner is None else self.runner.error
        torn = error is not None and error.torn
        if self.phase is Phase.FAILED and not self.progress.stepped and not torn and self.model.valid:
            self.drop_runner()
            self.problem.emit("")
            self.tell_idle()
            self._set_phase(Phase.IDLE)
            return
        geometry, starting = self._built_for
        document = self.model.document
        if self.runner is not None and not starting and document is not None and self.model.geometry is not geometry:
            self.drop_runner()
            self.tell_idle()
            self._set_phase(Phase.IDLE)

    def _place_probes(self) -> None:
        """Follow the document's probes, on the geometry of the run; once it is built, if it is not yet."""
        document, info = self.model.document, self.info
        if self.runner is not None and document is not None and info is not None:
            probes = document.project.probes
            places = [(probe.name, self.services.locate(info.geometry, probe.position)) for probe in probes]
            self._reading = self.runner.set_probes(places)

    def _needs_build(self) -> bool:
        return self.phase in (Phase.IDLE, Phase.FAILED) or self._waits()

    def _waits(self) -> bool:
        """Whether the present run makes way for another at Run: it may not know what is live in the problem now."""
        return self._stale and self.phase in (Phase.READY, Phase.BUILDING)

    def fail(self, error: BaseException) -> None:
        self.tell_idle()
        known = isinstance(error, WorkbenchError)
        text = str(error) if known else f"Something unexpected happened ({type(error).__name__}: {error})."
        self.message.emit(Message(text, "error"))
        self.problem.emit(text)

    # The tick.

    def _tick(self) -> None:
        runner = self.runner
        if runner is None:
            self._timer.stop()
            return
        resetting = self._is_resetting(runner)
        state = RunState.READY if resetting else runner.state
        for message in runner.take_messages():
            self.message.emit(message)
            if message.text == SPEAKS:
                self.hint.emit(message.text)
            elif message.severity == "warning" and all(message.text != each.message for each in runner.noticed):
                self.alarm.emit(message.text)
        if state is RunState.BUILDING:
            self.progress.follow_building(runner)
        elif self.info is None and runner.info is not None:
            self._built(runner)
        self.live.follow()
        self.painting.follow()
        self.rewinding.follow(runner)
        running = state is RunState.RUNNING
        frame = runner.frames.take() if not resetting and (not running or self.is_frame_due()) else None
        if frame is not None and self.info is not None:
            self.frame_arrived.emit(frame)
        self._samples.extend(() if resetting else runner.take_samples())
        self.progress.follow_first_step(running=running, arrived=bool(self._samples))
        self._ticks += 1
        due = self._ticks >= (SAMPLE_TICKS if frame is not None else 2 * SAMPLE_TICKS)
        if self._samples and (due or not running):
            taken, self._samples, self._ticks = self._samples, [], 0
            self.time = taken[-1].time
            self.samples_arrived.emit(taken)
        if state is not RunState.RUNNING and self._reading is not None and self._reading.done():
            answer, self._reading = self._reading, None
            reading = None if answer.cancelled() or answer.exception() else answer.result()
            if reading is not None:
                self.time = self.time or reading.time  # of a run that was taken there elsewhere, or before
                self.probes_read.emit(reading)
        self.noticed.emit(() if resetting else runner.noticed)
        self._set_phase(phase_of(state))  # after the samples: who hears of the phase sees the time it was reached at
        if state is RunState.FAILED and not self._reported:
            self._reported = True
            self.tell_idle()
            self.problem.emit(str(runner.error))
            if runner.error is not None and runner.error.torn:
                self.broke_off.emit(runner)

    def _is_resetting(self, runner: AnyRunner) -> bool:
        """Whether the worker has yet to come to a reset: what still comes of the run before it is passed over."""
        if self._resetting is None or self._resetting.done():
            self._resetting = None
            return False
        runner.take_samples()
        runner.frames.take()
        return runner.alive

    def tell_idle(self) -> None:
        self.progressed.emit("", 0.0)

    def _built(self, runner: AnyRunner) -> None:
        self.info = runner.info
        self.progress.built()
        self._place_probes()
        self.info_changed.emit(self.info)
        curves = self.services.earlier_curves(runner)
        if curves:
            self.curves_found.emit(curves)

    def _set_phase(self, phase: Phase) -> None:
        why = self.ending.why if phase is Phase.FINISHED else ""
        if (phase, why) != (self.phase, self._why):  # a short run is through before anybody saw it go on
            self.phase, self._why = phase, why
            self.phase_changed.emit(phase.value)
