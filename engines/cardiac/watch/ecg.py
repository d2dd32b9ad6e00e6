"""The pseudo-ECG: potentials at electrodes around the tissue over time."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from engines.api import Array, KernelTraffic, SeriesInfo
from engines.api.charts import ChartInfo
from engines.cardiac.tissue.rows import ALL_ROWS, Rows
from engines.cardiac.watch.kernels import WatcherKernels
from engines.cardiac.watch.watcher import Snapshot, TissueWatcher

Repaint = Callable[[Array, Array], tuple[Array, Array]]


def ecg_traffic(n_cells: int, value_bytes: int, leads: int, every: int) -> KernelTraffic:
    """Of a look: the voltage once and the weights of each lead; spread over the steps between two."""
    return KernelTraffic("ecg", n_cells * (value_bytes + 4 * leads), 0, 2 * n_cells * leads // every).spread(every)


class Ecg(TissueWatcher):
    """``weights: (leads, n_cells)`` of ``rows`` in the order of the device (:func:`leads.lead_weights`), kept in
    float32: each is off by 6e-8 of itself, which is lost in the sum over all cells. ``repaint`` gives, for ``changed``
    and ``left`` of :meth:`conduct`, the cells whose weights that changes, and these weights."""

    def __init__(
        self,
        kernels: WatcherKernels,
        names: Sequence[str],
        weights: Array,
        every: int,
        repaint: Repaint | None = None,
        rows: Rows = ALL_ROWS,
    ) -> None:
        backend = kernels.backend
        self._kernels, self.every, self._repaint, self._rows = kernels, every, repaint, rows
        self._weights = backend.array(weights.astype(np.float32))
        self._values, self._scale = kernels.place(len(names)), 1.0
        self.series = tuple(SeriesInfo(f"ecg_{name}", name, "mV") for name in names)
        self.charts = (ChartInfo("ecg", "Pseudo-ECG", "mV", series=tuple(info.name for info in self.series)),)

    def look(self, moment: Snapshot) -> None:
        self._scale = moment.conductivity_scale
        self._kernels.weighted_sums(moment.voltage, self._weights, self._values.device)
        self._values.change()

    def look_between(self, moment: Snapshot) -> None:
        self.look(moment)

    def conduct(self, changed: Array, left: Array) -> None:
        assert self._repaint is not None, "only cells can be painted, and they have it"
        cells, weights = self._repaint(changed, left)
        backend = self._kernels.backend
        which, here = self._rows.here(cells)
        with backend.active():
            self._weights[:, backend.array(here)] = backend.array(weights[:, which].astype(np.float32))

    def observe(self) -> Mapping[str, float]:
        return self.observe_later()()

    def observe_later(self) -> Callable[[], Mapping[str, float]]:
        found, scale = self._found_later(), self._scale
        return lambda: {info.name: scale * float(value) for info, value in zip(self.series, found(), strict=True)}

    def state(self) -> dict[str, Array]:
        return {}  # of the voltage alone

    def restore(self, state: Mapping[str, Array]) -> None:
        """It looks again."""

    def _found_later(self) -> Callable[[], Array]:
        """(leads,) at the latest look."""
        return self._values.read_later()
