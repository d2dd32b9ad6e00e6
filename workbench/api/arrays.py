"""Arrays that know their unit."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from numbers import Real
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from engines.api import Array
from engines.api.errors import ProblemError
from engines.reading import expanded
from workbench.storage.atomic import storing
from workbench.words.units import unit_text


class Quantity(np.ndarray[Any, np.dtype[Any]]):
    """A NumPy array with ``name`` and ``unit`` (as people write it: ``"V/m"``; ``""`` for a pure number).

    Views and slices keep both, copies their axes too. What NumPy computes of it is a plain array: whether a result has
    the unit still, nobody knows. ``dims`` and ``coordinates`` say what its axes are, where that is known.
    """

    name: str
    unit: str
    dims: tuple[str, ...]
    coordinates: Mapping[str, Quantity]

    def __new__(
        cls,
        values: Any,
        unit: str = "",
        name: str = "",
        dims: Sequence[str] = (),
        coordinates: Mapping[str, Quantity] | None = None,
    ) -> Quantity:
        made = np.asarray(values).view(cls)
        made.name, made.unit, made.dims = name, unit_text(unit), tuple(dims)
        made.coordinates = dict(coordinates or {})
        return made

    def __array_finalize__(self, other: Any) -> None:
        self.name, self.unit = getattr(other, "name", ""), getattr(other, "unit", "")
        self.dims, self.coordinates = (), {}

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **options: Any) -> Any:
        if "out" in options:
            options["out"] = _plain(options["out"])
        return getattr(ufunc, method)(*_plain(inputs), **options)

    def __array_function__(
        self, function: Any, types: Iterable[type], arguments: Iterable[Any], options: Mapping[str, Any]
    ) -> Any:
        return function(*_plain(tuple(arguments)), **{key: _plain(value) for key, value in options.items()})

    def dot(self, other: Any, out: Any = None) -> Any:  # the methods that reach no universal function
        return np.asarray(self).dot(_plain(other), _plain(out))

    def cumprod(self, *arguments: Any, **options: Any) -> Any:
        return np.asarray(self).cumprod(*arguments, **options)

    def argsort(self, *arguments: Any, **options: Any) -> Any:  # places in an array have no unit
        return np.asarray(self).argsort(*arguments, **options)

    def argpartition(self, *arguments: Any, **options: Any) -> Any:
        return np.asarray(self).argpartition(*arguments, **options)

    def argmax(self, *arguments: Any, **options: Any) -> Any:
        return np.asarray(self).argmax(*arguments, **options)

    def argmin(self, *arguments: Any, **options: Any) -> Any:
        return np.asarray(self).argmin(*arguments, **options)

    def copy(self, order: Any = "C") -> Quantity:
        values = np.asarray(self).copy(order)
        return Quantity(values, self.unit, self.name, self.dims, self.coordinates)

    def __copy__(self) -> Quantity:
        return self.copy("K")

    def __deepcopy__(self, _: Any) -> Quantity:
        return self.copy("K")

    def __reduce__(self) -> Any:
        return Quantity, (np.asarray(self), self.unit, self.name, self.dims, dict(self.coordinates))

    def __repr__(self) -> str:
        heading = " ".join(part for part in (self.name, f"[{self.unit}]" if self.unit else "") if part)
        return f"{heading}\n{np.asarray(self)!r}" if heading else repr(np.asarray(self))

    def to_xarray(self) -> Any:
        """The same as an ``xarray.DataArray`` with axes, coordinates and unit. Raises ProblemError without xarray."""
        xarray = needed("xarray")
        dims = self.dims or tuple(f"dim_{axis}" for axis in range(self.ndim))
        coordinates = {
            name: (name, np.asarray(values), {"units": values.unit}) for name, values in self.coordinates.items()
        }
        return xarray.DataArray(
            np.asarray(self), coords=coordinates, dims=dims, name=self.name or None, attrs={"units": self.unit}
        )


def needed(module: str) -> Any:
    """An optional library. Raises ProblemError that says how to get it."""
    try:
        return __import__(module)
    except ImportError as error:
        raise ProblemError(f"This needs {module}, which is not installed: pip install {module}.") from error


def number(value: Any, what: str) -> float:
    """A plain number, NumPy's among them. Raises ProblemError for ``what`` is none: a text, a list, NaN."""
    plain = value.item() if isinstance(value, (np.ndarray, np.generic)) and np.size(value) == 1 else value
    with suppress(OverflowError):
        if isinstance(plain, Real) and not isinstance(plain, bool) and not math.isnan(plain):
            return float(plain)
    raise ProblemError(f"{what} is a number, not {value!r:.60}.")


def end_of(until: Any, unit: str) -> float | None:
    """``until``, where a run is to end; None where nothing is said. Raises ProblemError for what no run comes to."""
    if until is None:
        return None
    found = number(until, f"until [{unit}]")
    if not 0 < found < math.inf:
        raise ProblemError(f"A run cannot go to {found:g} {unit}: until is above 0{', and finite' * (found > 0)}.")
    return found


def target(path: Any, what: str, suffix: str = "") -> Path:
    """Where ``what`` is to be written, a file that ends in ``suffix`` where there is one. Raises ProblemError for what
    is no path, and for one that names nothing, a folder, or a place in a file; StorageError."""
    if not isinstance(path, (str, PathLike)) or not str(path).strip() or "\0" in str(path):
        raise ProblemError(f"{what} is saved to a path, such as 'results/NAME', not to {path!r:.60}.")
    place = expanded(Path(path))
    with storing(place):
        home = Path(*place.parts[:1])
        if home.name.startswith("~") and not home.exists():
            raise ProblemError(f"'{home}' is nobody's home folder here: write where it is in full.")
        if inside := next((each for each in place.parents if each.is_file()), None):
            raise ProblemError(f"'{inside}' is a file: '{place}' cannot lie in it, give a path through folders.")
        if suffix and place.is_dir():
            raise ProblemError(f"'{place}' is a folder: give a name in it, such as 'NAME{suffix}'.")
    if suffix and place.suffix.lower() != suffix:
        raise ProblemError(f"'{place}' must end in {suffix}: {what[0].lower()}{what[1:]} is written in that form.")
    return place


def position(values: Any, what: str) -> tuple[float, float, float]:
    """x, y and z; two numbers lie at z = 0. Raises ProblemError for what are none."""
    found: Sequence[Any] = np.atleast_1d(values).tolist() if isinstance(values, np.ndarray) else values
    if isinstance(found, str) or not isinstance(found, Sequence) or len(found) not in (2, 3):
        raise ProblemError(f"{what} is a place (x, y, z), not {values!r:.60}.")
    x, y, z = (*(number(each, f"Each coordinate of {what[0].lower()}{what[1:]}") for each in found), 0.0)[:3]
    return x, y, z


def named_quantity(title: str, values: Array) -> Quantity:
    """Of ``"ports/S [1]"``: the name without its unit, and the unit."""
    name, unit = parted(title)
    return Quantity(values, unit, name)


def parted(title: str) -> tuple[str, str]:
    """``("ports/S", "1")`` of ``"ports/S [1]"``."""
    found = re.fullmatch(r"(.*?)\s*\[([^\[\]]*)\]", title)
    return (found[1], found[2]) if found else (title, "")


def _plain(value: Any) -> Any:
    if isinstance(value, Quantity):
        return np.asarray(value)
    if isinstance(value, (tuple, list)):
        return type(value)(_plain(one) for one in value)
    return value
