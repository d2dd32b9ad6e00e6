"""A run on another machine, with what a window asks of a :class:`~workbench.run.runner.Runner`."""

from __future__ import annotations

import threading
import time as clock
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import replace
from itertools import count
from typing import Any, Literal, TypeVar

from engines.api import Array, Dab, Finding, SimulationInfo
from engines.api.errors import ProblemError, WorkbenchError
from engines.backend.ceilings.machine import free_memory_bytes
from workbench.remote import messages as m
from workbench.remote.checking import (
    MOST_AT_ONCE,
    MOST_OF_A_RUN,
    Parts,
    check_attached,
    check_frame,
    check_messages,
    check_moment,
    check_reading,
    check_samples,
    check_size,
)
from workbench.remote.codec import Raw, WireError, pack, unpack
from workbench.remote.packing import geometry_told, same_geometry
from workbench.remote.questions import (
    ANSWERS,
    LONG,
    Paint,
    PaintAgain,
    Reset,
    Rewind,
    SetControl,
    SetProbes,
    TakeBack,
    TakeTimings,
    not_there,
)
from workbench.remote.wire import Line
from workbench.run.frames import Frame, FrameRequest, Mailbox, Message, Outbox, Reading, Rewound, RunState, Sample
from workbench.run.runner import Runner
from workbench.run.states.history import KeptState, Mark
from workbench.run.streams.curves import Curves
from workbench.run.strokes import TakenBack
from workbench.run.timing_log import TimingRow

T = TypeVar("T")
SERIALS = 8
"""Requests whose frames may still be on their way."""
MOST_TOLD = 1 << 28
"""Bytes that the arrays of one message expand to, beside what was asked for."""
SILENT_SECONDS = 15.0
"""After which a window says that nothing comes any more: the other side says something every two seconds."""
SILENT = "Nothing has come from the run for {seconds:.0f} s: what is seen here may be old."
SPEAKS = "The run answers again."
ASLEEP_SECONDS = 3.0
"""Between two looks, of a window that was suspended itself."""
OTHER_GEOMETRY = "The other machine makes another grid or mesh of this problem: install the same Workbench on both."


class _Frames(Mailbox[Frame]):
    """Tells when one is taken."""

    def __init__(self, taken: Callable[[], None]) -> None:
        super().__init__()
        self._taken = taken

    def take(self) -> Frame | None:
        frame = super().take()
        if frame is not None:
            self._taken()
        return frame


class RemoteRunner:
    """Everything returns at once: what it tells is what has come last. Messages are taken in on the line's thread."""

    def __init__(self, run: str, line: Line, time_unit: str, until: float | None, pace: float | None) -> None:
        self.run_id = run
        self.time_unit = time_unit
        self.frames: Mailbox[Frame] = _Frames(self._seen)
        self.info: SimulationInfo | None = None
        self.error: WorkbenchError | None = None
        self.failure: BaseException | None = None
        self.rescued: KeptState | None = None
        self.kept: float | None = None
        """The time of what is kept of it where it is; None: nothing is, yet."""
        self.device = ""
        self.progress: tuple[str, float] = ("Sending the problem", 0.0)
        self.state = RunState.BUILDING
        self.marks: tuple[Mark, ...] = ()
        self.ended, self.ending = False, ""
        self.noticed: tuple[Finding, ...] = ()
        self.curves: Curves = {}
        self.geometry: Any = None
        """Of the problem here; set before anything comes."""
        self._until, self._pace = until, pace
        self._line = line
        self._unsent: list[Any] | None = []  # until the run is there
        self._sending = threading.Lock()
        self._numbers = count()
        self._asked: dict[int, tuple[Any, Future[Any]]] = {}
        self._turn = 0
        self._serial: int | None = None  # of the parts that were sent last
        self._parts: dict[int, Parts] = {}  # of the last few
        self._samples: Outbox[Sample] = Outbox(4096)
        self._messages: Outbox[Message] = Outbox(4096)
        self._watched: Mailbox[m.Watch] = Mailbox()
        self._looked = self._awake = clock.monotonic()
        self._silent = False

    # What a window asks of it.

    @property
    def until(self) -> float | None:
        return self._until

    @until.setter
    def until(self, until: float | None) -> None:
        if until != self._until:
            self._until = until
            self._send(m.End(self.run_id, until, self._pace))

    @property
    def pace(self) -> float | None:
        return self._pace

    @pace.setter
    def pace(self, pace: float | None) -> None:
        if pace != self._pace:
            self._pace = pace
            self._send(m.End(self.run_id, self._until, pace))

    @property
    def alive(self) -> bool:
        return self.state not in (RunState.FAILED, RunState.CLOSED)

    @property
    def is_there(self) -> bool:
        """Whether the other machine has it, its files too."""
        return self._unsent is None

    def run(self) -> None:
        self._send(m.Steer(self.run_id, "run"))

    def pause(self) -> None:
        self._send(m.Steer(self.run_id, "pause"))

    def advance(self, steps: int) -> None:
        self._send(m.Steer(self.run_id, "advance", steps))

    def reset(self) -> Future[None]:
        return self._ask(Reset())

    def rewind(self, step: int) -> Future[Rewound]:
        return self._ask(Rewind(step))

    def watch(self, request: FrameRequest | None) -> None:
        """The parts of a view, which may be megabytes, are sent once; of several requests the newest."""
        self._watched.put(m.Watch(self.run_id, request))
        self._line.wake()

    def fresh(self) -> m.Watch | None:
        """For the line: the request to be sent."""
        watched = None if self._unsent is not None else self._watched.take()
        if watched is None:
            return None
        request, before = watched.request, self._serial
        self._serial = None if request is None else request.serial
        if request is None or request.serial != before:
            if request is not None:
                self._parts.pop(request.serial, None)  # asked again, it is the newest
                if len(self._parts) == SERIALS:
                    del self._parts[next(iter(self._parts))]
                self._parts[request.serial] = {part: (field, len(of)) for part, (field, of) in request.parts.items()}
            return watched
        return replace(watched, same=True, request=replace(request, parts={}))

    @property
    def most_of_a_frame(self) -> int:
        """Bytes of the values that were asked for."""
        fields = () if self.info is None else (*self.info.fields, self.info.displaced)
        components = {each.name: each.components for each in fields if each is not None}
        asked = [parts.values() for parts in tuple(self._parts.values())]
        return max((sum(4 * n * components.get(name, 1) for name, n in each) for each in asked), default=0)

    def set_probes(self, probes: Sequence[tuple[str, int]]) -> Future[Reading | None]:
        return self._ask(SetProbes(tuple(probes)))

    def set_control(self, name: str, value: Any) -> Future[None]:
        return self._ask(SetControl(name, value))

    def paint(self, stroke: int, dabs: Sequence[Dab]) -> Future[None]:
        return self._ask(Paint(stroke, tuple(dabs)))

    def take_back(self, stroke: int) -> Future[TakenBack]:
        return self._ask(TakeBack(stroke))

    def paint_again(self, stroke: int) -> Future[None]:
        return self._ask(PaintAgain(stroke))

    def timings(self) -> Future[tuple[TimingRow, ...]]:
        return self._ask(TakeTimings())

    def post(self, call: Callable[..., T]) -> Future[T]:
        """One of the questions that travel; any other is refused in the future that is returned."""
        if type(call) in ANSWERS:
            return self._ask(call)
        refused: Future[T] = Future()
        refused.set_exception(not_there(call))
        return refused

    def take_samples(self) -> list[Sample]:
        return self._samples.take()

    def take_messages(self) -> list[Message]:
        """As a window asks again and again: it is told here if nothing comes any more."""
        now = clock.monotonic()
        if now - self._looked > ASLEEP_SECONDS:
            self._awake = now
        self._looked = now
        seconds = now - max(self._line.heard, self._awake)
        silent = self.alive and self.is_there and seconds > SILENT_SECONDS
        if silent and not self._silent:
            self.say(SILENT.format(seconds=seconds), "warning")
        elif self._silent and not silent and self.alive:
            self.say(SPEAKS)
        self._silent = silent
        return self._messages.take()

    def say(self, text: str, severity: Literal["info", "warning", "error"] = "info") -> None:
        self._messages.put(Message(text, severity))

    def close(self, timeout: float = 30.0) -> None:
        """End the run."""
        self._send(m.Steer(self.run_id, "close"))
        self.end(None)

    def leave(self) -> None:
        """Look at it no longer; it goes on."""
        self.end(None)

    # What the connection has for it.

    def take(self, message: Any) -> None:
        if self._unsent is not None:  # it is there
            with self._sending:
                unsent, self._unsent = self._unsent, None
                for each in unsent:
                    self._line.send(each)
            self._line.wake()
        match message:
            case m.News():
                self._take_news(message)
            case m.Built():
                self._take_built(message)
            case m.Shown(frame=frame):
                asked = self._parts.get(frame.serial)
                if message.turn >= self._turn and asked is not None and self.info is not None:
                    check_frame(frame, asked, self.info)
                    self.frames.put(frame)
                else:
                    self._seen()
            case m.Answer():
                self._take_answer(message)
            case m.Refused():
                self.fail(m.error_of(message.error))

    def fail(self, error: WorkbenchError) -> None:
        """It has ended, or the way to it has."""
        if self.alive:
            self.say(str(error), "error")
            self.error = error
            self.end(error)

    def end(self, error: WorkbenchError | None) -> None:
        self.state = RunState.CLOSED if error is None else RunState.FAILED
        asked, self._asked = self._asked, {}
        for _, future in asked.values():
            future.cancel()

    def _take_news(self, news: m.News) -> None:
        check_size(news, MOST_AT_ONCE)
        check_samples(news.samples)
        check_messages(news.messages)
        check_moment(0, news.kept or 0.0)
        self.progress, self.device, self.marks = news.progress, news.device, news.marks
        self.kept = news.kept
        self.ended, self.ending, self.noticed = news.ended, news.ending, news.noticed
        for sample in news.samples:
            self._samples.put(sample)
        for message in news.messages:
            self._messages.put(message)
        if news.rescued is not None:
            self.rescued = KeptState(news.rescued, STAYS_THERE)
        if news.error is not None:
            self.error = m.error_of(news.error)
        if self.alive and (self.info is not None or news.state in (RunState.BUILDING, RunState.FAILED)):
            self.state = news.state

    def _take_built(self, built: m.Built) -> None:
        if not same_geometry(geometry_told(self.geometry), built.geometry):
            raise WireError(OTHER_GEOMETRY)
        info = replace(built.info, geometry=self.geometry)
        check_size(replace(info, geometry=None), MOST_OF_A_RUN)
        check_attached(None, None, built.curves)
        self.curves = built.curves or self.curves
        self.info = info

    def _take_answer(self, answer: m.Answer) -> None:
        kind, future = self._asked.pop(answer.number, (None, None))
        if kind is None or future is None:
            return
        if answer.turn > self._turn:
            self._turn = answer.turn
            self.frames.take()  # of before
        if answer.cancelled:
            future.cancel()
            return
        if answer.error is not None:
            future.set_exception(m.error_of(answer.error))
            return
        try:
            value = unpack(ANSWERS[kind], answer.value.tree, answer.value.arrays, _most_of(kind))
            if isinstance(value, Rewound):
                check_moment(value.step, value.time)
                check_samples(value.samples)
            elif isinstance(value, Reading):
                check_reading(value)
        except WireError as error:
            future.set_exception(error)  # who waits for it is told, too
            raise
        if kind is Reset:
            self._samples.take()
        if hasattr(value, "geometry"):
            value = replace(value, geometry=self.geometry)
        if isinstance(value, Rewound):  # what came before it has not been taken here
            value = replace(value, samples=(*self._samples.take(), *value.samples))
        future.set_result(value)

    def _seen(self) -> None:
        if self._line.near:
            self._send(m.FrameTaken(self.run_id))

    def _ask(self, question: Any) -> Future[Any]:
        future: Future[Any] = Future()
        if not self.alive:
            future.cancel()
            return future
        try:
            packed = pack(question)
        except TypeError as error:
            future.set_exception(ProblemError(f"This value cannot be sent to another machine: {error}."))
            return future
        number = next(self._numbers)
        self._asked[number] = (type(question), future)
        if not self.alive:  # ended meanwhile, on another thread: nobody else may know of this question
            future.cancel()
        self._send(m.Ask(self.run_id, number, type(question).__name__, Raw(packed.tree, tuple(packed.arrays))))
        return future

    def _send(self, message: Any) -> None:
        with self._sending:
            if self._unsent is not None:
                self._unsent.append(message)
            elif self.alive:
                self._line.send(message)


def _most_of(kind: type) -> int:
    """Bytes that the arrays of an answer may expand to: whole states and fields to half of the memory that is free."""
    return max(MOST_TOLD, free_memory_bytes() // 2) if kind in LONG else MOST_TOLD


STAYS_THERE: dict[str, Array] = {}
"""Instead of a state that is kept on the other machine."""

AnyRunner = Runner | RemoteRunner
"""What a window looks at, wherever it is."""
