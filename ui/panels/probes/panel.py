"""The probes panel: the action potential (or any field) at the points that a person clicked, live."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QScrollArea, QToolButton, QVBoxLayout, QWidget

from engines.api import Array, FieldInfo, SimulationInfo
from engines.api.charts import means_in
from ui.charts.plots.reading import beyond, figure
from ui.forms.fields.scalars import CalmComboBox
from ui.panels.probes.probe_list import NO_PLACE, ROW_HEIGHT, ProbeList
from ui.panels.probes.trace_plot import TracePlot
from ui.session.model import DocumentModel
from ui.widgets.icons import dress
from workbench.export.tables import write_table
from workbench.run.frames import Reading, Sample
from workbench.run.meters import followed
from workbench.run.streams.curves import Curves
from workbench.run.streams.traces import TraceBuffer, TraceStore
from workbench.words.units import unit_text

SERIES = "series"
ROWS_SHOWN = 4
LEFT_NOTE = "Pale: previous branch, left by rewinding"


class ProbesPanel(QWidget):
    """Probes are part of the document (edits can be undone); traces belong to the run."""

    export_asked = Signal()

    def __init__(self, model: DocumentModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setMinimumWidth(296)
        self.setObjectName("panel")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self._model = model
        self.store = TraceStore()
        self._fields: dict[str, FieldInfo] = {}
        self._time_unit = self._length_unit = ""
        self._past: float | None = None
        self._hint = ""
        self.plot = TracePlot(self)
        self.list = ProbeList(self)
        self._rows = QScrollArea(self)
        self._rows.setObjectName("scroll")
        self._rows.setWidgetResizable(True)
        self._rows.setFrameShape(QFrame.Shape.NoFrame)
        self._rows.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._rows.setWidget(self.list)
        self.field = CalmComboBox(self)
        self.field.setAccessibleName("Quantity of the plot")
        self.field.activated.connect(lambda _: self._show())
        self.readout = QLabel(self)
        self.readout.setObjectName("muted")
        self.readout.setTextFormat(Qt.TextFormat.PlainText)
        fit = QToolButton(self)
        fit.setToolTip("Show all of the traces (double-click in the plot)")
        dress(fit, "fit")
        fit.clicked.connect(self.plot.autoscale)
        export = QToolButton(self)
        export.setToolTip("Export the traces as CSV")
        dress(export, "export")
        export.clicked.connect(self.export_asked)
        top = QHBoxLayout()
        top.addWidget(self.field, 1)
        top.addWidget(fit)
        top.addWidget(export)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(10, 6, 10, 10)
        layout.setSpacing(6)
        layout.addLayout(top)
        layout.addWidget(self.plot, 1)
        layout.addWidget(self.readout)
        layout.addWidget(self._rows)
        self.plot.hovered.connect(self._read)
        self.list.renamed.connect(self.rename)
        self.list.moved.connect(self.move_to)
        self.list.removed.connect(self.remove)
        model.opened.connect(self._opened)
        model.changed.connect(lambda path: self._probes_changed() if path[0] == "probes" else None)

    # Edits of the document.

    def add(self, position: Sequence[float]) -> None:
        """A probe at a position [mm], named after the first free number."""
        if self._model.document is None:
            return
        taken = set(self.names())
        number = next(n for n in range(1, len(taken) + 2) if f"P{n}" not in taken)
        probe = {"name": f"P{number}", "position": [float(x) for x in position]}
        self._model.edit(("probes",), [*self._model.draft["probes"], probe], "new probe")

    def remove(self, place: int) -> None:
        probes = self._model.draft["probes"]
        self._model.edit(("probes",), [*probes[:place], *probes[place + 1 :]], "removal of a probe")

    def rename(self, place: int, name: str) -> None:
        """Another name; one that another probe has gets a number, for traces are kept by name."""
        others = {other for index, other in enumerate(self.names()) if index != place}
        number, wanted = 2, name
        while name in others:
            name, number = f"{wanted} {number}", number + 1
        probes = [dict(probe) for probe in self._model.draft["probes"]]
        self.store.rename(probes[place]["name"], name)
        probes[place]["name"] = name
        self._model.edit(("probes",), probes, "renaming of a probe")

    def move_to(self, place: int, position: Sequence[float]) -> None:
        """To x, y, z in the unit of the geometry's lengths, where what it followed so far is not known; empty: what was
        typed is no place."""
        if not position:
            self._read(NO_PLACE)
            return
        probes = [dict(probe) for probe in self._model.draft["probes"]]
        probes[place]["position"] = [float(along) for along in position]
        self.store.drop(probes[place]["name"])
        self._model.edit(("probes",), probes, "another place of a probe")
        self._read("")

    def names(self) -> list[str]:
        return [probe["name"] for probe in self._model.draft.get("probes", [])]

    # What the run brings.

    def set_info(self, info: SimulationInfo | None) -> None:
        if info is None:
            return
        self._time_unit, self._length_unit = info.time_unit, unit_text(getattr(info.geometry, "length_unit", ""))
        self.list.set_probes(self._model.draft.get("probes", []), self._length_unit)
        once = [field.title for field in info.fields if field.summary and info.measures]
        self._hint = f"{once[0]}: Measure (M), then click" if once else ""
        self.readout.setToolTip(f"{', '.join(once)}: Measure (M), then click the point." if once else "")
        self._read("")
        self._fields = {field.name: field for field in followed(info.fields)}
        chosen = self.field.currentData() or ("field", self._seen_first)
        self.field.clear()
        for field in self._fields.values():
            self.field.addItem(field.title, ("field", field.name))  # the unit stands at the axis
        of = {name: chart.title for chart in info.charts for name in chart.series if len(chart.series) > 1}
        means = means_in(info.charts)
        for series in (each for each in info.series if each.name not in means):
            title = f"{of[series.name]}: {series.title}" if series.name in of else f"{series.title}, in all"
            self.field.addItem(title, (SERIES, series.name, series.title, series.unit))
        offered = [self.field.itemData(place) for place in range(self.field.count())]  # findData goes by identity
        self.field.setCurrentIndex(offered.index(chosen) if chosen in offered else 0)
        self._show()

    @property
    def _seen_first(self) -> str:
        """The field that the problem opens with: others may be zero everywhere."""
        document = self._model.document
        return "" if document is None else document.project.view.field or ""

    def take(self, samples: Sequence[Sample]) -> None:
        self.store.take(samples)
        if self.isVisible():
            self._show()

    def show_reading(self, reading: Reading) -> None:
        """Of a run that stands: a probe that was placed since has its value, too."""
        self.store.read(reading)
        self._show()

    def curves(self) -> Curves:
        """All that was drawn."""
        return self.store.curves()

    def put_before(self, curves: Curves) -> None:
        """What :meth:`curves` gave of a run that goes on here."""
        self.store.put(curves)
        self._show()

    def rewind(self, time: float) -> None:
        """The run stands at ``time`` again; what came after stays, pale, until it starts anew."""
        self.store.rewind(time)
        self._show()
        self._read("")

    def look_back(self, time: float | None) -> None:
        """The rest of the window shows this moment: values are of then. None: the newest."""
        self._past = time
        self.plot.show_moment(time)
        self._show()

    def _read(self, text: str) -> None:
        """What is under the mouse; else what the pale curves are, or where the values are that no curve has."""
        self.readout.setText(text or (LEFT_NOTE if self.store.left else self._hint))

    def clear_traces(self) -> None:
        """The run starts anew."""
        self.store.clear()
        self._show()
        self.plot.autoscale()
        self._read("")

    def showEvent(self, event: object) -> None:
        self._show()

    def as_csv(self) -> Callable[[Path], None]:
        """All traces as they are now in long form (probe, field, unit, time, value), which spreadsheets and pandas read
        alike: what writes them into a file on any thread while the run goes on. That raises StorageError."""
        columns = ["probe", "field", "unit", f"time [{self._time_unit}]", "value"]
        units = {name: info.unit for name, info in self._fields.items()}
        taken = [(*key, units.get(key[1], ""), each.times, each.values) for key, each in self.store.probes.items()]

        def write(path: Path) -> None:
            rows = [
                [probe, name, unit, repr(float(time)), repr(float(np.float32(value)))]  # with all their digits
                for probe, name, unit, times, values in taken
                for time, value in zip(times, values, strict=True)
            ]
            write_table(path, columns, rows)

        return write

    def _opened(self) -> None:
        self.store.clear()
        self.field.clear()
        self._fields = {}
        self._hint = ""
        self._read("")
        self._probes_changed()
        self.plot.autoscale()

    def _probes_changed(self) -> None:
        names = self.names()
        for probe in {probe for probe, _ in self.store.probes} - set(names):
            self.store.drop(probe)
        self.list.set_probes(self._model.draft.get("probes", []), self._length_unit)
        rows = min(max(len(names), 2), ROWS_SHOWN) + (0.5 if len(names) > ROWS_SHOWN else 0)  # half a row: it scrolls
        self._rows.setFixedHeight(round(rows * ROW_HEIGHT))
        self._show()

    def _show(self) -> None:
        chosen = self.field.currentData()
        if not chosen:
            self.plot.show_traces([], {})
            return
        names, buffers, unit, title = self.names(), self._buffers(chosen), "", ""
        if chosen[0] == SERIES:
            names, title, unit = [chosen[2]], chosen[2], chosen[3]
        elif chosen[1] in self._fields:
            title, unit = self._fields[chosen[1]].title, self._fields[chosen[1]].unit
        if (title, unit, self._time_unit) != self.plot.axes:
            self.plot.set_axes(title, unit, self._time_unit)
        self.plot.show_traces(names, buffers, self._left(chosen))
        known = {place: buffers[name] for place, name in enumerate(names) if len(buffers.get(name, ()))}
        at = math.inf if self._past is None else self._past
        told = {place: self._past is None or not beyond(buffer.times, at) for place, buffer in known.items()}
        values = {place: buffer.at(at) if told[place] else None for place, buffer in known.items()}
        self.list.show_values({place: figure(value, unit) for place, value in values.items() if value is not None})

    def _left(self, chosen: Sequence[str]) -> list[dict[str, tuple[Array, Array]]]:
        """The curves of the branches that the run has left, by the names of the plot."""
        if chosen[0] == SERIES:
            return [{chosen[2]: b.series[chosen[1]]} if chosen[1] in b.series else {} for b in self.store.left]
        return [
            {probe: curve for (probe, field), curve in branch.probes.items() if field == chosen[1]}
            for branch in self.store.left
        ]

    def _buffers(self, chosen: Sequence[str]) -> dict[str, TraceBuffer]:
        if chosen[0] == SERIES:
            return {chosen[2]: self.store.series[chosen[1]]} if chosen[1] in self.store.series else {}
        return {probe: buffer for (probe, field), buffer in self.store.probes.items() if field == chosen[1]}
