"""What is said of fields beside their help: of each physical one its equation, its source and what is usual."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from importlib import resources

import pytest
from pydantic import BaseModel

from engines.api import registry
from engines.cardiac.parameters import Tissue
from engines.explained import FILE, Explained, explained
from ui.forms.schema import FieldSpec, Kind, fields_of

ENGINES = sorted(registry.engines())
PHYSICAL = {
    "W/m/K", "J/m³/K", "W/m²/K", "°C", "m²/s", "mol/m²/s", "S/m", "1/mm", "µF/mm²", "µA/cm³", "pA/pF", "Ω/m",
    "THz", "ps", "A·{grid.length_unit}", "V/m", "Ω", "V", "GPa", "kg/m³", "J/m²", "MPa", "N", "m/s²", "m/s",
    "g", "1/s", "pA", "mV", "mV/ms", "pF", "nS", "1/ms", "Hz", "mm/ms", "mm²/s", "1/mm²",
}  # fmt: skip
"""Units of what a material, a cell or a load has; lengths, times, angles and parts are of the problem."""
METHOD = {"Numerics", "Multirate", "Recording"}
"""Groups that say how something is computed or looked at, and not what it is."""


def fields(model: type[BaseModel], seen: set[type[BaseModel]]) -> Iterator[tuple[type[BaseModel], FieldSpec]]:
    if model in seen:
        return
    seen.add(model)
    for spec in fields_of(model):
        yield model, spec
        for part in (spec, spec.item):
            for inner in () if part is None else (part.model, *part.variants.values()):
                if inner is not None:
                    yield from fields(inner, seen)


@pytest.mark.parametrize("engine", ENGINES)
def test_no_physical_parameter_lacks_its_equation_its_source_and_usual_values(engine):
    lacking = []
    for model, spec in fields(registry.engine(engine).Parameters, set()):
        if spec.kind in (Kind.NUMBER, Kind.ROW) and spec.unit in PHYSICAL and model.__name__ not in METHOD:
            told = explained(model, spec.key)
            lacking += [
                f"{model.__name__}.{spec.key} [{spec.unit}] has no {name}"
                for name in ("equation", "typical", "source")
                if not getattr(told, name)
            ]
    assert not lacking, "\n".join(lacking)


@pytest.mark.parametrize("engine", ENGINES)
def test_nothing_is_said_of_a_field_that_there_is_not(engine):
    told = tomllib.loads(resources.files(f"engines.{engine}").joinpath(FILE).read_text("utf-8"))
    known: dict[str, set[str]] = {}
    for model, spec in fields(registry.engine(engine).Parameters, set()):
        known.setdefault(model.__name__, set()).add(spec.key)
    for name, each in told.items():
        assert set(each) <= {"equation", "source", "typical"}
        assert name in known
        assert set(each.get("typical", ())) <= known[name], name


def test_what_is_not_told_is_empty():
    assert explained(Tissue, "sigma_il").typical == "0.17 in the benchmark"
    assert explained(Tissue, "nothing") == Explained()
    assert explained(BaseModel, "anything") == Explained()
