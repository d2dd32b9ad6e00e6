"""BPX files (Battery Parameter eXchange, https://bpxstandard.com) as parameter sets: versions 0.1 to 1.x, JSON.

How the quantities of the standard become those of :class:`ParameterSet`:

    active fraction    a R/3, from the surface area a per unit of volume
    Bruggeman          ln B/ln ε, from the transport efficiency B and the porosity ε
    reaction constant  F k/(c_max √c_e0), as BPX has j0 = F k √(c_e/c_e0) √(x (1 − x)) and j = 2 j0 sinh(Fη/2RT)
    electrode area     that of a pair times the pairs in parallel
    heat capacity      density times specific heat times volume
    initial state      x = min + soc (max − min) in the negative electrode, max − soc (max − min) in the positive one

Values at a reference temperature other than 298.15 K are moved there with their activation energies (potentials with
their entropic change). The diffusivity in a particle is a number, of a function the mean between the limits of
stoichiometry, and what the function is over that; a finding for models that have but the number says what that costs
(``mean_diffusivity.py``).
"""

from __future__ import annotations

import json
import re
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from engines.api import Array, Finding
from engines.api.errors import ProblemError
from engines.battery.bpx.entries import Constant, Section
from engines.battery.bpx.mean_diffusivity import mean_over, scaled, with_laws
from engines.battery.parameter_sets.changes import KEYS
from engines.battery.parameter_sets.constants import FARADAY, GAS, REFERENCE_TEMPERATURE
from engines.battery.parameter_sets.functions import electrolyte_ranges
from engines.battery.parameter_sets.model import NOT_GIVEN, SCALARS, UNSAID, Function, ParameterSet, Sourced
from engines.battery.parameter_sets.ranges import (
    ACTIVATION,
    FRACTION,
    KELVINS,
    NOT_NEGATIVE,
    POSITIVE,
    RANGES,
    SHARE,
    check_together,
)
from engines.reading import Version, guarded, version_of

LARGEST_FILE = 64 * 2**20
USUAL_CONCENTRATION = 1000.0
"""[mol/m³] of the electrolyte where a file for the SPM does not say: the exchange current does not depend on it."""
TOLERANCE = 2e-3
"""[V] between a cut-off and the potentials at the limits of stoichiometry, which files round."""
CONTACT_RESISTANCE = "Contact resistance [Ohm]"
"""BPX has no such entry; PyBaMM takes this name among those that users define."""


def is_bpx(path: Path) -> bool:
    """Whether the file is JSON with a BPX header; it may still be refused by :func:`read_bpx`."""
    try:
        if path.stat().st_size > LARGEST_FILE:
            return False
        content = json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError):
        return False
    return isinstance(content, dict) and isinstance(content.get("Header"), dict) and "BPX" in content["Header"]


@guarded("cannot be read as a BPX file: export it again.")
def read_bpx(path: Path) -> ParameterSet:
    """The cell in a file. Raises ProblemError in one sentence that names the entry."""
    try:
        version, size = version_of(path), path.stat().st_size
    except FileNotFoundError as error:
        raise ProblemError(f"The BPX file '{path}' is missing: put it back or choose another.") from error
    except OSError as error:
        raise ProblemError(f"The BPX file '{path}' cannot be read: {error.strerror or error}.") from error
    return _read(path, version, size)


@lru_cache(maxsize=8)
def _read(path: Path, version: Version, size: int) -> ParameterSet:
    """Kept as long as the file is the same: an estimate asks for it at each edit."""
    if size > LARGEST_FILE:
        raise ProblemError(f"'{path.name}' is over {LARGEST_FILE >> 20} MB: no BPX file is as large.")
    try:
        content = json.loads(path.read_bytes())
    except OSError as error:
        raise ProblemError(f"The BPX file '{path}' cannot be read: {error.strerror or error}.") from error
    except (ValueError, RecursionError) as error:
        raise ProblemError(f"'{path.name}' is no valid JSON ({error}).") from error
    return parameter_set(content, path.name)


def parameter_set(content: Any, name: str) -> ParameterSet:
    """The cell in the decoded JSON ``content`` of a file called ``name``. Raises ProblemError."""
    return _Reader(content, name).result()


class _Reader:
    """One file while it is read: what was found so far, and what its owner should know."""

    def __init__(self, content: Any, name: str) -> None:
        self.name = name
        self.findings: list[Finding] = []
        self.scalars: dict[str, float] = {}
        self.varying: dict[
            str, tuple[Function, str]
        ] = {}  # diffusivities [m²/s], and a sentence for who takes their mean
        top = Section(content, "", name)
        self.header = top.section("Header")
        self.version = self._version()
        parameterisation = top.section("Parameterisation")
        self.cell, self.electrolyte, self.separator = (
            parameterisation.section(each) for each in ("Cell", "Electrolyte", "Separator")
        )
        self.user = parameterisation.section("User-defined")
        state = top.section("State")
        self.initial, self.surroundings = state.section("Initial conditions"), state.section("Thermal environment")
        self.state, self.parameterisation = state, parameterisation
        self.reference = self.cell.number("Reference temperature [K]", KELVINS, REFERENCE_TEMPERATURE)
        self.spm_only = "Electrolyte" not in parameterisation

    def _version(self) -> float:
        value = self.header.get("BPX")
        match = re.fullmatch(r"(\d+)\.(\d+)(\.\d+)?", str(value)) if not isinstance(value, bool) else None
        if match is None and value in (0, 1):
            match = re.fullmatch(r"(\d+)\.(\d+)", f"{value}.0")
        if match is None or int(match[1]) > 1:
            raise ProblemError(
                f"{self.name}: the BPX version {value!r} is unknown: this program reads versions 0.1 to 1.x."
            )
        if int(match[1]) == 0 and int(match[2]) < 3:
            self.findings.append(
                Finding(
                    f"{self.name} is of BPX {value}. Up to 0.2 the standard's text gave j = j0 sinh(Fη/2RT); read as "
                    "2 j0 sinh(Fη/2RT), as from 0.3 on.", "info",
                )
            )  # fmt: skip
        return float(f"{match[1]}.{match[2]}")

    def result(self) -> ParameterSet:
        self._cell()
        functions = self._electrolyte()
        for electrode in ("negative", "positive"):
            functions |= self._electrode(electrode)
        self._separator()
        check_together(self.scalars, self.name)
        self._check_limits(functions)
        title = self.header.get("Title") if "Title" in self.header else Path(self.name).stem
        self._say_unread()
        cell = ParameterSet(
            id=f"BPX {self.name}",
            title=str(title),
            source=self.name,
            scalars={name: Sourced(value, SCALARS[name], self.name) for name, value in self.scalars.items()},
            negative_ocp=functions["negative_ocp"],
            positive_ocp=functions["positive_ocp"],
            negative_entropic=functions["negative_entropic"],
            positive_entropic=functions["positive_entropic"],
            electrolyte_diffusivity=functions["electrolyte_diffusivity"],
            electrolyte_conductivity=functions["electrolyte_conductivity"],
            findings=tuple(self.findings),
            meant_for=str(self.header.get("Model") if "Model" in self.header else ""),
        )
        return with_laws(cell, self.varying)

    def _arrhenius(self, activation: float) -> float:
        """Factor from the file's reference temperature to 298.15 K."""
        return float(np.exp(activation / GAS * (1 / self.reference - 1 / REFERENCE_TEMPERATURE)))

    def _cell(self) -> None:
        cell, found = self.cell, self.scalars
        pairs = cell.number("Number of electrode pairs connected in parallel to make a cell", POSITIVE)
        if pairs != int(pairs):
            where = cell.where("Number of electrode pairs connected in parallel to make a cell")
            raise ProblemError(f"{where} is {pairs:g} and must be a whole number.")
        found["electrode_area"] = pairs * cell.number("Electrode area [m2]", POSITIVE)
        for name, entry in (
            ("nominal_capacity", "Nominal cell capacity [A.h]"),
            ("lower_cutoff", "Lower voltage cut-off [V]"),
            ("upper_cutoff", "Upper voltage cut-off [V]"),
        ):
            found[name] = cell.number(entry, POSITIVE)
        density, heat = "Density [kg.m-3]", "Specific heat capacity [J.K-1.kg-1]"
        parts = [cell.number(each, POSITIVE, NOT_GIVEN) for each in (density, heat, "Volume [m3]")]
        found["heat_capacity"] = float(np.prod(parts))
        found["cooling_area"] = cell.number("External surface area [m2]", NOT_NEGATIVE, NOT_GIVEN)
        found["heat_transfer_coefficient"] = self.surroundings.number(
            "Heat transfer coefficient [W.m-2.K-1]", NOT_NEGATIVE, NOT_GIVEN
        )
        found["contact_resistance"] = self.user.number(CONTACT_RESISTANCE, NOT_NEGATIVE, 0.0)
        for name, usual in UNSAID.items():  # BPX knows no ageing and no asymmetric charge transfer
            found[name] = self.user.number(KEYS[name], RANGES[name], usual)
        ambient, initial = "Ambient temperature [K]", "Initial temperature [K]"
        before = cell.number(ambient, KELVINS, self.reference)  # where versions before 1.0 have it
        found["ambient_temperature"] = self.surroundings.number(ambient, KELVINS, before)
        before = cell.number(initial, KELVINS, found["ambient_temperature"])
        found["initial_temperature"] = self.initial.number(initial, KELVINS, before)
        cell.skip("Thermal conductivity [W.m-1.K-1]")  # of a cell with one temperature

    def _electrolyte(self) -> dict[str, Function]:
        entries, found = self.electrolyte, self.scalars
        old, new = "Initial concentration [mol.m-3]", "Initial electrolyte concentration [mol.m-3]"
        before = entries.number(old, POSITIVE, USUAL_CONCENTRATION)
        found["electrolyte_concentration"] = salt = self.initial.number(new, POSITIVE, before)
        if self.spm_only:
            found["transference_number"] = NOT_GIVEN
            found["electrolyte_diffusivity_activation"] = found["electrolyte_conductivity_activation"] = NOT_GIVEN
            nothing = Constant(1.0)  # never used: the set does not give a transference number
            return {"electrolyte_diffusivity": nothing, "electrolyte_conductivity": nothing}
        if old not in entries and new not in self.initial:
            self.findings.append(
                Finding(f"{self.name} gives no concentration of the electrolyte: {salt:g} mol/m³ is taken.")
            )
        found["transference_number"] = entries.number("Cation transference number", RANGES["transference_number"])
        functions: dict[str, Function] = {}
        ranges = electrolyte_ranges(salt)
        for name, entry in (("diffusivity", "Diffusivity [m2.s-1]"), ("conductivity", "Conductivity [S.m-1]")):
            low, high, positive_to = ranges[name]
            activation = entries.number(f"{name.capitalize()} activation energy [J.mol-1]", ACTIVATION, 0.0)
            found[f"electrolyte_{name}_activation"] = activation
            function = entries.function(entry, low, high, extend=False, positive_to=positive_to)
            functions[f"electrolyte_{name}"] = scaled(function, self._arrhenius(activation))
        return functions

    def _electrode(self, electrode: str) -> dict[str, Function]:
        found, where = self.scalars, f"{electrode.capitalize()} electrode"
        entries = self.parameterisation.section(where)
        if "Particle" in entries:
            kinds = entries.section("Particle")
            raise ProblemError(
                f"{self.name}: the {electrode} electrode blends several materials ({', '.join(kinds.unread())}), which "
                "is not supported: choose a file with one material per electrode."
            )

        def put(name: str, value: float) -> float:
            found[f"{electrode}_{name}"] = value
            return value

        def taken(name: str, entry: str) -> float:
            return put(name, entries.number(entry, RANGES[f"{electrode}_{name}"]))

        taken("thickness", "Thickness [m]")
        radius = taken("particle_radius", "Particle radius [m]")
        most = taken("maximum_concentration", "Maximum concentration [mol.m-3]")
        area = entries.number("Surface area per unit volume [m-1]", POSITIVE)
        FRACTION.check(area * radius / 3, entries.where("Surface area per unit volume [m-1]") + " times radius over 3")
        put("active_fraction", area * radius / 3)
        low, high = (entries.number(f"{which} stoichiometry", SHARE) for which in ("Minimum", "Maximum"))
        if low >= high:
            raise ProblemError(f"{entries.where('Minimum stoichiometry')} must be below the maximum one, {high:g}.")
        charge = self.initial.number("Initial state-of-charge", SHARE, 1.0)
        full = charge if electrode == "negative" else 1 - charge
        put("initial_concentration", most * (low + full * (high - low)))
        energy = entries.number("Reaction rate constant activation energy [J.mol-1]", ACTIVATION, 0.0)
        put("reaction_activation", energy)
        rate = entries.number("Reaction rate constant [mol.m-2.s-1]", POSITIVE) * self._arrhenius(energy)
        put("reaction_constant", FARADAY * rate / (most * np.sqrt(found["electrolyte_concentration"])))
        energy = put(
            "diffusivity_activation", entries.number("Diffusivity activation energy [J.mol-1]", ACTIVATION, 0.0)
        )
        put("diffusivity", self._mean_diffusivity(entries, electrode, low, high, self._arrhenius(energy)))
        if self.spm_only:
            for name in ("porosity", "bruggeman", "solid_conductivity"):
                put(name, NOT_GIVEN)
            entries.skip("Porosity", "Transport efficiency", "Conductivity [S.m-1]")
        else:
            self._pores(entries, electrode)
            taken("solid_conductivity", "Conductivity [S.m-1]")
        hysteresis = ("OCP (delithiation) [V]", "OCP (lithiation) [V]", "OCP hysteresis decay constant")
        if any(each in entries for each in hysteresis):
            self.findings.append(Finding(f"{self.name}: the hysteresis of the {electrode} potential is left out."))
        entries.skip(*hysteresis)
        functions = self._potential(entries, electrode)
        self._unread(entries)
        return functions

    def _potential(self, entries: Section, electrode: str) -> dict[str, Function]:
        potential = entries.function("OCP [V]", 0.0, 1.0, extend=True)
        change: Function = Constant(0.0)
        if "Entropic change coefficient [V.K-1]" in entries:
            change = entries.function("Entropic change coefficient [V.K-1]", 0.0, 1.0, extend=False)
        warmer = REFERENCE_TEMPERATURE - self.reference
        if warmer:
            cold = potential

            def potential(x: Array) -> Array:
                return cold(x) + warmer * change(x)

        return {f"{electrode}_ocp": potential, f"{electrode}_entropic": change}

    def _mean_diffusivity(self, entries: Section, electrode: str, low: float, high: float, warmer: float) -> float:
        """[m²/s] at 298.15 K, ``warmer`` times what the file says."""
        function = entries.function("Diffusivity [m2.s-1]", low, high, extend=False, positive_to=high)
        mean, sentence = mean_over(function, electrode, low, high)
        if sentence:
            self.varying[electrode] = scaled(lambda x: function(np.clip(x, low, high)), warmer), sentence
        return warmer * mean

    def _pores(self, entries: Section, layer: str) -> None:
        porosity = entries.number("Porosity", FRACTION)
        efficiency = entries.number("Transport efficiency", FRACTION)
        if porosity == 1.0 and efficiency < 1.0:
            raise ProblemError(f"{entries.where('Transport efficiency')} must be 1 where the porosity is 1.")
        self.scalars[f"{layer}_porosity"] = porosity
        exponent = np.log(efficiency) / np.log(porosity) if porosity < 1.0 else 1.5  # of one, any power is one
        self.scalars[f"{layer}_bruggeman"] = float(exponent)

    def _separator(self) -> None:
        if self.spm_only:
            for name in ("thickness", "porosity", "bruggeman"):
                self.scalars[f"separator_{name}"] = NOT_GIVEN
            return
        self.scalars["separator_thickness"] = self.separator.number("Thickness [m]", POSITIVE)
        self._pores(self.separator, "separator")

    def _check_limits(self, functions: dict[str, Function]) -> None:
        """The potentials at the limits of stoichiometry should be the cut-offs."""
        limits = {}
        for electrode in ("negative", "positive"):
            entries = self.parameterisation.section(f"{electrode.capitalize()} electrode")
            limits[electrode] = [entries.number(f"{which} stoichiometry", SHARE) for which in ("Minimum", "Maximum")]
        for name, (x_n, x_p) in {
            "lower": (limits["negative"][0], limits["positive"][1]),
            "upper": (limits["negative"][1], limits["positive"][0]),
        }.items():
            voltage = float(functions["positive_ocp"](np.array(x_p)) - functions["negative_ocp"](np.array(x_n)))
            cutoff = self.scalars[f"{name}_cutoff"]
            if abs(voltage - cutoff) > TOLERANCE:
                self.findings.append(
                    Finding(
                        f"{self.name}: the potentials at the limits of stoichiometry give {voltage:.4g} V, the {name} "
                        f"cut-off is {cutoff:g} V.", "info",
                    )
                )  # fmt: skip

    def _say_unread(self) -> None:
        self.header.skip("Description", "References", "Model")
        if self.state.section("Degradation").unread():
            self.findings.append(Finding(f"{self.name}: the section 'Degradation' is left out."))
        if self.user.unread():
            names = ", ".join(self.user.unread())
            self.findings.append(Finding(f"{self.name}: user-defined entries are left out: {names}.", "info"))
        self.initial.skip(*(f"Initial hysteresis state: {each} electrode" for each in ("Positive", "Negative")))
        for section in (self.header, self.cell, self.electrolyte, self.separator, self.initial, self.surroundings):
            self._unread(section)

    def _unread(self, section: Section) -> None:
        for entry in section.unread():
            self.findings.append(Finding(f"{section.where(entry)} is not known and left out: check its name."))
