"""The parameters of a battery problem: cell, model, protocol, how the cells differ, numerics."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from engines.battery.ensemble import Distribution
from engines.parameters import ParameterGroup, quantity

Precision = Literal["fp32", "fp64"]
PRECISIONS = {"fp32": "float32", "fp64": "float64"}


class DriveCycle(ParameterGroup):
    """A current over time, for 'Run drive cycle'; straight lines between the rows."""

    times: list[float] = quantity([], "s", "Times, rising")
    currents: list[float] = quantity([], "A", "Currents at these times, positive in discharge")


class Ensemble(ParameterGroup):
    """How many cells there are and how they differ."""

    cells: int = quantity(1, "1", "Number of cells", ge=1, le=10_000_000)
    distributions: list[Distribution] = quantity([], "", "Numbers of the parameter set that differ among the cells")
    seed: int = quantity(0, "1", "Seed of the random numbers", ge=0, le=2**32 - 1)


class Ageing(ParameterGroup):
    """What takes lithium out of the cell: growth of the film on the graphite, and metal on it."""

    sei: Literal["none", "reaction limited", "solvent-diffusion limited", "ec reaction limited"] = quantity(
        "none", "", "Growth of the solid-electrolyte interphase (SEI): what limits it", title="SEI growth"
    )
    plating: Literal["none", "irreversible", "below 0 V"] = quantity(
        "none", "", "Lithium metal on the negative electrode, never stripped: by Tafel's law at any potential, or "
        "by Butler-Volmer's below 0 V against lithium", title="Lithium plating",
    )  # fmt: skip


class Numerics(ParameterGroup):
    """How the equations are solved."""

    step: float = quantity(
        5.0, "s", "Time step: the time for which a current is constant; the particles are exact at any",
        title="Time step", gt=0, le=600,
    )  # fmt: skip
    radial_points: int = quantity(
        16, "1", "Shells in which the particles are shown; the solution is a sum of modes", ge=8, le=128
    )
    precision: Precision = quantity("fp32", "", "Arithmetic of the kernels")


Text = Annotated[str, Field(min_length=1, max_length=200)]


class BatteryParameters(ParameterGroup):
    """Cells of one kind under one protocol."""

    parameter_set: Literal["Chen2020", "Marquis2019", "OKane2022"] = quantity("Chen2020", "", "Published cell")
    model: Literal["SPM", "SPMe"] = quantity(
        "SPM", "", "Single-particle model, without or with diffusion in the electrolyte"
    )
    thermal: Literal["isothermal", "lumped"] = quantity(
        "isothermal", "", "Constant temperature, or one temperature per cell with its own heat"
    )
    protocol: list[Text] = quantity(
        ["Discharge at 1C until 2.5 V"], "", "Steps in English: 'Charge at C/2 until 4.2 V', 'Rest for 1 hour'"
    )
    cycles: int = quantity(1, "1", "How often the protocol is repeated", ge=1, le=10_000)
    drive_cycle: DriveCycle = quantity(DriveCycle(), "", "What 'Run drive cycle' runs")
    current_factor: float = quantity(
        1.0, "1", "Factor on all currents of the protocol: the C-rate, live", live=True, gt=0, le=20
    )
    ageing: Ageing = quantity(Ageing(), "", "Growth of the SEI and lithium plating")
    ensemble: Ensemble = quantity(Ensemble(), "", "How many cells and how they differ")
    numerics: Numerics = quantity(Numerics(), "", "Step, shells, precision")
