"""The centre of the Lab: table, heat map, roofline, scaling and bandwidth as tabs, each fed from one record."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from PySide6.QtCore import QSize, Signal
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QCheckBox, QComboBox, QHBoxLayout, QLabel, QTabWidget, QVBoxLayout, QWidget

from engines.api.lab import Study
from ui.lab.figures.bandwidth import BandwidthCurve
from ui.lab.figures.blocks import BlockMap
from ui.lab.figures.chart import Chart
from ui.lab.figures.roofline import Roofline
from ui.lab.figures.scaling import QUANTITIES, Scaling
from ui.lab.findings import accepted, best_blocks, cases_of, left_out, variants_of
from ui.lab.tables.variants import VariantTable
from workbench.bench.records import LabRecord, VariantRecord

ALL = ""
NO_BLOCKS = "Block shapes need a GPU: the threads of a CPU, of which these figures are, stand in no blocks."
NONE_MEASURED = "No variant of this study was measured with block shapes."


class LabViews(QTabWidget):
    """Shows the records of one study. ``chosen``: the record of a row or a point; ``size_chosen``: another size.

    ``sizes`` says of which of them; whoever has the views gives it a place.
    """

    chosen = Signal(object)
    size_chosen = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._study: Study | None = None
        self._identifier = ""
        self._record: LabRecord | None = None
        self._other: LabRecord | None = None
        self._mine: list[VariantRecord] = []
        self._cases: list[str] = []
        self._variants: dict[str, str] = {}
        self.setDocumentMode(True)
        self.size_box = QComboBox(self)
        self.size_box.setAccessibleName("Size")
        self.size_box.setToolTip("The size in the table, the heat map and the roofline")
        self.size_box.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        self.size_box.activated.connect(self._size_activated)
        self.every_block = QCheckBox("All blocks", self)
        self.every_block.setToolTip("Every launch shape that was measured, and not the fastest of each variant alone")
        self.every_block.toggled.connect(lambda _: self._show_size())
        self.sizes = QWidget(self)
        beside = QHBoxLayout(self.sizes)
        beside.setContentsMargins(0, 0, 0, 0)
        beside.setSpacing(12)
        beside.addWidget(self.size_box)
        beside.addWidget(self.every_block)
        self.table = VariantTable(self)
        self.blocks, self.roofline, self.scaling, self.bandwidth = BlockMap(), Roofline(), Scaling(), BandwidthCurve()
        self.variant_box, self.quantity_box = QComboBox(), QComboBox()
        self.variant_box.setMinimumContentsLength(24)
        for name, title in QUANTITIES:
            self.quantity_box.addItem(title, name)
        self.addTab(self.table, "Variants")
        self.addTab(_page("Variant", self.variant_box, self.blocks), "Block shapes")
        self.skipped = QLabel(self)
        self.skipped.setObjectName("muted")
        self.skipped.setWordWrap(True)
        self.skipped.setContentsMargins(12, 2, 12, 8)
        self.roofline_place = self.addTab(_under(self.roofline, self.skipped), "Roofline")
        self.addTab(_page("Against problem size", self.quantity_box, self.scaling), "Scaling")
        self.addTab(self.bandwidth, "Bandwidth")
        for place, tip in enumerate(
            (
                "Every variant with its figures",
                "Which block of threads is best: % of the ceiling by threads in x and y",
                "Operations per second over operations per byte, under what memory and arithmetic can do here",
                "Time, bandwidth or point updates against problem size; published figures are dashed",
                "What this device's memory and caches can deliver, by working set",
            )
        ):
            self.setTabToolTip(place, tip)
        self.table.chosen.connect(self.chosen)
        self.roofline.chosen.connect(self._point_chosen)
        self.variant_box.activated.connect(lambda _: self._show_blocks())
        self.quantity_box.activated.connect(lambda _: self.scaling.set_quantity(self.quantity_box.currentData()))
        for chart in (self.roofline, self.scaling, self.bandwidth):
            chart.setToolTip("Wheel: zoom. Drag: move. Double click: show all.")

    def minimumSizeHint(self) -> QSize:
        """Each tab is seen, however little room there is."""
        return super().minimumSizeHint().expandedTo(QSize(self.tabBar().sizeHint().width(), 0))

    @property
    def charts(self) -> tuple[Chart, ...]:
        return self.blocks, self.roofline, self.scaling, self.bandwidth

    @property
    def case(self) -> str:
        """The size that plots of one size show: the chosen one, else the largest with figures."""
        chosen: str = self.size_box.currentData() or ALL
        if chosen:
            return chosen
        good = cases_of(accepted(self._mine)) or self._cases
        return good[-1] if good else ""

    @property
    def records(self) -> Sequence[VariantRecord]:
        """Of the present study, at all sizes."""
        return self._mine

    def show_data(
        self, study: Study | None, identifier: str, record: LabRecord | None, other: LabRecord | None
    ) -> None:
        """``identifier``: of the study, which this installation may not have."""
        if identifier != self._identifier:
            self._identifier = identifier
            self._show_all()
        self._study, self._record, self._other = study, record, other
        self._mine = [r for r in record.variants if r.study == identifier] if record is not None else []
        cases = cases_of(self._mine)
        if cases != self._cases or not self.size_box.count():
            self._cases = cases
            _refill(self.size_box, [("All sizes", ALL), *((name, name) for name in cases)])
        known = [variant.id for variant in study.variants] if study is not None else []
        measured = variants_of(self._mine)
        self._order = {name: place for place, name in enumerate(dict.fromkeys([*known, *measured]))}
        blocked = variants_of(r for r in self._mine if r.shape is not None)
        if blocked != self._variants:
            self._variants = blocked
            _refill(self.variant_box, [(title, name) for name, title in blocked.items()])
        self.variant_box.setEnabled(bool(blocked))
        self.scaling.set_data(study, self._mine, self._order, other)
        self.bandwidth.set_data(record.machine if record is not None else None, other.machine if other else None)
        self._show_size()

    def choose(self, record: VariantRecord) -> None:
        """Follow the chosen record: its variant's heat map."""
        place = self.variant_box.findData(record.variant)
        if place >= 0 and place != self.variant_box.currentIndex():
            self.variant_box.setCurrentIndex(place)
            self._show_blocks()

    def picture(self) -> QImage | None:
        """The plot that is seen, None where the table is."""
        page = self.currentWidget()
        return next((chart.image() for chart in self.charts if chart is page or page.isAncestorOf(chart)), None)

    def _show_all(self) -> None:
        for chart in self.charts:
            chart.show_all()

    def _size_activated(self) -> None:
        self._show_all()
        self._show_size()
        self.size_chosen.emit()

    def _show_size(self) -> None:
        wanted = self.size_box.currentData() or ALL
        rows = [record for record in self._mine if not wanted or record.case == wanted]
        if not self.every_block.isChecked():
            rows = best_blocks(rows)
        self.table.fill(self._study, rows, self._other)
        here = [record for record in self._mine if not wanted or record.case == wanted]
        machine = self._record.machine if self._record is not None else None
        self.roofline.set_data(machine, here, self._order, self._other)
        self._show_skipped(here, [wanted] if wanted else self._cases)
        self._show_blocks()

    @property
    def _device_kind(self) -> str:
        return str(self._record.machine.device.get("kind", "cpu")) if self._record is not None else "cpu"

    def _show_skipped(self, records: Sequence[VariantRecord], cases: Sequence[str]) -> None:
        study = self._study
        if study is not None and self.size_box.currentData():
            study = replace(study, cases=[case for case in study.cases if case.name in cases])
        sentences = left_out(study, records, self._device_kind, cases)
        if self._record is not None and self._record.machine.operations_per_second is None:
            sentences.append("The roof of arithmetic: this record is older than its measurement.")
        self.skipped.setText("Not shown: " + "  ·  ".join(sentences))
        self.skipped.setVisible(bool(sentences) and bool(records))

    def _show_blocks(self) -> None:
        variant = self.variant_box.currentData()
        of_variant = [record for record in self._mine if record.variant == variant]
        case = self.size_box.currentData() or most_blocks(of_variant)
        mine = [record for record in of_variant if record.case == case]
        caches = list(dict.fromkeys(record.cache for record in mine))
        missing = "" if self._variants else NO_BLOCKS if self._device_kind == "cpu" else NONE_MEASURED
        self.blocks.set_data([record for record in mine if record.cache == caches[0]] if caches else [], missing)

    def _point_chosen(self, record: VariantRecord) -> None:
        self.table.choose(record)
        self.chosen.emit(record)


def most_blocks(records: Sequence[VariantRecord]) -> str:
    """The size that was measured with the most block shapes, the largest of several; empty without records."""
    shapes = {case: len({record.shape for record in records if record.case == case}) for case in cases_of(records)}
    return max(reversed(shapes), key=lambda case: shapes[case], default="")


def _under(chart: Chart, label: QLabel) -> QWidget:
    page = QWidget()
    layout = QVBoxLayout(page)
    layout.setContentsMargins(0, 0, 0, 0)
    layout.setSpacing(0)
    layout.addWidget(chart, 1)
    layout.addWidget(label)
    return page


def _page(title: str, box: QComboBox, chart: Chart) -> QWidget:
    page = QWidget()
    label = QLabel(title, page)
    label.setObjectName("muted")
    label.setBuddy(box)
    box.setAccessibleName(title)
    above = QHBoxLayout()
    above.setContentsMargins(10, 8, 10, 0)
    above.addWidget(label)
    above.addWidget(box)
    above.addStretch(1)
    layout = QVBoxLayout(page)
    layout.setContentsMargins(0, 0, 0, 0)
    layout.addLayout(above)
    layout.addWidget(chart, 1)
    return page


def _refill(box: QComboBox, entries: Sequence[tuple[str, str]]) -> None:
    """Other entries; the present one stays if it is among them."""
    chosen = box.currentData()
    box.blockSignals(True)
    box.clear()
    for title, value in entries:
        box.addItem(title, value)
    box.setCurrentIndex(max(0, box.findData(chosen)))
    box.blockSignals(False)
