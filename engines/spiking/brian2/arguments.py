"""What groups, synapses and inputs of a Brian2 text are made with."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from engines.api.errors import ProblemError
from engines.formulas.typed.units import unit
from engines.spiking.brian2.objects import Group, Input, Joint, Part, Text
from engines.spiking.brian2.quantities import Quantity, brief

if TYPE_CHECKING:
    from engines.spiking.brian2.walk import Walker

MOST_NEURONS = 4_000_000
ORDER = {
    "NeuronGroup": ("N", "model", "method", "threshold", "reset", "refractory"),
    "PoissonGroup": ("N", "rates"),
    "Synapses": ("source", "target", "model", "on_pre", "on_post"),
    "PoissonInput": ("target", "target_var", "N", "rate", "weight"),
}
"""Of arguments without names. Brian2 has more, and these come first."""
ALSO = {"pre": "on_pre", "post": "on_post"}
UNNEEDED = ("name", "dt", "clock", "when", "order", "codeobj_class", "dtype", "multisynaptic_index", "method_options")


def _given(walker: Walker, node: ast.Call, called: str) -> dict[str, ast.expr]:
    order = ORDER[called]
    if len(node.args) > len(order) or any(isinstance(each, ast.Starred) for each in node.args):
        raise ProblemError(f"{called} has arguments that are not known: write them with their names.")
    found = dict(zip(order, node.args, strict=False))
    for each in node.keywords:
        found[ALSO.get(each.arg or "", each.arg or "")] = each.value
    more = [name for name in found if name not in (*order, "delay", "namespace", "method")]
    for name in more:
        if name not in UNNEEDED:
            walker.script.tell(node.lineno, f": {called} has '{name}', which is left out")
        elif name in ("dt", "clock"):
            walker.script.tell(node.lineno, f": {called} has a clock of its own; here one step holds for all")
    return found


def neurons_of(walker: Walker, node: ast.Call, name: str) -> Group:
    """Raises ProblemError."""
    given = _given(walker, node, "NeuronGroup")
    made = Group(node.lineno, name, _count(walker, given))
    if "model" not in given:
        raise ProblemError(f"{name} has no equations.")
    made.model = walker.text(given["model"])
    for field in ("threshold", "reset", "method"):
        if field in given:
            value = walker.value(given[field])
            if value is not None and not isinstance(value, str):
                raise ProblemError(f"{field} of {name} is no string that can be read.")
            setattr(made, field, value or "")
    held = walker.value(given["refractory"]) if "refractory" in given else None
    made.refractory = held.text if isinstance(held, Quantity) else held or ""
    made.own = _namespace(walker, given)
    return made


def sources_of(walker: Walker, node: ast.Call, name: str) -> Group:
    """Raises ProblemError."""
    given = _given(walker, node, "PoissonGroup")
    made = Group(node.lineno, name, _count(walker, given))
    rate = walker.value(given["rates"]) if "rates" in given else None
    if not isinstance(rate, Quantity) or rate.dimension != unit("Hz")[0] or rate.value < 0:
        raise ProblemError(f"The rate of {name} is no frequency that holds for all of them all the time.")
    made.rate = rate
    return made


def _count(walker: Walker, given: Mapping[str, ast.expr]) -> int:
    number = walker.number(given["N"]) if "N" in given else 0.0
    if number != round(number) or not 1 <= number <= MOST_NEURONS:
        raise ProblemError(f"{number:g} is no number of neurons: there may be 1 to {MOST_NEURONS:,}.")
    return int(number)


def synapses_of(walker: Walker, node: ast.Call, name: str) -> Joint:
    """Raises ProblemError."""
    given = _given(walker, node, "Synapses")
    source = part(walker, given["source"], name) if "source" in given else None
    if source is None:
        raise ProblemError(f"{name} is from nowhere.")
    target = part(walker, given["target"], name) if "target" in given else source
    made = Joint(node.lineno, name, source, target)
    nothing = "model" not in given or ast.unparse(given["model"]) == "None"
    made.model = Text() if nothing else walker.text(given["model"])
    for field in ("on_pre", "on_post", "method"):
        value = walker.value(given[field]) if field in given else ""
        if isinstance(value, dict):
            value = "\n".join(str(each) for each in value.values())
        if value is not None and not isinstance(value, str):
            raise ProblemError(f"{field} of {name} is no string that can be read.")
        setattr(made, field, value or "")
    if "delay" in given:
        value = walker.value(given["delay"])
        pathways = value if isinstance(value, dict) else {"pre": value}
        if "pre" in pathways:
            made.delay = _one_delay(pathways["pre"], name)
        if "post" in pathways:
            made.post_delay = _one_delay(pathways["post"], name)
    made.own = _namespace(walker, given)
    return made


def _one_delay(value: Any, name: str) -> Quantity:
    if not isinstance(value, Quantity):
        raise ProblemError(f"{name} has several delays, and each pathway may have one.")
    return value


def part(walker: Walker, node: ast.expr, whose: str) -> Part:
    """A group, or a part of one. Raises ProblemError."""
    found = walker.value(node)
    if isinstance(found, Group):
        return Part(found, 0, found.number)
    if not isinstance(found, Part):
        raise ProblemError(f"'{brief(node)}' of {whose} is no group of neurons.")
    return found


def input_of(walker: Walker, node: ast.Call, name: str) -> Input:
    """Raises ProblemError."""
    given = _given(walker, node, "PoissonInput")
    if missing := [each for each in ORDER["PoissonInput"] if each not in given]:
        raise ProblemError(f"PoissonInput lacks {missing[0]}.")
    rate, weight = walker.value(given["rate"]), walker.value(given["weight"])
    if isinstance(weight, str):
        raise ProblemError("PoissonInput has a formula for a weight: write the number.")
    if not isinstance(rate, Quantity) or rate.dimension != unit("Hz")[0] or not isinstance(weight, Quantity):
        raise ProblemError("PoissonInput has a rate or a weight that is no number with a unit.")
    number = walker.number(given["N"])
    per_second = number * rate.value * 1e3
    return Input(
        node.lineno, part(walker, given["target"], "PoissonInput"), walker.text(given["target_var"]), per_second, weight
    )


def _namespace(walker: Walker, given: Mapping[str, ast.expr]) -> dict[str, Quantity]:
    if "namespace" not in given:
        return {}
    found = walker.value(given["namespace"])
    if not isinstance(found, dict):
        raise ProblemError("The namespace is no dictionary that can be read.")
    return {name: each for name, each in found.items() if isinstance(each, Quantity)}


class _AsFormula(ast.NodeTransformer):
    """``rand(N)*x`` of an array as ``rand()*x`` of each neuron."""

    def visit_Call(self, node: ast.Call) -> ast.expr:
        self.generic_visit(node)
        called = node.func.id if isinstance(node.func, ast.Name) else ""
        if called in ("rand", "randn"):
            return ast.Call(node.func, [], [])
        if called == "arange" and len(node.args) == 1:
            return ast.Name("i", ast.Load())
        if called == "linspace" and len(node.args) == 3:
            low, high = (f"({ast.unparse(each)})" for each in node.args[:2])
            return ast.parse(f"({low} + ({high} - {low})*i/(N - 1))", mode="eval").body
        return node


def formula_of(walker: Walker, node: ast.expr) -> str:
    """What a variable is set to: a string, a number, or what an array is drawn by. Raises ProblemError."""
    if walker.is_text(node):
        return walker.text(node)
    try:
        found = walker.value(node)
    except ProblemError:
        text = ast.unparse(_AsFormula().visit(walker.plain(node)))
        if any(each in text for each in ("[", "{", "'", '"', "lambda")):
            raise
        return text
    if not isinstance(found, Quantity):
        raise ProblemError(f"'{brief(node)}' is neither a number nor a formula.")
    return found.text
