"""The Numba kernels of what typed synapses do in each step: variables move, and neurons get the sums of what all of
theirs give. Both are written as events are (``cpu_kernels``), with the bits of ``cuda_source.py``.
"""
# Numba functions carry no annotations: their types are inferred where they are called.
# mypy: disable-error-code="no-untyped-def,no-untyped-call"

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from llvmlite import ir
from numba import njit, types
from numba.extending import intrinsic as numba_intrinsic

from engines.formulas.emit_numba import digest
from engines.spiking.neurons import cpu_models
from engines.spiking.typed import clock, cpu_functions, cpu_kernels
from engines.spiking.typed.cpu_kernels import values_of
from engines.spiking.typed.plan import NOW
from engines.spiking.typed.synapses import cpu_kernels as event_kernels
from engines.spiking.typed.synapses.cpu_kernels import Writer
from engines.spiking.typed.synapses.plan import TypedSynapse
from engines.spiking.typed.synapses.steps import HEARER, LANES, SENDER

intrinsic: Any = numba_intrinsic
_steps: dict[int, TypedSynapse] = {}


def _generated(sums: bool, args: Any, context: Any, builder: ir.IRBuilder, sig: Any) -> ir.Value:
    """(key, now, (sender, hearer), k, numbers, variables, rows of neurons): moves the variables of synapse k, or
    gives what it adds."""
    typed = _steps[sig.args[0].literal_value]
    writer, (now, ends, k, numbers, variables, neurons) = Writer(context, builder), args[1:]
    roots = [node for _, node in typed.step.sums] if sums else list(typed.step.after.values())
    side = [builder.extract_value(ends, each) for each in range(2)]
    symbols = writer.running(roots, {NOW: now, SENDER: side[0], HEARER: side[1]}, sig.args[4], numbers)
    own = writer.rows(typed.variables, sig.args[5], variables, [k] * len(typed.variables))
    read = typed.step.of(roots)
    far = writer.rows([row.name for row in read], sig.args[6], neurons, [side[row.side] for row in read])
    values = values_of(context, builder, roots, symbols | writer.loaded(own) | writer.loaded(far), now)
    if sums:
        return context.make_tuple(builder, types.UniTuple(types.float32, len(roots)), values)
    for name, value in zip(typed.step.after, values, strict=True):
        builder.store(value, own[name])
    return context.get_dummy_value()


@intrinsic(prefer_literal=True)
def moved(typingctx: Any, key: Any, now: Any, ends: Any, k: Any, numbers: Any, variables: Any, neurons: Any) -> Any:
    """Synapse k takes a step, by the graph of ``key``, a constant."""
    if not isinstance(key, types.IntegerLiteral):
        return None

    def codegen(context: Any, builder: ir.IRBuilder, sig: Any, args: Any) -> ir.Value:
        return _generated(False, args, context, builder, sig)

    return types.void(key, now, ends, k, numbers, variables, neurons), codegen


@intrinsic(prefer_literal=True)
def added(typingctx: Any, key: Any, now: Any, ends: Any, k: Any, numbers: Any, variables: Any, neurons: Any) -> Any:
    """What synapse k adds to each sum."""
    if not isinstance(key, types.IntegerLiteral):
        return None
    count = len(_steps[key.literal_value].step.sums)

    def codegen(context: Any, builder: ir.IRBuilder, sig: Any, args: Any) -> ir.Value:
        return _generated(True, args, context, builder, sig)

    return types.UniTuple(types.float32, count)(key, now, ends, k, numbers, variables, neurons), codegen


def kernels(typed: TypedSynapse) -> tuple[Any, Any]:
    """What :func:`_moving` and :func:`_summing` tell; None for what is not there."""
    step = typed.step
    files = (Path(str(module.__file__)) for module in (clock, cpu_models, cpu_functions, cpu_kernels, event_kernels))
    shape = [list(step.after), len(step.sums), step.rows, len(typed.numbers)]
    roots = [*step.after.values(), *(node for _, node in step.sums)]
    key = digest(roots, typed.variables, shape, Path(__file__), *files)
    _steps[key] = typed
    return _moving(key) if step.after else None, _summing(key) if step.sums else None


def _moving(sources: int) -> Any:
    @njit(nogil=True, cache=True, error_model="numpy")
    def moving(now, words, numbers, variables, neurons):
        """A step of all synapses; words: as of ``connectivity.plastic.Listed``."""
        for k in range(len(words)):
            moved(sources, now, (words[k, 1], words[k, 0] >> 8), k, numbers, variables, neurons)

    return moving


def _summing(sources: int) -> Any:
    @njit(nogil=True, cache=True, error_model="numpy")
    def summing(now, first, stop, into, listed, words, numbers, variables, neurons, sums):
        """Sums of the synapses of neurons first … stop − 1, those at ``listed[into[t]:into[t + 1]]``: LANES of them
        side by side, and then these in pairs, as a warp has it."""
        lanes = np.zeros((len(sums), LANES), np.float32)
        for t in range(first, stop):
            lanes[:] = np.float32(0)
            begin = into[t]
            for place in range(begin, into[t + 1]):
                k = listed[place]
                given = added(sources, now, (words[k, 1], np.int32(t)), k, numbers, variables, neurons)
                for s in range(len(sums)):
                    lanes[s, (place - begin) % LANES] += given[s]
            for s in range(len(sums)):
                half = LANES // 2
                while half:
                    for lane in range(half):
                        lanes[s, lane] += lanes[s, lane + half]
                    half //= 2
                sums[s][t] = lanes[s, 0]

    return summing
