"""Ready problems for the gallery and the command line: those of the engines and those in ``sample_data``."""

from __future__ import annotations

from dataclasses import replace
from importlib import resources
from pathlib import Path

from engines.api import Preset, registry
from engines.api.errors import ProblemError
from engines.api.presets import presets_in
from workbench.project.boundary import NOTHING, Permission
from workbench.project.document import Document, open_document


def presets() -> list[Preset]:
    """All presets of this installation, by title. One that cannot be read is left out."""
    found = {
        preset.id: replace(preset, engine=preset.engine or engine.id)
        for engine in registry.engines().values()
        for preset in engine.presets()
    }
    found |= {preset.id: preset for preset in presets_in(resources.files("sample_data"))}
    return sorted(found.values(), key=lambda preset: preset.title.lower())


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
