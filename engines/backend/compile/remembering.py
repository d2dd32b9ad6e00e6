"""What Numba works out time and again while it compiles is worked out once.

Types of operations: for each product, sum and index it tries all rules that it has for such an operation, tens of
them, once to find types and once more to write code; with the same types it finds the same. Of the time of compiling
the kernels of a slab of tissue that was a fifth, spent on some thirty cases. And it asks each statement for its
variables, by trying what kind of thing each part of it is.

Sizes of types: for each it writes a module and has LLVM read it. And it makes passes of LLVM for each function that a
module only declares, six of seven. Without these two a kernel of seven lines compiles in 0.166 s instead of 0.184.
"""

from __future__ import annotations

from functools import wraps
from typing import Any

import numba
from numba.core import ir
from numba.core.codegen import CPUCodeLibrary
from numba.core.cpu import CPUContext
from numba.core.registry import cpu_target
from numba.core.types import BaseFunction

from engines.backend.compile.wrappers import TRIED


def remember() -> None:
    """In all that this process compiles from now on."""
    if not hasattr(BaseFunction.get_call_type, "__wrapped__") and numba.__version__.startswith(TRIED):
        _remember_operations()
        _remember_sizes()
        CPUCodeLibrary._optimize_functions = wraps(CPUCodeLibrary._optimize_functions)(_optimize_functions)
        ir.Inst._rec_list_vars, ir.Assign.list_vars = _variables_of, _variables_of_assignment


def _remember_operations() -> None:
    """Rules of Numba's own are functions of the types alone. What is compiled for a caller, as of ``@overload``, hangs
    on the caller's options too and is asked for as ever; rules that are added make another ``BaseFunction``."""
    functions: Any = BaseFunction
    find = functions.get_call_type

    @wraps(find)
    def find_once(self: Any, context: Any, arguments: Any, named: Any) -> Any:
        if named or context is not cpu_target.typing_context:
            return find(self, context, arguments, named)
        known = self.__dict__.setdefault("_known", {})
        signature = known.get(tuple(arguments))
        if signature is None:
            signature = find(self, context, arguments, named)
            if signature is not None and self._impl_keys.get(signature.args) is self.typing_key:
                known[tuple(arguments)] = signature
        return signature

    functions.get_call_type = find_once


def _remember_sizes() -> None:
    """The size of a type follows from its text: there is one processor."""
    sizes: dict[str, int] = {}
    contexts: Any = CPUContext
    measure = contexts.get_abi_sizeof

    @wraps(measure)
    def size_of(self: Any, kind: Any) -> int:
        text = str(kind)
        if "%" in text:  # by a name, which may be of others in another module
            return int(measure(self, kind))
        if text not in sizes:
            sizes[text] = measure(self, kind)
        return sizes[text]

    contexts.get_abi_sizeof = size_of


def _optimize_functions(self: Any, module: Any) -> None:
    """As Numba's own method, of functions that have a body."""
    module.data_layout = self._codegen._data_layout
    for function in module.functions:
        if not function.is_declaration:
            passes, builder = self._codegen._function_pass_manager()
            with self._recorded_timings.record(f"Function passes on {function.name!r}", builder):
                passes.run(function, builder)


def _variables_of(self: Any, part: Any) -> list[Any]:
    """As Numba's own method, with the kinds that are met most asked for first."""
    if isinstance(part, dict):
        part = part.values()
    elif isinstance(part, ir.Var):
        return [part]
    elif isinstance(part, ir.Inst):
        return part.list_vars()
    elif not isinstance(part, list | tuple):
        return []
    found: list[Any] = []
    for each in part:
        kind = type(each)
        if kind is ir.Var:
            found.append(each)
        elif kind is not ir.Loc and kind is not str:
            found += _variables_of(self, each)
    return found


def _variables_of_assignment(self: Any) -> list[Any]:
    """Those of the value and the target, in the order of any statement's parts: most statements are assignments."""
    value = self.value
    if type(value) is ir.Var:
        return [value, self.target]
    return [*value.list_vars(), self.target] if isinstance(value, ir.Inst) else [self.target]
