"""``workbench completion``: a script by which a shell completes commands, options, presets, engines and files."""

from __future__ import annotations

import argparse
from argparse import Namespace
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import shtab

from engines.api import registry
from workbench.cli.arguments import device, parser
from workbench.project.presets import presets

PROJECTS = {"bash": "_workbench_projects", "zsh": "_workbench_projects", "fish": "(_workbench_projects)"}
"""Per shell, what names presets and files."""


def completion_command(options: Namespace) -> int:
    """Print the script for a shell, with the presets and engines of this installation in it."""
    top = parser()
    engines = list(registry.engines())
    for action in _actions(top):
        _describe(action, engines)
    names = " ".join(preset.id for preset in presets())
    script = options.answer["script"] = shtab.complete(top, options.shell, preamble=_projects(options.shell, names))
    print(script)
    return 0


def _actions(command: argparse.ArgumentParser) -> Iterator[argparse.Action]:
    """Every argument of a command and of the commands below it."""
    for action in command._actions:
        yield action
        if isinstance(action, argparse._SubParsersAction):
            for below in action.choices.values():
                yield from _actions(below)


def _describe(action: Any, engines: list[str]) -> None:
    """What may stand for an argument, as shtab reads it: a choice, or a function of the shell."""
    if action.type is device:
        action.choices = ["auto", "cpu", "cuda:0"]
    elif action.dest in ("engine", "engines"):
        action.choices = engines
    elif action.metavar == "DIR" or action.dest == "out":
        action.complete = shtab.DIRECTORY
    elif action.type is Path:
        action.complete = shtab.FILE
    elif action.dest == "project":
        action.complete = PROJECTS


def _projects(shell: str, names: str) -> str:
    """The shell's function that completes what a command takes for a project."""
    bodies = {
        "bash": f'compgen -W "{names}" -- $1; compgen -f -- $1',
        "zsh": f"_alternative 'presets:preset:({names})' 'files:file:_files'",
        "fish": f"printf '%s\\n' {names}; __fish_complete_path (commandline -ct)",
    }
    if shell == "fish":
        return f"function _workbench_projects; {bodies[shell]}; end"
    return f"_workbench_projects() {{ {bodies[shell]}; }}"
