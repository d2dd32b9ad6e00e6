"""Code of a law from its graph: CUDA text, a Numba function, and values of NumPy arrays.

What depends neither on stretch nor on damage is worked out once and becomes a parameter of the code, so a number with a
name that is changed compiles nothing anew.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numba import cfunc, types
from numba.core import cgutils
from numba.extending import intrinsic
from numba.np.arrayobj import make_array

from engines.api.errors import ProblemError
from engines.formulas import emit_cuda, emit_scalar
from engines.formulas.emit_numpy import Program
from engines.formulas.graph import CONDITIONS, Node, depends_on, make, ordered, rebuild, symbol
from engines.peridynamics.material.laws.language import DAMAGE, GIVEN, STRETCH, Formula, Number

CUDA = {**emit_cuda.TEXT, "mul": "product({}, {})"}
PART = "part"
"""How names of parts of lines begin that are worked out once; one on the side of a choice that is never taken need not
be a number."""
SIGNATURE = "void(float64[::1], float64[::1], int64[::1], float64[:, ::1], int64)"
"""Of laws in Numba: stretches, damages (which become the new ones), which row of the parameters is a bond's, the
parameters, and how many bonds there are. A call for each bond would take longer than most laws."""


@dataclass(frozen=True, eq=False)
class Code:
    """``once`` is worked out once, in order; ``law`` is the damage by s, d and the parameters ``names``."""

    key: str
    cuda: str
    names: tuple[str, ...]
    once: tuple[Number, ...]
    law: Node

    @property
    def remembers(self) -> bool:
        """Whether the damage so far is in it."""
        return bool(depends_on([self.law], DAMAGE))

    @cached_property
    def _program(self) -> Program:
        return Program([self.law])

    def parameters(self, given: Mapping[str, float]) -> tuple[float, ...]:
        """``given``: values of the given names. Raises ProblemError for a definition that is no number."""
        values: dict[str, Any] = {name: np.float64(value) for name, value in given.items()}
        for each in self.once:
            (values[each.name],) = Program([each.value])(values)
            if not (np.isfinite(values[each.name]) or each.name.startswith(PART)):
                raise ProblemError(f"Line {each.line + 1}: its value is not a finite number.", (each.line,))
        return tuple(float(values[name]) for name in self.names)

    def damage(self, stretch: Any, damage: Any, parameters: tuple[float, ...]) -> Any:
        """What the law says of arrays or numbers; NaN where that is no number. It may be below ``damage``."""
        values = dict(zip(self.names, map(np.float64, parameters), strict=True))
        (found,) = self._program({**values, STRETCH: stretch, DAMAGE: damage})
        return found + 0 * stretch

    def function(self) -> Any:
        """Compiled with Numba, for many bonds at a time: see SIGNATURE."""
        return _compiled(self)


def coded(formula: Formula) -> Code:
    """Formulas of one key differ in the values of parameters only."""
    parts = {node: symbol(f"{PART}{place}") for place, node in enumerate(_parts(formula.damage))}
    once = (*formula.numbers, *(Number(str(name.value), node, 0) for node, name in parts.items()))
    (law,) = rebuild([formula.damage], make, parts)
    used = {node.value for node in ordered([law]) if node.op == "symbol"}
    names = tuple(name for name in (*GIVEN, *(each.name for each in once)) if name in used)
    called = {STRETCH: STRETCH, DAMAGE: DAMAGE} | {name: f"p[{place}]" for place, name in enumerate(names)}
    statements = list(emit_cuda.statements([law], called, CUDA))
    body = "".join(f"    {definition}\n" for _, _, definition in statements if definition)
    result = statements[-1][1]
    cuda = (
        '#include "peridynamics/material/laws/law.cuh"\n'
        "DEVICE REAL law_damage(const REAL s, const REAL d, const REAL* p)\n{\n"
        f"{body}    return {result} > d ? {result} : d;\n}}\n"
    )
    return Code(hashlib.sha256(cuda.encode()).hexdigest()[:16], cuda, names, once, law)


def _parts(damage: Node) -> list[Node]:
    """The largest operations that depend on nothing that moves."""
    moving = depends_on([damage], STRETCH) | depends_on([damage], DAMAGE)
    found: dict[Node, None] = {}
    seen, left = set[Node](), [damage]
    while left:
        node = left.pop()
        if node.args and node not in moving and node.op not in CONDITIONS:
            found[node] = None
        elif node not in seen:
            seen.add(node)
            left += reversed(node.args)
    return list(found)


_laws: dict[int, Code] = {}
_functions: dict[str, Any] = {}


@intrinsic(prefer_literal=True)
def _law(typingctx: Any, key: Any, stretch: Any, damage: Any, parameters: Any, row: Any) -> Any:
    """What the law of ``key`` says of one bond."""
    if not isinstance(key, types.IntegerLiteral):
        return None
    code = _laws[key.literal_value]

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        kind = signature.args[3]
        table, symbols = make_array(kind)(context, builder, args[3]), {STRETCH: args[1], DAMAGE: args[2]}
        for place, name in enumerate(code.names):
            at = args[4], context.get_constant(types.intp, place)
            symbols[name] = builder.load(cgutils.get_item_pointer(context, builder, kind, table, at))
        return emit_scalar.instructions(context, builder, code.law, symbols)

    return types.float64(key, stretch, damage, parameters, row), codegen


def _compiled(code: Code) -> Any:
    if code.key in _functions:
        return _functions[code.key]
    key = int(code.key[:14], 16)
    _laws[key] = code

    def law_damages(stretches: Any, damages: Any, which: Any, parameters: Any, count: Any) -> None:
        for bond in range(count):
            damage = damages[bond]
            found = _law(key, stretches[bond], damage, parameters, which[bond])
            damages[bond] = found if found > damage else damage

    _functions[code.key] = cfunc(SIGNATURE)(law_damages)
    return _functions[code.key]
