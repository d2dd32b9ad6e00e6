"""Project files of earlier versions, brought up to the present one."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from engines.api.errors import ProblemError
from workbench.project.project import SCHEMA_VERSION

Migration = Callable[[dict[str, Any]], dict[str, Any]]

MIGRATIONS: Mapping[int, Migration] = {}
"""``MIGRATIONS[n]`` takes the content of a file of version n and returns that of version n + 1.

Version 1 is the first, so there is nothing to bring up yet.
"""


def migrate(
    content: dict[str, Any], name: str, migrations: Mapping[int, Migration] = MIGRATIONS, current: int = SCHEMA_VERSION
) -> dict[str, Any]:
    """``content`` in the present version. Raises ProblemError for a newer or an impossible version."""
    version = content.get("schema_version", current)
    if not isinstance(version, int) or isinstance(version, bool) or version < 1:
        raise ProblemError(f"{name} has no valid schema_version (it says {version!r:.40}, {current} would be right).")
    if version > current:
        raise ProblemError(
            f"{name} was saved by a newer Workbench (project version {version}, this one reads up to {current}): "
            "update Workbench to open it."
        )
    for step in range(version, current):
        content = {**migrations[step](content), "schema_version": step + 1}
    return content
