"""The engines of this installation, found through the entry points ``workbench.engines``."""

from functools import cache
from importlib.metadata import entry_points

from engines.api.engine import Engine
from engines.api.errors import ProblemError


@cache
def engines() -> dict[str, Engine]:
    """Engine id to engine, in alphabetical order."""
    found = (point.load()() for point in entry_points(group="workbench.engines"))
    return {engine.id: engine for engine in sorted(found, key=lambda engine: engine.id)}


def engine(identifier: str) -> Engine:
    """The engine with this id; raises ProblemError that names the ones there are."""
    try:
        return engines()[identifier]
    except KeyError:
        known = ", ".join(engines()) or "none"
        raise ProblemError(f"There is no engine '{identifier}' in this installation (there are: {known}).") from None
