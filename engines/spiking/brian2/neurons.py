"""Groups of a Brian2 text as populations of typed neurons."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar

from pydantic import ValidationError

from engines.api.errors import ProblemError
from engines.api.parameters import ParameterGroup
from engines.formulas.typed.units import NONE, unit
from engines.spiking.brian2.equations import (
    Item,
    free_names,
    is_known,
    items_of,
    renamed,
    statements_of,
    words,
    written,
)
from engines.spiking.brian2.objects import Group, Script, at_line
from engines.spiking.brian2.quantities import Quantity, formula_value
from engines.spiking.parameters.equations import OwnNeuron
from engines.spiking.typed.names import OUTSIDE, VOLTAGE
from engines.spiking.typed.population import typed_of

METHODS = {
    "exact": "exact", "linear": "exact", "independent": "exact", "exponential_euler": "exponential euler",
    "euler": "euler", "rk4": "rk4",
}  # fmt: skip
INSTEAD = {"heun": "euler", "milstein": "euler"}
"""Of methods that are not here; of others Runge and Kutta's of fourth order."""
Parameters = TypeVar("Parameters", bound=ParameterGroup)
_NOISE = re.compile(r"(?<![\w.])xi(?:_\w+)?\b")
_DRAWN = re.compile(r"\b(randn?)\s*\(\s*\)")


@dataclass
class Neurons:
    """Of one group, before it is cut into populations. names: what variables are called here; variables: of those
    called so; texts: what spikes add, a place for each of two"""

    group: Group
    names: Mapping[str, str]
    lines: list[Item]
    threshold: str
    reset: str
    refractory: str
    method: str
    starts: list[str] = field(default_factory=list)
    start: dict[str, float | str] = field(default_factory=lambda: {"kind": "uniform", "lowest": 0.0, "highest": 0.0})
    external: dict[str, float] = field(default_factory=dict)
    numbers: dict[str, Quantity] = field(default_factory=dict)
    arriving: dict[str, str] = field(default_factory=dict)
    cut: bool = False
    """Whether it becomes more than one population: ``i`` and ``N`` mean the group's."""

    @property
    def variables(self) -> dict[str, str]:
        """Units by name."""
        return {each.name: each.unit for each in self.lines if each.kind == "variable"}

    def need(self, text: str, known: Mapping[str, Quantity]) -> None:
        """Have numbers that a text names among the parameters."""
        own = {each.name for each in self.lines}
        for name in words(text):
            if name in known and name not in own and not is_known(name):
                self.numbers.setdefault(name, known[name])

    def neuron(self, first: int = 0) -> dict[str, Any]:
        """Of a population whose neurons are counted from ``first`` in the group."""
        change = {"i": f"(i + {first})", "N": str(self.group.number)} if self.cut else {}
        return {
            "kind": "own equations",
            "lines": [line for each in self.lines
                      for line in each._replace(formula=renamed(each.formula, change)).written()],
            "threshold": renamed(self.threshold, change), "reset": renamed(self.reset, change),
            "refractory": self.refractory, "method": self.method,
            "starts": renamed("; ".join(self.starts), change),
            "excitatory": self.arriving.get("excitatory", ""), "inhibitory": self.arriving.get("inhibitory", ""),
            "parameters": [{"name": name, "value": each.number, "unit": each.unit}
                           for name, each in self.numbers.items()],
        }  # fmt: skip


def neurons_of(script: Script, group: Group) -> Neurons:
    """Raises ProblemError with the line."""
    try:
        found = _read(script, group)
        _method(script, found)
        return found
    except ProblemError as error:
        raise at_line(group.line, error) from None


def _read(script: Script, group: Group) -> Neurons:
    items = items_of(group.model)
    variables = [each.name for each in items if each.kind == "variable"]
    if not variables:
        raise ProblemError(
            f"{group.name} has no equation dx/dt = …, and a neuron here has one: it may be a PoissonGroup."
        )
    names = _names(script, group, items, variables)
    summed = {item.name.removesuffix("_post") for joint in script.joints if joint.target.group is group
              for item in items_of(joint.model) if "summed" in item.flags}  # fmt: skip
    items = [each._replace(flags=("summed",)) if each.name in summed and each.kind == "parameter" else each
             for each in items]  # fmt: skip
    known = {names.get(name, name): each for name, each in {**script.names, **group.own}.items()}
    items = [
        each._replace(name=names.get(each.name, each.name), formula=renamed(each.formula, names)) for each in items
    ]
    reset = written([(names.get(name, name), op, renamed(formula, names))
                     for name, op, formula in statements_of(group.reset)])  # fmt: skip
    found = Neurons(
        group,
        names,
        items,
        renamed(_plain(group.threshold), names),
        reset,
        renamed(_plain(group.refractory), names),
        "",
    )
    _noise(script, found)
    _settings(script, found, known)
    _regular(script, found, known)
    texts = (*(each.formula for each in found.lines), found.threshold, reset, found.refractory, *found.starts)
    for text in texts:
        found.need(text, known)
    return found


def _plain(text: str) -> str:
    return " ".join(line.split("#")[0].strip() for line in text.split("\n")).strip()


def _names(script: Script, group: Group, items: list[Item], variables: list[str]) -> dict[str, str]:
    """What is called otherwise here: what is shown as the voltage is v."""
    own = [each.name for each in items]
    used = [name for each in items for name in words(each.formula)]
    names = free_names([*own, *(name for name in {**script.names, **group.own} if name in used)], used)
    if VOLTAGE not in variables:
        asked = [name for name in words(group.threshold) if name in variables]
        volts = [each.name for each in items if each.kind == "variable" and each.unit == "volt"]
        chosen = (*asked, *volts, *variables)[0]
        if VOLTAGE in own or VOLTAGE in used:
            names[VOLTAGE] = f"{VOLTAGE}_"
        names[chosen] = VOLTAGE
        script.tell(group.line, f": {chosen} of {group.name} is called v here, and shown as the voltage", False)
    for name, new in names.items():
        if new != VOLTAGE and name in own:
            script.tell(group.line, f": {name} of {group.name} is called {new} here, where {name} has a meaning", False)
    return names


def _noise(script: Script, found: Neurons) -> None:
    """White noise xi is the current from outside of 1 pA, over √dt: a step of Euler's method adds √dt times a normal
    number, as there."""
    noises = {each for item in found.lines for each in _NOISE.findall(item.formula)}
    if not noises:
        return
    if len(noises) > 1 or any(OUTSIDE in words(each.formula) or each.name == OUTSIDE for each in found.lines):
        raise ProblemError(f"{found.group.name} has more than one noise, and neurons here have one.")
    into = f"({OUTSIDE}/pA/sqrt(dt))"
    found.lines = [each._replace(formula=_NOISE.sub(into, each.formula)) for each in found.lines]
    found.external["noise"] = 1.0
    script.tell(found.group.line, f": xi of {found.group.name} is the noise of {OUTSIDE} here, of 1 pA", False)


def _settings(script: Script, found: Neurons, known: Mapping[str, Quantity]) -> None:
    changed = {name for name, _, _ in statements_of(found.reset)}
    parameters = {each.name: each for each in found.lines if each.kind == "parameter" and not each.flags}
    last: dict[str, str] = {}
    begun = False
    for setting in found.group.settings:
        name, formula = found.names.get(setting.name, setting.name), renamed(setting.formula, found.names)
        if name in found.variables:
            if name == VOLTAGE and not begun and _drawn_start(found, formula, known):
                begun = True
                continue
            begun = begun or name == VOLTAGE
            nothing = re.fullmatch(r"\s*[-+]?0*(\.0*)?(\s*\*\s*[\w/]+)?\s*", formula) and name not in last
            if name == VOLTAGE or not nothing:
                found.starts.append(f"{name} = {formula}")
            last[name] = formula
        elif name in parameters:
            last[name] = formula
        else:
            script.tell(setting.line, f": {found.group.name} has no '{setting.name}', which is not set")
    for name, item in parameters.items():
        _parameter(found, item, last.get(name), name in changed, known)


def _parameter(found: Neurons, item: Item, formula: str | None, changes: bool, known: Mapping[str, Quantity]) -> None:
    """A name without a formula: a number; a formula of the neuron's number; or, drawn or changed, a variable."""
    place = found.lines.index(item)
    dimension = unit(item.unit)[0]
    value: Quantity | None = None
    if formula is None:
        told = "1" if dimension == NONE else item.unit
        value = Quantity(0.0, dimension, 0.0, told)
    elif not any(name in ("i", "N", "rand", "randn") for name in words(formula)):
        value = _number(formula, known)
        if value.dimension != dimension:
            raise ProblemError(f"Line {item.line}: {item.name} is set to what is not in {item.unit}.")
    if item.name == OUTSIDE and value is not None:
        found.external["current"] = value.value
        del found.lines[place]
    elif value is not None and not changes:
        found.lines[place] = item._replace(flags=("constant",))
        found.numbers[item.name] = value
    elif formula is not None and not changes and not _DRAWN.search(formula):
        found.lines[place] = item._replace(kind="name", formula=formula)
    else:
        found.lines[place] = item._replace(kind="variable", formula=f"0*({item.unit})/second")
        if formula is not None:
            found.starts.append(f"{item.name} = {formula}")


def _number(formula: str, known: Mapping[str, Quantity]) -> Quantity:
    """With the number and the unit as they are written."""
    match = re.fullmatch(r"\s*([-+]?[\d.]+(?:e[-+]?\d+)?)\s*\*\s*\(?([\w*/ ]+?)\)?\s*", formula)
    value = formula_value(formula, known)
    if match:
        try:
            dimension, size = unit(match[2])
        except ProblemError:
            return value
        number = float(match[1])
        if dimension == value.dimension and abs(number * size - value.value) <= 1e-9 * abs(value.value):
            return Quantity(value.value, dimension, number, match[2])
    return value


def _drawn_start(found: Neurons, formula: str, known: Mapping[str, Quantity]) -> bool:
    """Whether voltages begin as the form of a population has it: evenly between two, or of a normal distribution."""
    calls = _DRAWN.findall(formula)
    if len(calls) != 1 or any(name in ("i", "N", *found.variables) for name in words(formula)):
        return False
    at = [formula_value(_DRAWN.sub(f"({share})", formula), known).value for share in (0.0, 0.5, 1.0)]
    straight = abs(at[0] + at[2] - 2 * at[1]) <= 1e-9 * (abs(at[0]) + abs(at[2]))
    if not straight or min(at) < -200 or max(at) > 100 or at[2] < at[0]:
        return False
    if calls[0] == "rand":
        found.start = {"kind": "uniform", "lowest": _rounded(at[0]), "highest": _rounded(at[2])}
    else:
        found.start = {"kind": "normal", "voltage": _rounded(at[0]), "voltage_spread": _rounded(at[2] - at[0])}
    return True


def _rounded(value: float) -> float:
    return float(f"{value:.12g}")


def _regular(script: Script, found: Neurons, known: Mapping[str, Quantity]) -> None:
    """Noise of the current from outside, as our own scripts have it."""
    for line, text in found.group.regular:
        done = list(statements_of(text))
        if len(done) != 1 or done[0][:2] != (OUTSIDE, "") or "current" not in found.external:
            script.tell(line, ": run_regularly is not carried out")
            continue
        mean, more = (formula_value(_DRAWN.sub(f"({share})", done[0][2]), known).value for share in (0.0, 1.0))
        found.external |= {"current": _rounded(mean), "noise": _rounded(more - mean)}


def _method(script: Script, found: Neurons) -> None:
    """Brian2's own choice is exact, else Euler."""
    wanted = found.group.method.strip()
    found.method = METHODS.get(wanted, INSTEAD.get(wanted, "rk4" if wanted else "auto"))
    if "noise" in found.external and any(OUTSIDE in words(each.formula) for each in found.lines):
        told = wanted not in ("", "euler") and found.external.get("noise") == 1.0 and "current" not in found.external
        if told:
            script.tell(found.group.line, f": '{wanted}' with noise is Euler's method here")
        if "current" not in found.external:
            found.method = "euler"
    elif wanted and wanted not in METHODS:
        script.tell(found.group.line, f": '{wanted}' is not here: '{found.method}' is taken")
    if found.method in ("auto", "exact"):
        typed = typed_or_refused(found)
        if found.method == "exact" and typed.method != "exact":
            script.tell(found.group.line, ": these equations have no exact step here")
        found.method = "euler" if found.method == "auto" and typed.method != "exact" else found.method
    typed_or_refused(found)


def checked(kind: type[Parameters], given: Mapping[str, Any]) -> Parameters:
    """Raises ProblemError with the first sentence of what is out of bounds."""
    try:
        return kind.model_validate(given)
    except ValidationError as error:
        problem = error.errors(include_url=False, include_input=False)[0]
        where = ".".join(str(part) for part in problem["loc"])
        raise ProblemError(f"{where} cannot be used here: {problem['msg'].removeprefix('Value error, ')}.") from None


def typed_or_refused(found: Neurons) -> Any:
    """As it is understood here. Raises ProblemError with the line of the file."""
    neuron = checked(OwnNeuron, found.neuron())
    try:
        return typed_of(neuron)
    except ProblemError as error:
        if error.place == ("method",):
            found.method = "auto"
            return typed_of(neuron.model_copy(update={"method": "auto"}))
        text = re.sub(r"^Line \d+", "It", str(error))
        line = found.group.line
        if error.place[:1] == ("lines",) and len(error.place) > 1:
            line = [each.line for each in found.lines for _ in each.written()][int(error.place[1])]
            text = re.sub(r"^Line \d+:? ?", "", str(error))
        raise ProblemError(f"Line {line}: {text}") from None
