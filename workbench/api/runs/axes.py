"""What the axes of results and of cells are, as far as it is known."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

import numpy as np

from engines.api.abilities import Axes
from workbench.api.arrays import Quantity
from workbench.api.names import Named

FREQUENCY = "frequency"
NOTHING_SAID: Mapping[str, Axes] = MappingProxyType({})


def results_on_axes(found: Named[Quantity], said: Mapping[str, Axes] = NOTHING_SAID) -> Named[Quantity]:
    """Over the axes that the engine has ``said``, else those of their names: of a group "back" with "back/frequency",
    "back/z of Ey" and "back/y of Ey" "back/Ey" is over these."""

    def on_axes(name: str) -> Quantity:
        axes = _axes_said(said[name], found[name], found) if name in said else _axes_of(name, found)
        return _on_axes(found[name], axes)

    return Named("result", found, on_axes)


def cells_on_axes(found: Named[Quantity]) -> Named[Quantity]:
    """Rows over time, columns over cells, which count from 0."""

    def on_axes(name: str) -> Quantity:
        values = found[name]
        dims = ("time",) if name == "time" else ("time", "cell")[-values.ndim :]
        known = {"time": found["time"], "cell": Quantity(np.arange(values.shape[-1]), "", "cell")}
        return _on_axes(values, {each: known[each] for each in dims})

    return Named("quantity of the cells", found, on_axes)


def _axes_said(said: Axes, values: Quantity, found: Mapping[str, Quantity]) -> dict[str, Quantity]:
    """With their values; those without any count from 0."""
    axes = {}
    for (name, along), length in zip(said.items(), values.shape, strict=True):
        if isinstance(along, str):
            axes[name] = found[along] if along else Quantity(np.arange(length), "", name)
        else:
            axes[name] = Quantity(along, "", name)
    return axes


def _axes_of(name: str, found: Mapping[str, Quantity]) -> dict[str, Quantity]:
    """By name, in the order of the axes; empty where they are not known."""
    group, _, quantity = name.rpartition("/")
    beside = {each.rpartition("/")[2]: found[each] for each in found if each.rpartition("/")[0] == group}
    places = [each for each in beside if each.endswith(f" of {quantity}") or each == f"time of {quantity[:1]}"]
    axes = {each.partition(" of ")[0]: beside[each] for each in reversed(places)}
    if FREQUENCY in beside:
        axes = {FREQUENCY: beside[FREQUENCY], **axes}
    shape = found[name].shape
    if not axes or shape != tuple(len(each) for each in axes.values()):
        return {}
    if not places and any(shape[0] in other.shape[1:] for other in beside.values()):
        return {}  # as many as along another axis: these may be places or directions
    return axes


def _on_axes(values: Quantity, axes: Mapping[str, Quantity]) -> Quantity:
    return Quantity(values, values.unit, values.name, tuple(axes), axes)
