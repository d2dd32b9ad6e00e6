"""The Numba kernel of a typed model: a step of neurons of one population, called by its address.

Its graph is written as instructions by one intrinsic, :func:`neuron`, which finds it by its key, a digest of the graph
and of the code that writes it; the kernel closes over that, so that the cache on
disk knows which machine code is whose.
Every product and sum is rounded one by one, in the order of ``cuda_source.py``. No array overlaps another one, which
the instructions say: so the compiler puts them into vector registers.
"""
# Numba functions carry no annotations: their types are inferred where they are called.
# mypy: disable-error-code="no-untyped-def,no-untyped-call"

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from llvmlite import ir
from numba import cfunc, types
from numba.core import cgutils
from numba.extending import intrinsic as numba_intrinsic

from engines.formulas.emit_numba import arithmetic, digest
from engines.formulas.graph import CONDITIONS, Node, ordered
from engines.spiking.neurons import cpu_models
from engines.spiking.typed import clock, cpu_call, cpu_functions
from engines.spiking.typed.clock import COMPARED, COUNTED, ROUNDED, TURNED, wide
from engines.spiking.typed.cpu_call import ARRAYS, KINDS, signature
from engines.spiking.typed.cpu_functions import FUNCTIONS, left_of
from engines.spiking.typed.names import OUTSIDE
from engines.spiking.typed.plan import HELD, INDEX, MORE_E, MORE_I, NOW, SILENT, WAITS, Typed

intrinsic: Any = numba_intrinsic
_models: dict[int, Typed] = {}
_SILENT = (1 << 31) - 1


class _Writer:
    """Loads, the graph, stores, of one neuron."""

    def __init__(self, context: Any, builder: ir.IRBuilder, args: Sequence[ir.Value], typed: Typed) -> None:
        self._context, self._builder, self._typed = context, builder, typed
        self._now, self._first, self._scales, self._arrays, self._i = args
        module = builder.module
        domain = module.add_metadata([ir.MetaDataString(module, "typed neurons")])
        rows = [*ARRAYS, *(f"row {k}" for k in range(typed.more))]
        self._scopes = {name: module.add_metadata([ir.MetaDataString(module, name), domain]) for name in rows}

    def _told(self, instruction: Any, scope: str) -> Any:
        """That it touches this array and no other."""
        module = self._builder.module
        others = [each for name, each in self._scopes.items() if name != scope]
        instruction.set_metadata("alias.scope", module.add_metadata([self._scopes[scope]]))
        instruction.set_metadata("noalias", module.add_metadata(others))
        return instruction

    def _pointer(self, name: str, place: ir.Value) -> ir.Value:
        at = ARRAYS.index(name)
        array = self._context.make_array(KINDS[at])(
            self._context, self._builder, self._builder.extract_value(self._arrays, at)
        )
        return self._builder.gep(array.data, [place])

    def _place(self, place: str | int) -> tuple[ir.Value, str]:
        """Where a variable of this neuron stands, and in which array."""
        if isinstance(place, str):
            return self._pointer(place, self._i), place
        at = ARRAYS.index("more")
        more = self._context.make_array(KINDS[at])(
            self._context, self._builder, self._builder.extract_value(self._arrays, at)
        )
        row = cgutils.unpack_tuple(self._builder, more.shape, 2)[1]
        index = self._builder.add(self._i, self._builder.add(self._first, self._builder.mul(
            self._context.get_constant(types.intp, place), row)))  # fmt: skip
        return self._builder.gep(more.data, [index]), f"row {place}"

    def _load(self, name: str) -> ir.Value:
        return self._told(self._builder.load(self._pointer(name, self._i)), name)

    def _number(self, k: int) -> ir.Value:
        at = self._context.get_constant(types.intp, k)
        return self._told(self._builder.load(self._pointer("numbers", at)), "numbers")

    def _arrived(self, name: str, scale: int) -> ir.Value:
        """The weights that arrive, taken out of the ring."""
        pointer = self._pointer(name, self._i)
        whole = self._told(self._builder.load(pointer), name)
        self._told(self._builder.store(ir.Constant(whole.type, 0), pointer), name)
        value = self._builder.sitofp(whole, ir.FloatType())
        return self._builder.fmul(value, self._builder.extract_value(self._scales, scale))

    def write(self) -> None:
        builder, typed = self._builder, self._typed
        names = {str(node.value) for node in ordered(typed.roots) if node.op == "symbol"}
        released = self._load("release")
        symbols: dict[str, ir.Value] = {
            str(MORE_E.value): self._arrived("arrived_e", 0),
            str(MORE_I.value): self._arrived("arrived_i", 1),
            str(WAITS.value): builder.icmp_signed(">", released, self._now),
            str(HELD.value): builder.and_(
                builder.icmp_signed(">=", released, self._now),
                builder.icmp_signed(">", released, ir.Constant(released.type, 0)),
            ),
            str(SILENT.value): builder.icmp_signed("==", released, ir.Constant(released.type, _SILENT)),
            str(NOW.value): builder.sitofp(self._now, ir.FloatType()),
            str(INDEX.value): builder.sitofp(builder.add(self._first, self._i), ir.FloatType()),
        }
        places = {name: self._place(typed.places[name]) for name in typed.variables}
        for name, (pointer, scope) in places.items():
            symbols[name] = self._told(builder.load(pointer), scope)
        if OUTSIDE in names:
            symbols[OUTSIDE] = self._load("outside")
        symbols |= {f"@{k}": self._number(k) for k in range(len(typed.numbers)) if f"@{k}" in names}
        values = values_of(self._context, builder, typed.roots, symbols, self._now)
        for value, (pointer, scope) in zip(values, places.values(), strict=False):
            self._told(builder.store(value, pointer), scope)
        fires = builder.zext(values[len(places)], ir.IntType(8))
        self._told(builder.store(fires, self._pointer("fired", self._i)), "fired")
        if typed.released:
            again = builder.select(values[-1], self._now, released)
            self._told(builder.store(again, self._pointer("release", self._i)), "release")


def values_of(
    context: Any, builder: ir.IRBuilder, roots: Sequence[Node], symbols: Mapping[str, ir.Value], now: ir.Value
) -> list[ir.Value]:
    """What computes each root in float32, rounded one by one; in float64 what ``clock`` has so. now: the step"""
    values: dict[Node, ir.Value] = {}
    doubles: dict[Node, ir.Value] = {}
    broad, single, double = wide(roots), ir.FloatType(), ir.DoubleType()
    late = builder.icmp_signed(">", now, ir.Constant(now.type, COUNTED))

    def called(function: Any, kind: types.Type, args: Sequence[ir.Value]) -> ir.Value:
        return context.compile_internal(builder, function, kind(*[kind] * len(args)), args)

    def broadened(node: Node) -> ir.Value:
        if node in doubles or node.op in CONDITIONS:
            return doubles.get(node, values[node])
        return builder.fpext(values[node], double)

    for node in ordered(roots):
        op, args = node.op, [values[arg] for arg in node.args]
        timed = any(arg in broad for arg in node.args)
        if node is NOW:
            doubles[node] = builder.sitofp(now, double)
        elif node in broad:
            wider = [broadened(arg) for arg in node.args]
            found = called(FUNCTIONS[op], types.float64, wider) if op in FUNCTIONS else arithmetic(builder, op, wider)
            cut = builder.fpext(builder.fptrunc(found, single), double)
            doubles[node] = builder.select(late, found, cut) if op in ROUNDED else found
        elif op == "const":
            values[node] = ir.Constant(single, float(np.float32(node.number)))
        elif op == "symbol":
            values[node] = symbols[str(node.value)]
        elif timed and op in COMPARED:
            values[node] = arithmetic(builder, op, [broadened(arg) for arg in node.args])
        elif op in FUNCTIONS:
            if timed and op in TURNED:
                angle = broadened(node.args[0])
                left = called(lambda x: left_of(x), types.float64, [angle])
                args = [builder.fptrunc(builder.select(late, left, angle), single)]
            values[node] = called(FUNCTIONS[op], types.float32, args)
        else:
            values[node] = arithmetic(builder, op, args)
        if node in doubles:
            values[node] = builder.fptrunc(doubles[node], single)
    return [values[root] for root in roots]


@intrinsic(prefer_literal=True)
def neuron(typingctx: Any, key: Any, now: Any, first: Any, scales: Any, arrays: Any, i: Any) -> Any:
    """A step of the i-th neuron of the arrays by the model of ``key``, a constant."""
    if not isinstance(key, types.IntegerLiteral):
        return None
    typed = _models[key.literal_value]

    def codegen(context: Any, builder: ir.IRBuilder, sig: Any, args: Any) -> ir.Value:
        _Writer(context, builder, args[1:], typed).write()
        return context.get_dummy_value()

    return types.void(key, now, first, scales, arrays, i), codegen


def kernel(typed: Typed) -> Any:
    """The C function of a model, of :func:`signature`; compiled now, or found in Numba's cache."""
    files = (Path(str(module.__file__)) for module in (clock, cpu_models, cpu_call, cpu_functions))
    places = [typed.places[name] for name in typed.variables]
    key = digest(typed.roots, typed.variables, places, typed.released, Path(__file__), *files)
    _models[key] = typed
    return _compiled(key)


def _compiled(sources: int) -> Any:
    @cfunc(signature(), cache=True)
    def step(now, first, scales, arrays):
        for i in range(len(arrays[3])):
            neuron(sources, now, first, scales, arrays, i)

    return step
