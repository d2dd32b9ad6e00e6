"""JSON of every project that ships, mutated: it opens as a valid document, or is refused in one sentence.

The long form is ``python -m tests.long projects``.
"""

from __future__ import annotations

import json
import re
import warnings
from collections import Counter
from contextlib import suppress
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import seed as use_seed
from hypothesis import strategies as st

from engines.api.errors import ProblemError, WorkbenchError
from workbench.project.document import Document, open_document
from workbench.project.presets import presets
from workbench.project.reading.parsing import PROJECT_FILE
from workbench.project.store import as_json

LONGEST_SENTENCE = 3000
"""Letters: all names that may vary among cells take 1,100, and a text of 5,000 is not to be repeated."""
VALUES = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(10**400), 10**400),
    st.floats(),
    st.text(max_size=20),
    st.sampled_from(["", "NaN", "1e5", "0x1", "../../etc/passwd", "\ud800", "x" * 5000, "1" * 5000]),
    st.lists(st.integers(), max_size=3),
    st.dictionaries(st.text(max_size=5), st.none(), max_size=2),
    st.integers(1, 3000).map(lambda depth: ("deep", depth)),
)
CHANGES = st.lists(
    st.tuples(st.integers(0, 10**6), st.sampled_from(["put", "drop", "add", "wrap", "swap", "repeat"]), VALUES),
    min_size=1,
    max_size=4,
)
"""Each is a place, counted over all of the tree, what is done there, and with what."""


DEEP = "DEEP"


class Wrong(Exception):
    """A document that was answered as none may be."""


def places(node: Any, found: list[tuple[Any, Any]]) -> list[tuple[Any, Any]]:
    """(container, key) of every value in a tree."""
    inside = list(node.items()) if isinstance(node, dict) else list(enumerate(node)) if isinstance(node, list) else []
    for key, value in inside:
        found.append((node, key))
        places(value, found)
    return found


def nested(value: Any) -> Any:
    """For a list in a list in a list…, which no encoder writes, a text that stands for it."""
    return f"{DEEP}{value[1]}{DEEP}" if isinstance(value, tuple) and value[0] == "deep" else value


def as_text(content: Any) -> str:
    def brackets(found: re.Match[str]) -> str:
        return "[" * int(found[1]) + "1" + "]" * int(found[1])

    return re.sub(f'"{DEEP}([0-9]+){DEEP}"', brackets, json.dumps(content))


def mutated(content: Any, changes: list[tuple[int, str, Any]]) -> str:
    content = deepcopy(content)
    for number, kind, value in changes:
        known = places(content, [])
        if not known:
            break
        container, key = known[number % len(known)]
        if kind == "drop":
            del container[key]
        elif kind == "add" and isinstance(container, dict):
            container[str(value)[:30]] = nested(value)
        elif kind == "wrap":
            container[key] = [container[key]]
        elif kind == "swap":
            other, place = known[(number // 7) % len(known)]
            container[key] = deepcopy(other[place])
        elif kind == "repeat" and isinstance(container, list):
            container.extend(deepcopy(container) * 3)
        else:
            container[key] = nested(value)
    return as_text(content)


def outcome(folder: Path, text: str) -> str:
    """``opened``, ``refused``, or what is wrong."""
    (folder / "project.json").write_text(text, "utf-8")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            document = open_document(folder)
    except WorkbenchError as error:
        return "refused" if len(str(error)) <= LONGEST_SENTENCE and "\n" not in str(error) else f"long: {error}"
    except Exception as error:  # whatever it is, it is what this looks for
        return f"{type(error).__name__}: {error}"
    assert isinstance(document, Document)
    as_json(document.portable_project())
    type(document.parameters).model_validate(document.parameters.model_dump())
    return "opened"


def ready(name: str, folder: Path) -> tuple[Path, Any]:
    """The folder of a preset, and what its project holds."""
    source = next(preset.project for preset in presets() if preset.id == name)
    for file in source.iterdir():
        if file.is_file():
            (folder / file.name).write_bytes(file.read_bytes())
    return folder, json.loads((folder / "project.json").read_text("utf-8"))


def attack(name: str, folder: Path, examples: int, seed: int | None = None) -> tuple[Counter[str], str]:
    """How often a preset's project with changes was opened and refused, and else the smallest that went wrong; always
    the same changes without a ``seed``."""
    folder, content = ready(name, folder)
    assert outcome(folder, json.dumps(content)) == "opened"
    counts: Counter[str] = Counter()
    wrong = ""

    @settings(
        max_examples=examples, deadline=None, derandomize=True, database=None,
        suppress_health_check=list(HealthCheck),
    )  # fmt: skip
    @given(changes=CHANGES)
    def attacked(changes: list[tuple[int, str, Any]]) -> None:
        nonlocal wrong
        told = outcome(folder, mutated(content, changes))
        if told not in ("opened", "refused"):
            wrong = f"{told} after {changes!r:.2000}"
            raise Wrong(told)
        counts[told] += 1

    with suppress(Wrong):
        (attacked if seed is None else use_seed(seed)(attacked))()
    return counts, wrong


SHORT = ("hundred_cycles", "fdtd_slab", "notched_concrete_beam", "cuba_4000", "composite_heat", "small_slab")
"""One of each engine."""


@pytest.mark.parametrize("name", SHORT)
def test_a_mutated_project_opens_or_is_refused_in_a_sentence(name, tmp_path):
    counts, wrong = attack(name, tmp_path, 12)
    assert not wrong
    assert counts


def test_a_value_nested_deeper_than_an_encoder_goes_is_refused(tmp_path):
    folder, content = ready("cuba_4000", tmp_path)
    text = mutated(content, [(0, "put", ("deep", 2999))])
    assert "[" * 2999 + "1" + "]" * 2999 in text
    assert outcome(folder, text) == "refused"


def test_a_former_form_with_parts_of_another_kind_is_refused(tmp_path):
    folder, content = ready("cuba_4000", tmp_path)
    former = {"populations": [1], "connections": {}}
    assert outcome(folder, json.dumps(content | {"parameters": former})) == "refused"


def test_half_a_character_which_could_not_be_saved_is_refused(tmp_path):
    folder, content = ready("cuba_4000", tmp_path)
    text = json.dumps(content | {"title": "\ud800"}, ensure_ascii=False)
    assert outcome(folder, json.dumps(content | {"title": "\ud800"})) == "refused"
    for encoding in ("utf-8", "utf-16"):
        (folder / PROJECT_FILE).write_bytes(text.encode(encoding, "surrogatepass"))
        with pytest.raises(ProblemError, match="no valid JSON"):
            open_document(folder)
