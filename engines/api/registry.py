"""The engines of this installation, found through the entry points ``workbench.engines``.

Some are of others than us: one that does not import, or was written for another version of the contract, is left out
and told of (:func:`left_out`); everything else goes on.
"""

from __future__ import annotations

import logging
from functools import cache
from importlib.metadata import EntryPoint, entry_points

from engines.api import API_VERSION
from engines.api.engine import Engine
from engines.api.errors import ProblemError, nearest_told

log = logging.getLogger(__name__)

OURS = "workbench-sim"


def engines() -> dict[str, Engine]:
    """Engine id to engine, in alphabetical order."""
    return _found()[0]


def left_out() -> tuple[str, ...]:
    """A sentence for each engine that is installed and cannot be used: which, of what package, and why."""
    return _found()[1]


def engine(identifier: str) -> Engine:
    """The engine with this id; raises ProblemError that names the ones there are."""
    try:
        return engines()[identifier]
    except KeyError:
        known = ", ".join(engines()) or "none"
        near = nearest_told(identifier, engines())
        raise ProblemError(
            f"There is no engine '{identifier:.40}' in this installation{near} (there are: {known})."
        ) from None


@cache
def _found() -> tuple[dict[str, Engine], tuple[str, ...]]:
    found: dict[str, Engine] = {}
    troubles = []
    points = entry_points(group="workbench.engines")
    for point in sorted(points, key=lambda point: not (point.dist and point.dist.name == OURS)):  # ours first
        try:
            made = _loaded(point)
            if made.id in found:
                raise ProblemError(f"there is an engine '{made.id}' already")
            found[made.id] = made
        except KeyboardInterrupt:
            raise
        except BaseException as error:
            # Whatever the package of a stranger raises: it costs that engine and no other.
            package = f" of {point.dist.name} {point.dist.version}" if point.dist else ""
            reason = str(error) if isinstance(error, ProblemError) else f"{type(error).__name__}: {error}"
            troubles.append(f"The engine '{point.name}'{package} is left out ({reason}): update or uninstall it.")
    for sentence in troubles:
        log.warning(sentence)  # on stderr where nobody has set logging up
    return dict(sorted(found.items())), tuple(troubles)


def _loaded(point: EntryPoint) -> Engine:
    made = point.load()()
    if not isinstance(made, Engine):
        raise ProblemError(f"{point.value} is not an engine")
    if not (isinstance(made.id, str) and made.id and isinstance(made.title, str)):
        raise ProblemError("its id and its title are not texts")
    if made.api_version != API_VERSION:
        raise ProblemError(f"it was written for version {made.api_version} of the contract, and this is {API_VERSION}")
    return made
