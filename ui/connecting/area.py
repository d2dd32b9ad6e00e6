"""Between the window and the machine that has its runs: connecting, and again when the line was lost."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer

from engines.api.errors import WorkbenchError
from ui.connecting.dialog import PlaceDialog
from ui.session.running.phase import Phase
from workbench.project.document import Document
from workbench.remote.connection import Place
from workbench.remote.messages import Seen
from workbench.run.frames import Message

if TYPE_CHECKING:
    from ui.window.main_window import MainWindow

LANE = "connecting"
STAYS = "This run goes on where it is; Reset begins anew on {title}."
GONE = (
    "The run is no longer on {title}: what is shown next begins where it was last kept there, which it is each minute, "
    "or at zero."
)
ENDS = "Its run beside the window has no end and ends with it; {again}."
KEPT = {
    "unsaved": "saved or kept aside, it goes on from there when it is opened again",
    "saved": "it goes on from there when the project is opened again",
    "never saved": "save the project first, to go on from there another time",
}
GOES_ON = "Its run beside the window goes on without it; the next window offers to show it."
LEFT_THERE = "The run before {goes_on} {where}: choose that place again to see it."
STAYS_THERE = "Its run beside the window stays there as it is; the next window offers to show it."
GOES_ON_THERE = "Its run on {title} goes on; connect again to see it."
LEFT = "A run of '{title}' {goes_on} in a process of its own, and no window shows it."
SHOW, END = "Show it", "End it"
NOT_OPENED = "A run of '{title}' is on there, and is shown: '{named}' was not opened."
OPEN = "Open {named}"
ENDED = "The run beside the window has ended; where it stood is kept for its project."
HOST, COMMAND, JOB = "connecting/host", "connecting/command", "connecting/job"


class ConnectingArea(QObject):
    """Belongs to a window."""

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self._window = window
        self.dialog: PlaceDialog | None = None
        window.status.place_asked.connect(self.ask)
        window.controller.phase_changed.connect(self._show_place)
        window.going_on.reconnect_asked.connect(self.reconnect)
        window.meters.beside_asked.connect(lambda: self.choose(Place()))
        window.banner.closed.connect(self._closed)
        window.banner.settled.connect(self._offer_soon)
        self._offered = Seen()
        self._to_ask: Callable[[], None] | None = None
        """Once the run that is shown stands there: until then what is said gives way."""

    def at_closing(self, unsaved: bool) -> str:
        """What becomes of a run that is elsewhere when the window closes, in a sentence; of one beside it that stands
        only where something else is asked anyway."""
        controller, place = self._window.controller, self._window.services.place
        document, runner = controller.model.document, controller.runner
        if document is None or place is None or runner is None or not (controller.away and runner.alive):
            return ""
        running = controller.phase is Phase.RUNNING
        if not (running or (unsaved and controller.locked)):
            return ""
        if controller.ends_with_window:
            kept = "unsaved" if unsaved else "saved" if document.path is not None else "never saved"
            return ENDS.format(again=KEPT[kept])
        if place.beside:
            return GOES_ON if running else STAYS_THERE
        return GOES_ON_THERE.format(title=place.title) if unsaved else ""

    def tell_of_what_goes_on(self) -> None:
        """A window that was closed, or has failed, may have left a run beside it."""

        def told(seen: Seen) -> None:
            if seen.run and not seen.watched and self._window.services.place is None:
                self._offered = seen
                self._window.log.add(Message(self._left))
                self._offer()

        self._window.background.submit(LANE, self._window.services.seen_beside, told)

    @property
    def _left(self) -> str:
        seen = self._offered
        return LEFT.format(title=seen.title, goes_on="goes on" if seen.goes_on else "stands")

    def _offer_soon(self) -> None:
        if self._offered.run:
            QTimer.singleShot(0, self, self._offer)

    def _offer(self) -> None:
        """Until it is answered: what else is said, or opens, takes the place of the question."""
        if self._offered.run and self._window.services.place is None and not self._window.banner.text:
            self._window.banner.ask(self._left, {SHOW: self._show_left, END: self._end_left})

    def _closed(self, sentence: str) -> None:
        if self._offered.run and sentence == self._left:
            self._forget_offer()

    def _forget_offer(self) -> None:
        self._offered = Seen()

    def _show_left(self) -> None:
        self._forget_offer()
        self.choose(Place())

    def _end_left(self) -> None:
        self._forget_offer()
        window = self._window
        window.background.submit(
            LANE, window.services.end_beside, lambda _: window.sentences.say(ENDED), window.controller.fail
        )

    def ask(self) -> None:
        settings = self._window.settings
        job = settings.value(JOB)
        last = Place(
            str(settings.value(HOST, "")), str(settings.value(COMMAND, "workbench")),
            job_options=None if job is None else str(job),
        )  # fmt: skip
        self.dialog = PlaceDialog(self._window.services.place, last, self._window)
        self.dialog.chosen.connect(self.choose)
        self.dialog.open()

    def choose(self, place: Place | None) -> None:
        window = self._window
        if place is None:
            if window.services.place is not None:
                self._come_back()
            return

        opening = window.controller.opening
        turn = opening.turn

        def go() -> None:
            self.go_to(place)

        def show() -> None:
            """In the place of what was still being opened when it was asked for; nothing where something was since."""
            if opening.turn is turn:
                opening.overtake()
                go()

        if place.beside:  # what is open goes there with its changes, unless there is a run to be shown
            window.background.submit(
                LANE, window.services.seen_beside, lambda seen: opening.before(show) if seen.run else go()
            )
            return
        if place.host:
            window.settings.setValue(HOST, place.host)
            window.settings.setValue(COMMAND, place.command)
            if place.job_options is None:
                window.settings.remove(JOB)
            else:
                window.settings.setValue(JOB, place.job_options)
        window.controller.opening.before(go)

    def go_to(self, place: Place, asks: bool = False, then: Callable[[], None] = lambda: None, named: str = "") -> None:
        """What runs there is opened in the place of what is open; where nothing does, ``then`` follows, which opens
        ``named``: else that is offered. ``asks``: SSH may ask at the terminal."""
        window = self._window
        opening = window.controller.opening
        window.controller.progressed.emit(f"Connecting to {place.title}", 0.0)
        turn = opening.turn

        def connected(document: Document | None) -> None:
            if window.controller.closed:  # what is open is still to be kept
                return
            if document is not None and opening.turn is not turn:  # the person has opened something else meanwhile
                window.services.disconnect()
                self._connected()
                self.tell_of_what_goes_on()
                return
            if document is not None:
                window.model.open(document)
            else:
                self._move(place)
            self._connected()
            if document is None:
                then()
            elif named:
                sentence = NOT_OPENED.format(title=document.project.title, named=named)
                self._to_ask = lambda: window.banner.ask(sentence, {OPEN.format(named=named): then})

        window.background.submit(
            LANE, lambda: window.services.connect(place, asks), connected,
            lambda error: self._failed(error, lambda: self.go_to(place, asks, then, named)),
        )  # fmt: skip

    def reconnect(self) -> None:
        """The line was lost: see the run again, with its curves."""
        window, place = self._window, self._window.services.place
        if place is None:
            return
        window.controller.progressed.emit(f"Connecting to {place.title}", 0.0)

        def connected(same: bool) -> None:
            controller = window.controller
            begun, edited, unsent = controller.time > 0, controller.stale, tuple(controller.live.unsent)
            controller.build(since=unsent)
            if same and edited:
                controller.await_reset()
            self._connected()
            if begun and not same:
                window.banner.say(GONE.format(title=place.title), "warning")

        window.background.submit(LANE, window.services.reconnect, connected, self._failed)

    def _come_back(self) -> None:
        """A run there goes on; problems begin here."""
        controller, place = self._window.controller, self._window.services.place
        there = controller.away
        left = there and controller.locked and controller.runner is not None and controller.runner.alive
        self._window.charts.runs.runs.goes_on = left
        goes_on = "goes on" if controller.phase is Phase.RUNNING else "stays as it is"
        if there and controller.runner is not None:
            controller.runner.leave()
        self._window.services.disconnect()
        if there:
            controller.build()
        self._connected()
        if left and place is not None:
            where = "beside the window" if place.beside else f"on {place.title}"
            controller.hint.emit(LEFT_THERE.format(goes_on=goes_on, where=where))

    def _show_place(self) -> None:
        place, controller = self._window.services.place, self._window.controller
        if self._to_ask is not None and controller.phase not in (Phase.IDLE, Phase.BUILDING):
            ask, self._to_ask = self._to_ask, None
            ask()
        self._window.status.set_place(place, place is not None and controller.locked and not controller.away)

    def _move(self, place: Place) -> None:
        """Nothing runs there yet: what has not begun here begins there."""
        controller = self._window.controller
        if controller.model.document is None:
            return
        if controller.locked or controller.time > 0:  # of one that goes on where it was kept
            controller.await_reset()
            controller.hint.emit(STAYS.format(title=place.title))
        else:
            controller.build()

    def _connected(self) -> None:
        window = self._window
        window.controller.tell_idle()
        self._show_place()
        place = window.services.place
        if place is not None and place.beside:  # it is seen
            self._forget_offer()
        window.log.add(Message(f"Problems are computed on {'this computer' if place is None else place.title}."))
        if place is not None:
            window.meters.withdraw_offer()
        window.look_for_devices()
        window.estimates.recompute()

    def _failed(self, error: BaseException, again: Callable[[], None] | None = None) -> None:
        """``again``: how to try once more where there is no machine yet."""
        controller = self._window.controller
        controller.tell_idle()
        self._show_place()
        if not isinstance(error, WorkbenchError):
            raise error
        controller.message.emit(Message(str(error), "error"))
        lost = self._window.services.place is not None
        self._window.going_on.offer_reconnecting(error, None if lost else again)
