"""The parameter set that a problem asks for: published or from a file, with its changes, at its state of charge."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from math import isnan
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from engines.api import Array, Finding, Remedy
from engines.api.errors import ProblemError
from engines.battery.bpx import read_bpx
from engines.battery.parameter_sets import PARAMETER_SETS, ParameterSet
from engines.battery.parameter_sets.balance import balance_findings, charged, state_of_charge, window
from engines.battery.parameter_sets.changes import LABELS, apply_changes
from engines.battery.parameter_sets.constants import GAS, REFERENCE_TEMPERATURE
from engines.battery.parameter_sets.ranges import check_together
from engines.battery.setup.functions import with_functions

if TYPE_CHECKING:
    from engines.battery.parameters import BatteryParameters

BPX_FILE = "BPX file"
SINGLE = ("SPM", "SPMe")
"""Models that may give a cell a temperature of its own."""
HEAT = ("heat_capacity", "cooling_area", "heat_transfer_coefficient")
ELECTROLYTE = (
    "transference_number",
    "separator_thickness",
    *(f"{layer}_{name}" for layer in ("negative", "separator", "positive") for name in ("porosity", "bruggeman")),
    "negative_solid_conductivity",
    "positive_solid_conductivity",
)
"""What the single-particle model without electrolyte does not need."""
WITH_ELECTROLYTE = ("DFN", "SPMe")
"""What a BPX file may be for."""
FAR_OFF = 50.0
"""Times that a changed number is of the published one: a unit gives 1000 and more, 298.15 left from a temperature 60 of
the capacity."""
NEARLY_FULL = 0.98
"""The published set that is meant as full begins at 0.99."""


def _as_published(parameters: BatteryParameters) -> ParameterSet:
    if parameters.parameter_set != BPX_FILE:
        return PARAMETER_SETS[parameters.parameter_set]
    if not parameters.bpx_file:
        sentence = "No BPX file is chosen: choose one, or a published parameter set."
        raise ProblemError(sentence, ("bpx_file",))
    try:
        return read_bpx(Path(parameters.bpx_file))
    except ProblemError as error:
        raise ProblemError(str(error), ("bpx_file",)) from error


def parameter_set_of(parameters: BatteryParameters) -> ParameterSet:
    """The set with all that the problem says about it; every model begins with it. Raises ProblemError."""
    chosen = apply_changes(_as_published(parameters), parameters.changes)
    chosen = with_functions(chosen, parameters.functions, parameters.changes)
    check_together(chosen.values(), chosen.title)
    if parameters.heats:
        chosen.require(HEAT, "A cell with its own heat")
    if parameters.model == "SPMe":
        chosen.require(ELECTROLYTE, "A model with an electrolyte")
    if parameters.initial_state_of_charge is not None:
        chosen = charged(chosen, parameters.initial_state_of_charge)
    return chosen


def parameter_set_findings(parameters: BatteryParameters, chosen: ParameterSet) -> tuple[Finding, ...]:
    """What the owner of the problem should know of its parameter set, the lithium balance among it."""
    found = [*(replace(finding, place=("bpx_file",)) for finding in chosen.findings), *balance_findings(chosen)]
    found += [*_without_electrolyte(parameters, chosen), *_start(parameters, chosen), *_far_off(parameters)]
    if not parameters.heats and parameters.model != "pack":
        found += _held(parameters, chosen)
    if parameters.heats:
        found += _apart(parameters, chosen)
    return tuple(found)


def _without_electrolyte(parameters: BatteryParameters, chosen: ParameterSet) -> list[Finding]:
    if parameters.model != "SPM" or chosen.meant_for not in WITH_ELECTROLYTE:
        return []
    given = all(np.isfinite(chosen.values()[name]) for name in ELECTROLYTE)
    return [
        Finding(
            f"The file's numbers are for {chosen.meant_for}; SPM leaves the electrolyte out, whose losses grow with "
            "the current.",
            "info",
            place=("model",),
            remedy=Remedy("Take SPMe", {("model",): "SPMe"}) if given else None,
        )
    ]


def _start(parameters: BatteryParameters, chosen: ParameterSet) -> list[Finding]:
    """Where a set begins that is not full, and nobody has said where."""
    charge = state_of_charge(chosen)
    if parameters.initial_state_of_charge is not None or not all(window(chosen).met) or charge > NEARLY_FULL:
        return []
    sentence = f"The parameter set begins at {100 * charge:.3g} % of the charge between its cut-offs."
    return [Finding(sentence, "info", place=("initial_state_of_charge",))]


def held_temperature(scalars: Mapping[str, Any]) -> Array:
    """[K] of a cell without heat of its own: that of its surroundings, or of its start where that alone was set."""
    ambient, start = (np.asarray(scalars[f"{name}_temperature"], float) for name in ("ambient", "initial"))
    return np.where(ambient == REFERENCE_TEMPERATURE, start, ambient)


def arrhenius(activation: Any, temperature: Any) -> Any:
    """Factor from 298.15 K to ``temperature`` [K] of what has this activation energy [J/mol]."""
    return np.exp(activation / GAS * (1 / REFERENCE_TEMPERATURE - 1 / temperature))


def _held(parameters: BatteryParameters, chosen: ParameterSet) -> list[Finding]:
    """Where a model of one temperature leaves aside one of the two that are set."""
    values = chosen.values()
    held = float(held_temperature(values))
    others = {
        title: values[name]
        for name, title in (("initial_temperature", "starts at"), ("ambient_temperature", "is surrounded by"))
        if abs(values[name] - held) > 0.01
    }
    if not others:
        return []
    told = " and ".join(f"{title} {value:g} K" for title, value in others.items())
    lumped = Remedy("Give each cell its own heat", {("thermal",): "lumped"})
    may_heat = parameters.model in SINGLE and all(np.isfinite(values[name]) for name in HEAT)
    return [
        Finding(
            f"The cell is held at {held:g} K; that it {told} matters with lumped heat alone.",
            "info" if set(others.values()) == {REFERENCE_TEMPERATURE} else "warning",  # that nobody set
            place=("thermal",) if parameters.model in SINGLE else ("model",),
            remedy=lumped if may_heat else None,
        )
    ]


def _far_off(parameters: BatteryParameters) -> list[Finding]:
    """Changes to what another unit would make of the number, or a number that was left from another name."""
    own, found = _as_published(parameters).values(), []
    for k, change in enumerate(parameters.changes):
        before = own.get(change.parameter)
        if not before or not change.value or isnan(before) or 1 / FAR_OFF <= change.value / before <= FAR_OFF:
            continue
        found.append(
            Finding(
                f"{LABELS[change.parameter]} is changed to {change.value:g}, from {before:g}: look at its unit, and "
                "whether the number is that of this name.",
                place=("changes", k, "value"),
                remedy=Remedy(f"Make it {before:g} again", {("changes", k, "value"): before}),
            )
        )
    return found


def _apart(parameters: BatteryParameters, chosen: ParameterSet) -> list[Finding]:
    """Where one of the temperatures at the start and around is changed, and the other left as it was."""
    values = chosen.values()
    named = ("initial_temperature", "ambient_temperature")
    changed = [k for k, each in enumerate(parameters.changes) if each.parameter in named]
    start, around = (values[name] for name in named)
    if len(changed) != 1 or abs(start - around) <= 0.01:
        return []
    (k,) = changed
    own = parameters.changes[k]
    (other,) = {*named} - {own.parameter}
    changes = [each.model_dump(mode="json") for each in parameters.changes]
    words = LABELS[other].partition(" [")[0].lower()
    return [
        Finding(
            f"Cells begin at {start:g} K and are surrounded by {around:g} K: only one of the two was changed, and they "
            f"come to their surroundings' over a while. Change the {words}, too, where it is to be the same.",
            place=("changes", k, "value"),
            remedy=Remedy(
                f"Make the {words} {own.value:g} K",
                {("changes",): [*changes, {"parameter": other, "value": own.value}]},
            ),
        )
    ]
