"""The Numba kernel of a cell's step: whole SIMD vectors of cells, on all cores.

A step of a big model has more than a thousand operations. As Python they would take Numba half a minute to infer types
for; here the graph is written as LLVM instructions by one intrinsic, :func:`step_vector`, on the vectors of
:mod:`engines.backend.vector_math`. The graph is found by its key, a digest of the step and of the code that writes it,
which the kernel closes over: so the cache on disk knows which machine code is whose.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

from llvmlite import ir
from numba import njit, prange, types
from numba.extending import intrinsic as numba_intrinsic

from engines.backend import vector_math
from engines.backend.vector_math import Lanes, any_lane, exp, lanes, load, load_like, log, select, splat, sqrt, store
from engines.cardiac.compiler.graph import Node, ordered
from engines.cardiac.compiler.schemes import STEP, STIMULUS, Step

_steps: dict[int, Step] = {}
intrinsic: Any = numba_intrinsic


def _goldman(z: Any, e: Any) -> Any:
    """z/(eᶻ − 1) of vectors, with its Bernoulli series around 0."""
    y = z * z
    b = y * (1 / 74724249600) - 691 / 1307674368000
    b = b * y + 1 / 47900160
    b = b * y - 1 / 1209600
    b = b * y + 1 / 30240
    b = b * y - 1 / 720
    b = b * y + 1 / 12
    near = y < 0.25
    return select(near, 1.0 - 0.5 * z + b * y, z / select(near, 1.0, e - 1.0))


_FUNCTIONS: dict[str, Callable[..., Any]] = {
    "exp": lambda x: exp(x),
    "log": lambda x: log(x),
    "sqrt": lambda x: sqrt(x),
    "goldman": _goldman,
}
_ARITHMETIC = {"add": "fadd", "sub": "fsub", "mul": "fmul", "div": "fdiv"}
_COMPARISONS = {"lt": "<", "le": "<=", "eq": "=="}


@intrinsic(prefer_literal=True)
def step_vector(typingctx: Any, key: Any, states: Any, i: Any, V: Any, stimulus: Any, dt: Any) -> Any:
    """Step the cells of one vector from index i on; writes their states, returns their voltage after dt.

    key: a constant; states: (rows, n_padded) as stored; V: vector [mV]; stimulus: vector [mV/ms]; dt [ms].
    """
    if not isinstance(key, types.IntegerLiteral) or not isinstance(V, Lanes):
        return None
    step = _steps[key.literal_value]

    def codegen(context: Any, builder: ir.IRBuilder, sig: Any, args: Any) -> ir.Value:
        _, array, index, voltage, current, time_step = args
        return _written(context, builder, step, sig.args[1], array, index, V, (voltage, current, time_step))

    return V(key, states, types.intp, V, V, V), codegen


def _written(
    context: Any,
    builder: ir.IRBuilder,
    step: Step,
    array_type: Any,
    array: ir.Value,
    index: ir.Value,
    vector: Lanes,
    inputs: tuple[ir.Value, ir.Value, ir.Value],
) -> ir.Value:
    """The instructions of a step; returns the voltage after it."""
    model = step.model
    lane_type = inputs[0].type
    symbols = {model.states[model.voltage].name: inputs[0], STIMULUS: inputs[1], STEP: inputs[2]}
    pointers: dict[int, ir.Value] = {}
    for row, state in enumerate(model.rows):
        at = context.get_constant(types.intp, row)
        pointer = vector_math._pointer(context, builder, array_type, array, at, index)
        pointers[model.states.index(state)] = pointer
        symbols[state.name] = vector_math._vector_load(builder, pointer, vector)
    compiled = {name: _call(context, builder, function, vector) for name, function in _FUNCTIONS.items()}
    values: dict[Node, ir.Value] = {}
    for node in ordered(step.after):
        args = [values[arg] for arg in node.args]
        if node.op == "const":
            values[node] = ir.Constant(lane_type, [node.number] * vector.count)
        elif node.op == "symbol":
            values[node] = symbols[str(node.value)]
        elif node.op in _ARITHMETIC:
            values[node] = getattr(builder, _ARITHMETIC[node.op])(*args, flags=("contract",))
        elif node.op in _COMPARISONS:
            values[node] = builder.fcmp_ordered(_COMPARISONS[node.op], *args)
        elif node.op == "neg":
            values[node] = builder.fneg(args[0])
        elif node.op in ("and", "or"):
            values[node] = getattr(builder, f"{node.op}_")(*args)
        elif node.op == "not":
            values[node] = builder.not_(args[0])
        elif node.op == "select":
            values[node] = builder.select(*args)
        else:
            values[node] = compiled[node.op](args)
    for k, root in enumerate(step.after):
        if k != model.voltage:
            vector_math._vector_store(builder, pointers[k], values[root], vector)
    return values[step.after[model.voltage]]


def _call(context: Any, builder: ir.IRBuilder, function: Any, vector: Lanes) -> Callable[[list[ir.Value]], ir.Value]:
    def call(args: list[ir.Value]) -> ir.Value:
        return context.compile_internal(builder, function, vector(*[vector] * len(args)), args)

    return call


def _digest(step: Step) -> int:
    """A number for the step, the precision and all code that its machine code is made with."""
    nodes = ordered(step.after)
    number = {node: k for k, node in enumerate(nodes)}
    text = [f"{node.op} {[number[arg] for arg in node.args]} {node.value!r}" for node in nodes]
    text += [repr([number[root] for root in step.after]), repr(step.model.states), repr(step.model.voltage)]
    code = [Path(str(file)).read_bytes() for file in (vector_math.__file__, __file__)]
    return int.from_bytes(hashlib.sha256("\n".join(text).encode() + b"".join(code)).digest()[:7], "big")


def numba_kernel(step: Step) -> Callable[..., None]:
    """The kernel of a step; it compiles at its first call, or is found in Numba's cache."""
    return _compiled(_key(step))


def numba_groups_kernel(step: Step) -> Callable[..., None]:
    """The same for groups of cells that are due."""
    return _compiled_groups(_key(step))


def _key(step: Step) -> int:
    key = _digest(step)
    _steps[key] = step
    return key


def _compiled(sources: int) -> Callable[..., None]:
    @njit(parallel=True, nogil=True, cache=True)
    def react(
        states, voltage, voltage_before, activation, stimulus_mask, active, currents, threshold, time, dt, n_cells
    ):  # fmt: skip
        """One step of all cells, as :meth:`CompiledTissue.step`; ``active``: the bits of the stimuli that are on."""
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
            after = step_vector(sources, states, i, V, stimulus, splat(V, dt))
            store(voltage, i, after)
            crossed = (before < threshold) & (after >= threshold)
            if any_lane(crossed):
                old = load(activation, i)
                crossing = time + dt * ((threshold - before) / (after - before))
                store(activation, i, select(crossed & (old < 0.0), crossing, old))

    return react


def _compiled_groups(sources: int) -> Callable[..., None]:
    @njit(parallel=True, nogil=True, cache=True)
    def react_groups(
        states, voltage, voltage_before, activation, stimulus_mask, active, currents, threshold, time, dt, n_cells,
        due, waiting, hold, low, high, quiet, hold_steps,
    ):  # fmt: skip
        """Groups ``due`` react for as many steps as they have waited; arguments as in ``multirate/groups.cuh``."""
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
                    after = step_vector(sources, states, i, V, stimulus, splat(V, elapsed))
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
