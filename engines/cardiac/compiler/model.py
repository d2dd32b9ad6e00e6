"""A cell model as the compiler has it: states, their rates as graphs, and the form it is kept in on disk."""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from engines.formulas.graph import Node, const, make, ordered, rebuild, symbol

MODELS = Path(__file__).resolve().parent.parent / "models"
"""The models that come with the engine: ``.mmt`` as written from the papers, ``.json`` as read from it."""


@dataclass(frozen=True)
class State:
    """A state, its unit, and its value at rest as the file gives it."""

    name: str
    unit: str
    initial: float


@dataclass(frozen=True)
class Parameter:
    """A constant of the file that a tissue may change by region."""

    name: str
    unit: str
    value: float


@dataclass(frozen=True)
class StepLimit:
    """The largest steps [ms] at which a scheme was stable, and accurate, on one cell for a beat; None if at none tried.

    See :mod:`engines.cardiac.compiler.limits`, which finds them.
    """

    scheme: str
    stable: float | None
    accurate: float | None


@dataclass(frozen=True)
class CellModel:
    """A cell: ``rates[k]`` is the rate of change of ``states[k]`` per ms, a graph over symbols with the states' names.

    The voltage is in mV, whatever its unit was in the file. A stimulus of the file is left out: a tissue adds its own
    current [pA/pF] to the rate of the voltage. ``open_rates`` are the rates with a symbol for each of ``parameters``;
    in ``rates`` all but the ``opened`` ones are numbers. ``limits``: of its steps by scheme, if they were measured;
    ``notes``: what reading its file took for granted, a sentence each.
    """

    name: str
    title: str
    states: tuple[State, ...]
    voltage: int
    rates: tuple[Node, ...]
    parameters: tuple[Parameter, ...] = ()
    open_rates: tuple[Node, ...] = ()
    opened: tuple[str, ...] = ()
    limits: tuple[StepLimit, ...] = ()
    notes: tuple[str, ...] = ()

    def limit(self, scheme: str) -> StepLimit | None:
        """The stored limits of a scheme; None for a model that was not measured."""
        return next((limit for limit in self.limits if limit.scheme == scheme), None)

    @property
    def rows(self) -> tuple[State, ...]:
        """The states but the voltage: what a tissue keeps in its array of states."""
        return self.states[: self.voltage] + self.states[self.voltage + 1 :]

    def open(self, names: Collection[str]) -> CellModel:
        """The model with symbols for these parameters in its rates."""
        opened = tuple(parameter.name for parameter in self.parameters if parameter.name in names)
        rates = folded(self.open_rates, [p for p in self.parameters if p.name not in opened])
        return replace(self, rates=rates, opened=opened)

    def dumps(self) -> str:
        """JSON, one node a line, arguments by number."""
        rates = self.open_rates or self.rates
        nodes = ordered(rates)
        number = {node: k for k, node in enumerate(nodes)}
        lines = [[node.op, node.value if not node.args else [number[arg] for arg in node.args]] for node in nodes]
        head = {
            "name": self.name,
            "title": self.title,
            "states": [[state.name, state.unit, state.initial] for state in self.states],
            "voltage": self.voltage,
            "parameters": [[each.name, each.unit, each.value] for each in self.parameters],
            "limits": [[limit.scheme, limit.stable, limit.accurate] for limit in self.limits],
            "rates": [number[rate] for rate in rates],
        }
        body = ",\n".join(json.dumps(line) for line in lines)
        return json.dumps(head, ensure_ascii=False)[:-1] + ',\n"nodes": [\n' + body + "\n]}\n"


def folded(open_rates: Sequence[Node], parameters: Sequence[Parameter]) -> tuple[Node, ...]:
    """The rates with these parameters' values in them."""
    return rebuild(open_rates, make, {symbol(each.name): const(each.value) for each in parameters})


def loads(text: str) -> CellModel:
    """The model of :meth:`CellModel.dumps`."""
    data: dict[str, Any] = json.loads(text)
    nodes: list[Node] = []
    for op, value in data["nodes"]:
        if isinstance(value, list):
            nodes.append(make(op, *(nodes[k] for k in value)))
        else:
            nodes.append(make(op, value=value))
    states = tuple(State(*state) for state in data["states"])
    parameters = tuple(Parameter(*each) for each in data.get("parameters", ()))
    limits = tuple(StepLimit(*limit) for limit in data.get("limits", ()))
    rates = tuple(nodes[k] for k in data["rates"])
    return CellModel(
        data["name"],
        data["title"],
        states,
        data["voltage"],
        folded(rates, parameters),
        parameters,
        rates,
        limits=limits,
    )


def shipped(name: str) -> CellModel:
    """A model that comes with the engine; needs no Myokit."""
    return loads((MODELS / f"{name}.json").read_text("utf-8"))
