"""The Numba kernel of a cell's step: whole SIMD vectors of cells, on all cores.

The graph is written as instructions by one intrinsic, :func:`step_vector`. It is found by its key, a digest of the step
and of the code that writes it, which the kernel closes over: so the cache on disk knows which machine code is whose.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from llvmlite import ir
from numba import njit, prange, types
from numba.extending import intrinsic as numba_intrinsic

from engines.backend import vector_math
from engines.backend.vector_math import Lanes, any_lane, lanes, load, load_like, lookup, select, splat, store
from engines.cardiac.cells import tissue
from engines.cardiac.compiler.schemes import STEP, STIMULUS, Step
from engines.formulas.emit_numba import digest as digest_of
from engines.formulas.emit_numba import instructions

_steps: dict[int, Step] = {}
intrinsic: Any = numba_intrinsic


@intrinsic(prefer_literal=True)
def step_vector(
    typingctx: Any, key: Any, states: Any, i: Any, V: Any, stimulus: Any, dt: Any,
    table: Any, kinds: Any, first: Any, uniform: Any,
) -> Any:  # fmt: skip
    """Step the cells of one vector from index i on; writes their states, returns their voltage after dt.

    key: a constant; states: (rows, n_padded) as stored; V: vector [mV]; stimulus: vector [mV/ms]; dt [ms];
    table: (parameters, kinds); kinds: vector of its columns; first: the first cell's; uniform: whether all have that.
    """
    if not isinstance(key, types.IntegerLiteral) or not isinstance(V, Lanes):
        return None
    step = _steps[key.literal_value]

    def codegen(context: Any, builder: ir.IRBuilder, sig: Any, args: Any) -> ir.Value:
        _, array, index, voltage, current, time_step, *choice = args
        call = V(V, table, types.intp, kinds, first, uniform)
        values = {}
        for k, name in enumerate(step.model.opened):
            arguments = (voltage, choice[0], context.get_constant(types.intp, k), *choice[1:])
            values[name] = context.compile_internal(builder, lookup, call, arguments)
        return _written(context, builder, step, sig.args[1], array, index, V, (voltage, current, time_step), values)

    return V(key, states, types.intp, V, V, V, table, kinds, first, uniform), codegen


def _written(
    context: Any,
    builder: ir.IRBuilder,
    step: Step,
    array_type: Any,
    array: ir.Value,
    index: ir.Value,
    vector: Lanes,
    inputs: tuple[ir.Value, ir.Value, ir.Value],
    parameters: dict[str, ir.Value],
) -> ir.Value:
    """The instructions of a step; returns the voltage after it."""
    model = step.model
    symbols = {model.states[model.voltage].name: inputs[0], STIMULUS: inputs[1], STEP: inputs[2], **parameters}
    pointers: dict[int, ir.Value] = {}
    for row, state in enumerate(model.rows):
        at = context.get_constant(types.intp, row)
        pointer = vector_math._pointer(context, builder, array_type, array, at, index)
        pointers[model.states.index(state)] = pointer
        symbols[state.name] = vector_math._vector_load(builder, pointer, vector)
    after = instructions(context, builder, step.after, symbols, vector, bounded=True)
    for k, value in enumerate(after):
        if k != model.voltage:
            vector_math._vector_store(builder, pointers[k], value, vector)
    return after[model.voltage]


def digest(step: Step) -> int:
    """A number for the step, the precision and all code that its machine code is made with."""
    model = step.model
    return digest_of(step.after, model.states, model.voltage, model.opened, Path(__file__), Path(tissue.__file__))


def numba_kernel(step: Step) -> Callable[..., None]:
    """The kernel of a step; it compiles at its first call, or is found in Numba's cache."""
    return _compiled(registered(step))


def registered(step: Step) -> int:
    """The key of a step, by which :func:`step_vector` finds it."""
    key = digest(step)
    _steps[key] = step
    return key


def numba_groups_kernel(step: Step) -> Callable[..., None]:
    """The same for groups of cells that are due."""
    return _compiled_groups(registered(step))


def numba_pacing_kernel(step: Step) -> Callable[..., None]:
    """The kernel that paces cells of a step alone."""
    return _compiled_pacing(registered(step))


def _compiled_pacing(sources: int) -> Callable[..., None]:
    @njit(parallel=True, nogil=True, cache=True)
    def pace(states, voltage, kinds, table, current, cycle, on, beats, dt, n_cells):
        """``beats`` cycles of ``cycle`` steps, ``current`` [mV/ms] in the first ``on`` of each."""
        width = lanes(voltage)
        n_vectors = (n_cells + width - 1) // width
        for k in prange(n_vectors):
            i = k * width
            V = load(voltage, i)
            here, first = load_like(V, kinds, i), kinds[i]
            uniform = not any_lane(here != first)
            for _ in range(beats):
                for number in range(cycle):
                    stimulus = splat(V, current if number < on else 0.0)
                    V = step_vector(sources, states, i, V, stimulus, splat(V, dt), table, here, first, uniform)
            store(voltage, i, V)

    return pace


def _compiled(sources: int) -> Callable[..., None]:
    @njit(parallel=True, nogil=True, cache=True)
    def react(cells, voltage, voltage_before, active, currents, threshold, time, dt, n_cells):
        """One step of all cells, as :meth:`CompiledTissue.step`: y' = f(y, V), V' = −i_ion + stimulus by the step's
        scheme.

        cells: :class:`~engines.cardiac.cells.tissue.Cells`, a state a row; active: the bits of the stimuli that are
        on. Bytes of a cell: all states and the voltage read and written, the voltage at the start and the kind read
        (:func:`tissue.compiled_traffic`).
        """
        states, activation = cells.states, cells.activation
        kinds, table, stimulus_mask = cells.kinds, cells.table, cells.stimulus_mask
        width = lanes(voltage)
        n_vectors = (n_cells + width - 1) // width
        for k in prange(n_vectors):
            i = k * width
            V, before = load(voltage, i), load(voltage_before, i)
            stimulus = splat(V, 0.0)
            if active != 0:
                mask = load_like(V, stimulus_mask, i)
                for bit in range(len(currents)):
                    if (active >> bit) & 1:
                        stimulus = stimulus + select((mask & (1 << bit)) != 0, splat(V, currents[bit]), 0.0)
            here, first = load_like(V, kinds, i), kinds[i]
            uniform = not any_lane(here != first)
            after = step_vector(sources, states, i, V, stimulus, splat(V, dt), table, here, first, uniform)
            store(voltage, i, after)
            crossed = (before < threshold) & (after >= threshold)
            if any_lane(crossed):
                old = load(activation, i)
                crossing = time + dt * ((threshold - before) / (after - before))
                store(activation, i, select(crossed & (old < 0.0), crossing, old))

    return react


def _compiled_groups(sources: int) -> Callable[..., None]:
    @njit(parallel=True, nogil=True, cache=True)
    def react_groups(cells, voltage, voltage_before, active, currents, threshold, time, dt, n_cells, groups):
        """Groups that are due react for as many steps as they have waited: the step is waiting · dt.

        groups: :class:`~engines.cardiac.cells.tissue.Due`; all else, and the bytes of a cell that reacts, as of
        ``react``.
        """
        states, activation = cells.states, cells.activation
        kinds, table, stimulus_mask = cells.kinds, cells.table, cells.stimulus_mask
        due, waiting, hold = groups.due, groups.waiting, groups.hold
        low, high = groups.low, groups.high
        quiet, hold_steps = groups.quiet, groups.hold_steps
        width = lanes(voltage)
        for k in prange(len(due)):
            group = due[k]
            elapsed = waiting[group] * dt
            first, end = 32 * group, min(32 * group + 32, n_cells)
            busy = False
            for part in range(32 // width):
                i = first + part * width
                if i < end:
                    V, before = load(voltage, i), load(voltage_before, i)
                    stimulus = splat(V, 0.0)
                    if active != 0:
                        mask = load_like(V, stimulus_mask, i)
                        for bit in range(len(currents)):
                            if (active >> bit) & 1:
                                stimulus = stimulus + select((mask & (1 << bit)) != 0, splat(V, currents[bit]), 0.0)
                    # A stimulus wakes a group at its first step: it was not on while the group waited.
                    stimulus = stimulus * (1.0 / waiting[group])
                    here, one = load_like(V, kinds, i), kinds[i]
                    uniform = not any_lane(here != one)
                    after = step_vector(
                        sources, states, i, V, stimulus, splat(V, elapsed), table, here, one, uniform
                    )  # fmt: skip
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
