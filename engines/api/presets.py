"""Ready problems: folders with ``project.json``, and ``preview.png`` where there is a picture."""

from __future__ import annotations

import json
import logging
from importlib.resources.abc import Traversable

from engines.api.values import Preset

log = logging.getLogger(__name__)

PROJECT_FILE, PICTURE = "project.json", "preview.png"


def presets_in(folder: Traversable) -> list[Preset]:
    """The projects that are folders of ``folder``, by name. One that cannot be read is left out."""
    found = []
    for place in sorted(folder.iterdir(), key=lambda place: place.name):
        if not place.is_dir() or not place.joinpath(PROJECT_FILE).is_file():
            continue
        try:
            content = json.loads(place.joinpath(PROJECT_FILE).read_text("utf-8"))
            title, summary = str(content.get("title", place.name)), str(content.get("summary", ""))
            engine = str(content.get("engine", ""))
        except (ValueError, AttributeError, OSError) as error:
            log.warning("The preset '%s' is left out, for its %s cannot be read: %s.", place.name, PROJECT_FILE, error)
            continue
        picture = place.joinpath(PICTURE)
        found.append(Preset(place.name, title, summary, place, picture if picture.is_file() else None, engine))
    return found
