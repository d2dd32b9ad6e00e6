"""The parameters of a battery problem: cell, model, protocol, how the cells differ, numerics."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from engines.api import Problem
from engines.api.parameters import ParameterGroup, quantity
from engines.backend.precision import Precision
from engines.battery.parameter_sets.changes import Change
from engines.battery.parameter_sets.functions import TypedFunction
from engines.battery.parameters.ensemble import Distribution
from engines.battery.parameters.pack import Pack
from engines.battery.parameters.particles import ParticleSettings
from engines.battery.parameters.recording import Recording
from engines.battery.parameters.sizes import ParticleSizes
from engines.battery.protocol.writing import PROTOCOL

SINGLE = {"model": ("SPM", "SPMe")}
IN_CELLS = {"model": ("SPM", "SPMe", "MPM", "pack")}
IN_A_PACK = {"model": ("pack",)}
"""For which models a field matters."""


NO_FILE = {"file": ("",)}


class DriveCycle(ParameterGroup):
    """A current or power over time, for 'Run drive cycle'; straight lines between the rows."""

    file: str = quantity(
        "", "", "Table of time [s] and current [A] or power [W], positive in discharge", file="drive cycle"
    )
    time_column: str = quantity(
        "", "", "Number and unit of the column of the time, as in 1 [h]; empty: as the headings say", unless=NO_FILE,
        max_length=40,
    )  # fmt: skip
    value_column: str = quantity(
        "", "", "Number and unit of the column of the current or power, as in 4 [mA]; empty: as the headings say",
        unless=NO_FILE, max_length=40,
    )  # fmt: skip
    charge_positive: bool = quantity(False, "", "Positive numbers of the file charge, as many cyclers write it",
                                     unless=NO_FILE)  # fmt: skip
    times: list[float] = quantity([], "s", "Times, rising; where there is no file", advanced=True, when=NO_FILE)
    currents: list[float] = quantity(
        [], "A", "Currents at these times, positive in discharge", advanced=True, when=NO_FILE
    )


class Ensemble(ParameterGroup):
    """How many cells there are and how they differ."""

    cells: int = quantity(1, "1", "Number of cells", when=SINGLE, ge=1, le=10_000_000)
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

    step: float | None = quantity(
        None, "s", "Time step; at any the particles are exact. Without it 5 s, or less where the rows of a drive cycle "
        "are nearer to each other", title="Time step", when=IN_CELLS, finer="smaller", gt=0, le=600,
    )  # fmt: skip
    radial_points: int = quantity(
        16, "1", "Shells in which the particles are shown; the solution is a sum of modes",
        when={"model": ("SPM", "SPMe", "MPM")}, ge=8, le=128,
    )  # fmt: skip
    precision: Precision = quantity("fp32", "", "Arithmetic of the kernels")


Text = Annotated[str, Field(max_length=200)]


class BatteryParameters(ParameterGroup):
    """Cells of one kind under one protocol. Fields stand in the order of the form: first what is changed first."""

    parameter_set: Literal["Chen2020", "Marquis2019", "Prada2013", "OKane2022", "BPX file"] = quantity(
        "Chen2020", "", "A published cell, or one from a file"
    )
    bpx_file: str = quantity(
        "", "", "Cell in the BPX format, for the parameter set 'BPX file'", title="BPX file", file="BPX file",
        when={"parameter_set": ("BPX file",)},
    )  # fmt: skip
    model: Literal["SPM", "SPMe", "MPM", "particles", "pack"] = quantity(
        "SPM",
        "",
        "One particle per electrode, without or with an electrolyte; many that differ; bare ones; a pack with heat",
    )
    thermal: Literal["isothermal", "lumped"] = quantity(
        "isothermal",
        "",
        "Constant temperature, or one per cell with its own heat; which ones, Changes say (ambient, initial)",
        when=SINGLE,
    )
    initial_state_of_charge: float | None = quantity(
        None, "1", "Charge at the start between the cut-offs at rest; without it as the parameter set says", ge=0, le=1
    )
    cycles: int = quantity(1, "1", "How often the protocol is repeated", when=IN_CELLS, ge=1, le=10_000)
    current_factor: float = quantity(
        1.0, "1", "Factor on all currents and powers of the protocol: the C-rate, live", live=True, when=IN_CELLS,
        gt=0, le=20,
    )  # fmt: skip
    protocol: Annotated[list[Text], PROTOCOL] = quantity(
        ["Discharge at 1C until 2.5 V"], "", "Steps in English: 'Charge at C/2 until 4.2 V', 'Rest for 1 hour'",
        when=IN_CELLS,
    )  # fmt: skip
    pack: Pack = quantity(Pack(), "", "Cells in a box, with the heat between them (model 'pack')", when=IN_A_PACK)
    sizes: ParticleSizes = quantity(
        ParticleSizes(), "", "Sizes of the particles (model MPM)", title="Particle sizes", when={"model": ("MPM",)}
    )
    particles: ParticleSettings = quantity(
        ParticleSettings(), "", "What the model 'particles' solves", when={"model": ("particles",)}
    )
    ensemble: Ensemble = quantity(
        Ensemble(), "", "How many cells and how they differ", when={"model": ("SPM", "SPMe", "pack")}
    )
    ageing: Ageing = quantity(Ageing(), "", "Growth of the SEI and lithium plating", when=SINGLE)
    changes: list[Change] = quantity(
        [], "", "Numbers of the parameter set that are other than there: sizes, temperatures at the start and around, …"
    )
    functions: list[TypedFunction] = quantity(
        [], "", "Functions of the parameter set that are other than there: potentials, diffusivities, conductivities",
        max_length=8,
    )  # fmt: skip
    drive_cycle: DriveCycle = quantity(
        DriveCycle(), "", "What 'Run drive cycle' in the protocol runs", folded=True, when=IN_CELLS
    )
    numerics: Numerics = quantity(Numerics(), "", "Step, shells, precision", folded=True)
    recording: Recording = quantity(Recording(), "", "What is written into a folder of results", folded=True)

    @property
    def heats(self) -> bool:
        """Whether each cell has a temperature of its own; a pack and the other models have their own ways."""
        return self.model in SINGLE["model"] and self.thermal == "lumped"


def parameters_of(problem: Problem) -> BatteryParameters:
    """The parameters of a problem of this engine."""
    if not isinstance(problem.parameters, BatteryParameters):
        raise TypeError(f"parameters of the battery engine, not {type(problem.parameters).__name__}")
    return problem.parameters
