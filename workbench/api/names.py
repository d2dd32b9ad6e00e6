"""What has a name: looked up by it, with the nearest names where it is wrong."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Generic, TypeVar

from engines.api.errors import ProblemError, nearest_told
from workbench.api.arrays import Quantity, named_quantity, parted

T = TypeVar("T", covariant=True)
MOST_TOLD = 4


class UnknownNameError(ProblemError, KeyError):
    """There is nothing of this name; the sentence says what is near. A KeyError too, as mappings raise."""

    def __str__(self) -> str:
        return str(self.args[0])


def unknown(what: str, name: object, known: Iterable[str], listed: Iterable[str] | None = None) -> UnknownNameError:
    """``what`` is the thing in the singular, with its place: "curve in this run". Where none of ``known`` is near, all
    of them are told, or those ``listed``."""
    names = list(known)
    last = str(name).rpartition(".")[2]
    within = [f"'{one}'" for one in names if last in one.split(".") and not last.isdecimal()][
        :MOST_TOLD
    ]  # named without the group it is in
    near = f"; there is {', '.join(within)}" if within else nearest_told(str(name), names)
    others = list(names if listed is None else listed)
    return UnknownNameError(
        f"There is no {what} '{name}'{near or ('; there are: ' + ', '.join(others) if others else '; there is none')}."
    )


def called(what: str, name: Any, known: Mapping[str, T]) -> T:
    """The one of ``known`` that has this name. Raises UnknownNameError, also for what is no name at all."""
    if not isinstance(name, str) or name not in known:
        raise unknown(what, name, known)
    return known[name]


class Named(Mapping[str, T], Generic[T]):
    """A read-only mapping whose items are made when they are asked for, and whose errors tell the nearest names."""

    def __init__(self, what: str, names: Iterable[str], item: Callable[[str], T]) -> None:
        self._what, self._names, self._item = what, list(names), item

    def __getitem__(self, name: str) -> T:
        if name not in self._names:
            raise unknown(self._what, name, self._names)
        return self._item(name)

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)

    def __reduce__(self) -> Any:
        """What is copied or pickled is what is there now."""
        return dict, (dict(self),)

    def __repr__(self) -> str:
        return f"<{len(self)}: {', '.join(self._names)}>" if self else "<none>"


def quantities(what: str, arrays: Mapping[str, Any]) -> Named[Quantity]:
    """Arrays by ``"group/name [unit]"`` as quantities by ``"group/name"``.

    A name that stands there in several units keeps them in its own.
    """
    plain = [parted(title)[0] for title in arrays]
    titles = {(title if plain.count(name) > 1 else name): title for name, title in zip(plain, arrays, strict=True)}
    return Named(what, titles, lambda name: named_quantity(titles[name], arrays[titles[name]]))
