"""Which kernels a problem will ask for: those that the preset of its engine asked for that is most like it.

``ENGINE.json``, made by docs/make_kernels.py, has of each preset what it is told apart by, and what it asked
for on a CPU until its first picture, in that order.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator, Sequence
from importlib import resources
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel

from engines.backend.compile.expecting import expect
from engines.ranks.world import started

if TYPE_CHECKING:
    from engines.backend.compile.listed import Listed

OF_THE_WINDOW, WINDOW = "ui.", "PySide6"
WORD = re.compile(r"[\w -]{1,30}")


def expect_kernels(engine: str, parameters: BaseModel | None) -> None:
    """A problem of this engine is being opened, with these parameters, or with its engine's own."""
    place = resources.files(__package__).joinpath(f"{engine}.json")
    if started() > 1 or not place.is_file():  # ranks share the cores already
        return
    expect(lambda: most_like(json.loads(place.read_text(encoding="utf-8")), parameters))


def most_like(made: Any, parameters: BaseModel | None) -> Sequence[Listed]:
    """The kernels, of what a file holds, of the preset that has most in common with these parameters."""
    from engines.backend.compile.listed import Listed  # imports Numba

    words = set() if parameters is None else set(traits(parameters))
    told = {name: {made["traits"][at] for at in each["traits"]} for name, each in made["presets"].items()}
    nearest = max(told, key=lambda name: len(words & told[name]) / len(words | told[name] | {""}))
    kernels = [made["kernels"][at] for at in made["presets"][nearest]["kernels"]]
    if WINDOW not in sys.modules:  # a picture may be drawn at the end, or none
        kernels.sort(key=lambda kernel: not kernel[0].startswith(OF_THE_WINDOW))
    return [
        Listed(module, name, key, function, [made["kinds"][at] for at in kinds])
        for module, name, key, function, kinds in kernels
    ]


def traits(parameters: BaseModel) -> list[str]:
    """What tells problems apart that ask for other kernels: words, switches, and what is there."""
    return sorted(_leaves(parameters.model_dump(mode="json"), ""))


def _leaves(value: Any, place: str) -> Iterator[str]:
    if isinstance(value, dict):
        for name, each in value.items():
            yield from _leaves(each, f"{place}.{name}" if place else name)
    elif isinstance(value, list):
        yield f"{place}: {len(value)}"
        for at, each in enumerate(value[:3]):
            yield from _leaves(each, f"{place}.{at}")
    elif value is None or isinstance(value, bool) or (isinstance(value, str) and WORD.fullmatch(value)):
        yield f"{place}: {value}"
