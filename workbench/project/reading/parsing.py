"""From the text of a project, or values of any model, to what is valid, or to a sentence that tells what to mend."""

from __future__ import annotations

import json
import re
from collections import Counter
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from engines.api.errors import ProblemError
from workbench.project.migrations import migrate
from workbench.project.project import Project

Model = TypeVar("Model", bound=BaseModel)

PROJECT_FILE = "project.json"
LARGEST_PROJECT = 16 * 2**20
MOST_VALUES, MOST_WRONG = 400_000, 1000
"""Of a project: values beside the numbers of curves, and wrong ones that are looked at one by one; each costs some 5 µs
and 1 kB to tell of."""
OF_CURVES = ("x", "y")
HALVES = re.compile(r"\\u[dD][89a-fA-F]|[\ud800-\udfff]")
"""Of characters that have two in JSON."""
LONG_WORD = re.compile(r"\S{80,}")


def parse_project(text: str | bytes, name: str) -> Project:
    """A validated project from JSON. Raises ProblemError that names ``name`` and the first thing to change."""
    try:
        if isinstance(text, bytes):
            text = text.decode(json.detect_encoding(text), "surrogatepass")
        content = json.loads(text, object_pairs_hook=_each_once)
        if HALVES.search(text):
            json.dumps(content, ensure_ascii=False).encode()  # halves of characters, which could not be saved again
    except (ValueError, RecursionError) as error:
        raise ProblemError(f"{name} is not a project: it is no valid JSON ({error}).") from error
    if not isinstance(content, dict):
        raise ProblemError(f"{name} is not a project: it must hold one JSON object.")
    if "outcome" in content and "engine" not in content:  # run.json
        command = content.get("command")
        of = command.get("project") if isinstance(command, dict) else None
        which = f"'{shortened(of)}', which was run" if isinstance(of, str) else "the project that was run"
        raise ProblemError(f"{name} tells of a run and is no project: open {which}.")
    return validated(Project, migrate(content, name), name)


def _each_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """A group of JSON, of which a person reads the first of two values of a name and Python the last."""
    found = dict(pairs)
    if len(found) < len(pairs):
        twice = next(name for name, count in Counter(name for name, _ in pairs).items() if count > 1)
        raise ValueError(f"'{shortened(twice)}' stands twice in one group: remove one")
    return found


def validated(model: type[Model], content: Any, name: str) -> Model:
    """``content`` as ``model``; raises ProblemError that tells the first thing to change in one sentence."""
    if _has_more_values(content, MOST_VALUES):
        raise ProblemError(
            f"{name} has more than {MOST_VALUES:,} values beside curves: not looked through; thin it out."
        )
    try:
        return model.model_validate(content)
    except ValidationError as error:
        if error.error_count() > MOST_WRONG:
            raise ProblemError(
                f"{name} has {error.error_count():,} values that are wrong or that nothing reads: it is damaged, or no "
                "project."
            ) from error
        problems = error.errors(include_url=False, include_input=False)
        where = shortened(".".join(str(part) for part in problems[0]["loc"]) or "the whole")
        more = f" (and {len(problems) - 1} more)" if len(problems) > 1 else ""
        if problems[0]["type"] == "extra_forbidden":
            raise ProblemError(
                f"{name} has a value '{where}' that nothing reads: correct its name or remove it{more}."
            ) from error
        what = shortened(problems[0]["msg"].removeprefix("Value error, "))
        raise ProblemError(f"{name} has a wrong value at {where}: {what[0].lower()}{what[1:]}{more}.") from error
    except Exception as error:  # of what reads the forms of former versions, of engines that others wrote too
        raise ProblemError(
            f"{name} has values of a form that nothing reads ({type(error).__name__}): put a list, a group or a number "
            "back where one was."
        ) from error


def _has_more_values(content: Any, most: int) -> bool:
    """Whether there are, those of curves not counted."""
    groups = [content]
    while groups and most >= 0:
        group = groups.pop()
        if isinstance(group, dict):
            most -= len(group)
            groups += [each for name, each in group.items() if name not in OF_CURVES or not _are_numbers(each)]
        elif isinstance(group, list):
            most -= len(group)
            groups += [each for each in group if isinstance(each, (dict, list))]
    return most < 0


def _are_numbers(values: Any) -> bool:
    return isinstance(values, list) and {type(each) for each in values} <= {int, float, type(None)}


def shortened(text: str) -> str:
    """Without most of a word that nobody reads to its end."""
    return LONG_WORD.sub(lambda found: f"{found[0][:40]}…", text)
