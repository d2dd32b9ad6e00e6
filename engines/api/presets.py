"""Ready problems: folders with ``project.json``, and ``preview.png`` where there is a picture."""

from __future__ import annotations

import json
import logging
from importlib.resources.abc import Traversable

from engines.api.values import Preset

log = logging.getLogger(__name__)

PROJECT_FILE, PICTURE = "project.json", "preview.png"


LEFT_OUT = "The preset '%s' is left out, for its %s cannot be read: %s."

_unreadable: dict[str, list[str]] = {}
"""Sentences by folder."""


def unreadable() -> tuple[str, ...]:
    """A sentence for each preset that could not be read when its folder was last looked at."""
    return tuple(sentence for sentences in _unreadable.values() for sentence in sentences)


def presets_in(folder: Traversable) -> list[Preset]:
    """The projects that are folders of ``folder``, by name. One that cannot be read is left out and told of."""
    found, known, troubles = [], _unreadable.get(str(folder), []), []
    for place in sorted(folder.iterdir(), key=lambda place: place.name):
        if not place.is_dir() or not place.joinpath(PROJECT_FILE).is_file():
            continue
        try:
            content = json.loads(place.joinpath(PROJECT_FILE).read_text("utf-8"))
            title, summary = str(content.get("title", place.name)), str(content.get("summary", ""))
            engine = str(content.get("engine", ""))
        except (ValueError, AttributeError, OSError) as error:
            reason = (place.name, PROJECT_FILE, error)
            troubles.append(LEFT_OUT % reason)
            if troubles[-1] not in known:
                log.warning(LEFT_OUT, *reason)  # once, on stderr where nobody has set logging up
            continue
        picture = place.joinpath(PICTURE)
        found.append(Preset(place.name, title, summary, place, picture if picture.is_file() else None, engine))
    _unreadable[str(folder)] = troubles
    return found
