"""The engines of this installation, found through the entry points ``workbench.engines``.

Some are of others than us: one that does not import, or was written for another version of the contract, is left out
and told of (:func:`left_out`); everything else goes on.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache
from importlib.metadata import EntryPoint, entry_points

from engines.api import API_VERSION
from engines.api.engine import Engine
from engines.api.errors import ProblemError, nearest_told, told_of
from engines.api.simulation import guarding
from engines.api.simulation.guarding import ended_after, guard, is_line

log = logging.getLogger(__name__)

OURS = "workbench-sim"
TOLD_AFTER, ENDED_AFTER = 5.0, 60.0
"""Seconds that another's engine may take to load until it is told which one it is, and until it is given up."""


def engines() -> dict[str, Engine]:
    """Engine id to engine, in alphabetical order."""
    return _found()[0]


def left_out() -> tuple[str, ...]:
    """A sentence for each engine that is installed and cannot be used, which, of what package, and why, and for what
    others were asked for in vain."""
    return (*_found()[1], *guarding.told)


def engine(identifier: str) -> Engine:
    """The engine with this id; raises ProblemError that names the ones there are."""
    identifier = str(identifier)  # a script may give anything
    try:
        return _own(identifier) or engines()[identifier]
    except KeyError:
        known = ", ".join(engines()) or "none"
        near = nearest_told(identifier, engines())
        raise ProblemError(
            f"There is no engine '{identifier:.40}' in this installation{near} (there are: {known})."
        ) from None


def own_names() -> list[str]:
    """Ids of the engines of ours, none of which is loaded for it."""
    return sorted(point.name for point in entry_points(group="workbench.engines") if _is_ours(point))


@cache
def is_own(identifier: str) -> bool:
    """Whether the engine with this id is one of ours."""
    return identifier in own_names()


@cache
def _own(identifier: str) -> Engine | None:
    """The engine of ours with this id, without the others, which take longer to load than a short run takes; None where
    all are to be asked, which tell what is wrong with it."""
    for point in entry_points(group="workbench.engines"):
        if point.name == identifier and _is_ours(point):
            with suppress(Exception):
                return _loaded(point)
    return None


@cache
def _found() -> tuple[dict[str, Engine], tuple[str, ...]]:
    found: dict[str, Engine] = {}
    troubles = []
    points = entry_points(group="workbench.engines")
    for point in sorted(points, key=lambda point: not _is_ours(point)):  # ours first
        try:
            with _watched(point):
                made = _loaded(point)
            if made.id in found:
                raise ProblemError(f"there is an engine '{made.id}' already")
            if not _is_ours(point):
                guard(made, _name(point))
            found[made.id] = made
        except KeyboardInterrupt:
            raise
        except BaseException as error:
            # Whatever the package of a stranger raises: it costs that engine and no other.
            reason = str(error) if isinstance(error, ProblemError) else told_of(error)
            troubles.append(f"{_name(point)} is left out ({reason}): update or uninstall it.")
    for sentence in troubles:
        log.warning(sentence)  # on stderr where nobody has set logging up
    return dict(sorted(found.items())), tuple(troubles)


def _is_ours(point: EntryPoint) -> bool:
    return point.dist is not None and point.dist.name == OURS


def _name(point: EntryPoint) -> str:
    package = f" of {point.dist.name} {point.dist.version}" if point.dist else ""
    return f"The engine '{point.name}'{package}"


@contextmanager
def _watched(point: EntryPoint) -> Iterator[None]:
    """Tells which engine it is that takes so long, and ends that with ProblemError where an alarm can: on the main
    thread, unless an alarm is set already."""
    if _is_ours(point):
        yield
        return
    sentence = (
        f"{_name(point)} has been loading for {TOLD_AFTER:g} s: end this with Ctrl-C and uninstall it, if need be."
    )
    telling = threading.Timer(TOLD_AFTER, log.warning, [sentence])
    telling.daemon = True
    telling.start()
    try:
        with ended_after(ENDED_AFTER, ProblemError(f"it has not loaded within {ENDED_AFTER:g} s")):
            yield
    finally:
        telling.cancel()


@cache
def _loaded(point: EntryPoint) -> Engine:
    made = point.load()()
    if not isinstance(made, Engine):
        raise ProblemError(f"{point.value} is not an engine")
    if not all(is_line(each, 1) for each in (made.id, made.title)):
        raise ProblemError("its id and its title are not texts of one line")
    if not all(is_line(getattr(made, name, "")) for name in ("summary", "time_unit")):
        raise ProblemError("its summary or its unit of time is no text of one line")
    if not all(isinstance(each, tuple) and all(map(is_line, each)) for each in (made.imports, made.bodies)):
        raise ProblemError("the suffixes of files that it takes are no tuple of texts")
    if made.api_version != API_VERSION:
        raise ProblemError(f"it was written for version {made.api_version} of the contract, and this is {API_VERSION}")
    return made
