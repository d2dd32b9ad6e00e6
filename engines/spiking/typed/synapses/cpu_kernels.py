"""The Numba kernel of a typed synapse: all synapses of the neurons that fired, of a sender's or of a hearer's spikes.

The graph is written as instructions by one intrinsic, :func:`event`, as that of typed neurons is
(``typed/cpu_kernels``). Every product and sum is rounded one by one, in the order of ``cuda_source.py``; what is added
are integers.
"""
# Numba functions carry no annotations: their types are inferred where they are called.
# mypy: disable-error-code="no-untyped-def,no-untyped-call"

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from llvmlite import ir
from numba import njit, types
from numba.extending import intrinsic as numba_intrinsic

from engines.formulas.emit_numba import digest
from engines.formulas.graph import Node, ordered
from engines.spiking.neurons import cpu_models
from engines.spiking.typed import clock, cpu_functions, cpu_kernels
from engines.spiking.typed.cpu_kernels import values_of
from engines.spiking.typed.plan import NOW
from engines.spiking.typed.synapses.plan import TypedSynapse
from engines.spiking.typed.synapses.steps import HEARER, SENDER, SINCE

intrinsic: Any = numba_intrinsic
Symbols = dict[str, ir.Value]
_paths: dict[int, tuple[TypedSynapse, int]] = {}


class Writer:
    """Loads, the graph, stores, of one synapse."""

    def __init__(self, context: Any, builder: ir.IRBuilder) -> None:
        self._context, self._builder = context, builder

    def place(self, kind: Any, array: ir.Value, at: ir.Value) -> ir.Value:
        data = self._context.make_array(kind)(self._context, self._builder, array).data
        return self._builder.gep(data, [at])

    def running(self, roots: Sequence[Node], whole: Mapping[Node, ir.Value], kind: Any, numbers: ir.Value) -> Symbols:
        """Whole numbers as floats, and the numbers of parameters that the roots need."""
        builder = self._builder
        symbols = {str(node.value): builder.sitofp(value, ir.FloatType()) for node, value in whole.items()}
        used = {str(node.value) for node in ordered(roots) if node.op == "symbol"}
        for name in sorted(name for name in used if name[0] == "@" and name[1:].isdigit()):
            at = self._context.get_constant(types.intp, int(name[1:]))
            symbols[name] = builder.load(self.place(kind, numbers, at))
        return symbols

    def rows(self, names: Sequence[str], kinds: Any, arrays: ir.Value, at: Sequence[ir.Value]) -> Symbols:
        """Where each of the arrays has its ``at`` place."""
        return {
            name: self.place(kinds[k], self._builder.extract_value(arrays, k), at[k]) for k, name in enumerate(names)
        }

    def loaded(self, places: Symbols) -> Symbols:
        return {name: self._builder.load(place) for name, place in places.items()}


class _EventWriter(Writer):
    def __init__(self, context: Any, builder: ir.IRBuilder, kinds: Sequence[Any], args: Sequence[ir.Value]) -> None:
        super().__init__(context, builder)
        self._kinds, self._args = kinds, args

    def write(self, typed: TypedSynapse, which: int) -> ir.Value:
        """(added to either row of the ring, whether that was cut off), three integers."""
        builder, context = self._builder, self._context
        steps, ends, k, numbers, variables, neurons = self._args
        whole = [builder.extract_value(pair, side) for pair in (steps, ends) for side in range(2)]
        path = typed.paths[which]
        running = dict(zip((SINCE, NOW, SENDER, HEARER), whole, strict=True))
        symbols = self.running(path.roots, running, self._kinds[-3], numbers)
        places = self.rows(typed.variables, self._kinds[-2], variables, [k] * len(typed.variables))
        side = [builder.extract_value(ends, each) for each in range(2)]
        far = self.rows(
            [row.name for row in path.rows], self._kinds[-1], neurons, [side[row.side] for row in path.rows]
        )  # fmt: skip
        values = iter(
            values_of(context, builder, path.roots, symbols | self.loaded(places) | self.loaded(far), whole[1])
        )
        for name, node in zip(typed.variables, path.after, strict=True):
            value = next(values)
            if str(node.value) != name:
                builder.store(value, places[name])
        nothing = ir.Constant(ir.IntType(32), 0)
        added = [nothing if node is None else self._rounded(next(values)) for node in path.quanta]
        cut = nothing if path.cut is None else builder.zext(next(values), ir.IntType(32))
        return context.make_tuple(builder, types.UniTuple(types.int32, 3), [*added, cut])

    def _rounded(self, value: ir.Value) -> ir.Value:
        kinds = types.int32(types.float32)
        return self._context.compile_internal(self._builder, lambda x: np.int32(np.rint(x)), kinds, [value])


@intrinsic(prefer_literal=True)
def event(typingctx: Any, key: Any, steps: Any, ends: Any, k: Any, numbers: Any, rows: Any, neurons: Any) -> Any:
    """An event of synapse k, (since the last one, now) and (sender, hearer), by the graph of ``key``, a constant."""
    if not isinstance(key, types.IntegerLiteral):
        return None
    typed, which = _paths[key.literal_value]

    def codegen(context: Any, builder: ir.IRBuilder, sig: Any, args: Any) -> ir.Value:
        return _EventWriter(context, builder, sig.args[1:], args[1:]).write(typed, which)

    return types.UniTuple(types.int32, 3)(key, steps, ends, k, numbers, rows, neurons), codegen


def kernel(typed: TypedSynapse, which: int) -> Any:
    """What :func:`_compiled` tells, of a sender's spikes (0) or of a hearer's (1)."""
    path = typed.paths[which]
    files = (Path(str(module.__file__)) for module in (clock, cpu_models, cpu_functions, cpu_kernels))
    shape = [node is not None for node in (*path.quanta, path.cut)]
    key = digest(path.roots, typed.variables, path.rows, shape, len(typed.numbers), Path(__file__), *files)
    _paths[key] = typed, which
    return _compiled(key)


def _compiled(sources: int) -> Any:
    @njit(nogil=True, cache=True, error_model="numpy")
    def events(now, due, who, starts, places, words, last, numbers, rows, neurons, ring, cut):
        """Events of synapses of the neurons ``who[s]`` with ``due[s]``: those at starts[s] … starts[s + 1] − 1, or
        ``places`` of these. words: as of ``connectivity.plastic.Listed``; last, numbers, rows, cut: events_k, made_k,
        variables and cut_k of ``state.py``; neurons: what is read of these; ring: what is under way. Returns how many
        there were."""
        slot, count = (now + 1) & (len(ring) - 1), 0
        for s in range(len(due)):
            if not due[s]:
                continue
            neuron = who[s]
            for p in range(starts[s], starts[s + 1]):
                k = places[p] if len(places) else p
                since = np.int32(0)
                if len(last):
                    since, last[k] = np.int32(now - last[k]), now
                hearer = neuron if len(places) else words[k, 0] >> 8
                sender = words[k, 1] if len(places) else neuron
                ends = np.int64(sender), np.int64(hearer)
                excites, inhibits, beyond = event(sources, (since, now), ends, k, numbers, rows, neurons)
                if excites != 0:
                    ring[slot, 0, hearer] += excites
                if inhibits != 0:
                    ring[slot, 1, hearer] += inhibits
                cut[0] += beyond
                count += 1
        return count

    return events


@njit(nogil=True, cache=True)
def arrived(now, runs, first, sent, due):
    """due: (runs,) uint8, whether a spike of a run's sender arrives now; runs, sent: ``plastic.Runs.who`` and sent_k of
    ``state.py``. Returns whether any does. Bytes: 9 of each run read, 1 written."""
    period, some = len(sent), False
    for r in range(len(runs)):
        slot = now % period - runs[r, 1]
        due[r] = sent[slot + period if slot < 0 else slot, runs[r, 0] - first]
        some |= due[r] > 0
    return some
