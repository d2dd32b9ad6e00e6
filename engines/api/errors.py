"""The errors that people see: each message is one sentence that says what to change."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from difflib import get_close_matches
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from engines.api.values import Remedy


class WorkbenchError(Exception):
    """Base of every error whose message is meant for the person at the window or the terminal."""

    torn = False
    """Whether it came in the middle of a step, or with a device that failed: what the simulation holds then is no state
    of the problem, and the last that was kept before is the one to go on from."""


class ProblemError(WorkbenchError):
    """The input cannot be run as it stands; the message names what, where, and what would be right.

    ``place`` is where in the parameters, ``("protocol", 2)``, for a form to mark it; empty where that is not one place.
    ``remedy`` is the edit that mends it, where one is known.
    """

    def __init__(self, message: str, place: tuple[str | int, ...] = (), remedy: Remedy | None = None) -> None:
        super().__init__(message)
        self.place = place
        self.remedy = remedy


@contextmanager
def placed_at(*place: str | int) -> Iterator[None]:
    """A :class:`ProblemError` from inside names this place, before any that it names itself."""
    try:
        yield
    except ProblemError as error:
        error.place = (*place, *error.place)
        raise


class NotLiveError(ProblemError):
    """A parameter that a simulation does not change while it runs."""

    def __init__(self, name: str) -> None:
        super().__init__(f"'{name}' cannot change during a run: reset, change it, and run again.")


class MeshError(ProblemError):
    """A mesh file cannot be read, or what it holds cannot carry a simulation."""


class InstabilityError(WorkbenchError):
    """The solution ceased to be finite; the message names step, field and what to change."""


class DeviceError(WorkbenchError):
    """The compute device failed or is missing; the run ends, the application goes on.

    ``lost``: the device takes nothing more from this process, whatever is asked of it.
    """

    torn = True

    def __init__(self, message: str, lost: bool = False) -> None:
        super().__init__(message)
        self.lost = lost


def told_of(error: BaseException) -> str:
    """``KeyError: 'x'`` on one line: of an error of somebody else's, whose own text may fail or have no end."""
    try:
        text = " ".join(str(error).split())
    except Exception:
        text = ""
    return f"{type(error).__name__}: {text[:400]}" if text else type(error).__name__


def nearest_told(name: str, known: Iterable[str]) -> str:
    """``"; the nearest are 'drum', 'dome'"``, to follow a sentence that says that there is no ``name``; empty where
    none of the ``known`` is near."""
    by_lower = {one.lower(): one for one in known}
    near = [f"'{by_lower[one]}'" for one in get_close_matches(name.lower(), by_lower, 3, 0.5)]
    return f"; the nearest {'is' if len(near) == 1 else 'are'} {', '.join(near)}" if near else ""
