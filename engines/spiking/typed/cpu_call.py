"""How the kernel of a typed model is called: what it takes, and by its address."""
# Numba functions carry no annotations: their types are inferred where they are called.
# mypy: disable-error-code="no-untyped-def,no-untyped-call"

from __future__ import annotations

from typing import Any

from numba import types
from numba.core import cgutils
from numba.extending import intrinsic as numba_intrinsic

intrinsic: Any = numba_intrinsic
_FLOATS, _WHOLE = types.Array(types.float32, 1, "C"), types.Array(types.int32, 1, "C")
ARRAYS = (
    "arrived_e",
    "arrived_i",
    "outside",
    "voltage",
    "g_e",
    "g_i",
    "recovery",
    "more",
    "release",
    "fired",
    "numbers",
)
"""What a kernel takes; those of neurons from the population's (or a thread's) first one on, but ``more``, (rows, n)."""
KINDS = (
    _WHOLE, _WHOLE, _FLOATS, _FLOATS, _FLOATS, _FLOATS, _FLOATS, types.Array(types.float32, 2, "C"), _WHOLE,
    types.Array(types.uint8, 1, "C"), _FLOATS,
)  # fmt: skip


def signature() -> Any:
    """(now, first, (scale_e, scale_i), arrays)"""
    return types.void(types.int32, types.intp, types.UniTuple(types.float32, 2), types.Tuple(KINDS))


@intrinsic
def kernel_at(typingctx: Any, address: Any) -> Any:
    """The kernel at this address: to hand over the function itself takes Python longer than small networks."""
    kind = types.FunctionType(signature())

    def generate(context: Any, builder: Any, sig: Any, arguments: Any) -> Any:
        function = cgutils.create_struct_proxy(kind)(context, builder)
        function.py_addr = function.jit_addr = context.get_constant_null(types.voidptr)
        function.c_addr = builder.inttoptr(arguments[0], context.get_value_type(types.voidptr))
        return function._getvalue()

    return kind(types.intp), generate
