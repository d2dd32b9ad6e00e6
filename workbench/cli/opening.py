"""Opening the project that a command is given."""

from __future__ import annotations

from argparse import Namespace

from workbench.api.editing import edited
from workbench.project.boundary import EVERYTHING, NOTHING, Permission
from workbench.project.document import Document
from workbench.project.presets import open_named


def open_project(options: Namespace) -> Document:
    """The document of ``options.project``, with what ``--set`` changes.

    Raises ProblemError, also for files outside of it without a permission.
    """
    document = open_named(options.project, permission_of(options))
    if options.command != "tool":  # whose --set is of the tool's own numbers
        document.parameters = edited(document.parameters, dict(getattr(options, "values", ())))
    return document


def permission_of(options: Namespace) -> Permission:
    """What a project may read besides its own files: nobody is asked at a terminal."""
    return EVERYTHING if options.allow_outside else NOTHING
