"""The fields of typed equations with their colours, and a brush for each."""

from __future__ import annotations

from collections.abc import Mapping

from engines.api import Array, FieldInfo, PaintInfo
from engines.stencil.equations.language import System
from engines.stencil.parameters.equations import FieldSetting
from engines.stencil.setup.starts import RANDOM
from engines.stencil.watch.colours import around, colours, field_range
from engines.stencil.watch.fields import BRUSH, rounded

AT_REST = 0.3
"""Of the largest value: what a state at rest differs by from place to place."""
Infos = tuple[tuple[FieldInfo, ...], tuple[PaintInfo, ...]]


def typed_fields(system: System, starts: Mapping[str, Array], settings: Mapping[str, FieldSetting]) -> Infos:
    """Fields, then names of lines that differ from cell to cell; starts: (grid.shape) of each field."""
    fields, brushes = [], []
    for name in (*system.fields, *system.shown):
        setting, start = settings.get(name), starts.get(name)
        same = start is not None and float(start.min()) == float(start.max())
        if start is None:
            low, high = 0.0, 1.0
        else:
            low, high = around(float(start.min())) if same else field_range(start)
        guessed = start is not None and _tells_little(start, setting, noisy=bool(system.noise))
        low = low if setting is None or setting.low is None else setting.low
        high = high if setting is None or setting.high is None else setting.high
        shown = (low, high) if low < high else (low, low + 1.0)
        unit = "" if setting is None else setting.unit.replace("**2", "²").replace("**3", "³").replace("*", " ")
        fields.append(FieldInfo(name, name, unit, "cell", shown, colours(shown, "viridis"), guessed=guessed))
        if start is not None:
            brushes.append(PaintInfo(name, name, unit, rounded((shown[1] - shown[0]) / 2, 2), BRUSH))
    return tuple(fields), tuple(brushes)


def _tells_little(start: Array, setting: FieldSetting | None, noisy: bool) -> bool:
    """Whether where a field begins says nothing of what it will come to: it is driven by noise, or begins with a state
    at rest, perhaps with noise on it."""
    if setting is not None and (setting.low is not None or setting.high is not None):
        return False
    low, high = float(start.min()), float(start.max())
    random = setting is not None and any(f"{name}(" in setting.start for name in RANDOM)
    return noisy or random or high - low <= AT_REST * max(abs(low), abs(high))
