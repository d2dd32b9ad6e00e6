"""``workbench script``: a project's problem as the Python script that makes it."""

from __future__ import annotations

from argparse import Namespace

from workbench.api.script import script_of
from workbench.cli import DONE
from workbench.cli.opening import open_project


def script_command(options: Namespace) -> int:
    """Print it; returns the exit code. Raises WorkbenchError for input that cannot be opened."""
    script = options.answer["script"] = script_of(open_project(options), of_defaults=options.of_defaults)
    print(script, end="")
    return DONE
