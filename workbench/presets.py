"""Ready problems for the gallery and the command line: those of the engines and those in ``sample_data``."""

from __future__ import annotations

import json
from dataclasses import replace
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path

from engines import registry
from engines.api import Preset
from engines.errors import ProblemError
from workbench.boundary import NOTHING, Permission
from workbench.document import Document, open_document
from workbench.store import PROJECT_FILE

PICTURE = "preview.png"


def presets() -> list[Preset]:
    """All presets of this installation, by title. One that cannot be read is left out."""
    found = {
        preset.id: replace(preset, engine=preset.engine or engine.id)
        for engine in registry.engines().values()
        for preset in engine.presets()
    }
    found |= {preset.id: preset for preset in presets_in(resources.files("sample_data"))}
    return sorted(found.values(), key=lambda preset: preset.title.lower())


def presets_in(folder: Traversable) -> list[Preset]:
    """The projects that are folders of ``folder``."""
    found = []
    for place in folder.iterdir():
        if place.is_dir() and place.joinpath(PROJECT_FILE).is_file():
            try:
                content = json.loads(place.joinpath(PROJECT_FILE).read_text("utf-8"))
                title, summary = str(content.get("title", place.name)), str(content.get("summary", ""))
                engine = str(content.get("engine", ""))
            except (ValueError, AttributeError, OSError):
                continue
            picture = place.joinpath(PICTURE)
            found.append(Preset(place.name, title, summary, place, picture if picture.is_file() else None, engine))
    return found


def open_preset(preset: Preset) -> Document:
    """The preset as a document of one's own: it has no file yet, so saving asks for a place. Raises ProblemError."""
    if not isinstance(preset.project, Path):
        raise ProblemError(f"The preset '{preset.id}' is packed in an archive: install the application unpacked.")
    return replace(open_document(preset.project), path=None)


def open_named(name: str, permission: Permission = NOTHING) -> Document:
    """The project at this path, or the preset with this id where there is no such file.

    Raises OutsideFiles, ProblemError.
    """
    path = Path(name).expanduser()
    if not path.exists():
        for preset in presets():
            if preset.id == name:
                return open_preset(preset)
    return open_document(path, permission=permission)
