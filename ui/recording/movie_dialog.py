"""Asks what kind of movie is to be made of the kept frames."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QComboBox, QDialog, QDialogButtonBox, QFormLayout, QLabel, QSpinBox, QVBoxLayout, QWidget

from ui.recording.reel import Kept
from ui.widgets.formatting import bytes_text
from workbench.export.movies import encoder
from workbench.words.units import clock_text, counted

FORMS = {"MP4 movie": ".mp4", "GIF animation": ".gif", "Numbered PNG pictures": ""}
SIZES: dict[str, tuple[int, int] | tuple[()]] = {
    "1280 × 720": (1280, 720),
    "1920 × 1080": (1920, 1080),
    "3840 × 2160": (3840, 2160),
    "640 × 360": (640, 360),
    "As on the screen": (),
}
DISABLED = Qt.ItemDataRole.UserRole - 1
"""Of an entry of a list: 0 in this role, and it cannot be chosen (Qt's own way for combo boxes)."""
BEGINS_LATE = (
    "It begins at {time}: before, another field or view was shown. For a movie from the beginning show that again, or "
    "Reset and Run."
)
GROUNDS = {"As in the window": "", "Dark": "dark", "Light": "light"}


@dataclass(frozen=True)
class MovieWish:
    """``size`` (width, height) [pixels] or () for that of the view; ``ground``: dark, light or as it is; ``seconds``
    that the movie lasts."""

    suffix: str
    size: tuple[int, int] | tuple[()]
    frames_per_second: int
    ground: str = ""
    seconds: int = 10

    def chosen(self, frames: Sequence[Kept]) -> list[Kept]:
        """Frames at equal distances in simulated time, as many as the movie has room for; each at most once."""
        wanted = max(2, self.seconds * self.frames_per_second)
        if len(frames) <= wanted:
            return list(frames)
        first, last = frames[0].time, frames[-1].time
        found: list[Kept] = []
        at = 0
        for number in range(wanted):
            time = first + (last - first) * number / (wanted - 1)
            while at + 1 < len(frames) and abs(frames[at + 1].time - time) <= abs(frames[at].time - time):
                at += 1
            if not found or found[-1] is not frames[at]:
                found.append(frames[at])
        return found


class MovieDialog(QDialog):
    """What is wanted goes out as ``chosen``."""

    chosen = Signal(object)

    def __init__(
        self, frames: Sequence[Kept], unit: str, size: int, parent: QWidget | None = None, missed: bool = False
    ) -> None:
        """``missed``: of the run before these frames others were kept, of another view."""
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle("Export movie")
        self._frames = frames
        span = f"{clock_text(frames[0].time, unit)} to {clock_text(frames[-1].time, unit)}"
        kept = QLabel(f"{counted(len(frames), 'frame')} from {span} are kept, {bytes_text(size)} on disk.", self)
        kept.setObjectName("muted")
        self.form_chooser, self.size_chooser, self.ground_chooser = QComboBox(self), QComboBox(self), QComboBox(self)
        self.form_chooser.addItems(list(FORMS))
        if encoder() is None:
            self.form_chooser.setItemText(0, "MP4 movie (needs ffmpeg, or the extra 'movie')")
            self.form_chooser.model().setData(self.form_chooser.model().index(0, 0), 0, DISABLED)
            self.form_chooser.setCurrentIndex(1)
        self.size_chooser.addItems(list(SIZES))
        self.ground_chooser.addItems(list(GROUNDS))
        self.rate_box, self.seconds_box = QSpinBox(self), QSpinBox(self)
        self.rate_box.setRange(1, 60)
        self.rate_box.setValue(25)
        self.rate_box.setSuffix(" frames a second")
        self.seconds_box.setRange(1, 600)
        self.seconds_box.setValue(10)
        self.seconds_box.setSuffix(" s")
        self.told = QLabel(self)
        self.told.setObjectName("muted")
        form = QFormLayout()
        form.addRow("Format", self.form_chooser)
        form.addRow("Size", self.size_chooser)
        form.addRow("Background", self.ground_chooser)
        form.addRow("Pace", self.rate_box)
        form.addRow("Lasts at most", self.seconds_box)
        buttons = QDialogButtonBox(self)
        self.export_button = buttons.addButton("Export…", QDialogButtonBox.ButtonRole.AcceptRole)
        buttons.addButton(QDialogButtonBox.StandardButton.Cancel)
        buttons.accepted.connect(self._choose)
        buttons.rejected.connect(self.reject)
        layout = QVBoxLayout(self)
        layout.addWidget(kept)
        if missed:
            begins = QLabel(BEGINS_LATE.format(time=clock_text(frames[0].time, unit)), self)
            begins.setObjectName("warning")
            begins.setWordWrap(True)
            layout.addWidget(begins)
        layout.addLayout(form)
        layout.addWidget(self.told)
        layout.addWidget(buttons)
        for box in (self.rate_box, self.seconds_box):
            box.valueChanged.connect(lambda _: self._tell())
        self._tell()

    @property
    def wish(self) -> MovieWish:
        return MovieWish(
            list(FORMS.values())[self.form_chooser.currentIndex()],
            SIZES[self.size_chooser.currentText()],
            self.rate_box.value(),
            GROUNDS[self.ground_chooser.currentText()],
            self.seconds_box.value(),
        )

    def _tell(self) -> None:
        count = len(self.wish.chosen(self._frames))
        self.told.setText(f"The movie has {counted(count, 'frame')} and lasts {count / self.rate_box.value():.3g} s.")

    def _choose(self) -> None:
        self.chosen.emit(self.wish)
        self.accept()
