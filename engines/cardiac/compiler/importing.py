"""Reading a cell model: CellML 1.x and 2.0 or Myokit's ``.mmt``, by Myokit, which the extra ``cellml`` installs.

The stimulus that such a file brings is set to zero, because a tissue has stimuli of its own. It is told by Myokit's
binding, by its name if it hangs on no state (``i_st`` may be a gate's), or by what it does: what follows from time
alone and mostly has one value is held there. :attr:`CellModel.notes` says so; a model that then still depends on time
is refused. Rates come out per millisecond and the voltage in millivolts, converted from the file's units; other states
keep theirs.
"""

from __future__ import annotations

import math
import re
import warnings
from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np

from engines.api.errors import ProblemError
from engines.cardiac.compiler.model import CellModel, Parameter, State, folded
from engines.formulas.graph import Node, const, make, symbol
from engines.reading import foreign_file

VOLTAGE_NAMES = ("v", "vm", "v_m", "e", "membrane_potential", "transmembrane_potential", "voltage", "membrane_voltage")
LOOKS = tuple(0.37 + 7.31 * k for k in range(700))
"""Times at which what follows from time alone is looked at, in the file's unit: 5 s, or an hour and a half."""
USUALLY = 0.8
"""Share of these looks at which a stimulus is off."""
STIMULUS_NAMES = ("i_stim", "istim", "i_st", "ist", "i_stimulus", "stim", "stimulus", "stim_amplitude")


MOST_VARIABLES = 3000
"""Of a model: Myokit looks through all of them for each. Published ones have a few hundred."""
_EXPONENT = re.compile(r"\[[^\[\]\n]*\^\s*-?\d{3}")
"""Of a unit, with three digits or more: Myokit counts up to it."""


def import_model(path: Path, voltage: str | None = None, stimulus: str | None = None) -> CellModel:
    """The model in a ``.mmt`` or ``.cellml`` file.

    ``voltage`` and ``stimulus`` name variables (``"membrane.V"``) where the file does not label them and their names
    are unusual. Raises ProblemError that says which variable or component cannot be used, and why.
    """
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        model = read(path)
    said = dict.fromkeys(
        f"Of {path.name}: {_sentence(each.message)}" for each in warned if issubclass(each.category, UserWarning)
    )
    found = lowered(model, path.name, voltage, stimulus)
    return replace(found, notes=(*found.notes, *said))


def read(path: Path) -> Any:
    """The Myokit model in a file. Raises ProblemError."""
    try:
        import myokit
        import myokit.formats
    except ImportError as error:
        raise ProblemError(
            "Cell models in files are read by Myokit: install the extra 'cellml' (pip install workbench-sim[cellml])."
        ) from error
    with foreign_file(f"{path.name} cannot be read as a cell model: save it again as sound UTF-8 text."):
        try:
            if path.suffix == ".mmt":
                _check_start(path)
                return myokit.load_model(str(path))
            _check_cellml(path)
            return myokit.formats.importer("cellml").model(str(path))
        except (myokit.MyokitError, OSError) as error:
            raise ProblemError(f"{path.name} cannot be read as a cell model: {_sentence(error)}") from error


def check_model(path: Path) -> None:
    """Raises ProblemError where a file is no cell model, whether or not Myokit is there to read it."""
    if path.suffix == ".mmt":
        _check_start(path)
        return
    try:
        root = ElementTree.parse(path).getroot()
    except (ElementTree.ParseError, ValueError, LookupError, OSError) as error:
        raise ProblemError(f"{path.name} cannot be read as a cell model: it is no sound XML.") from error
    if _tag(root) != "model":
        raise ProblemError(f"{path.name} is XML, but no CellML model: choose another file.")


def _check_start(path: Path) -> None:
    """Raises ProblemError where an .mmt file does not begin as one: Myokit would quote its first line."""
    try:
        text = path.read_bytes().decode("utf-8-sig", "replace")
    except OSError as error:
        raise ProblemError(f"{path.name} cannot be read as a cell model: {error.strerror or error}.") from error
    lines = [line.strip() for line in text.splitlines()]
    first = next((line for line in lines if line and not line.startswith("#")), "")
    if not first.startswith("[[model]]"):
        raise ProblemError(f"{path.name} cannot be read as a cell model: it does not begin as one.")
    if found := _EXPONENT.search(text):
        raise ProblemError(f"{path.name} has a unit '{found[0][:40]}…', which is none: correct it.")
    _check_number(sum("=" in line for line in lines), path)


def _check_number(variables: int, path: Path) -> None:
    if variables > MOST_VARIABLES:
        raise ProblemError(f"{path.name} has {variables:,} variables: at most {MOST_VARIABLES:,} are read.")


_REFUSED = {
    "delay": "a delay",
    "partialdiff": "a partial derivative",
    "int": "an integral",
    "sum": "a sum over an index",
}


def _check_cellml(path: Path) -> None:
    """Refuse what cannot be compiled and name its component; the rest is left to Myokit's own checks."""
    try:
        root = ElementTree.parse(path).getroot()
    except (ElementTree.ParseError, ValueError, LookupError, OSError) as error:
        raise ProblemError(f"{path.name} cannot be read as XML: {error}.") from error
    _check_number(sum(_tag(each) == "variable" for each in root.iter()) // 2, path)  # most stand in two components
    if any(_tag(each) == "unit" and len(each.get("exponent", "").partition(".")[0]) > 3 for each in root.iter()):
        raise ProblemError(f"{path.name} has a unit to a power of four digits, which is none: correct it.")
    for element in root:
        if _tag(element) == "import":
            names = [child.get("name", "") for child in element if _tag(child) == "component"]
            what = f"component '{names[0]}'" if names else "units"
            raise ProblemError(f"{path.name} imports {what} from another file: merge the files into one.")
        if _tag(element) == "reaction":
            raise ProblemError(f"{path.name} has a reaction, which is not supported: write its equations out.")
        if _tag(element) == "component":
            _check_component(element, path.name)


def _check_component(component: Any, file: str) -> None:
    where = f"Component '{component.get('name')}' of {file}"
    for element in component.iter():
        if _tag(element) == "reaction":
            raise ProblemError(f"{where} has a reaction, which is not supported: write its equations out.")
        named = element.get("definitionURL", "") if _tag(element) == "csymbol" else ""
        kind = "delay" if named.endswith("delay") else _tag(element)
        if kind in _REFUSED:
            raise ProblemError(f"{where} uses {_REFUSED[kind]}, which is not supported.")
        if _tag(element) == "math":
            for equation in element:
                _check_equation(equation, where)


def _check_equation(equation: Any, where: str) -> None:
    """An equation is ``x = ...`` or ``dx/dt = ...``; anything else makes the system implicit."""
    parts = list(equation)
    if len(parts) != 3 or _tag(parts[0]) != "eq":
        return
    left = parts[1]
    derivative = _tag(left) == "apply" and len(left) and _tag(left[0]) == "diff"
    if _tag(left) != "ci" and not derivative:
        raise ProblemError(
            f"{where} has an implicit equation (a DAE), which is not supported: solve it for one variable."
        )


def _tag(element: Any) -> str:
    return str(element.tag).rsplit("}", 1)[-1]


def _sentence(error: Warning | Exception | str) -> str:
    text = " ".join(str(error).split())
    return text if text.endswith(".") else text + "."


def lowered(model: Any, file: str, voltage: str | None = None, stimulus: str | None = None) -> CellModel:
    """A Myokit model as graphs; arguments as for :func:`import_model`, ``file`` for messages. Raises ProblemError."""
    import myokit

    try:
        model.validate()
    except myokit.MyokitError as error:
        raise ProblemError(f"{file} is not a complete model: {_sentence(error)}") from error
    time = model.time()
    states = list(model.states())
    v, notes = _voltage(model, states, file, voltage)
    notes += [
        f"{each.qname()} has no unit in {file} and is taken for {unit}."
        for each, unit in ((time, "ms"), (v, "mV"))
        if each.unit() is None
    ]
    if time.unit() == myokit.units.dimensionless:
        notes.append(f"{time.qname()} has no dimension in {file} and is taken for ms.")
    symbols = {state: symbol(state.qname()) for state in states}
    off = dict.fromkeys(_stimuli(model, file, stimulus), 0.0)
    if stimulus is None and model.binding("pace") is None:  # told by their names
        plain = _Reader(file, time, symbols, {})
        off = {each: value for each, value in off.items() if "states" not in plain.depends(each.rhs())}
        notes += [f"{each.qname()} is taken for the stimulus of {file}, by its name, and is 0 here." for each in off]
    diffusion = model.binding("diffusion_current")
    if diffusion is not None:
        off[diffusion] = 0.0  # what neighbours bring: the tissue adds it itself
    reader = _Reader(file, time, symbols, off)
    rates = [reader.expression(state.rhs(), state.qname()) for state in states]
    per_ms = 1.0 / _factor(time.unit(), myokit.units.ms, f"The time of {file}")
    millivolts = _factor(v.unit(), myokit.units.mV, f"The voltage {v.qname()} of {file}")
    if millivolts != 1.0:
        scaled = {reader.symbols[v]: make("div", reader.symbols[v], const(millivolts))}
        rates = [_substituted(rate, scaled) for rate in rates]
    rates = [make("mul", rate, const(per_ms)) if per_ms != 1.0 else rate for rate in rates]
    k = states.index(v)
    if millivolts != 1.0:
        rates[k] = make("mul", rates[k], const(millivolts))
    kept = tuple(
        State(
            state.qname(),
            "mV" if state is v else _unit(state),
            _number(state.initial_value(), f"The start of {state.qname()} in {file}")
            * (millivolts if state is v else 1),
        )
        for state in states
    )
    title = model.meta.get("display_name") or model.name() or file
    parameters = tuple(reader.parameters)
    name = str(model.name() or Path(file).stem)
    notes += [
        f"In {where} what follows from time alone is taken for a stimulus and held at {value:g}."
        for where, value in reader.held.items()
    ]
    return CellModel(name, str(title), kept, k, folded(rates, parameters), parameters, tuple(rates), notes=tuple(notes))


def _number(expression: Any, what: str, at: Mapping[Any, float] | None = None) -> float:
    """Its value; NaN where ``at`` these values of names it is none. Raises ProblemError where it is none at all."""
    import myokit

    try:
        with np.errstate(all="ignore"):
            value = expression.eval(at)
    except (myokit.NumericalError, ArithmeticError):
        value = math.nan
    if isinstance(value, complex):
        value = math.nan
    if at is None and not math.isfinite(value):
        raise ProblemError(f"{what} is no finite number: correct it.")
    return float(value)


def _unit(variable: Any) -> str:
    return "" if variable.unit() is None else str(variable.unit()).strip("[]")


def _substituted(root: Node, given: Mapping[Node, Node]) -> Node:
    from engines.formulas.graph import rebuild

    return rebuild([root], make, given)[0]


def _factor(unit: Any, wanted: Any, what: str) -> float:
    """What a value in ``unit`` is multiplied by to be in ``wanted``; a missing or plain unit is taken for it."""
    import myokit

    if unit is None or unit == wanted:
        return 1.0
    if unit == myokit.units.dimensionless:
        if wanted == myokit.units.ms:
            return 1.0
        raise ProblemError(f"{what} has no dimension: write the model with its voltage in mV.")
    try:
        return float(myokit.Unit.conversion_factor(unit, wanted).value())
    except myokit.IncompatibleUnitError as error:
        raise ProblemError(f"{what} is in {unit}, which is no unit of {wanted}'s kind: correct it.") from error


def _voltage(model: Any, states: list[Any], file: str, name: str | None) -> tuple[Any, list[str]]:
    """The state that is the membrane voltage, and what is to be said of the choice. Raises ProblemError."""
    if name is not None:
        if not model.has_variable(name) or not model.get(name).is_state():
            raise ProblemError(f"{file} has no state '{name}': {_state_list(states)}.")
        return model.get(name), []
    label = model.label("membrane_potential")
    if label is not None:
        if not label.is_state():
            raise ProblemError(f"The membrane voltage {label.qname()} of {file} has no equation for its rate.")
        return label, []
    found = [state for state in states if state.name().lower() in VOLTAGE_NAMES]
    if len(found) > 1:  # a gate may be called v as well
        found = [state for state in found if _is_voltage(state.unit())]
    if len(found) == 1:
        return found[0], []
    found = [state for state in states if _is_voltage(state.unit())]
    if len(found) == 1:
        return found[0], [f"{found[0].qname()} is taken for the membrane voltage: no other state is a voltage."]
    raise ProblemError(
        f"{file} has no membrane voltage that could be told by its name or unit: name it under cell options, or label "
        f"it 'membrane_potential' in the file; {_state_list(states)}."
    )


def _is_voltage(unit: Any) -> bool:
    import myokit

    return unit is not None and myokit.Unit.can_convert(unit, myokit.units.V)


def _state_list(states: list[Any]) -> str:
    names = [state.qname() for state in states]
    return "its states are " + ", ".join(names[:12]) + (", …" if len(names) > 12 else "")


def _stimuli(model: Any, file: str, name: str | None) -> list[Any]:
    """The variables that are zero without a stimulus."""
    if name is not None:
        if not model.has_variable(name):
            raise ProblemError(f"{file} has no variable '{name}' to take for its stimulus.")
        return [model.get(name)]
    pace = model.binding("pace")
    if pace is not None:
        return [pace]
    return [
        variable
        for variable in model.variables(deep=True)
        if variable.name().lower() in STIMULUS_NAMES and not variable.is_state()
    ]


class _Reader:
    """Myokit's expressions to nodes: each variable once, the file's constants as symbols of their names."""

    def __init__(self, file: str, time: Any, symbols: dict[Any, Node], off: Mapping[Any, float]) -> None:
        self.file, self.time, self.symbols, self.off = file, time, symbols, off
        self.variables: dict[Any, Node] = {}
        self.parameters: list[Parameter] = []
        self.held: dict[str, float] = {}
        """What follows from time alone and is a number here, by the variable that it stands in."""
        self._roots: dict[Any, frozenset[str]] = {}

    def variable(self, variable: Any) -> Node:
        if variable in self.symbols:
            return self.symbols[variable]
        if variable in self.off:
            return const(self.off[variable])
        if variable not in self.variables:
            if variable.binding() is not None and variable.binding() != "pace":
                raise ProblemError(f"{variable.qname()} of {self.file} is set from outside: give it a value instead.")
            if variable.is_literal():
                value = _number(variable.rhs(), f"{variable.qname()} of {self.file}")
                self.parameters.append(Parameter(variable.qname(), _unit(variable), value))
                self.variables[variable] = symbol(variable.qname())
            else:
                self.variables[variable] = self.expression(variable.rhs(), variable.qname())
        return self.variables[variable]

    def expression(self, expression: Any, where: str) -> Node:
        """``where``: the variable it belongs to, for messages."""
        import myokit

        if isinstance(expression, myokit.Number):
            return const(_number(expression, f"A number in {where} of {self.file}"))
        if isinstance(expression, myokit.Derivative):
            state = expression.var()
            if state not in self.variables:
                self.variables[state] = self.expression(state.rhs(), state.qname())
            return self.variables[state]
        if isinstance(expression, myokit.Name) and expression.var() is not self.time:
            return self.variable(expression.var())
        if not isinstance(expression, myokit.Condition) and self.depends(expression) == {"time"}:
            self.held[where] = value = self._usual(expression, where)
            return const(value)
        if isinstance(expression, myokit.Piecewise):
            self._check_conditions(list(expression.conditions()), where)
            return self._piecewise(expression, where)
        if isinstance(expression, myokit.If):
            self._check_conditions([expression.condition()], where)
        parts = [self.expression(part, where) for part in expression]
        node = _operation(type(expression).__name__, parts)
        if node is None:
            raise ProblemError(
                f"{where} of {self.file} uses {type(expression).__name__.lower()}, which cell kernels do not have."
            )
        return node

    def depends(self, expression: Any) -> frozenset[str]:
        """Whether it follows from ``"time"``, from any of the ``"states"``, or from both."""
        found: frozenset[str] = frozenset()
        for part in expression.references():
            variable = part.var()
            if variable is self.time:
                found |= {"time"}
            elif variable.is_state() or variable in self.symbols:
                found |= {"states"}
            elif variable not in self.off:
                if variable not in self._roots:
                    self._roots[variable] = frozenset()
                    self._roots[variable] = self.depends(variable.rhs())
                found |= self._roots[variable]
        return found

    def _usual(self, expression: Any, where: str) -> float:
        """The value that an expression of time alone has mostly. Raises ProblemError where it has none."""
        import myokit

        name = myokit.Name(self.time)
        values = [_number(expression, where, {name: time}) for time in LOOKS]
        usual, count = Counter(values).most_common(1)[0]
        if not math.isfinite(usual) or count < USUALLY * len(values):
            raise ProblemError(
                f"{where} of {self.file} depends on time, which cells of a tissue do not share with its stimuli: "
                "if that is its stimulus, name that variable under cell options."
            )
        return usual + 0.0  # not −0

    def _check_conditions(self, conditions: list[Any], where: str) -> None:
        """Raises ProblemError where the time chooses between what depends on states: nothing says which is usual."""
        if any("time" in self.depends(condition) for condition in conditions):
            raise ProblemError(
                f"{where} of {self.file} changes with time in what depends on its states: write its stimulus as a "
                "variable of time alone."
            )

    def _piecewise(self, expression: Any, where: str) -> Node:
        """Cases in order: each but the last under its condition."""
        parts = [self.expression(part, where) for part in expression]
        node = parts[-1]
        for k in range(len(parts) - 3, -1, -2):
            node = make("select", parts[k], parts[k + 1], node)
        return node


_SAME = {
    "Plus": "add", "Minus": "sub", "Multiply": "mul", "Divide": "div", "PrefixMinus": "neg", "Exp": "exp",
    "Sqrt": "sqrt", "Sin": "sin", "Cos": "cos", "Tan": "tan", "ATan": "atan",
    "Power": "pow", "Less": "lt", "LessEqual": "le", "Equal": "eq", "And": "and", "Or": "or",
    "Not": "not", "If": "select",
}  # fmt: skip


def _operation(kind: str, parts: list[Node]) -> Node | None:
    if kind in _SAME:
        return make(_SAME[kind], *parts)
    if kind == "PrefixPlus":
        return parts[0]
    if kind == "More":
        return make("lt", parts[1], parts[0])
    if kind == "MoreEqual":
        return make("le", parts[1], parts[0])
    if kind == "NotEqual":
        return make("not", make("eq", *parts))
    if kind == "Abs":
        return make("select", make("lt", parts[0], const(0.0)), make("neg", parts[0]), parts[0])
    if kind == "Log10":
        return make("div", make("log", parts[0]), const(2.302585092994046))
    if kind in ("ASin", "ACos"):
        # asin x = 2 atan(x/(1 + √(1 − x²))): it divides by zero nowhere.
        root = make("sqrt", make("sub", const(1.0), make("mul", parts[0], parts[0])))
        angle = make("mul", const(2.0), make("atan", make("div", parts[0], make("add", const(1.0), root))))
        return angle if kind == "ASin" else make("sub", const(0.5 * math.pi), angle)
    if kind == "Log":
        logarithm = make("log", parts[0])
        return logarithm if len(parts) == 1 else make("div", logarithm, make("log", parts[1]))
    return None
