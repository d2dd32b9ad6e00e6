"""How what acts on the body comes on and goes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import Field

from engines.api.parameters import Lines, ParameterGroup, quantity
from engines.formulas.typed.definitions import html
from engines.peridynamics.loading.typed_histories import STEPS, WHOLE, check


class Sudden(ParameterGroup):
    """All of it from the start."""

    kind: Literal["sudden"] = "sudden"


class SmoothStep(ParameterGroup):
    """Comes on smoothly (a polynomial of fifth order) and stays."""

    kind: Literal["smooth step"] = "smooth step"
    rise: float = quantity(100.0, "us", "Time over which it comes on", gt=0)


class Ramp(ParameterGroup):
    """Comes on at a constant rate and stays."""

    kind: Literal["ramp"] = "ramp"
    rise: float = quantity(100.0, "us", "Time over which it comes on", gt=0)


class ConstantRate(ParameterGroup):
    """Grows at a constant rate and goes on."""

    kind: Literal["constant rate"] = "constant rate"
    time: float = quantity(100.0, "us", "When it has come to the value given", gt=0)


class Sine(ParameterGroup):
    """Goes to and fro."""

    kind: Literal["sine"] = "sine"
    period: float = quantity(50.0, "us", "Time of one cycle", gt=0)
    cycles: float = quantity(0.0, "1", "How many cycles; 0: without end", ge=0)


class HalfSine(ParameterGroup):
    """One pulse, half a sine long."""

    kind: Literal["half-sine pulse"] = "half-sine pulse"
    duration: float = quantity(10.0, "us", "How long the pulse lasts", gt=0)


class FromFile(ParameterGroup):
    """As a table says, linear between its rows; the last row stays."""

    kind: Literal["file"] = "file"
    path: str = quantity(
        "", "", "CSV of two columns: increasing time [us] and what the value is times", title="File", file="table"
    )


class TypedHistory(ParameterGroup):
    """Any f(t) by formulas."""

    kind: Literal["formula"] = "formula"
    lines: Annotated[list[Annotated[str, Field(max_length=2_000)]], Lines(check, STEPS, WHOLE, (), html)] = quantity(
        list(WHOLE[0][1]), "", "What the value is times at t [us]; other lines name parts of it", title="History",
        max_length=60,
    )  # fmt: skip


History = Annotated[
    Sudden | SmoothStep | Ramp | ConstantRate | Sine | HalfSine | FromFile | TypedHistory, Field(discriminator="kind")
]


def with_history(value: Any) -> Any:
    """What a project says of a load, with the ``rise`` of older projects as a history."""
    if not isinstance(value, Mapping) or "rise" not in value:
        return value
    known = dict(value)
    rise = known.pop("rise")
    known.setdefault("history", {"kind": "smooth step", "rise": rise} if rise else {"kind": "sudden"})
    return known
