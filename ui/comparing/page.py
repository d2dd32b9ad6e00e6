"""The page of two runs: which they are, what differs, a view of each from the same place, one timeline over both."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from PySide6.QtCore import QRect, Qt, QTimer, Signal
from PySide6.QtGui import QKeySequence, QMouseEvent, QShortcut
from PySide6.QtWidgets import (
    QHBoxLayout,
    QLabel,
    QPushButton,
    QSlider,
    QStackedWidget,
    QStyle,
    QStyleOptionSlider,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from ui.comparing.differences import Differences
from ui.comparing.pair import Take, common_field, refusal
from ui.forms.fields.scalars import CalmComboBox
from ui.recording.playback import LOOP_MILLISECONDS
from ui.recording.reel import Kept, read
from ui.scene.marks import Marks
from ui.widgets.background import Background
from ui.widgets.icons import dress
from workbench.project.project import ViewSettings
from workbench.run.frames import Frame
from workbench.words.numbers import spaced
from workbench.words.units import clock_text

LANE = "comparing"
STEPS = 1000


class ComparisonPage(QWidget):
    """``make_view`` makes the 3D view of a side; ``differences(left, right)`` are the rows of the table."""

    back_asked = Signal()
    run_asked = Signal()
    """The present run is to go on, or to pause."""

    def __init__(
        self,
        make_view: Callable[[QWidget], Any],
        differences: Callable[[Take, Take], Sequence[tuple[str, Sequence[str]]]],
        background: Background,
        parent: QWidget,
    ) -> None:
        super().__init__(parent)
        self.setObjectName("panel")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self._differences, self._background = differences, background
        self._takes: list[Take] = []
        self._view = ViewSettings()
        self._wished: str | None = None
        self._field = ""
        self._span = (0.0, 1.0)
        self.time = 0.0
        self._following = False
        """Whether the present run is shown as it goes on."""
        self._closed = self._reading = self._wanted = False
        self.choosers = [CalmComboBox() for _ in range(2)]
        self.views = [make_view(self) for _ in range(2)]
        for place, (chooser, view) in enumerate(zip(self.choosers, self.views, strict=True)):
            chooser.setAccessibleName(("Run at the left", "Run at the right")[place])
            chooser.activated.connect(lambda _: self._chosen())
            view.quality.shared_by = 2
            view.scene.replays = True
            view.view_changed.connect(lambda view=view: self._moved(view))
        self.views[1].scene.camera = self.views[0].scene.camera  # from one place
        self.table = Differences(self)
        self.note = QLabel(self)
        self.note.setObjectName("subtitle")
        self.note.setWordWrap(True)
        self.note.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._loop = QTimer(self, interval=LOOP_MILLISECONDS)
        self._loop.timeout.connect(self._show_next)
        self._make_timeline()
        self._lay_out()
        self._space = QShortcut(QKeySequence(Qt.Key.Key_Space), self)
        self._space.activated.connect(self.run_button.click)

    def _make_timeline(self) -> None:
        self.slider = _Slider(Qt.Orientation.Horizontal, self)
        self.slider.setRange(0, STEPS)
        self.slider.setAccessibleName("Moment of both runs")
        self.slider.valueChanged.connect(lambda _: self._slid())
        self.clock = QLabel(self)
        self.clock.setObjectName("figure")
        self.clock.setMinimumWidth(110)
        self.loop_button = QToolButton(self)
        self.loop_button.setCheckable(True)
        self.loop_button.setToolTip("Show the kept frames of both again and again")
        self.loop_button.setAccessibleName("Loop")
        dress(self.loop_button, "loop")
        self.loop_button.toggled.connect(lambda on: self._loop.start() if on else self._loop.stop())
        self.now_button = QPushButton("Now", self)
        self.now_button.setToolTip("Follow the present run")
        self.now_button.clicked.connect(self.follow)
        self.run_button = QPushButton(self)
        self.run_button.clicked.connect(self.run_asked)

    def _lay_out(self) -> None:
        back = QPushButton("Back", self)
        back.setToolTip("Back to the problem (Esc)")
        dress(back, "back")
        back.clicked.connect(self.back_asked)
        self.back_button = back
        title = QLabel("Runs side by side", self)
        title.setObjectName("figure")
        top, chosen, seen, time = QHBoxLayout(), QHBoxLayout(), QHBoxLayout(), QHBoxLayout()
        top.addWidget(back)
        top.addSpacing(8)
        top.addWidget(title)
        top.addStretch(1)
        whole = QPushButton("Show all", self)
        dress(whole, "fit")
        whole.clicked.connect(self.fit)
        top.addWidget(whole)
        for chooser, view in zip(self.choosers, self.views, strict=True):
            chosen.addWidget(chooser, 1)
            seen.addWidget(view, 1)
        for row in (top, chosen, seen, time):
            row.setSpacing(8)
        time.addWidget(self.run_button)
        time.addWidget(self.clock)
        time.addWidget(self.slider, 1)
        time.addWidget(self.loop_button)
        time.addWidget(self.now_button)
        both = QWidget(self)
        seen.setContentsMargins(0, 0, 0, 0)
        both.setLayout(seen)
        self.stack = QStackedWidget(self)
        self.stack.addWidget(both)
        self.stack.addWidget(self.note)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(12, 8, 12, 8)
        layout.setSpacing(8)
        layout.addLayout(top)
        layout.addLayout(chosen)
        layout.addWidget(self.table)
        layout.addWidget(self.stack, 1)
        layout.addLayout(time)

    # Which runs.

    def set_takes(self, takes: Sequence[Take], chosen: tuple[int, int], view: ViewSettings, field: str | None) -> None:
        """The runs that there are, which two are looked at, and how: as the view of the problem shows ``field``."""
        self._takes, self._wished = list(takes), field
        self._view = view.model_copy(deep=True, update={"clip": None})
        for chooser, place in zip(self.choosers, chosen, strict=True):
            chooser.clear()
            chooser.addItems([take.title for take in takes])
            chooser.setCurrentIndex(place)
        self._field = ""
        self._chosen(first=True)

    @property
    def pair(self) -> tuple[Take, Take]:
        left, right = (self._takes[chooser.currentIndex()] for chooser in self.choosers)
        return left, right

    def _chosen(self, first: bool = False) -> None:
        left, right = self.pair
        sentence = "Choose two runs: this is one and the same." if left is right else refusal(left, right)
        self.note.setText(spaced(sentence))
        self.stack.setCurrentIndex(1 if sentence else 0)
        self.table.show_rows((left.title, right.title), self._differences(left, right))
        for widget in (self.slider, self.loop_button, self.clock):
            widget.setEnabled(not sentence)
        present = any(take.present for take in self.pair)
        self.now_button.setVisible(present)
        self.run_button.setVisible(present)
        self._space.setEnabled(present)  # a run that is not seen stays as it is
        if sentence:
            self.loop_button.setChecked(False)
            self._field = ""
            return
        if self.views[0].scene.layer is not None:
            self._view.camera = self.views[0].view_settings().camera
        field = common_field(left, right, self._wished)
        assert field is not None
        self._field = field.name
        for take, view in zip(self.pair, self.views, strict=True):
            self._set_scene(take, view)
        self._measure_span()
        if present and (first or self._following):
            self.follow()
        else:
            self.look(min(frames[-1].time for frames in self._frames()))

    def _set_scene(self, take: Take, view: Any) -> None:
        assert take.footage is not None
        scene, info = view.scene, take.footage.info
        if scene.info is not info:
            view.set_geometry(info.geometry)
            scene.info = info
        scene.marks = Marks(take.footage.placement)
        view.apply_view(self._view.model_copy(update={"field": self._field}))

    def fit(self) -> None:
        for view in self.views:
            view.reset_camera()

    def _moved(self, view: Any) -> None:
        """One camera stands before both."""
        for other in self.views:
            if other is not view:
                other.scene.auto_fit = view.scene.auto_fit
                other.redraw()

    # Which moment.

    def look(self, time: float) -> None:
        """Show the kept frames nearest to ``time`` of both, and stay there."""
        self._following = False
        self._look(time)

    def follow(self) -> None:
        """Show the present run as it goes on, and the other at the same moment."""
        self.loop_button.setChecked(False)
        self._following = True
        newest = [take.footage.newest for take in self.pair if take.present and take.footage is not None]
        if self._field and newest and newest[0] is not None:
            self._look(newest[0].time)

    def take(self, frame: Frame) -> None:
        """A frame of the present run has come."""
        if not any(take.present for take in self.pair):
            return
        if not self._field:  # there was none to be seen before
            self._chosen()
            return
        self._measure_span()
        if self._following:
            self._look(frame.time)
        else:
            self._place_slider()

    def _look(self, time: float) -> None:
        self.time = time
        self.now_button.setEnabled(not self._following)
        self._place_slider()
        self._show_time()
        self._wanted = True
        self._read()

    def _place_slider(self) -> None:
        first, last = self._span
        blocked = self.slider.blockSignals(True)
        if not self.slider.isSliderDown():
            self.slider.setValue(round(STEPS * (self.time - first) / (last - first)))
        self.slider.blockSignals(blocked)

    def _slid(self) -> None:
        first, last = self._span
        self.loop_button.setChecked(False)
        self.look(first + (last - first) * self.slider.value() / STEPS)

    def _show_next(self) -> None:
        """The next moment that either was seen at."""
        later = [kept.time for frames in self._frames() for kept in frames if kept.time > self.time]
        if not self._reading:
            self.look(min(later, default=self._span[0]))

    def _frames(self) -> list[Sequence[Kept | Frame]]:
        return [take.frames(self._field) for take in self.pair]

    def _measure_span(self) -> None:
        times = [kept.time for frames in self._frames() for kept in (*frames[:1], *frames[-1:])]
        first, last = min(times, default=0.0), max(times, default=1.0)
        self._span = (first, last) if last > first else (first, first + 1.0)

    def _show_time(self) -> None:
        """The moment that is seen: frames are kept at some moments only."""
        unit = next((take.footage.info.time_unit for take in self.pair if take.footage is not None), "")
        frames = [take.frame_at(self._field, self.time) for take in self.pair]
        seen = [frame.time for frame in frames if frame is not None]
        moment = min(seen, key=lambda time: abs(time - self.time), default=self.time)
        self.clock.setText(clock_text(moment, unit))

    def _read(self) -> None:
        """The newest wish wins: dragging asks for more than can be read."""
        if self._reading or not self._wanted or self._closed:
            return
        self._reading, self._wanted = True, False
        pair, field, time = self.pair, self._field, self.time
        frames = [take.frame_at(field, time) for take in pair]

        def load() -> list[Frame | None]:
            return [read(each) if isinstance(each, Kept) else each for each in frames]

        self._background.submit(LANE, load, lambda frames: self._show_frames(pair, frames), lambda _: self._gone())

    def _show_frames(self, pair: tuple[Take, Take], frames: Sequence[Frame | None]) -> None:
        self._reading = False
        if self._closed:
            return
        if all(one is other for one, other in zip(pair, self.pair, strict=True)) and self._field:
            self._draw(frames)
        self._read()

    def _draw(self, frames: Sequence[Frame | None]) -> None:
        """Both in one range of colours, with displacements as many times as large."""
        scenes = [view.scene for view in self.views]
        for take, scene, frame in zip(self.pair, scenes, frames, strict=True):
            shape = None if take.footage is None or frame is None else take.footage.shape(frame)
            scene.common = None
            if shape is not None and shape.plan.field is not None and shape.plan.field.name == self._field:
                scene.replay(shape, frame)
        if all(scene.shown_field is not None for scene in scenes):
            ends = [scene.limits(scene.shown_field) for scene in scenes]
            common = min(low for low, _ in ends), max(high for _, high in ends)
            scales = [scene.deformation for scene in scenes if scene.deformation is not None]
            for scene in scenes:
                scene.common = common
                if scales:
                    scene.layer.deformation = min(scales)
        for view in self.views:
            view.redraw()

    def _gone(self) -> None:
        """A frame was dropped meanwhile."""
        self._reading = False
        self._read()

    # The present run.

    def set_running(self, running: bool) -> None:
        self.run_button.setText("Pause" if running else "Run")
        dress(self.run_button, "pause" if running else "play", "accent")

    def close_views(self) -> None:
        """Free the graphics card's memory; nothing is shown any more."""
        self._closed = True
        self._loop.stop()
        for view in self.views:
            view.close_canvas()


class _Slider(QSlider):
    """One that goes where it is pressed: a moment is pointed at."""

    def mousePressEvent(self, event: QMouseEvent) -> None:
        width = self._handle.width()
        place, room = round(event.position().x() - width / 2), self.width() - width
        self.setValue(QStyle.sliderValueFromPosition(self.minimum(), self.maximum(), place, room))
        middle = self._handle.center().toPointF()  # which is pressed, wherever rounding has put it
        global_, button, others = self.mapToGlobal(middle), event.button(), event.buttons()
        super().mousePressEvent(QMouseEvent(event.type(), middle, global_, button, others, event.modifiers()))

    @property
    def _handle(self) -> QRect:
        option = QStyleOptionSlider()
        self.initStyleOption(option)
        part, slider = QStyle.SubControl.SC_SliderHandle, QStyle.ComplexControl.CC_Slider
        return self.style().subControlRect(slider, option, part, self)
