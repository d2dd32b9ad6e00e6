"""The steps on an NVIDIA GPU: launches ``fdtd.cu``."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from engines.api import Array
from engines.backend.tuning import tune, tuning_key
from engines.fdtd.boundaries import Axis, kernel_tables, psi_shapes
from engines.fdtd.cpu import energy_weights
from engines.fdtd.materials import Media
from engines.fdtd.sources import Entries, Sources
from engines.fdtd.yee import Yee

SOURCE = Path(__file__).with_name("fdtd.cu")
REAL = {"float32": "-DREAL=float", "float64": "-DREAL=double"}
PACKED = {"float32": (4, 2, 1), "float64": (2, 1)}
THREADS = 256
Shape = tuple[int, int, int, int]
"""Values of a thread along x, threads along x, threads along y, planes that a thread marches over."""


class CudaYee:
    """Leapfrog steps of E and H; attributes and methods as those of :class:`engines.fdtd.cpu.CpuYee`.

    shape: a launch shape for both passes; None: the best, measured once per device and size of grid
    """

    def __init__(
        self, backend: Any, yee: Yee, axes: Sequence[Axis], media: Media, sources: Sources, precision: str,
        shape: Shape | None = None,
    ) -> None:  # fmt: skip
        self.dtype = np.dtype(precision)
        self._backend, self._yee, self._sources = backend, yee, sources
        self._magnetic = media.ids_h is not None
        self.electric, self.magnetic = (self._zeros((3, *yee.shape)) for _ in range(2))
        shapes = psi_shapes(yee, axes)
        self.psi = [self._zeros(each) for each in (*shapes, *shapes)]
        self.signals = self._zeros((max(sources.count, 1),))
        self._ids_e = backend.array(media.ids_e)
        self._ids_h = None if media.ids_h is None else backend.array(media.ids_h)
        self._tables = [backend.array(kernel_tables(yee, axes, electric, self.dtype)) for electric in (True, False)]
        self._coefficients = [
            backend.array(np.concatenate(pair).astype(self.dtype))
            for pair in ((media.ca, media.cb), (media.da, -media.db))
        ]
        self._grid = [
            np.int32(n)
            for n in (*yee.counts, yee.row, *(n for axis in axes for n in (axis.low, axis.high)),
                      sum(axis.wraps << d for d, axis in enumerate(axes)))
        ]  # fmt: skip
        self._entries = [self._placed(entries) for entries in (sources.electric, sources.magnetic)]
        self._lines = backend.array(np.array(_line_places(sources), np.int32).reshape(-1, 3))
        self._line_tables = [backend.array(_line_table(sources, electric, self.dtype)) for electric in (True, False)]
        self._drives = backend.array(np.array([[d[2], d[3]] for d in sources.drives], np.int32).reshape(-1, 2))
        self._energy_media = backend.array(np.concatenate([media.permittivity, media.permeability]))
        self._energy_weights = backend.array(energy_weights(axes))
        self._kernels: dict[tuple[int, str], Any] = {}
        self._shapes = {name: shape or self._best(name) for name in ("electric", "magnetic")}

    def _zeros(self, shape: tuple[int, ...]) -> Any:
        return self._backend.array(np.zeros(shape, self.dtype))

    def _placed(self, entries: Entries) -> tuple[Any, Any, Any]:
        array = self._backend.array
        return array(entries.places), array(entries.weights.astype(self.dtype)), array(entries.slots)

    def _kernel(self, packed: int, name: str) -> Any:
        if (packed, name) not in self._kernels:
            macros = [REAL[self.dtype.name], f"-DV={packed}", *(["-DMAGNETIC"] if self._magnetic else [])]
            self._kernels[packed, name] = self._backend.compile(SOURCE, macros).get_function(name)
        return self._kernels[packed, name]

    def shapes(self) -> list[Shape]:
        """Launch shapes worth measuring."""
        nx, _ny, nz = self._yee.counts
        found: list[Shape] = []
        for packed in PACKED[self.dtype.name]:
            for across, rows in ((32, 4), (32, 8), (64, 2), (64, 4), (128, 2)):
                if across > 32 and across * packed >= 2 * (nx + 1):
                    continue
                spans = {min(span, nz + 1) for span in (4, 16, 64)}
                found += [(packed, across, rows, span) for span in sorted(spans)]
        return found

    def _best(self, name: str) -> Shape:
        """Measured on the fields as they are, all zero: a step then changes nothing."""
        size = "x".join(str(n.bit_length()) for n in self._yee.counts)
        kind = f"fdtd {name} {size} {'magnetic' if self._magnetic else ''} layers {sum(p.size > 0 for p in self.psi)}"
        key = tuning_key(kind, self._backend.info, SOURCE, self._yee.places, [REAL[self.dtype.name]])
        return tune(key, self.shapes(), lambda shape: self._backend.elapsed(lambda: self.launch(name, shape)))

    def launch(self, name: str, shape: Shape) -> None:
        """One pass, ``"electric"`` or ``"magnetic"``."""
        packed, across, rows, span = shape
        nz, ny, row = self._yee.shape
        grid = (-(-row // (across * packed)), -(-ny // rows), -(-nz // span))
        second = name == "magnetic"
        ids = self._ids_e if not second or self._ids_h is None else self._ids_h
        self._kernel(packed, name)(
            grid,
            (across, rows),
            (
                self.electric, self.magnetic, ids, self._coefficients[second], self._tables[second],
                *self.psi[3 * second : 3 * second + 3], *self._grid, np.int32(span),
            ),
        )  # fmt: skip

    def advance(self, values: Array) -> None:
        """A step for each row of ``values``, (steps, drives) of the sources. Inside ``backend.timed`` or ``active``."""
        sources = self._sources
        drives = len(sources.drives)
        table = self._backend.array(values.astype(self.dtype)) if drives else None
        for step in range(len(values)):
            if drives:
                self._drive(table, step, 1)
            self.launch("electric", self._shapes["electric"])
            if drives:
                self._inject("inject_electric", self.electric, 0)
                self._drive(table, step, 0)
            self.launch("magnetic", self._shapes["magnetic"])
            if sources.lines:
                self._inject("inject_magnetic", self.magnetic, 1)

    def _drive(self, table: Any, step: int, half: int) -> None:
        sources = self._sources
        if any(drive[3] == bool(half) for drive in sources.drives):
            count = len(sources.drives)
            self._kernel(1, "drive")(
                (1,), (-(-count // 32) * 32,),
                (self.signals, table, self._drives, np.int32(count), np.int32(step), np.int32(half)),
            )  # fmt: skip

    def _inject(self, name: str, field: Any, which: int) -> None:
        places, weights, slots = self._entries[which]
        lines = self._sources.lines
        threads = max([len(places), *(line.n + 1 for line in lines)])
        self._kernel(1, name)(
            (-(-threads // THREADS),), (THREADS,),
            (
                field, places, weights, slots, self.signals, np.int32(len(places)), self._line_tables[which],
                self._lines, np.int32(len(lines)),
            ),
        )  # fmt: skip

    def repaint(self, media: Media, block: tuple[slice, slice, slice]) -> None:
        """Ids of ``media`` in a block along z, y, x have changed, and so may its tables. Inside ``active``."""
        array = self._backend.array
        for held, ids in ((self._ids_e, media.ids_e), (self._ids_h, media.ids_h)):
            if held is not None and ids is not None:
                held[:, *block] = array(np.ascontiguousarray(ids[:, *block]))
        for held, pair in zip(self._coefficients, ((media.ca, media.cb), (media.da, -media.db)), strict=True):
            held[...] = array(np.concatenate(pair).astype(self.dtype))
        self._energy_media[...] = array(np.concatenate([media.permittivity, media.permeability]))

    def energy(self) -> tuple[float, float]:
        """Σ ε_r E² and Σ μ_r (η₀H)² over the cells [V²/m²]. Inside ``backend.active``."""
        nz = self._yee.shape[0]
        sums = self._backend.empty((nz, 2), np.float64)
        self._kernel(1, "energy")(
            (nz,), (THREADS,),
            (
                self.electric, self.magnetic, self._ids_e, self._ids_h, self._energy_media, self._energy_weights,
                np.int32(self._energy_weights.shape[1]), sums, *self._grid[:4],
            ),
        )  # fmt: skip
        electric, magnetic = self._backend.to_host(sums).sum(axis=0)
        return float(electric), float(magnetic)

    def parts(self) -> dict[str, Any]:
        """What changes from step to step, by name."""
        psi = {
            f"psi {field}{axis}": self.psi[3 * n + a] for n, field in enumerate("eh") for a, axis in enumerate("xyz")
        }
        return {"electric": self.electric, "magnetic": self.magnetic, "signals": self.signals, **psi, **self.line_psi()}

    def line_psi(self) -> dict[str, Any]:
        """ψ of the lines of plane waves."""
        found = {}
        for number, (line, (_, _, place)) in enumerate(
            zip(self._sources.lines, _line_places(self._sources), strict=True)
        ):
            for name, table in zip("eh", self._line_tables, strict=True):
                start = place + 3 * (line.n + 1)
                found[f"line {number} {name}"] = table[start : start + line.n + 1]
        return found


def _line_places(sources: Sources) -> list[tuple[int, int, int]]:
    """(first signal, nodes − 1, place in the table of lines) of each line."""
    found, place = [], 0
    for line in sources.lines:
        found.append((line.first, line.n, place))
        place += 4 * (line.n + 1) + 1
    return found


def _line_table(sources: Sources, electric: bool, dtype: Any) -> Array:
    parts = [np.zeros(0)]
    for line in sources.lines:
        axis = line.axis
        if electric:
            parts += [axis.inverse_e, axis.b_e, axis.c_e, np.zeros(line.n + 1), np.array([line.cb])]
        else:
            parts += [axis.inverse_h, axis.b_h, axis.c_h, np.zeros(line.n + 1), np.array([line.db])]
    return np.concatenate(parts).astype(dtype)
