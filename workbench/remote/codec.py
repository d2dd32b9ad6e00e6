"""Values as JSON and arrays, and back by the types that they are declared with.

What comes over a line is never unpickled: dataclasses are made field by field of what their annotations allow, and
arrays are numbers alone, of a size that is known before they are unpacked, all of a message together, too.
"""

from __future__ import annotations

import math
import types
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass
from enum import Enum
from functools import cache
from typing import Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

import numpy as np
from pydantic import BaseModel

from engines.api import Array
from engines.api.errors import WorkbenchError

T = TypeVar("T")

NUMBERS = "biufc"
"""Kinds of NumPy that may travel."""
LARGEST_ARRAY = 1 << 31
PACKED_FROM = 512
"""Bytes from which an array is worth packing."""
ARRAY = "array"


class WireError(WorkbenchError):
    """What came over the line is none of what may come: one sentence."""


@dataclass(frozen=True)
class Raw:
    """A value whose type the receiver knows from elsewhere: :func:`unpack` it then."""

    tree: Any
    arrays: tuple[bytes, ...] = ()


@dataclass(frozen=True)
class Packed:
    """A value on its way: JSON, and arrays as they travel."""

    tree: Any
    arrays: list[bytes]


class _Arrays(tuple[bytes, ...]):
    """As they travelled; ``left``: bytes that may still be made of them, whatever is named again and again, of ``most``
    at the beginning."""

    left = most = LARGEST_ARRAY


class _Going(list[bytes]):
    """Arrays that are to travel, ``squeezed`` or as they are."""

    squeezed = True


def pack(value: Any, squeezed: bool = True) -> Packed:
    """``squeezed``: long arrays take time here to take less of the line. Raises TypeError for what has no form here."""
    arrays = _Going()
    arrays.squeezed = squeezed
    return Packed(_plain(value, arrays), arrays)


def unpack(kind: Any, tree: Any, arrays: Sequence[bytes] = (), most: int = LARGEST_ARRAY) -> Any:
    """A ``kind`` (a type as annotations have it), whose arrays take ``most`` bytes together. Raises WireError."""
    try:
        return _made(kind, tree, arrays if isinstance(arrays, _Arrays) else _counted(arrays, most))
    except WireError:
        raise
    except (TypeError, ValueError, LookupError, AttributeError, OverflowError, RecursionError, zlib.error) as error:
        raise WireError(f"What came is no {getattr(kind, '__name__', kind)} ({type(error).__name__}).") from error


def _counted(arrays: Sequence[bytes], most: int) -> _Arrays:
    counted = _Arrays(arrays)
    counted.left = counted.most = min(most, LARGEST_ARRAY)
    return counted


def _plain(value: Any, arrays: _Going) -> Any:
    if value is None or isinstance(value, bool | int | float | str):
        return value.value if isinstance(value, Enum) else value
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, np.ndarray):
        return _packed_array(value, arrays)
    if isinstance(value, Raw):
        own = len(arrays)
        arrays.extend(value.arrays)
        return {"tree": value.tree, "arrays": [own, len(arrays)]}
    if isinstance(value, BaseModel):
        return value.model_dump(mode="json")
    if is_dataclass(value) and not isinstance(value, type):
        return {each.name: _plain(getattr(value, each.name), arrays) for each in fields(value)}
    if isinstance(value, Mapping):
        if all(isinstance(key, str) for key in value):
            return {str(key): _plain(each, arrays) for key, each in value.items()}
        return [[_plain(key, arrays), _plain(each, arrays)] for key, each in value.items()]
    if isinstance(value, list | tuple | set | frozenset):
        return [_plain(each, arrays) for each in value]
    raise TypeError(f"{type(value).__name__} does not travel")


def _spelled_out(kind: Any) -> Any:
    """Where a type has a name of its own (PEP 695), as NumPy's NDArray has from 2.5 on, what that stands for."""
    meant = getattr(get_origin(kind) or kind, "__value__", None)
    if meant is None:
        return kind
    return _spelled_out(meant[inner] if (inner := get_args(kind)) else meant)


def _made(kind: Any, tree: Any, arrays: _Arrays) -> Any:
    kind = _spelled_out(kind)
    origin, inner = get_origin(kind), get_args(kind)
    if kind is Any:
        return tree
    if kind is Raw:
        first, stop = tree["arrays"]
        return Raw(tree["tree"], tuple(arrays[_place(first, arrays) : _place(stop, arrays)]))
    if origin in (Union, types.UnionType):
        return _one_of(inner, tree, arrays)
    if origin is np.ndarray or kind is np.ndarray:
        return _array(tree, arrays)
    if origin is Literal:
        return _checked(tree, tree in inner and type(tree) in {type(each) for each in inner}, kind)
    if origin is tuple:
        items = _checked(tree, isinstance(tree, list), kind)
        if len(inner) == 2 and inner[1] is Ellipsis:
            return tuple(_made(inner[0], each, arrays) for each in items)
        return tuple(_made(one, each, arrays) for one, each in zip(inner, items, strict=True))
    if isinstance(origin, type) and issubclass(origin, Mapping):
        pairs = tree.items() if isinstance(tree, dict) else [(_made(inner[0], key, arrays), each) for key, each in tree]
        return {key: _made(inner[1], each, arrays) for key, each in pairs}
    if isinstance(kind, type) and is_dataclass(kind):
        return _dataclass(kind, tree, arrays)
    if isinstance(kind, type) and issubclass(kind, BaseModel):
        return kind.model_validate(tree)
    return _scalar(kind, tree)


def _scalar(kind: Any, tree: Any) -> Any:
    if kind is float:
        return float(_checked(tree, type(tree) in (int, float), kind))
    if kind in (bool, int, str):
        return _checked(tree, type(tree) is kind, kind)
    if isinstance(kind, type) and issubclass(kind, Enum):
        return kind(tree)
    if kind is type(None):
        return _checked(tree, tree is None, kind)
    raise WireError(f"Nothing of the kind {kind} travels.")


def _one_of(kinds: Sequence[Any], tree: Any, arrays: _Arrays) -> Any:
    if tree is None and type(None) in kinds:
        return None
    trouble: WireError | None = None
    for kind in kinds:
        if kind is not type(None):
            try:
                return unpack(kind, tree, arrays)
            except WireError as error:
                trouble = trouble or error
    raise trouble or WireError("What came is none of what may come.")


def _dataclass(kind: Any, tree: Any, arrays: _Arrays) -> Any:
    _checked(tree, isinstance(tree, dict), kind)
    hints, known = _hints(kind), fields(kind)
    unknown = set(tree) - {each.name for each in known}
    if unknown:
        raise WireError(f"A {kind.__name__} has no '{str(min(unknown))[:40]}'.")
    made = {name: _made(hints[name], each, arrays) for name, each in tree.items()}
    return kind(**made)


@cache
def _hints(kind: Any) -> dict[str, Any]:
    return get_type_hints(kind)


def _checked(tree: Any, right: bool, kind: Any) -> Any:
    if not right:
        raise WireError(f"What came is no {getattr(kind, '__name__', kind)}.")
    return tree


def _place(place: Any, arrays: Sequence[bytes]) -> int:
    return int(_checked(place, type(place) is int and 0 <= place <= len(arrays), int))


def _packed_array(values: Array, arrays: _Going) -> dict[str, Any]:
    """Bytes of the same weight stand side by side: those of signs and exponents hardly differ, and pack well."""
    if values.dtype.kind not in NUMBERS:
        raise TypeError(f"arrays of {values.dtype} do not travel")
    shape, values = values.shape, np.ascontiguousarray(values)
    plain = values.astype(values.dtype.newbyteorder("<"), copy=False)
    content, packed = plain.tobytes(), False
    if arrays.squeezed and len(content) >= PACKED_FROM:
        planes = np.ascontiguousarray(np.frombuffer(content, np.uint8).reshape(-1, plain.itemsize).T)
        squeezed = zlib.compress(planes.data, 1)
        if len(squeezed) < len(content):
            content, packed = squeezed, True
    arrays.append(content)
    return {ARRAY: len(arrays) - 1, "type": plain.dtype.str, "shape": list(shape), "packed": packed}


def _array(tree: Any, arrays: _Arrays) -> Array:
    content = arrays[_place(tree[ARRAY], arrays)]
    dtype, shape, packed = np.dtype(str(tree["type"])[:8]), tree["shape"], tree["packed"]
    if dtype.kind not in NUMBERS or any(type(n) is not int or n < 0 for n in shape) or type(packed) is not bool:
        raise WireError("What came is no array of numbers.")
    size = math.prod(shape) * dtype.itemsize
    arrays.left -= size
    if arrays.left < 0:
        raise WireError(f"Arrays of more than {arrays.most >> 20} MB came together, and so much is the most.")
    if packed:
        unpacker = zlib.decompressobj()
        content = unpacker.decompress(content, size + 1)
    if len(content) != size:
        raise WireError("An array came that is not as long as it says.")
    if packed and size:
        planes = np.frombuffer(content, np.uint8).reshape(dtype.itemsize, -1)
        return np.ascontiguousarray(planes.T).reshape(-1).view(dtype).reshape(shape)
    return np.frombuffer(content, dtype).reshape(shape).copy() if size else np.empty(shape, dtype)
