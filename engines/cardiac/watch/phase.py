"""Phase of the voltage, and the phase singularities on the surface: what spiral waves turn around.

Delay embedding after Gray, Pertsov & Jalife 1998 (doi 10.1038/32164), topological charges after Bray & Wikswo 2002
(doi 10.1103/PhysRevLett.89.219901): see ``phase.cu``. A spiral wave has a charge at each end of its filament on the
surface; those of a closed surface add up to zero.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from engines.api import Array, FieldInfo, KernelTraffic, MarkerInfo, Markers, SeriesInfo
from engines.api.charts import ChartInfo
from engines.cardiac.watch.kernels import WatcherKernels
from engines.cardiac.watch.watcher import Snapshot, TissueWatcher
from engines.geometry.meshes.shell import Shell

PHASE = FieldInfo("phase", "Phase", "rad", "cell", (-math.pi, math.pi), "cycle", cyclic=True)
SINGULARITIES = MarkerInfo(
    "Phase singularities of the whole surface",
    ("clockwise", "counter-clockwise"),
    "Those of the far side, too, each seen from outside: one spiral through a sheet or wall has two, one of each sign, "
    "as it is seen from both sides.",
)
"""The phase grows with time: a wave around a charge of +1, seen from outside, turns with the clock."""
LOOKS_MILLISECONDS = 1.0


def phase_looks(delay: float, step: float) -> tuple[int, int]:
    """Steps between two looks, and looks that the delay [ms] is made of."""
    every = max(1, round(min(LOOKS_MILLISECONDS, delay) / step))
    return every, max(1, round(delay / (every * step)))


def phase_traffic(n_cells: int, value_bytes: int, every: int) -> KernelTraffic:
    """Of a look: the voltage is copied. The surface is not counted."""
    return KernelTraffic("phase", n_cells * value_bytes, n_cells * value_bytes, 0).spread(every)


class Phase(TissueWatcher):
    """The voltages of the last ``looks + 1`` looks are kept, ``every`` steps of ``dt`` [ms] apart. Phase is of now: the
    voltage a delay ago is linear between two of them.

    ``shell`` in the order of the device; ``n_padded``: length of the voltage; ``origin`` [mV].
    """

    fields = (PHASE,)
    series = (SeriesInfo("phase_singularities", "Phase singularities", "1"),)
    marked = SINGULARITIES
    charts = (ChartInfo("phase_singularities", "Phase singularities on the surface", "1", ("phase_singularities",)),)

    def __init__(
        self, kernels: WatcherKernels, n_padded: int, shell: Shell, origin: float, every: int, looks: int, dt: float
    ) -> None:
        backend = kernels.backend
        self._kernels, self._origin, self.every, self._dt = kernels, origin, every, dt
        self._ring = backend.array(np.zeros((looks + 1, n_padded), kernels.dtype))
        self._seen = 0
        self._ends: tuple[Any, Any] = self._ring[0], self._ring[0]
        self._phase = backend.empty(n_padded, kernels.dtype)
        self._cells, self._offsets = backend.array(shell.cells), backend.array(shell.offsets)
        self._triangles = backend.array(shell.triangles)
        self._shell = shell
        self._phases = backend.empty(len(shell.points), kernels.dtype)
        self._charge = backend.array(np.zeros(len(shell.triangles), np.int8))
        self._counts = kernels.place(1)  # two int32

    def look(self, moment: Snapshot) -> None:
        voltage = moment.voltage[: self._ring.shape[1]]
        if self._seen == 0:
            self._ring[:] = voltage  # nothing is known of before
        self._ring[self._seen % len(self._ring)] = voltage
        self._seen += 1
        self.look_between(moment)

    def look_between(self, moment: Snapshot) -> None:
        self._ends = moment.voltage[: self._ring.shape[1]], self._delayed(round(moment.time / self._dt) % self.every)
        self._find(*self._ends)

    def _delayed(self, since: int) -> Any:
        """The voltage a delay before now, ``since`` steps after the latest look."""
        older, newer = (self._ring[(self._seen + k) % len(self._ring)] for k in (0, 1))
        return older + self._kernels.dtype.type(since / self.every) * (newer - older) if since else older

    def _find(self, now: Any, then: Any) -> None:
        """Phases and charges at the surface."""
        self._kernels.surface_phases(now, then, self._origin, self._cells, self._offsets, self._phases)
        self._kernels.charges(self._phases, self._triangles, self._charge, self._counts.device.view(np.int32))
        self._counts.change()

    def values(self, field: str) -> Any:
        with self._kernels.backend.active():
            self._kernels.phase(*self._ends, self._origin, self._phase)
        return self._phase

    def observe(self) -> Mapping[str, float]:
        return self.observe_later()()

    def observe_later(self) -> Callable[[], Mapping[str, float]]:
        counts = self._counts.read_later()
        return lambda: {"phase_singularities": float(counts().view(np.int32).sum())}

    def charge(self) -> Array:
        """(triangles,) int8 on the host: +1 or −1 where a phase singularity is."""
        return self._kernels.backend.to_host(self._charge)

    def markers(self) -> Markers:
        """In the middles of their triangles; only those cross to the host."""
        to_host = self._kernels.backend.to_host
        with self._kernels.backend.active():
            (found,) = self._charge.nonzero()
            signs = self._charge[found]
        triangles = self._shell.triangles[to_host(found)]
        return Markers(self._shell.points[triangles].mean(axis=1), to_host(signs))

    def state(self) -> dict[str, Array]:
        to_host = self._kernels.backend.to_host
        return {
            "phase": to_host(self._ring[:, : self._kernels.n_cells]),  # what is behind the cells is no tissue
            "phase_seen": np.array(self._seen),
        }

    def restore(self, state: Mapping[str, Array]) -> None:
        """What it has found it finds again: it looks."""
        self._seen = int(state.get("phase_seen", np.array(0)))
        if self._seen:
            n = self._kernels.n_cells
            self._ring[:, :n] = self._kernels.backend.array(np.ascontiguousarray(state["phase"][:, :n]))
