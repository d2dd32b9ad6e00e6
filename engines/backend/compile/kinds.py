"""Types of a kernel's arguments as JSON, and back: what a kernel is compiled for, told to another process."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import numpy as np
from numba.core import types as numba_types
from numba.np import numpy_support

types: Any = numba_types

Told = str | list[Any]
"""A number's type by its name; else a letter for the sort, and what makes one of it."""

SCALARS = {str(kind): kind for kind in (*types.number_domain, types.boolean, types.none, types.unicode_type)}


def told_kind(kind: Any) -> Told:
    """Raises ValueError for a sort that has no words here."""
    if str(kind) in SCALARS:
        return str(kind)
    if type(kind) is types.Array and kind.aligned:
        return ["array", told_kind(kind.dtype), kind.ndim, kind.layout, not kind.mutable]
    if isinstance(kind, types.BaseNamedTuple):
        made = kind.instance_class
        return ["named", made.__module__, made.__qualname__, *map(told_kind, kind)]
    if isinstance(kind, types.BaseTuple):
        return ["tuple", *map(told_kind, kind)]
    if isinstance(kind, types.Omitted) and isinstance(kind.value, bool | int | float | None):
        return ["omitted", kind.value]
    if isinstance(kind, types.IntEnumMember):
        return ["enum", kind.instance_class.__module__, kind.instance_class.__qualname__, told_kind(kind.dtype)]
    if isinstance(kind, types.Record):
        row = numpy_support.as_dtype(kind)
        fields: Any = row.fields
        return ["record", row.itemsize, *([name, each[0].str, each[1]] for name, each in fields.items())]
    raise ValueError(f"{kind} cannot be told")


def kind_of(told: Told) -> Any:
    """What :func:`told_kind` was given. Raises what importing a class of ours does where it has gone."""
    if isinstance(told, str):
        return SCALARS[told]
    sort, *rest = told
    if sort == "array":
        dtype, n_axes, layout, readonly = rest
        return types.Array(kind_of(dtype), n_axes, layout, readonly)
    if sort == "tuple":
        return types.BaseTuple.from_types(tuple(map(kind_of, rest)))
    if sort == "omitted":
        return types.Omitted(rest[0])
    if sort == "record":
        size, *columns = rest
        names, formats, offsets = zip(*columns, strict=True)
        packed: Any = {"names": names, "formats": formats, "offsets": offsets, "itemsize": size}
        return numpy_support.from_dtype(np.dtype(packed, align=True))
    module, name, *parts = rest
    made = import_module(module)
    for each in name.split("."):
        made = getattr(made, each)
    kinds = tuple(map(kind_of, parts))
    return types.IntEnumMember(made, *kinds) if sort == "enum" else types.BaseTuple.from_types(kinds, made)
