"""What a parameter set holds: numbers with unit and source, and functions of stoichiometry or concentration."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from math import isnan, nan

from engines.api import Array, Finding
from engines.api.errors import ProblemError
from engines.battery.parameter_sets.constants import REFERENCE_TEMPERATURE

Function = Callable[[Array], Array]


@dataclass(frozen=True)
class Sourced:
    """A number, its unit and where it was published."""

    value: float
    unit: str
    source: str


SCALARS: Mapping[str, str] = {
    "electrode_area": "m²",
    "nominal_capacity": "A h",
    "contact_resistance": "Ω",
    "lower_cutoff": "V",
    "upper_cutoff": "V",
    "heat_capacity": "J/K",
    "cooling_area": "m²",
    "heat_transfer_coefficient": "W/m²/K",
    "ambient_temperature": "K",
    "initial_temperature": "K",
    **{
        f"{electrode}_{name}": unit
        for electrode in ("negative", "positive")
        for name, unit in {
            "thickness": "m",
            "porosity": "1",
            "active_fraction": "1",
            "particle_radius": "m",
            "diffusivity": "m²/s",
            "diffusivity_activation": "J/mol",
            "maximum_concentration": "mol/m³",
            "initial_concentration": "mol/m³",
            "reaction_constant": "A/m² (m³/mol)^1.5",
            "reaction_activation": "J/mol",
            "solid_conductivity": "S/m",
            "bruggeman": "1",
        }.items()
    },
    "separator_thickness": "m",
    "separator_porosity": "1",
    "separator_bruggeman": "1",
    "electrolyte_concentration": "mol/m³",
    "transference_number": "1",
    "electrolyte_diffusivity_activation": "J/mol",
    "electrolyte_conductivity_activation": "J/mol",
    # What a set need not say: see UNSAID.
    "negative_transfer_coefficient": "1",
    "positive_transfer_coefficient": "1",
    "sei_lithium_ratio": "1",
    "sei_molar_volume": "m³/mol",
    "sei_initial_thickness": "m",
    "sei_resistivity": "Ω m",
    "sei_potential": "V",
    "sei_exchange_current": "A/m²",
    "sei_solvent_diffusivity": "m²/s",
    "sei_solvent_concentration": "mol/m³",
    "sei_ec_rate": "m/s",
    "sei_ec_diffusivity": "m²/s",
    "sei_ec_concentration": "mol/m³",
    "sei_activation": "J/mol",
    "plating_rate": "m/s",
    "plating_transfer_coefficient": "1",
}
"""Every number of a set with its unit. ``heat_capacity`` is that of the whole cell; ``solid_conductivity`` is
effective; ``reaction_constant`` m gives ``j0 = m √(c_e c_s (c_max − c_s))`` at 298.15 K;
``negative_transfer_coefficient`` and the positive one are anodic; those of ageing: cells/ageing.py."""

UNSAID: Mapping[str, float] = {
    "negative_transfer_coefficient": 0.5,
    "positive_transfer_coefficient": 0.5,
    **{name: nan for name in SCALARS if name.startswith(("sei_", "plating_"))},
}
"""What stands for a number that a set does not give; NaN where nothing can."""


@dataclass(frozen=True)
class ParameterSet:
    """One cell as a paper describes it.

    negative_ocp, positive_ocp:           potentials [V] of the stoichiometry at 298.15 K
    negative_entropic, positive_entropic: their changes with temperature [V/K]
    electrolyte_diffusivity [m²/s], electrolyte_conductivity [S/m]: of the concentration [mol/m³] at 298.15 K
    negative_diffusivity_law, positive_diffusivity_law: diffusivities of the particles over those of ``scalars``, of the
    stoichiometry; None: constant
    findings: what whoever uses it should know (of a file that was read)
    meant_for: the model that a file names, such as DFN
    mean_findings: by electrode, what it costs to take the number for the law, for models that do; a second to find

    A number that a source does not give is NaN; :meth:`require` says so to whoever needs it.
    """

    id: str
    title: str
    source: str
    scalars: Mapping[str, Sourced]
    negative_ocp: Function
    positive_ocp: Function
    negative_entropic: Function
    positive_entropic: Function
    electrolyte_diffusivity: Function
    electrolyte_conductivity: Function
    findings: tuple[Finding, ...] = ()
    meant_for: str = ""
    negative_diffusivity_law: Function | None = None
    positive_diffusivity_law: Function | None = None
    mean_findings: Mapping[str, Callable[[], Finding]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        unsaid = {n: Sourced(v, SCALARS[n], "not given") for n, v in UNSAID.items() if n not in self.scalars}
        object.__setattr__(self, "scalars", {**self.scalars, **unsaid})
        if set(self.scalars) != set(SCALARS):
            odd = sorted(set(self.scalars) ^ set(SCALARS))
            raise ValueError(f"the parameter set {self.id} misses or adds {', '.join(odd)}")
        for name, number in self.scalars.items():
            if number.unit != SCALARS[name]:
                raise ValueError(f"{name} of {self.id} is in {number.unit}, not {SCALARS[name]}")

    def potential(self, electrode: str, temperature: float) -> Function:
        """The open-circuit potential [V] of an electrode at ``temperature`` [K], of the stoichiometry."""
        cold, entropic = getattr(self, f"{electrode}_ocp"), getattr(self, f"{electrode}_entropic")
        warmer = temperature - REFERENCE_TEMPERATURE
        return cold if warmer == 0 else lambda x: cold(x) + warmer * entropic(x)

    @property
    def laws(self) -> dict[str, Function]:
        """Diffusivities that depend on the stoichiometry, over the number of the set, by electrode."""
        found = {name: getattr(self, f"{name}_diffusivity_law") for name in ("negative", "positive")}
        return {name: law for name, law in found.items() if law is not None}

    def values(self) -> dict[str, float]:
        """The numbers alone."""
        return {name: number.value for name, number in self.scalars.items()}

    def require(self, names: Iterable[str], purpose: str) -> None:
        """Raises ProblemError if one of ``names`` is not given; ``purpose`` says what needs them."""
        missing = [name.replace("_", " ") for name in names if isnan(self.scalars[name].value)]
        if missing:
            raise ProblemError(
                f"{self.title} does not give: {', '.join(missing)}. {purpose} needs them: add them under Changes, or "
                "choose another."
            )

    def changed(self, values: Mapping[str, float], source: str) -> ParameterSet:
        """The set with other numbers from ``source``; a diffusivity among them is constant."""
        laws = {name: law for name, law in self.laws.items() if f"{name}_diffusivity" not in values}
        return replace(
            self,
            scalars={**self.scalars, **sourced(values, source)},
            negative_diffusivity_law=laws.get("negative"),
            positive_diffusivity_law=laws.get("positive"),
        )


NOT_GIVEN = nan
"""The value of a number that the source of a set does not have."""


def sourced(values: Mapping[str, float], source: str) -> dict[str, Sourced]:
    """Numbers that one place gives, with the units of :data:`SCALARS`."""
    return {name: Sourced(float(value), SCALARS[name], source) for name, value in values.items()}


def layers_heat_capacity(volume: float, layers: list[tuple[float, float, float]]) -> float:
    """Heat capacity [J/K] of a cell of ``volume`` [m³] made of layers (thickness [m], density [kg/m³], specific heat
    [J/kg/K]): the thickness-weighted mean, as PyBaMM lumps it."""
    return volume * sum(L * density * heat for L, density, heat in layers) / sum(L for L, _, _ in layers)
