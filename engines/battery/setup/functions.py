"""A parameter set with the functions that its problem types."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import isnan
from typing import Any

import numpy as np

from engines.api.errors import ProblemError, placed_at
from engines.battery.bpx.mean_diffusivity import mean_over, with_laws
from engines.battery.parameter_sets.balance import window
from engines.battery.parameter_sets.changes import Change
from engines.battery.parameter_sets.functions import LABELS, Typed, TypedFunction, check_values, electrolyte_ranges
from engines.battery.parameter_sets.model import Function, ParameterSet

PARTICLE = tuple(f"{electrode}_diffusivity" for electrode in ("negative", "positive"))


def with_functions(cell: ParameterSet, typed: Sequence[TypedFunction], changes: Sequence[Change] = ()) -> ParameterSet:
    """changes: of numbers, which are in ``cell`` already. Raises ProblemError for what is no function of a cell, is
    there twice, or is a number among ``changes`` too."""
    functions: dict[str, tuple[int, Typed]] = {}
    numbers = {change.parameter for change in changes}
    for n, each in enumerate(typed):
        if each.function in functions:
            raise ProblemError(f"'{LABELS[each.function]}' is typed twice: keep one.", ("functions", n, "function"))
        if each.function in numbers:
            raise ProblemError(
                f"'{LABELS[each.function]}' is a number under Changes, and a function: keep one of them.",
                ("functions", n, "function"),
            )
        with placed_at("functions", n, "lines"):
            functions[each.function] = n, Typed(each.lines)
    own: dict[str, Any] = {}
    electrolyte = electrolyte_ranges(cell.values()["electrolyte_concentration"])
    for name, (n, function) in functions.items():
        if name in PARTICLE:
            continue
        layer, _, what = name.partition("_")
        if layer == "electrolyte" and isnan(cell.values()["transference_number"]):
            raise ProblemError(
                f"{cell.title} has no electrolyte to give '{LABELS[name]}': leave this function out.",
                ("functions", n, "function"),
            )
        with placed_at("functions", n, "lines"):
            check_values(function, LABELS[name], *(electrolyte[what] if layer == "electrolyte" else (0.0, 1.0)))
        own[name] = function
    cell = replace(cell, **own) if own else cell
    return _with_diffusivities(cell, {name: functions[name] for name in PARTICLE if name in functions})


def _with_diffusivities(cell: ParameterSet, functions: Mapping[str, tuple[int, Typed]]) -> ParameterSet:
    """The mean between what the cell uses of an electrode is the number for models that have but that."""
    if not functions:
        return cell
    whole, p = window(cell), cell.values()
    means: dict[str, float] = {}
    varying: dict[str, tuple[Function, str]] = {}
    for name, (n, function) in functions.items():
        electrode = name.partition("_")[0]
        side = 0 if electrode == "negative" else 1
        start = p[f"{electrode}_initial_concentration"] / p[f"{electrode}_maximum_concentration"]
        low, high = (choose(whole.empty[side], whole.full[side], start) for choose in (min, max))
        with placed_at("functions", n, "lines"):
            check_values(function, LABELS[name], low, high, high)
        means[name], sentence = mean_over(function, electrode, low, high)
        if sentence:
            varying[electrode] = _within(function, low, high), sentence
    return with_laws(cell.changed(means, "typed"), varying)


def _within(function: Function, low: float, high: float) -> Function:
    """The function, with its values at ``low`` and ``high`` beyond these if it is no diffusivity from 0 to 1."""
    try:
        check_values(function, "", 0.0, 1.0, 1.0)
    except ProblemError:
        return lambda x: function(np.clip(x, low, high))
    return function
