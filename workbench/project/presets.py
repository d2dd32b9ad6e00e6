"""Ready problems for the gallery and the command line: those of the engines and those in ``sample_data``."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from importlib import resources
from pathlib import Path

from engines.api import Engine, Preset, registry
from engines.api.errors import ProblemError, nearest_told, told_of
from engines.api.presets import presets_in, unreadable
from engines.reading import expanded
from workbench.project.boundary import NOTHING, Permission
from workbench.project.document import Document, open_document

log = logging.getLogger(__name__)

_told: set[str] = set()


def presets() -> list[Preset]:
    """All presets of this installation, by title. One that cannot be read is left out, and told of on stderr once."""
    found, troubles = _gathered(registry.engines().values())
    for sentence in troubles:
        if sentence not in _told:
            log.warning(sentence)
    _told.update(troubles)
    return sorted(found.values(), key=lambda preset: preset.title.lower())


def left_out() -> tuple[str, ...]:
    """A sentence for each preset that is there and not among :func:`presets`: which, and why."""
    _, troubles = _gathered(registry.engines().values())
    return (*unreadable(), *troubles)


def _gathered(engines: Iterable[Engine]) -> tuple[dict[str, Preset], list[str]]:
    """Presets by id, the application's, and of these engines ours before those of others; and what could not be taken
    in, in sentences."""
    found: dict[str, Preset] = {}
    owners: dict[str, str] = {}
    troubles: list[str] = []
    for owner, theirs in _offered(engines, troubles):
        for preset in theirs:
            if preset.id in found:
                troubles.append(
                    f"The preset '{preset.id}' of {owner} is left out, for {owners[preset.id]} has one of that name:"
                    " rename its folder, beginning with the id of its engine."
                )
            else:
                found[preset.id], owners[preset.id] = preset, owner
    return found, troubles


def _offered(engines: Iterable[Engine], troubles: list[str]) -> Iterator[tuple[str, Sequence[Preset]]]:
    """Whose presets they are, and the presets."""
    yield "the application", presets_in(resources.files("sample_data"))
    for engine in sorted(engines, key=lambda engine: not type(engine).__module__.startswith("engines.")):
        try:
            theirs = [replace(preset, engine=preset.engine or engine.id) for preset in engine.presets()]
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # whatever the package of a stranger raises: it costs its presets and no other
            troubles.append(
                f"The presets of the engine '{engine.id}' are left out, for they cannot be listed ({told_of(error)})."
            )
            continue
        yield f"the engine '{engine.id}'", theirs


def preset_called(name: str) -> Preset | None:
    """The preset with this id. For one in a folder of ours no other engine is loaded."""
    if name in (of_all := _gathered([])[0]):
        return of_all[name]
    ours = resources.files("engines")
    owner = next((each for each in registry.own_names() if ours.joinpath(each, "presets", name).is_dir()), None)
    if owner is None:
        return next((preset for preset in presets() if preset.id == name), None)
    return _gathered([registry.engine(owner)])[0].get(name)


def open_preset(preset: Preset) -> Document:
    """The preset as a document of one's own: it has no file yet, so saving asks for a place. Raises ProblemError."""
    if not isinstance(preset.project, Path):
        raise ProblemError(f"The preset '{preset.id}' is packed in an archive: install the application unpacked.")
    return replace(open_document(preset.project), path=None)


def open_named(name: str, permission: Permission = NOTHING) -> Document:
    """The project at this path, or the preset with this id where there is no such file.

    Raises OutsideFiles, ProblemError.
    """
    path = expanded(name)
    if not path.exists():
        preset = preset_called(name)
        if preset is not None:
            return open_preset(preset)
        if not path.suffix and len(path.parts) == 1:  # as presets are called
            near = nearest_told(name, [preset.id for preset in presets()])
            raise ProblemError(f"There is no file and no preset '{name}'{near}; 'workbench presets' lists them all.")
    return open_document(path, permission=permission)
