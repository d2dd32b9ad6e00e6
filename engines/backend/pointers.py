"""Pointers in Numba kernels: numbers of an array without its count of references.

Where arrays are passed within a loop, in structs above all, each that stands for another costs an atomic count: some
10 ns, of which a step of a cell would pay a dozen. A pointer is a number. It is indexed like an array of one dimension,
by members of an enumeration too, from 0 on, and nothing is checked. Who makes one keeps the array alive.
"""
# Numba functions carry no annotations: their types are inferred where they are called.
# mypy: disable-error-code="no-untyped-def,no-untyped-call,attr-defined"

import operator

from numba.core import types
from numba.extending import intrinsic, overload


@intrinsic
def pointer(context, array):
    """To the first value of a C-ordered array."""

    def generate(context, builder, signature, arguments):
        return context.make_array(signature.args[0])(context, builder, arguments[0]).data

    return types.CPointer(array.dtype)(array), generate


@intrinsic
def at(context, pointer, index):
    """The pointer to ``pointer[index]``."""

    def generate(context, builder, signature, arguments):
        return builder.gep(arguments[0], [arguments[1]])

    return pointer(pointer, types.int64), generate


@intrinsic
def rounded(context, pointer, value):
    """``value`` in the precision of what ``pointer`` points to."""

    def generate(context, builder, signature, arguments):
        return context.cast(builder, arguments[1], signature.args[1], signature.return_type)

    return pointer.dtype(pointer, value), generate


@overload(operator.getitem)
def _value_at_name(values, name):
    if isinstance(values, types.CPointer) and isinstance(name, types.IntEnumMember):
        return lambda values, name: values[name.value]
    return None


@overload(operator.setitem)
def _store_at_name(values, name, value):
    if isinstance(values, types.CPointer) and isinstance(name, types.IntEnumMember):

        def store(values, name, value):
            values[name.value] = value

        return store
    return None
