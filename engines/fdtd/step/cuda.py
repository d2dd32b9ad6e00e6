"""The steps on an NVIDIA GPU: launches ``fdtd.cu``, ``one_pass.cu``, ``layers.cu`` and ``many_steps.cu``."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from engines.api import Array
from engines.backend.precision import REAL
from engines.backend.tuning import TuningKey, tune, tuning_key
from engines.fdtd.grid.boundaries import Axis, kernel_tables
from engines.fdtd.grid.dimensions import ALL, Parts
from engines.fdtd.grid.yee import Yee
from engines.fdtd.media.materials import Media
from engines.fdtd.sources.currents import Sources, induced
from engines.fdtd.step.cuda_energy import CudaEnergy
from engines.fdtd.step.cuda_parts import THREADS, CudaCoupling, CudaPoles, Fader, Kernels, psi_slots, slots_x
from engines.fdtd.step.curl.many_steps import MANY_STEPS, Brick, ManyShape, ManySteps, apart, many_shapes
from engines.fdtd.step.curl.many_steps import NO_SHAPE as NOT_MANY
from engines.fdtd.step.curl.one_pass import NO_SHAPE, ONE_PASS, OnePass, OneShape, one_shapes
from engines.fdtd.step.inject.cuda_injection import CudaInjection
from engines.fdtd.step.leapfrog import LeapfrogSteps

HERE = Path(__file__).parent
SOURCE, LAYERS = HERE / "curl" / "fdtd.cu", HERE / "curl" / "layers.cu"
PACKED = {"float32": (4, 2, 1), "float64": (2, 1)}
LONGEST = 64
"""Steps that are put on the stream together, at most; even, so that fields which change places are back at theirs."""
OFTEN = 3
"""From this time on as many steps as these get a graph of their own: monitors look every so many steps."""
KEPT = 16
"""Graphs that are kept."""
SMALL = 1 << 22
"""Places of a small grid: a pass takes less than some ten microseconds."""
IN_A_ROW = 20
SHARE = 0.8
Shape = tuple[int, int, int, int]
"""Values of a thread along x, threads along x, threads along y, planes that a thread marches over."""
Many = tuple[ManyShape, Brick | None]


class CudaYee(LeapfrogSteps):
    """ψ of x has slots of its own (yee.cuh). What sources do to E they do to H in the same step as entries of their own
    (:func:`engines.fdtd.sources.currents.induced`), so that nothing comes between E and H.

    shape: two passes of this launch shape; one_pass: one pass of this shape; many: many steps in a launch of this
    shape, in such bricks; none of them: the fastest, measured once per device and size of grid. room: bytes of
    the device that a second pair of fields, which one pass needs, may take; None: most of what is free
    """

    def __init__(
        self, backend: Any, yee: Yee, axes: Sequence[Axis], media: Media, sources: Sources, precision: str,
        shape: Shape | None = None, one_pass: OneShape | None = None, many: Many | None = None,
        room: float | None = None, parts: Parts = ALL,
    ) -> None:  # fmt: skip
        self.dtype = np.dtype(precision)
        self._backend, self._yee, self._axes, self._sources = backend, yee, axes, sources
        self._magnetic, self._mask = media.ids_h is not None, parts.mask
        self._real = REAL[self.dtype.name]
        self._compiled = Kernels(backend, self._real)
        self.electric, self.magnetic = (self._zeros((3, *yee.shape)) for _ in range(2))
        self._x = slots_x(yee, axes[0])
        shapes = psi_slots(yee, axes, self._x)
        self.psi = [self._zeros(each) for each in (*shapes, *shapes)]
        self._vectors = [math.prod(each) // 2 // PACKED[precision][0] for each in shapes]
        self._poles = CudaPoles(backend, media.dispersion, self.dtype)
        self.states = self._poles.states
        self._faders = [Fader(backend, yee, d, axis, self.dtype) for d, axis in enumerate(axes) if any(axis.fading)]
        self._ids_e = backend.array(media.ids_e)
        self._ids_h = None if media.ids_h is None else backend.array(media.ids_h)
        self._tables = [backend.array(kernel_tables(yee, axes, electric, self.dtype)) for electric in (True, False)]
        self._wide = media.wide
        widths = PACKED[precision]
        self._packed = widths[:1] if media.wide or parts != ALL else widths
        self._coefficients = [
            backend.array(self._coefficients_of(pair)) for pair in ((media.ca, media.cb), (media.da, -media.db))
        ]
        self._uniform = float(media.da[0]), float(-media.db[0])
        self._grid = [
            np.int32(n)
            for n in (*yee.counts, yee.row, *self._x, *(n for axis in axes[1:] for n in (axis.low, axis.high)),
                      sum(axis.wraps << d for d, axis in enumerate(axes)))
        ]  # fmt: skip
        self._layers = (*self._grid, np.int32(yee.planes), *map(np.int64, self._vectors))
        self._of_h = induced(yee, axes, media, sources.electric)
        self._injection = CudaInjection(backend, sources, self._of_h, self.dtype, self._compiled)
        self.signals = self._injection.signals
        self._coupling = None if media.coupling is None else CudaCoupling(backend, media.coupling, self.dtype)
        self._values = self._zeros((LONGEST, max(1, len(sources.drives))))
        self._energy = CudaEnergy(
            backend, yee, axes, media, (self._ids_e, self._ids_h), self._poles, self._grid[:4], self._compiled
        )
        self._graphs: dict[int, Callable[[], None]] = {}
        self._asked: Counter[int] = Counter()
        self._shapes = {name: shape or self._best(name) for name in ("electric", "magnetic")}
        self._one, self._many = self._chosen(shape, one_pass, many, room)

    @property
    def passes(self) -> int:
        """How often a step reads the fields."""
        return 2 if self._one is None else 1

    def fetch(self, begin: Callable[[], None], arrive: Callable[[], None], ends: tuple[int, int]) -> None:
        super().fetch(begin, arrive, ends)
        if self._one is not None:
            shape, self._one = self._one.shape, None  # there may be room for one more pair of fields, not for two
            self._one = self._one_pass(shape)

    def _zeros(self, shape: tuple[int, ...]) -> Any:
        return self._backend.array(np.zeros(shape, self.dtype))

    def _kernel(self, packed: int, name: str, source: Path = SOURCE) -> Any:
        """A kernel for vectors of ``packed`` values."""
        macros = [f"-DV={packed}", *["-DMAGNETIC"] * (self._magnetic and name in ("magnetic", "layers_magnetic"))]
        macros += ["-DPOLES"] * (name == "electric" and bool(self._poles.arguments))
        macros += ["-DWIDE"] * self._wide
        if self._mask != ALL.mask and source == SOURCE:
            macros.append(f"-DPARTS={self._mask}")
        return self._compiled(source, name, *macros)

    def shapes(self) -> list[Shape]:
        """Launch shapes of two passes worth measuring."""
        nx, planes = self._yee.counts[0], self._yee.planes
        found: list[Shape] = []
        for packed in self._packed:
            for across, rows in ((32, 4), (32, 8), (64, 2), (64, 4), (128, 2)):
                if across > 32 and across * packed >= 2 * (nx + 1):
                    continue
                spans = {min(span, planes) for span in (4, 16, 64)}
                found += [(packed, across, rows, span) for span in sorted(spans)]
        return found

    def _key(self, name: str, source: Path) -> TuningKey:
        size = "x".join(str(n.bit_length()) for n in self._yee.counts)
        layered = sum(count > 0 for count in self._vectors)
        kind = f"fdtd {name} {size} {'magnetic' if self._magnetic else ''} layers {layered}"
        if self._wide:
            kind += " wide"
        if self._poles.arguments:
            kind += f" poles {self.states.shape[0]} {(self.states.shape[1] // self._yee.places).bit_length()}"
        return tuning_key(kind, self._backend.info, source, self._yee.places, [self._real])

    def _best(self, name: str) -> Shape:
        """Measured on the fields as they are, all zero: a step then changes nothing."""
        return tune(
            self._key(name, SOURCE), self.shapes(), lambda shape: self._seconds(lambda: self.launch(name, shape))
        )

    def _seconds(self, launch: Callable[[], Any]) -> float:
        """Of one launch; on small grids of one in a graph of many, for the host launches more slowly than they run."""
        if self._yee.places > SMALL:
            return float(self._backend.elapsed(launch))
        with self._backend.active():
            launch()  # loads the kernel
            graph = self._backend.captured(lambda: [launch() for _ in range(IN_A_ROW)])
        return float(self._backend.elapsed(graph)) / IN_A_ROW

    def _chosen(
        self, shape: Shape | None, one_pass: OneShape | None, many: Many | None, room: float | None
    ) -> tuple[OnePass | None, ManySteps | None]:
        """What takes the place of two passes, at most one of both, as asked for or where it is faster."""
        other = self._magnetic or self._wide or self._poles.arguments or self._faders or any(self._yee.flat)
        if other or self._mask != ALL.mask:
            return None, None
        self._one = None
        if one_pass is not None:
            return self._one_pass(one_pass), None
        if shape is None and 2 * self.electric.nbytes <= (SHARE * self._backend.memory()[0] if room is None else room):
            self._one = self._worth()
        found = None
        if self._coupling is None and apart(self._yee, self._axes, self._x, self._sources, self._of_h):
            if many is not None:
                found = self._many_steps(*many)
            elif shape is None and self._backend.cooperative and self._yee.places <= SMALL:
                found = self._worth_many()
        return (None, found) if found is not None else (self._one, None)

    def _one_pass(self, shape: OneShape) -> OnePass:
        return OnePass(self._backend, self._yee, self._axes, self._x, self.dtype, self._real, shape, self._ends)

    def _worth(self) -> OnePass | None:
        """One pass in the best of its shapes, or None where two passes are faster."""
        made: dict[OneShape, OnePass] = {}

        def seconds(shape: OneShape) -> float:
            if shape == NO_SHAPE:
                return self._seconds(self._two_passes)
            if shape not in made:
                made.clear()  # there may be room for one more pair of fields, not for two
                made[shape] = self._one_pass(shape)
            return self._seconds(lambda: self._launch_one(made[shape]))

        best = tune(self._key("one pass", ONE_PASS), [NO_SHAPE, *one_shapes(self.dtype)], seconds)
        return None if best == NO_SHAPE else made.get(best) or self._one_pass(best)

    def _many_steps(self, shape: ManyShape, brick: Brick | None = None) -> ManySteps:
        entries = self._sources.electric, self._of_h, self._sources.magnetic
        kind = self._axes, self.dtype, self._real
        return ManySteps(self._backend, self._yee, *kind, entries, self._sources, shape, brick)

    def _worth_many(self) -> ManySteps | None:
        """Many steps in a launch in the best of its shapes, or None where a graph of launches is faster.

        Of as many steps as there are in a launch at most: shapes that keep H read and write it once for all of them.
        """
        made: dict[ManyShape, ManySteps] = {}
        name = f"many steps {'x'.join(map(str, self._yee.counts))}"

        def seconds(shape: ManyShape) -> float:
            if shape == NOT_MANY:
                with self._backend.active():
                    self._launches(LONGEST)  # loads the kernels
                    graph = self._backend.captured(lambda: self._launches(LONGEST))
                return float(self._backend.elapsed(graph))
            if shape not in made:
                made[shape] = self._many_steps(shape)
            return float(self._backend.elapsed(lambda: self._launch_many(made[shape], LONGEST)))

        best = tune(
            self._key(name, MANY_STEPS), [NOT_MANY, *many_shapes(self._backend, self._yee, self.dtype)], seconds
        )
        return None if best == NOT_MANY else made.get(best) or self._many_steps(best)

    def _launch_many(self, many: ManySteps, count: int) -> None:
        """``count`` steps with the first rows of ``_values``."""
        da, minus_db = (self.dtype.type(value) for value in self._uniform)
        many.launch(
            count,
            (
                self.electric, self.magnetic, self._ids_e, self._coefficients[0], da, minus_db, *self._tables,
                *self.psi, *self._grid, self.signals, *self._injection.line_tables, self._injection.lines,
                self._values, self._injection.drives,
                np.int32(len(self._sources.drives)),
            ),
        )  # fmt: skip

    def _launch_one(self, one: OnePass) -> None:
        da, minus_db = (self.dtype.type(value) for value in self._uniform)
        one.launch(
            self.electric, self.magnetic,
            (self._ids_e, self._coefficients[0], da, minus_db, *self._tables, *self.psi[:3], *self._grid),
            self._arrived,
        )  # fmt: skip

    def launch(self, name: str, shape: Shape) -> None:
        """One pass, ``"electric"`` or ``"magnetic"``."""
        packed, across, rows, span = shape
        _nz, ny, row = self._yee.shape
        span = min(span, self._yee.planes)  # the kernels stop at the last plane that is kept
        grid = (-(-row // (across * packed)), -(-ny // rows), -(-self._yee.planes // span))
        fields, last = (self.electric, self.magnetic), (*self._grid, np.int32(span))
        if name == "electric":
            arguments = (*fields, self._ids_e, self._coefficients[0], self._tables[0], *self.psi[:3], *last)
            arguments += self._poles.arguments
        else:
            ids = self._ids_e if self._ids_h is None else self._ids_h
            arguments = (*fields, ids, self._coefficients[1], self._tables[1], *last)
        self._kernel(packed, name)(grid, (across, rows), arguments)

    def advance(self, values: Array) -> None:
        """A step for each row of ``values``, (steps, drives) of the sources. Inside ``backend.timed`` or ``active``."""
        table = self._backend.array(values.astype(self.dtype)) if values.size else None
        for first in range(0, len(values), LONGEST):
            count = min(LONGEST, len(values) - first)
            if table is not None:
                self._values[:count] = table[first : first + count]
            self._put(count)
        self.finish()

    def prepare(self, values: Array) -> Any:
        """What the halves of steps are given of ``values``."""
        return self._backend.array(values.astype(self.dtype)) if self._sources.drives else self._values

    def _put(self, count: int) -> None:
        """``count`` steps with the first rows of ``_values``, as a graph if so many come often."""
        if self.between is not None:
            for row in range(count):
                if self._faders:
                    self._arrived()
                    self._step_by_halves(row)
                else:
                    self._step(row, self._one)
                self.between()
            return
        if self._many is not None:
            self._launch_many(self._many, count)
            return
        if count not in self._graphs:
            self._asked[count] += 1
            if self._asked[count] < OFTEN:
                self._launches(count)
                return
            if len(self._graphs) >= KEPT:
                self._graphs.pop(next(iter(self._graphs)))
            self._graphs[count] = self._backend.captured(lambda: self._launches(count))
        self._graphs[count]()

    def _launches(self, count: int) -> None:
        """One pass reads one pair of fields and writes the other, so the last of an odd number of steps takes two."""
        for row in range(count):
            if self._faders:
                self._step_by_halves(row)
            else:
                self._step(row, self._one if row < count // 2 * 2 else None)

    def _step_by_halves(self, row: int) -> None:
        self.electric_half(self._values, row)
        self.magnetic_half()

    def _step(self, row: int, one: OnePass | None) -> None:
        """E and H one right after the other; what sources do to E then goes to both."""
        if self._coupling is not None:
            self._arrived()
        self._couple()
        self._layers_electric(self._values, row)
        if one is None:
            self._arrived()
            self._two_passes()
        else:
            self._launch_one(one)
            self.electric, self.magnetic = one.swapped(self.electric, self.magnetic)
        self._injection.of_electric(self.electric, self.magnetic, self._values, row, together=True)
        for part in (0, 1):
            self._layers_magnetic(part)
        self._injection.of_magnetic(self.magnetic)

    def electric_half(self, table: Any, row: int) -> None:
        """E of the step of a row of the values, and what sources add to it."""
        self._couple()
        self._layers_electric(table, row)
        self.launch("electric", self._shapes["electric"])
        for fader in self._faders:
            fader.launch(self.electric, False)
        self._injection.of_electric(self.electric, self.magnetic, table, row, together=False)

    def _couple(self) -> None:
        """Before E takes its step: the terms need H alone."""
        if self._coupling is not None:
            self._coupling.launch(self.electric, self.magnetic)

    def magnetic_half(self) -> None:
        """H of a step, and what sources add to it."""
        self.launch("magnetic", self._shapes["magnetic"])
        for part in (0, 1):
            self._layers_magnetic(part)
        for fader in self._faders:
            fader.launch(self.magnetic, True)
        self._injection.of_magnetic(self.magnetic)

    def _two_passes(self) -> None:
        self.launch("electric", self._shapes["electric"])
        self.launch("magnetic", self._shapes["magnetic"])

    def _layers_electric(self, table: Any, row: int) -> None:
        """ψ of E; sets the signals of currents too."""
        threads, drives = sum(self._vectors), len(self._sources.drives)
        if not threads:
            self._injection.drive(table, row, 1)
            return
        self._kernel(PACKED[self.dtype.name][0], "layers_electric", LAYERS)(
            (-(-max(threads, drives) // THREADS),), (THREADS,),
            (
                self.magnetic, self._tables[0], *self.psi[:3], *self._layers,
                self.signals, table, self._injection.drives, np.int32(drives), np.int32(row),
            ),
        )  # fmt: skip

    def _layers_magnetic(self, part: int) -> None:
        threads = sum(self._vectors)
        if threads:
            ids = self._ids_e if self._ids_h is None else self._ids_h
            self._kernel(PACKED[self.dtype.name][0], "layers_magnetic", LAYERS)(
                (-(-threads // THREADS),), (THREADS,),
                (
                    self.electric, self.magnetic, ids, self._coefficients[1], self._tables[1], *self.psi[3:],
                    *self._layers, np.int32(part),
                ),
            )  # fmt: skip

    def _coefficients_of(self, pair: tuple[Array, Array]) -> Array:
        """Both coefficients of all mixtures as the kernels read them (mixtures.cuh)."""
        return np.stack(pair, axis=1 if self._wide else 0).reshape(-1).astype(self.dtype)

    def repaint(self, media: Media, block: tuple[slice, slice, slice]) -> None:
        """Ids of ``media`` in a block along z, y, x have changed, and so may its tables. Inside ``active``."""
        array = self._backend.array
        for held, ids in ((self._ids_e, media.ids_e), (self._ids_h, media.ids_h)):
            if held is not None and ids is not None:
                held[:, *block] = array(np.ascontiguousarray(ids[:, *block]))
        for held, pair in zip(self._coefficients, ((media.ca, media.cb), (media.da, -media.db)), strict=True):
            held[...] = array(self._coefficients_of(pair))
        if self._coupling is not None and media.coupling is not None:
            self._coupling.weights[...] = array(media.coupling.weights.astype(self.dtype))
        self._energy.repaint(media)

    def energy_rows(self) -> tuple[Array, Array]:
        return self._energy.rows(self.electric, self.magnetic)

    def energy(self) -> tuple[float, float]:
        return self.energy_later()()

    def energy_later(self) -> Callable[[], tuple[float, float]]:
        return self._energy.later(self.electric, self.magnetic)

    def line_psi(self) -> dict[str, Any]:
        return self._injection.line_psi()
