"""What the gallery last showed, kept on disk: a window shows it before the engines are loaded, a third of its start."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from importlib.metadata import entry_points
from pathlib import Path

from engines.api import Engine, Preset
from engines.backend.cache_dir import cache_dir, keep
from engines.backend.compile.source import ENGINES


@dataclass(frozen=True)
class FirstPage:
    """Presets; titles of engines by id; summaries of those that a problem can be begun with out of nothing."""

    presets: tuple[Preset, ...]
    titles: Mapping[str, str]
    new: Mapping[str, str]

    @classmethod
    def of(cls, presets: Iterable[Preset], engines: Iterable[Engine]) -> FirstPage:
        known = list(engines)
        new = {engine.id: engine.summary for engine in known if engine.geometry_type is None}
        return cls(tuple(presets), {engine.id: engine.title for engine in known}, new)


def remembered() -> FirstPage | None:
    """That of the same engines in the same place, if all its presets are still there. What has changed in them since
    is seen when the engines are loaded."""
    try:
        kept = json.loads(_file().read_text("utf-8"))
        presets = tuple(
            Preset(
                each["id"],
                each["title"],
                each["summary"],
                Path(each["project"]),
                _path(each["picture"]),
                each["engine"],
            )
            for each in kept["presets"]
        )
        page = FirstPage(presets, dict(kept["titles"]), dict(kept["new"]))
    except (OSError, ValueError, TypeError, KeyError):
        return None
    return page if all(Path(str(preset.project)).is_dir() for preset in presets) else None


def remember(page: FirstPage) -> None:
    """For the next window."""
    presets = [
        {
            "id": preset.id,
            "title": preset.title,
            "summary": preset.summary,
            "project": str(preset.project),
            "picture": None if preset.picture is None else str(preset.picture),
            "engine": preset.engine,
        }
        for preset in page.presets
    ]
    content = {"presets": presets, "titles": dict(page.titles), "new": dict(page.new)}
    keep(_file(), json.dumps(content).encode())


def _path(text: str | None) -> Path | None:
    return None if text is None else Path(text)


def _file() -> Path:
    """By what is installed: engines, of which packages and versions."""
    told = [str(ENGINES)]
    for point in entry_points(group="workbench.engines"):
        told.append(f"{point.name} {point.value} {point.dist and (point.dist.name, point.dist.version)}")
    return cache_dir() / "gallery" / f"{hashlib.sha256(repr(sorted(told)).encode()).hexdigest()[:16]}.json"
