"""A run that a window elsewhere looks at: its runner, what it is of, and the curves that it has drawn so far."""

from __future__ import annotations

import threading
import time as clock
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from dataclasses import replace
from typing import Any

from engines.api.errors import ProblemError, WorkbenchError
from workbench.api.editing import edited, value_called
from workbench.api.names import UnknownNameError
from workbench.project.document import Document
from workbench.project.parameter_files import named_files
from workbench.remote import messages as m
from workbench.remote.checking import check_attached, check_elements, check_request
from workbench.remote.codec import Raw, pack, unpack
from workbench.remote.packing import geometry_told, with_changes, with_probes
from workbench.remote.questions import LONG, QUESTIONS, Reset, Rewind, SetControl, SetProbes, TakeTimings, asked
from workbench.run import session
from workbench.run.frames import BEGUN, FrameRequest, Rewound, RunState
from workbench.run.states.checkpoint import Checkpoint
from workbench.run.states.history import MOST
from workbench.run.states.memory import RunMemory, missing_curves, remembered_curves, remembered_last, set_later
from workbench.run.states.taken import TakeResults
from workbench.run.streams.traces import TraceStore
from workbench.run.timing_log import TimingObserver
from workbench.words.units import clock_text

TELL_SECONDS = 1 / 15
"""Between two tellings of a run that goes on as before: a window draws hardly more pictures."""
MOST_ON_THE_WAY = 8
"""Of the live values that were sent before a line was lost, the last ones, with which the run may have been kept."""
STILL_SECONDS = 2.0
"""After so long a window is told what it knows: that this side is still there."""


class Hosted:
    """See the module. Raises ProblemError where the problem has no run."""

    def __init__(self, start: m.Start, document: Document, near: bool = False) -> None:
        self.run, self.problem, self.document = start.run, start.problem, document
        kept: Checkpoint | None = None
        if start.kept and start.state is None:
            document, kept = remembered_last(
                [document, *list(_with_first(document, start.on_the_way))[-MOST_ON_THE_WAY:]]
            )
            self.document = document
        self._parameters = document.parameters
        self._changed: dict[str, None] = {}
        """Names of live parameters that were changed since the run began."""
        check_attached(None, None, start.curves)
        self._autostart, settings = start.autostart, document.project.run
        self._before = {} if kept is None else remembered_curves(kept, document)
        self._timing, memory = TimingObserver(), RunMemory(document, self._before or start.curves)
        memory.kept = None if kept is None else kept.meta.time
        self._memory = memory
        self.runner = session.start(
            document,
            settings.device,
            (self._timing, memory),
            autostart=start.autostart,
            pace=settings.pace,
            resume_from=start.state if kept is None else kept.state,
            state_of=start.state_of if kept is None else kept.meta.device,
            set_later={} if kept is None else set_later(kept, document),
            checkpoints=MOST,
        )
        memory.say, memory.rescued = self.runner.say, lambda: self.runner.rescued
        if kept is not None and (missing := missing_curves(kept, self._before, document.time_unit)):
            self.runner.say(missing, "warning")
        self._store = TraceStore()
        self._store.put(self._before or start.curves)
        self._followed: tuple[tuple[str, int], ...] | None = None
        """Probes that a window has set, and their elements; None: they are those of the problem."""
        self._told: m.News | None = None
        self._when = 0.0  # that was
        self._turn = 0
        self._lock = threading.Lock()
        """Of what is told in the order of time: samples before an answer that they are older than."""
        self._near, self._unseen = near, False
        """Whether the window is on this machine, and has yet to take the frame that went last."""
        self._parts: FrameRequest | None = None
        self._waiting: m.Watch | None = None

    @property
    def begun(self) -> bool:
        """Whether it has taken a step, or is about to."""
        state = self.runner.state
        return state in BEGUN or (self._autostart and state is RunState.BUILDING)

    def attached(self, near: bool = False) -> m.Attached:
        """For a window that has come; what it is told from then on begins anew."""
        with self._lock:
            self._near, self._unseen = near, False
            self._take()
            self._told = self._parts = self._waiting = None
            self._before, curves = {}, self._store.curves()
        run, problem = self.runner, self.problem
        if run.info is not None and self._followed is not None:
            problem = with_probes(problem, run.info.geometry, self._followed)
        problem = with_changes(problem, self._parameters, self._changed)
        return m.Attached(self.run, problem, curves, run.until, run.pace)

    def built(self) -> m.Built | None:
        info = self.runner.info
        if info is None:
            return None
        if self._waiting is not None:
            self.watch(self._waiting)
        return m.Built(self.run, replace(info, geometry=None), geometry_told(info.geometry), self._before)

    def tell(self, send: Callable[[m.News], None]) -> None:
        """``send`` what has come, if something has, and now and then without."""
        run, now = self.runner, clock.monotonic()
        with self._lock:
            said = tuple(run.take_messages())
            error = None if run.error is None else m.trouble_of(run.error)
            plain = m.News(
                self.run, run.state, run.progress, run.device, run.ended, run.ending, run.noticed, run.marks,
                None if run.rescued is None else run.rescued.mark, self._memory.kept, error, (), (),
            )  # fmt: skip
            changed = bool(said) or plain != self._told
            if not changed and now - self._when < TELL_SECONDS:
                return
            samples = self._take()
            if changed or samples or now - self._when > STILL_SECONDS:
                self._told, self._when = plain, now
                send(replace(plain, samples=samples, messages=said))

    def keep(self) -> None:
        """Nobody looks: curves go on."""
        with self._lock:
            self._take()

    @property
    def has_frame(self) -> bool:
        """Whether :meth:`frame` gives one."""
        return self.runner.frames.is_full and not (self._near and self._unseen)

    def frame(self) -> m.Shown | None:
        """The newest, if there is one that was not sent; for a window that is near, once it has seen the one before."""
        with self._lock:
            frame = self.runner.frames.take() if self.has_frame else None
            self._unseen = self._unseen or frame is not None
            return None if frame is None else m.Shown(self.run, self._turn, frame)

    def seen(self) -> None:
        """The window has taken the frame that went last."""
        self._unseen = False

    def watch(self, wanted: m.Watch) -> None:
        """Raises WireError where it asks for what there is not. Before the run is built it waits."""
        request, info = wanted.request, self.runner.info
        self._waiting = wanted if info is None else None
        if info is None:
            return
        if request is not None and wanted.same and self._parts is not None:
            request = replace(request, parts=self._parts.parts)
        if request is not None:
            check_request(request, info)
        self._parts = request
        self.runner.watch(request)

    def steer(self, wanted: m.Steer) -> None:
        if wanted.what == "run":
            self.runner.run()
        elif wanted.what == "pause":
            self.runner.pause()
        elif wanted.what == "advance":
            self.runner.advance(wanted.steps)

    def answer(self, ask: m.Ask, send: Callable[[m.Answer], None]) -> None:
        """``send`` it once it is there. Raises WireError where nobody knows what was asked, or it is not there."""
        kind = QUESTIONS.get(ask.kind)
        question = unpack(kind or type(None), ask.question.tree, ask.question.arrays)
        if isinstance(question, SetProbes | TakeResults) and self.runner.info is not None:
            places = question.probes if isinstance(question, SetProbes) else question.points
            check_elements([element for _, element in places], self.runner.info)
            self._followed = question.probes if isinstance(question, SetProbes) else self._followed
        if isinstance(question, TakeTimings):
            future: Future[Any] = self._timing.taken(self.runner)
        else:
            try:
                if isinstance(question, SetControl):
                    question = self._checked(question)
                future = asked(question, self.runner)
            except WorkbenchError as error:
                send(m.Answer(ask.number, self._turn, error=m.trouble_of(error)))
                return
        future.add_done_callback(lambda done: self._answered(ask.number, question, done, send))

    def _checked(self, change: SetControl) -> SetControl:
        """As the form has it: engines take what they are told. Raises ProblemError."""
        try:
            self._parameters = edited(self._parameters, {change.name: change.value})
        except UnknownNameError:  # which the run tells better
            return change
        self._changed[change.name] = None
        return SetControl(change.name, value_called(self._parameters, change.name))

    def _answered(self, number: int, question: Any, done: Future[Any], send: Callable[[m.Answer], None]) -> None:
        """On the run's thread, before it goes on."""
        with self._lock:
            if done.cancelled():
                send(m.Answer(number, self._turn, cancelled=True))
                return
            error = done.exception()
            if error is not None:
                send(m.Answer(number, self._turn, error=m.trouble_of(error)))
                return
            value = done.result()
            if isinstance(question, Reset | Rewind):
                self._turn += 1
                self.runner.frames.take()  # of before
                self._back_to(value)
            if isinstance(question, LONG):  # the run need not wait while megabytes are packed
                threading.Thread(target=self._send, args=(number, value, send), name="workbench-packing").start()
            else:
                self._send(number, value, send)

    def _send(self, number: int, value: Any, send: Callable[[m.Answer], None]) -> None:
        try:
            packed = pack(_without_geometry(value), not self._near)
        except TypeError as error:  # of an engine that somebody else wrote
            trouble = m.trouble_of(ProblemError(f"The answer cannot be sent to another machine: {error}."))
            send(m.Answer(number, self._turn, error=trouble))
        else:
            send(m.Answer(number, self._turn, Raw(packed.tree, tuple(packed.arrays))))

    def _back_to(self, rewound: Rewound | None) -> None:
        if rewound is None:
            self.runner.take_samples()
            self._store.clear()
        else:
            self._store.take(rewound.samples)
            self._store.rewind(rewound.time)

    def _take(self) -> tuple[Any, ...]:
        samples = tuple(self.runner.take_samples())
        if samples:
            self._store.take(samples)
        return samples

    def close(self) -> None:
        self.runner.close()

    @property
    def farewell(self) -> str:
        """What has become of it, once it is closed."""
        failure, kept = self._memory.failure, self._memory.kept
        if not failure:
            return m.STOPPED
        since = "begins at zero" if kept is None else f"can go on from {clock_text(kept, self.runner.time_unit)}"
        return f"{m.ENDED}its run could not be kept as it stood, and {since}. {failure}"


def _with_first(document: Document, changes: Sequence[tuple[str, Any]]) -> Iterator[Document]:
    """With the first of these live values, with the first two, up to all; those that its form takes."""
    for name, value in changes:
        try:
            parameters = edited(document.parameters, {name: value})
        except WorkbenchError:
            return
        if named_files(parameters) != named_files(document.parameters):  # no run takes another file
            return
        document = replace(document, parameters=parameters)
        yield document


def _without_geometry(value: Any) -> Any:
    """The other side has it."""
    return replace(value, geometry=None) if hasattr(value, "geometry") else value
