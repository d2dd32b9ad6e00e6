"""``workbench engines`` and ``workbench presets``."""

from __future__ import annotations

from argparse import Namespace

from engines.api import registry
from workbench.project.presets import presets


def engines_command(options: Namespace) -> int:
    """List the engines of this installation."""
    engines = registry.engines().values()
    print_table([(engine.id, f"{engine.title}: {engine.summary}") for engine in engines])
    options.answer["engines"] = [
        {"id": engine.id, "title": engine.title, "summary": engine.summary, "time_unit": engine.time_unit}
        for engine in engines
    ]
    return 0


def presets_command(options: Namespace) -> int:
    """List the ready problems."""
    print_table([(preset.id, f"{preset.title}: {preset.summary}") for preset in presets()])
    names = ("id", "engine", "title", "summary")
    options.answer["presets"] = [{name: getattr(preset, name) for name in names} for preset in presets()]
    return 0


def print_table(rows: list[tuple[str, str]]) -> None:
    """Names and what they are, in two columns."""
    width = max((len(name) for name, _ in rows), default=0)
    for name, text in rows:
        print(f"{name:<{width}}  {text}")
