"""Ready problems of an engine: folders with ``project.json``, and ``preview.png`` where there is a picture."""

from __future__ import annotations

import json
from importlib.resources.abc import Traversable

from engines.api.values import Preset


def presets_in(folder: Traversable) -> list[Preset]:
    """The projects that are folders of ``folder``."""
    found = []
    for place in sorted(folder.iterdir(), key=lambda place: place.name):
        project = place.joinpath("project.json")
        if project.is_file():
            content = json.loads(project.read_text("utf-8"))
            picture = place.joinpath("preview.png")
            found.append(
                Preset(place.name, content["title"], content["summary"], place, picture if picture.is_file() else None)
            )
    return found
