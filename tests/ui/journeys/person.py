"""Somebody at the window. She sees what is on the screen and presses it; nothing else of the window is known to her.

Her script runs on a thread of its own, since menus and dialogs have loops of their own: whatever she looks at or does
is asked of the window's thread, and what she does is not waited for, as a hand does not wait.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any

import numpy as np
from PySide6.QtCore import QEventLoop, QObject, QPoint, QPointF, Qt, Signal
from PySide6.QtGui import QGuiApplication, QKeySequence, QWheelEvent, QWindow
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QFileDialog, QLabel, QLineEdit, QListView, QPlainTextEdit, QWidget

from tests.ui.journeys.eyes import Thing, all_words, picture, things, windows
from ui.forms.editor import Editor

PATIENCE_SECONDS = 60.0
"""How long she waits for something to be seen on a busy machine."""
FIELDS = (Editor, QLineEdit, QPlainTextEdit)
GLANCE_SECONDS, REST_SECONDS = 0.02, 0.2
"""Between two looks: three times as long as one took, so that the window gets on, but no longer than the second."""
STILL_SECONDS = 2.0
"""What has not changed for so long is drawn to its end: charts that take long to draw are drawn once a second."""
LIST_SECONDS = 0.5
"""A list that has just opened takes no click for the time of a double click."""
LEFT = Qt.MouseButton.LeftButton
NOTCH = 120
"""Eighths of a degree that one notch of the wheel turns."""
PULL_STEPS = 8


class NotSeen(AssertionError):
    """What should be on the screen is not, or cannot be pressed."""


class _Hands(QObject):
    """Does on the window's thread what was asked for on another one."""

    asked = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        self.asked.connect(lambda call: call(), Qt.ConnectionType.QueuedConnection)


class Person:
    """Counts: ``clicks`` of the mouse (a double click, a pull and a turn of the wheel are one each), ``entries`` of the
    keyboard (a text or a combination of keys each)."""

    def __init__(self) -> None:
        self.clicks = self.entries = 0
        self._hands = _Hands()
        self._mistake: BaseException | None = None

    # Looking.

    def sees(self, pattern: str, *, longest: float = PATIENCE_SECONDS) -> str:
        """Waits until words that match this whole pattern stand on the screen, and reads them."""
        return self._until(lambda: next(all_words(pattern), None), pattern, longest)

    def sees_no(self, pattern: str, *, longest: float = PATIENCE_SECONDS) -> None:
        """Waits until no such words stand there."""
        self._until(lambda: next(all_words(pattern), None) is None, f"no {pattern}", longest)

    def looks_at(self, words: str, *, still: bool = False) -> np.ndarray:
        """The picture of what bears these words; of the largest, if it is several things. ``still``: once it stays."""
        seen: np.ndarray = self._until(lambda: picture(self._largest(words)), words, PATIENCE_SECONDS)
        if still:
            self.waits(STILL_SECONDS)
        return self.looks_at(words, still=True) if still and not np.array_equal(seen, self.looks_at(words)) else seen

    def watches(self, words: str, until: Callable[[np.ndarray], bool], what: str) -> np.ndarray:
        """Waits until the picture is as said."""

        def seen() -> np.ndarray | None:
            now = picture(self._largest(words))
            return now if until(now) else None

        return self._until(seen, what, PATIENCE_SECONDS)

    def waits(self, seconds: float) -> None:
        """And does nothing."""
        time.sleep(seconds)

    # Pressing.

    def clicks_on(
        self, words: str, *, near: str = "", twice: bool = False, at: tuple[float, float] = (0.5, 0.5)
    ) -> None:
        """``near``: of those called so, the one next to these words; ``at``: the part of its width and height."""
        thing = self._reach(words, near)
        self.clicks += 1
        self._do(lambda: self._press(thing, twice, at))

    def chooses(self, *path: str) -> None:
        """Through menus, or a list that opens and one of its entries."""
        for words in path:
            self.clicks_on(words)
            time.sleep(LIST_SECONDS)
        if self._ask(lambda: QApplication.activePopupWidget() is not None):  # it opened late, and took no click yet
            self.clicks_on(path[-1])
            self.clicks -= 1

    def pulls(self, words: str, begin: tuple[float, float], end: tuple[float, float]) -> None:
        """With the left button held, from one part of its width and height to another."""
        thing = self._reach(words, "")
        self.clicks += 1
        self._do(lambda: self._pull(thing, begin, end))

    def presses(self, keys: str) -> None:
        """Such as "Ctrl+P"."""
        self.entries += 1
        combination = QKeySequence(keys)[0]  # type: ignore[index]  # of a sequence, which its stubs do not say
        self._do(lambda: QTest.keyClick(_window(), combination.key(), combination.keyboardModifiers()))

    def types(self, text: str, *, enter: bool = False) -> None:
        """In place of what is selected where the focus is."""
        self.entries += 1
        self._do(lambda: _type(text, enter))

    def enters(self, words: str, *, near: str = "") -> None:
        """A field: a click, until keys go to it; on a busy machine the click is still on its way through the window."""
        self.clicks_on(words, near=near)

        def listens() -> bool:
            field, listening = self._find(words, near).widget, _listening()
            return field is listening or field.isAncestorOf(listening)

        self._until(listens, f"the focus in {words}", PATIENCE_SECONDS)

    def fills(self, words: str, text: str, *, near: str = "", enter: bool = True) -> None:
        """A field: into it, all of it selected, and over it."""
        self.enters(words, near=near)
        self.entries += 2

        def over() -> None:
            # In one go, and to the field: a click that came between would undo the selection.
            QTest.keyClick(_listening(), Qt.Key.Key_A, Qt.KeyboardModifier.ControlModifier)
            _type(text, enter)

        self._do(over)

    def names_a_file(self, path: Any) -> None:
        """In the dialog for files that has opened: the system's, which is answered as a whole."""
        self.sees("File name:|Directory:")
        self.entries += 1

        def answer() -> None:
            dialog = QApplication.activeModalWidget()
            assert isinstance(dialog, QFileDialog)
            line = dialog.findChild(QLineEdit, "fileNameEdit")
            assert line is not None
            line.setText(str(path))
            dialog.accept()

        self._do(answer)
        self.sees_no("File name:|Directory:")

    # Behind it.

    def does(self, task: Callable[[Person], None]) -> None:
        """Runs the script while the window lives; raises what it raised."""

        def script() -> None:
            try:
                task(self)
            except BaseException as error:
                self._mistake = error
            finally:
                self._hands.asked.emit(leave)

        def leave() -> None:
            """Of every loop: a script that failed has left a menu or a dialog open."""
            for above in (QApplication.activePopupWidget(), QApplication.activeModalWidget()):
                if above is not None:
                    above.close()
                    self._hands.asked.emit(leave)
                    return
            loop.quit()

        loop = QEventLoop()
        thread = threading.Thread(target=script, name="person")
        thread.start()
        loop.exec()
        thread.join()
        if self._mistake is not None:
            raise self._mistake

    def _ask(self, call: Callable[[], Any]) -> Any:
        answer: Future[Any] = Future()

        def looked() -> None:
            try:
                answer.set_result(call())
            except BaseException as error:
                answer.set_exception(error)

        self._hands.asked.emit(looked)
        return answer.result(2 * PATIENCE_SECONDS)

    def _do(self, call: Callable[[], None]) -> None:
        self._hands.asked.emit(call)
        self._ask(lambda: None)  # it has begun, and goes on in a loop of its own if it has one

    def _until(self, look: Callable[[], Any], what: str, longest: float) -> Any:
        latest = time.monotonic() + longest
        while True:
            began = time.monotonic()
            try:
                if (found := self._ask(look)) is not None and found is not False:
                    return found
                why = "was not seen"
            except (NotSeen, RuntimeError) as error:  # it went while it was looked at
                why = str(error)
            if time.monotonic() > latest:
                raise NotSeen(f"'{what}' {why}; there was: {' | '.join(self._ask(lambda: list(all_words())))}")
            time.sleep(min(max(GLANCE_SECONDS, 3 * (time.monotonic() - began)), REST_SECONDS))

    def _find(self, words: str, near: str = "") -> Thing:
        """The one with these words that the mouse reaches, or can scroll to."""
        found = [thing for thing in things() if thing.words.rstrip("…") == words.rstrip("…")]
        if not found:
            raise NotSeen("was not seen")
        found.sort(key=lambda thing: (isinstance(thing.widget, QLabel), not isinstance(thing.widget, FIELDS)))
        least = FIELDS if isinstance(found[0].widget, FIELDS) else QWidget
        found = [thing for thing in found if isinstance(thing.widget, least)]  # not the title above or beside a field
        if near:
            place = self._find(near).middle
            return min(found, key=lambda thing: (thing.middle - place).manhattanLength())
        return next((thing for thing in found if not thing.why_not()), found[0])

    def _largest(self, words: str) -> QWidget:
        found = [thing.widget for thing in things() if thing.words == words]
        if not found:
            raise NotSeen("was not seen")
        return max(found, key=lambda widget: widget.width() * widget.height())

    def _reach(self, words: str, near: str) -> Thing:
        """Waits until the mouse reaches it; turns the wheel where it is scrolled away."""

        def reached() -> Thing:
            thing = self._find(words, near)
            if (area := thing.scrolled_by()) is not None and thing.enabled:
                self._turn(area, thing.middle)
                thing = self._find(words, near)
            if why := thing.why_not():
                raise NotSeen(why)
            return thing

        found: Thing = self._until(reached, words, PATIENCE_SECONDS)
        return found

    def _turn(self, area: QWidget, towards: QPoint) -> None:
        """One notch of the wheel over a scroll area."""
        self.clicks += 1
        view = area.viewport()  # type: ignore[attr-defined]  # a scroll area
        middle = view.rect().center()
        down = view.mapFromGlobal(towards).y() > middle.y()
        turn = QPoint(0, -NOTCH if down else NOTCH)
        flags = (Qt.MouseButton.NoButton, Qt.KeyboardModifier.NoModifier, Qt.ScrollPhase.NoScrollPhase, False)
        event = QWheelEvent(QPointF(middle), QPointF(view.mapToGlobal(middle)), QPoint(), turn, *flags)
        QApplication.sendEvent(view, event)

    def _press(self, thing: Thing, twice: bool, at: tuple[float, float]) -> None:
        window, place = _on_window(thing, at)
        if isinstance(thing.widget, QListView):  # of a combo box: it listens to what comes to it directly
            window, place = thing.widget.viewport(), thing.area.center()
        QTest.mouseMove(window, place)
        QTest.mouseClick(window, LEFT, Qt.KeyboardModifier.NoModifier, place)
        if twice:
            QTest.mouseDClick(window, LEFT, Qt.KeyboardModifier.NoModifier, place)

    def _pull(self, thing: Thing, begin: tuple[float, float], end: tuple[float, float]) -> None:
        (window, first), (_, last) = _on_window(thing, begin), _on_window(thing, end)
        QTest.mouseMove(window, first)
        QTest.mousePress(window, LEFT, Qt.KeyboardModifier.NoModifier, first)
        for step in range(1, PULL_STEPS + 1):
            QTest.mouseMove(window, first + (last - first) * step / PULL_STEPS)
        QTest.mouseRelease(window, LEFT, Qt.KeyboardModifier.NoModifier, last)


def _on_window(thing: Thing, at: tuple[float, float]) -> tuple[Any, QPoint]:
    area = thing.area
    inside = area.topLeft() + QPoint(round(at[0] * (area.width() - 1)), round(at[1] * (area.height() - 1)))
    window = thing.widget.window()
    return window.windowHandle(), thing.widget.mapTo(window, inside)


def _window() -> QWindow:
    """What hears keys, and passes them on to what has popped up."""
    focus = QGuiApplication.focusWindow()
    return focus if focus is not None else windows()[0].window().windowHandle()


def _type(text: str, enter: bool) -> None:
    QTest.keyClicks(_listening(), text)
    if enter:
        QTest.keyClick(_window(), Qt.Key.Key_Return)


def _listening() -> QWidget:
    """What hears a key now."""
    popup = QApplication.activePopupWidget()
    focus = QApplication.focusWidget() if popup is None else popup.focusWidget() or popup
    return focus or QApplication.activeWindow() or windows()[0]
