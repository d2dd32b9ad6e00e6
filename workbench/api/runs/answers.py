"""What came out of a run: its curves, fields and results at the moment where it rests."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from engines.api import FieldInfo, Simulation
from engines.api.charts import ChartInfo
from engines.api.errors import ProblemError
from workbench.api.arrays import Quantity, number, position, target
from workbench.api.findings import warn
from workbench.api.names import Named, called, quantities
from workbench.api.notebook import Listed
from workbench.api.runs import asking
from workbench.api.runs.axes import cells_on_axes, results_on_axes
from workbench.api.runs.curves import Chart, Curve, Curves, curve_of_series, curves_of_chart
from workbench.api.runs.recording import SpikeTrains
from workbench.api.runs.standing import Standing
from workbench.export.results import axes_of, export_results, files_of, results_of, take_results
from workbench.export.streams.over_time import SERIES, SPIKES, series_text, spikes_text
from workbench.run.lines import line_results, missed_lines
from workbench.run.session import probe_elements

if TYPE_CHECKING:
    from workbench.api.runs.picture import Picture

T = TypeVar("T")


class Answers(Standing):
    """The part of a :class:`workbench.Run` that is read. Curves are sampled from the first step on and kept;
    everything else is of this moment."""

    @property
    def curves(self) -> Curves:
        """Series over time ("voltage") and the curves of charts ("balance/T"), by name or title."""
        info = asking.info_of(self._runner)
        self._notice()
        series = {one.name: curve_of_series(one, self._kept, self.time_unit) for one in info.series}
        return Curves(series, [chart for chart in info.charts if not chart.series], self._chart)

    @property
    def charts(self) -> Named[Chart]:
        """The curves of each chart together, by the name of the chart."""
        infos = {chart.name: chart for chart in asking.info_of(self._runner).charts}
        return Named("chart", infos, lambda name: self._curves_of(infos[name]))

    @property
    def probes(self) -> Named[Named[Curve]]:
        """Fields over time at each probe of the project: ``run.probes["near"]["voltage"]``."""
        return asking.probes_of(self._runner, self._document, self._kept)

    @property
    def fields(self) -> tuple[FieldInfo, ...]:
        """What :meth:`field` gives: name, title, unit and number of components of each."""
        return Listed(asking.info_of(self._runner).fields)

    def field(self, name: str, *, on_device: bool = False) -> Any:
        """A whole field as it is now: a :class:`Quantity` in the geometry's numbering, of the shape of a grid.

        NaN stands where a value has not come yet. Numbers are float32, of a heart in double precision float64: what is
        beyond 3.4e38 is infinite, and a finding tells it. ``on_device``: the bare array of the device (CuPy's on a GPU,
        NumPy's on a CPU) in the precision of the run, a copy that no later step changes. Raises UnknownNameError, and
        ProblemError where the engine has no such array.
        """
        info = called("field", name, {info.name: info for info in self.fields})
        return self._ask(partial(asking.field_on_device if on_device else asking.whole_field, info=info))

    def line(
        self, field: str, start: Sequence[float] = (), end: Sequence[float] = (), *, count: int | None = None
    ) -> Curve:
        """A field along the straight line from ``start`` to ``end`` [the geometry's unit of length] as it is now, in
        ``count`` points (None: as many as resolve the elements); or along the project's line that is called ``field``.

        Interpolated on grids (between centres of cells: in the outer half of the outermost ones it is their value) and
        tetrahedra, NaN outside; vectors by their length. Raises UnknownNameError, and
        ProblemError for a line that meets nothing.
        """
        if all(isinstance(one, Sequence) and not len(one) for one in (start, end)):
            line = called("line of the project", field, {one.name: one for one in self._document.project.lines})
            field, start, end = line.field, line.start, line.end
        info = called("field", field, {info.name: info for info in self.fields})
        start, end = position(start, "The start"), position(end, "The end")
        if count is not None and not float(number(count, "The count of points")).is_integer():
            raise ProblemError(f"The count of points is a whole number, not {count}.")
        count = None if count is None else int(count)
        return self._ask(partial(asking.along_line, info=info, start=start, end=end, count=count))

    @property
    def positions(self) -> Quantity:
        """(n, 3): the centres of the elements that fields stand on, in the geometry's unit of length."""
        geometry = asking.info_of(self._runner).geometry
        return Quantity(geometry.centers(np.arange(geometry.n_cells)), geometry.length_unit, "Position")

    @property
    def results(self) -> Named[Quantity]:
        """What the engine gives besides, by ``group/quantity`` ("back/energy"); of cells that are recorded how they
        ended, and what their cycles took ("cycles/discharge capacity"). Copied from the device when asked."""
        self._notice()
        found = {**self._ask(results_of), **self._ask(self._recorded.at_the_end)}
        return results_on_axes(quantities("result", found), self._ask(axes_of))

    @property
    def files(self) -> Named[str]:
        """Results as texts in forms of other programs (Touchstone), by file name."""
        self._notice()
        texts = self._ask(files_of)
        return Named("file of results", texts, texts.__getitem__)

    @property
    def spikes(self) -> SpikeTrains:
        """Every spike up to now of the populations that the project records, in the order of time.

        Raises ProblemError where the engine, or the project, records none.
        """
        self._notice()
        return self._able(self._recorded.spikes, "spikes of neurons")

    @property
    def cells(self) -> Named[Quantity]:
        """What each cell of a battery did, as the project records it, and now: "time" (rows,), "voltage" and others
        (rows, cells), and what was drawn for each (cells,). Raises ProblemError where nothing of cells is recorded."""
        self._notice()
        found = self._able(self._recorded.cells, "what each of its cells did")
        return cells_on_axes(quantities("quantity of the cells", found))

    def picture(self, field: str | None = None, *, size: tuple[int, int] = (1280, 800)) -> Picture:
        """The 3D view of this moment, coloured by a field (None: the project's). Raises ProblemError, DeviceError."""
        from workbench.api.runs.picture import picture_of

        if field is not None:
            called("field", field, {info.name: info for info in self.fields})
        return picture_of(self._document, asking.info_of(self._runner), self._ask, field, size)

    def save(self, path: Path | str) -> list[Path]:
        """Export this moment as the window does: ``NAME.pvd`` with its fields for ParaView, tables, an .h5 and files
        for other programs beside it, and every spike that the project records; what was written. Raises
        StorageError, and ProblemError for another ending."""
        place = target(path, "A moment of a run")
        if not place.name or place.is_dir():
            raise ProblemError(f"'{path}' is a folder: give a name in it, such as 'NAME.pvd'.")
        if place.suffix.lower() not in ("", ".pvd"):
            raise ProblemError(
                f"'{place}' must end in .pvd: beside it fields, tables and results are written in forms of their own. "
                "A picture is picture().save('NAME.png'), spikes are spikes.save('NAME.nwb')."
            )
        points = probe_elements(self._document)
        lines = self._document.project.lines
        results = self._ask(lambda simulation: take_results(simulation, points, partial(line_results, lines=lines)))
        warn(self._ask(partial(missed_lines, lines=lines)))
        self._notice()
        return export_results(replace(results, files={**results.files, **self._over_time()}), place)

    def _over_time(self) -> dict[str, str]:
        """Tables of series and spikes, by the ends of their names."""
        info = asking.info_of(self._runner)
        curves = {each.name: (self._kept.times, self._kept.series(each.name)) for each in info.series}
        tables = {SERIES: series_text(info.series, self.time_unit, curves)} if curves else {}
        trains = self._ask(self._recorded.spikes)
        if trains is not None:
            tables[SPIKES] = spikes_text(
                np.asarray(trains.times), trains.times.unit, trains.neurons, trains.populations
            )
        return tables

    def _curves_of(self, info: ChartInfo) -> Chart:
        if not info.series:
            return curves_of_chart(info, self._chart(info.name))
        return Chart(self.curves[name] for name in (*info.series, *info.lines))

    def _able(self, answer: Callable[[Simulation], T | None], what: str) -> T:
        found = self._ask(answer)
        if found is None:
            raise ProblemError(f"This run of the engine '{self._document.engine.id}' does not record {what}.")
        return found
