"""The TT06 reaction step on the CPU: whole SIMD vectors of cells, all cores."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numba import njit, prange

from engines.api import Array
from engines.backend import vector_math
from engines.backend.threads import core_seconds
from engines.backend.vector_math import any_lane, lanes, load, load_like, select, splat, store
from engines.cardiac.cells import constants, simd, tissue, tt06
from engines.cardiac.cells.kinds import kinds_table, varied
from engines.cardiac.cells.simd import constants_of, step_vector
from engines.cardiac.cells.tissue import Cells
from engines.cardiac.cells.tt06_tissue import Tt06Tissue
from engines.cardiac.stimulus.currents import active_bits

if TYPE_CHECKING:
    from engines.cardiac.multirate.groups import Groups
    from engines.cardiac.step.graphs import StepTimes


@njit(forceinline=True)
def _stimulus(like: Any, stimulus_mask: Any, i: int, active: int, currents: Any) -> Any:
    """Vector of the stimulus [pA/pF] of the cells from i on; the mask is read only if a stimulus is on."""
    total = splat(like, 0.0)
    if active != 0:
        mask = load_like(like, stimulus_mask, i)
        for k in range(len(currents)):
            if (active >> k) & 1:
                total = total + select((mask & (1 << k)) != 0, splat(like, currents[k]), 0.0)
    return total


@cache
def kernel(varied: int) -> Callable[..., None]:
    """The kernel for kinds whose constants of this mask vary (:func:`kinds.varied`)."""
    return _compiled(digest(), varied)


def _compiled(sources: int, varied: int) -> Callable[..., None]:
    """The kernel; ``sources`` is a digest of the code that is compiled into it.

    Numba's cache on disk knows a function by its own file and by the values that it closes over. Closing over the
    digest makes it compile again after a change in another file.
    """

    @njit(parallel=True, nogil=True, cache=True)
    def react(
        cells, voltage, voltage_before, active, currents, potassium_share, threshold, time, dt, n_cells
    ):  # fmt: skip
        """One step of all cells, as :meth:`Tt06Tissue.step`: y' = f(y, V), V' = −i_ion + stimulus (``simd.py``).

        cells: :class:`Cells`, a state a row, so that a vector of cells is loaded at once; active: the bits of the
        stimuli that are on. Bytes of a cell: 18 states and the voltage read and written, the voltage at the start and
        the kind read (:func:`tt06_tissue.reaction_traffic`).
        """
        states, activation = cells.states, cells.activation
        kinds, table, stimulus_mask = cells.kinds, cells.table, cells.stimulus_mask
        width = lanes(voltage)
        n_vectors = (n_cells + width - 1) // width if sources >= 0 else 0
        for k in prange(n_vectors):
            i = k * width
            V, before = load(voltage, i), load(voltage_before, i)
            stimulus = _stimulus(V, stimulus_mask, i, active, currents)
            here, first = load_like(V, kinds, i), kinds[i]
            uniform = not any_lane(here != first)
            p = constants_of(varied, V, table, here, first, uniform)
            after = step_vector(states, i, V, p, stimulus, potassium_share, dt)
            store(voltage, i, after)
            crossed = (before < threshold) & (after >= threshold)
            if any_lane(crossed):
                old = load(activation, i)
                crossing = time + dt * ((threshold - before) / (after - before))
                store(activation, i, select(crossed & (old < 0.0), crossing, old))

    return react


@cache
def groups_kernel(varied: int) -> Callable[..., None]:
    """The same for groups of 32 cells that are due."""
    return _compiled_groups(digest(), varied)


def _compiled_groups(sources: int, varied: int) -> Callable[..., None]:
    @njit(parallel=True, nogil=True, cache=True)
    def react_groups(
        cells, voltage, voltage_before, active, currents, potassium_share, threshold, time, dt, n_cells, groups
    ):  # fmt: skip
        """Groups that are due react for as many steps as they have waited: y' = f(y, V) with the step waiting · dt.

        groups: :class:`~engines.cardiac.cells.tissue.Due`; all else, and the bytes of a cell that reacts, as of
        ``react``; of each group its number and waiting are read besides, low, high and waiting written.
        """
        states, activation = cells.states, cells.activation
        kinds, table, stimulus_mask = cells.kinds, cells.table, cells.stimulus_mask
        due, waiting, hold = groups.due, groups.waiting, groups.hold
        low, high = groups.low, groups.high
        quiet, hold_steps = groups.quiet, groups.hold_steps
        width = lanes(voltage)
        vectors = 32 // width if sources >= 0 else 0
        for k in prange(len(due)):
            group = due[k]
            elapsed = waiting[group] * dt
            first, end = 32 * group, min(32 * group + 32, n_cells)
            busy = False
            for part in range(vectors):
                i = first + part * width
                if i < end:
                    V, before = load(voltage, i), load(voltage_before, i)
                    # A stimulus wakes a group at its first step: it was not on while the group waited.
                    stimulus = _stimulus(V, stimulus_mask, i, active, currents) * (1.0 / waiting[group])
                    here, one = load_like(V, kinds, i), kinds[i]
                    p = constants_of(varied, V, table, here, one, not any_lane(here != one))
                    after = step_vector(states, i, V, p, stimulus, potassium_share, elapsed)
                    store(voltage, i, after)
                    change = after - V
                    if any_lane((change > quiet * elapsed) | (-change > quiet * elapsed)):
                        busy = True
                    crossed = (before < threshold) & (after >= threshold)
                    if any_lane(crossed):
                        old = load(activation, i)
                        crossing = time + dt * ((threshold - before) / (after - before))
                        store(activation, i, select(crossed & (old < 0.0), crossing, old))
            lowest = highest = voltage[first]
            for i in range(first, end):
                lowest, highest = min(lowest, voltage[i]), max(highest, voltage[i])
            low[group], high[group], waiting[group] = lowest, highest, 0
            if busy:
                hold[group] = hold_steps

    return react_groups


@cache
def pacing_kernel(varied: int) -> Callable[..., None]:
    """The kernel that paces cells alone, for kinds whose constants of this mask vary."""
    return _compiled_pacing(digest(), varied)


def _compiled_pacing(sources: int, varied: int) -> Callable[..., None]:
    @njit(parallel=True, nogil=True, cache=True)
    def pace(states, voltage, kinds, table, current, potassium_share, cycle, on, beats, dt, n_cells):
        """``beats`` cycles of ``cycle`` steps, ``current`` [pA/pF] in the first ``on`` of each."""
        width = lanes(voltage)
        n_vectors = (n_cells + width - 1) // width if sources >= 0 else 0
        for k in prange(n_vectors):
            i = k * width
            V = load(voltage, i)
            here, first = load_like(V, kinds, i), kinds[i]
            p = constants_of(varied, V, table, here, first, not any_lane(here != first))
            for _ in range(beats):
                for step in range(cycle):
                    stimulus = splat(V, current if step < on else 0.0)
                    V = step_vector(states, i, V, p, stimulus, potassium_share, dt)
            store(voltage, i, V)

    return pace


def digest() -> int:
    files = [Path(str(module.__file__)) for module in (vector_math, simd, constants, tissue, tt06)] + [tt06.DATA_FILE]
    return int.from_bytes(hashlib.sha256(b"\0".join(path.read_bytes() for path in files)).digest()[:7], "big")


class CpuTissue(Tt06Tissue):
    """TT06 on the CPU."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._react = kernel(varied(self.of))
        self._table = kinds_table(self.of, self.dtype)
        self._no_currents = np.zeros(0)
        self._cores = self.backend.cores_for(core_seconds(self.traffic))

    def step(
        self,
        voltage: Any,
        voltage_before: Any,
        step: int,
        dt: float,
        currents: Array | None = None,
        *,
        moment: StepTimes | None = None,
        groups: Groups | None = None,
    ) -> None:
        arguments = (
            Cells(self.states, self.activation, self.kinds, self._table, self.stimulus_mask), voltage, voltage_before,
            active_bits(currents),
            self._no_currents if currents is None else np.asarray(currents, np.float64),
            1.0 if self.potassium_stimulus else 0.0, self.threshold, step * dt, dt, self.n_cells,
        )  # fmt: skip
        if groups is None:
            with self._cores:
                self._react(*arguments)
        else:
            groups_kernel(varied(self.of))(*arguments, groups.due)

    def pace(self, voltage: Any, current: float, cycle: int, on: int, beats: int, dt: float) -> None:
        """Pace all cells: ``beats`` cycles of ``cycle`` steps, ``current`` [pA/pF] in the first ``on`` of each."""
        pacing_kernel(varied(self.of))(
            self.states, voltage, self.kinds, self._table, current, 1.0 if self.potassium_stimulus else 0.0,
            cycle, on, beats, dt, self.n_cells,
        )  # fmt: skip
