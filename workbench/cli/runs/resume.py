"""``workbench resume``: a run that was ended goes on, as its folder of results says that it was asked for."""

from __future__ import annotations

import sys
from argparse import Namespace
from pathlib import Path
from typing import Any

from engines.api.errors import ProblemError
from engines.reading import read_json
from workbench.cli.arguments import parser
from workbench.cli.opening import permission_of
from workbench.cli.runs.asked import Asked
from workbench.cli.runs.folder import LOCK
from workbench.cli.runs.ranks import hush_others, launch, to_launch
from workbench.cli.runs.run import run_document
from workbench.project.boundary import Boundary, Permission
from workbench.project.document import Document
from workbench.project.parameter_files import named_files
from workbench.project.presets import open_named
from workbench.project.project import Project
from workbench.project.reading.parsing import validated
from workbench.run.earlier import CHECKPOINT, was_finished
from workbench.run.states.checkpoint import checkpoints_at


def resume_command(options: Namespace) -> int:
    """Go on with the run in a folder; returns the exit code. Raises ProblemError."""
    hush_others()
    folder: Path = options.out
    file = folder / "run.json"
    if not file.is_file():
        raise ProblemError(f"There is no run in '{folder}' to go on with: give the folder that holds its run.json.")
    try:
        record = read_json(file)
        command, content = record["command"], record["project"]
    except (ProblemError, LookupError, TypeError) as error:
        raise ProblemError(f"'{file}' is damaged: start the run anew with 'workbench run'.") from error
    asked, permission = validated(Asked, command, f"'{file}'"), permission_of(options)
    asked.check(folder, f"'{file}'", permission)
    asked.device = options.device or asked.device
    asked.ranks = options.ranks or asked.ranks
    if to_launch(asked.ranks):
        return launch(options, asked.ranks or 1)
    if was_finished(folder) and options.until is None:
        if not (folder / LOCK).exists():
            raise ProblemError(
                f"The run in '{folder}' has come to its end: go further with 'workbench resume {folder} --until T'."
            )
        print("The run was killed at its end: what was to be drawn of it then is drawn now.", file=sys.stderr)
    asked.until = options.until or asked.until
    there = bool(checkpoints_at(folder / CHECKPOINT))
    if not there:
        print("There is no checkpoint yet: the run starts from the beginning.", file=sys.stderr)
    document = _as_it_was(asked.project, content, f"'{file}'", permission)
    run = parser().parse_args(asked.arguments(folder, there))
    run.answer, run.movie_before = options.answer, asked.movie
    if asked.movie is not None:
        print(
            f"The movie '{asked.movie}' that the run was asked for is not drawn: its first pictures are of before. "
            "'workbench run' with --resume, --out and --movie draws one of what is left, and without --resume of all.",
            file=sys.stderr,
        )
    return run_document(document, asked.until, run)


def _as_it_was(name: str, content: Any, file: str, permission: Permission) -> Document:
    """The project with the values that the run had, whatever was edited since. Raises OutsideFiles, ProblemError."""
    document = open_named(name, permission)
    project = validated(Project, content, file)
    if project.engine != document.engine.id:
        raise ProblemError(f"{file} is of the engine '{project.engine}', and '{name}' of '{document.engine.id}'.")
    parameters = validated(document.engine.Parameters, project.parameters, file)
    boundary = Boundary(file, None, permission.with_files(document.files()))
    boundary.check(named_files(parameters).values())
    document.parameters = parameters
    document.project.probes, document.project.run = project.probes, project.run
    document.project.lines = project.lines
    return document
