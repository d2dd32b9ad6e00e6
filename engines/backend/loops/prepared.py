"""A CPU kernel that is called again and again with structs of the same types: what they are is looked up once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numba


def prepared(kernel: Any, *arguments: Any) -> Callable[..., Any]:
    """The machine code of a Numba kernel for arguments of these types; it raises TypeError for others.

    A call of the kernel itself looks up the types of all arguments, which takes 0.03 µs for an array and 0.6 µs more
    for each named tuple.
    """
    code: Callable[..., Any] = kernel.compile(tuple(numba.typeof(argument) for argument in arguments))
    return code
