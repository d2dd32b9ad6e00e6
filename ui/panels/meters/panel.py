"""The meters panel: gauge, history, the figures of the run and its kernels."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QGridLayout, QLabel, QScrollArea, QToolButton, QVBoxLayout, QWidget

from engines.api import SeriesInfo, SimulationInfo
from ui.panels.meters.bounds import AT_PACE, bound_of, shortly, waits_its_turn
from ui.panels.meters.gauge import MEANING, Gauge
from ui.panels.meters.history import History
from ui.panels.meters.kernels import KernelTable
from ui.widgets.formatting import amount_text, count_text, duration_text, rate_text
from workbench.run.frames import Sample
from workbench.words.units import is_count, percent, seconds_of, unit_text

PANEL_WIDTH = 296
BESIDE_TIP = (
    "The window's charts and the run's steps take turns here. In a process of its own a run does not wait: what is "
    "open begins there after Reset."
)
REAL_TIME = "Seconds of the clock for a simulated second: below 1 it is faster than what it simulates."


class MetersPanel(QScrollArea):
    """Takes samples at most ten times a second and shows their mean over the wall time that they cover; with those
    before where these are few, as what is cut short by a pause or by the end takes longer for each step."""

    beside_asked = Signal()
    """That the next run has a process of its own."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("scroll")
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setMinimumWidth(PANEL_WIDTH)
        self._time_unit = ""
        self._metered: SeriesInfo | None = None
        self._lines: list[str] = []
        self._before: Sequence[Sample] = ()
        self.gauge = Gauge(self)
        self.history = History(self)
        self.kernels = KernelTable(self)
        self.device = QLabel(self)
        self.device.setObjectName("muted")
        self.device.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.bound = QLabel(self)
        self.bound.setWordWrap(True)
        self.bound.setAlignment(Qt.AlignmentFlag.AlignHCenter | Qt.AlignmentFlag.AlignTop)
        self.bound.setMinimumHeight(2 * self.bound.fontMetrics().height() + 2)  # what is below stays in its place
        self.bound.setToolTip("What keeps the run from going faster")
        self.beside = QToolButton(self)
        self.beside.setObjectName("link")
        self.beside.setText("Compute beside the window")
        self.beside.setToolTip(BESIDE_TIP)
        self.beside.clicked.connect(self._ask_beside)
        policy = self.beside.sizePolicy()
        policy.setRetainSizeWhenHidden(True)  # what is below stays in its place
        self.beside.setSizePolicy(policy)
        self.beside.hide()
        self.takes_turns = False
        """Whether the run is in the window's process, and could have another."""
        self.pace: float | None = None
        """Simulated time per second that was set; None for as fast as it goes."""
        self._info: SimulationInfo | None = None
        self.figures: dict[str, QLabel] = {}
        self._counted: dict[str, QLabel] = {}
        """The names of the figures that some engines have."""
        grid = QGridLayout()
        grid.setHorizontalSpacing(10)
        grid.setVerticalSpacing(0)
        for place, (key, title) in enumerate(
            (
                ("steps", "Steps per second"),
                ("pace", "Simulated per second"),
                ("step", "Step"),
                ("remaining", "Remaining"),
                ("counted", ""),
                ("real", "Real-time factor"),
            )
        ):
            name = QLabel(title, self)
            name.setObjectName("muted")
            figure = QLabel("–", self)
            figure.setObjectName("figure")
            figure.setTextFormat(Qt.TextFormat.PlainText)
            self.figures[key] = figure
            if key in ("counted", "real"):
                self._counted[key] = name
            row, column = divmod(place, 2)
            grid.addWidget(name, 2 * row, column)
            grid.addWidget(figure, 2 * row + 1, column)
        body = QWidget()
        body.setObjectName("scrollBody")
        layout = QVBoxLayout(body)
        layout.setContentsMargins(12, 2, 12, 8)
        layout.setSpacing(8)
        layout.addWidget(self.gauge)
        layout.addWidget(self.device)
        layout.addWidget(self.bound)
        layout.addWidget(self.beside, 0, Qt.AlignmentFlag.AlignHCenter)
        layout.addLayout(grid)
        layout.addWidget(self.history)
        layout.addWidget(self.kernels)
        layout.addStretch(1)
        for label in (self._counted["real"], self.figures["real"]):
            label.setToolTip(REAL_TIME)
        self._show_counted(False)
        self.setWidget(body)

    def set_info(self, info: SimulationInfo) -> None:
        """Whose readings come next, on which device."""
        self._info = info
        self._time_unit = info.time_unit
        counts = seconds_of(info.time_unit) is not None
        self._metered = next((series for series in info.series if series.metered and counts), None)
        if self._metered is not None:
            self._counted["counted"].setText(f"{self._metered.metered} per second")
        self._show_counted(self._metered is not None)
        self.device.setText(info.device)
        self.device.setToolTip(info.device)
        self.gauge.setToolTip(" ".join([MEANING, *_remarks(info)]))

    def withdraw_offer(self) -> None:
        """The next run will be elsewhere."""
        self.takes_turns = False
        self.beside.hide()

    def _ask_beside(self) -> None:
        self.withdraw_offer()
        self.beside_asked.emit()

    def clear(self) -> None:
        """No run."""
        self._lines, self._before = [], ()
        self.bound.setText("")
        self.beside.hide()
        self.gauge.set_reading(None)
        self.history.clear_points()
        self.kernels.kernels.set_rates(())
        for figure in self.figures.values():
            figure.setText("–")

    def take(self, samples: Sequence[Sample]) -> None:
        """Show these samples as one reading."""
        if sum(sample.wall_seconds for sample in samples) <= 0:
            return
        given, typical = samples, samples[-1]
        if sum(sample.steps for sample in samples) < sum(sample.steps for sample in self._before) / 2:
            samples, typical = (*self._before, *samples), self._before[-1]
        self._before, wall = given, sum(sample.wall_seconds for sample in samples)
        last = samples[-1]
        steps = sum(sample.steps for sample in samples) / wall
        rate = sum(sample.bytes_per_second * sample.wall_seconds for sample in samples) / wall
        fraction = sum(sample.fraction_of_ceiling * sample.wall_seconds for sample in samples) / wall
        made = sum(sample.time_per_second * sample.wall_seconds for sample in samples) / wall
        # What it would make without the pauses that keep it at its pace is no pace, and no steps per second either.
        pace = made if self.pace is None else min(made, self.pace)
        kept = pace / made if made > 0 else 1.0
        self.gauge.set_reading(rate, fraction)
        self.history.add(rate, rate / fraction if fraction > 0 else 0.0)
        self.kernels.kernels.set_rates(typical.kernels)
        self.figures["steps"].setText(count_text(kept * steps))
        unit = "" if is_count(self._time_unit) else f" {unit_text(self._time_unit)}"
        self.figures["pace"].setText(f"{count_text(pace)}{unit}")
        self._show_step(last.step)
        self.figures["remaining"].setText("open end" if last.remaining is None else duration_text(last.remaining))
        is_paced = self.pace is not None and made >= AT_PACE * self.pace
        bound = "" if self._info is None else bound_of(typical, steps, fraction, self._info, is_paced)
        self.bound.setText(f"Bound by {bound}" if bound else "")
        if self.takes_turns and waits_its_turn(bound):  # and stays for this run
            self.beside.show()
        self._lines = [
            f"Bandwidth\t{rate_text(rate)}, {percent(fraction)}",
            f"Steps\t{self.figures['steps'].text()} /s",
            *([f"Pace\t{count_text(pace)}{unit}/s"] if unit else []),
            *self._count(samples, pace),
            *([] if last.remaining is None else [f"Remaining\t{duration_text(last.remaining)}"]),
            *([f"Bound by\t{shortly(bound)}"] if bound else []),
        ]

    def _count(self, samples: Sequence[Sample], pace: float) -> list[str]:
        """Show what the engine counts, per second of the clock; what the 3D view says of it."""
        if self._metered is None:
            return []
        seconds = pace * (seconds_of(self._time_unit) or 0.0)
        self.figures["real"].setText(count_text(1 / seconds) if seconds > 0 else "–")
        values = [value for sample in samples for value in sample.series.get(self._metered.name, ())]
        if values:  # a batch may be too short for a sample of them
            self.figures["counted"].setText(amount_text(sum(values) / len(values) * seconds))
        return [f"{self._metered.metered}\t{self.figures['counted'].text()} /s"]

    def _show_counted(self, shown: bool) -> None:
        for key, name in self._counted.items():
            name.setVisible(shown)
            self.figures[key].setVisible(shown)

    def stand_at(self, step: int) -> None:
        """The run was rewound: the other figures are those of when it ran last."""
        self._show_step(step)
        self.forget_remaining()

    def forget_remaining(self) -> None:
        """The run has ended, or stands elsewhere."""
        self.figures["remaining"].setText("–")
        self._lines = [line for line in self._lines if not line.startswith("Remaining\t")]

    def _show_step(self, step: int) -> None:
        self.figures["step"].setText(f"{step:,}".replace(",", "\u202f"))

    def overlay_lines(self) -> list[str]:
        """The same figures for the 3D view: name, tab, figure."""
        return self._lines


def _remarks(info: SimulationInfo) -> list[str]:
    """What to know when reading this run's percentage."""
    said = []
    if info.ceilings is not None and info.ceiling > info.ceilings.best:
        said.append(
            "The caches hold what a step moves, or a part of it, so the copy is of as many bytes: "
            f"{rate_text(info.ceiling)}, where the memory delivers {rate_text(info.ceilings.best)}."
        )
    fused = max((traffic.fused for traffic in info.traffic), default=1)
    if fused > 1:
        said.append(
            f"One launch takes up to {fused} steps in one pass over the memory, and a step counts as that part of the "
            "bytes: a low percentage is right here, for the steps no longer wait for the memory."
        )
    return said
