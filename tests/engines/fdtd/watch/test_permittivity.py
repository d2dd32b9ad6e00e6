"""The index and the permittivity as fields: by hand beside a wall, by Drude's formula in a metal, nothing in a
conductor, and anew after paint."""

from __future__ import annotations

import numpy as np
import pytest

from engines.api import Dab, Problem, Selection
from engines.fdtd.engine import FdtdEngine
from engines.fdtd.parameters import (
    Box,
    Continuous,
    Faces,
    FdtdParameters,
    GridSetting,
    Material,
    Numerics,
    PointSource,
    Sphere,
)
from engines.fdtd.parameters.dispersion import Drude

GRID = GridSetting(cells_x=10, cells_y=8, cells_z=6, size_x=1.0, size_y=0.8, size_z=0.6)
SOURCE = PointSource(place=(0.2, 0.4, 0.3), signal=Continuous(wavelength=4.0))
PERIODIC = Faces(**{face: "periodic" for face in Faces.model_fields if face.startswith(("x_", "y_", "z_"))})
HALF = {"low": (0.5, -1.0, -1.0), "high": (2.0, 2.0, 2.0)}


def built(backend, *materials: Material, objects=None, smoothing: bool = False):
    parameters = FdtdParameters(
        grid=GRID, faces=PERIODIC, materials=list(materials), sources=[SOURCE], numerics=Numerics(smoothing=smoothing),
        objects=[Box(material=materials[0].name, **HALF)] if objects is None else objects,
    )  # fmt: skip
    return FdtdEngine().build(Problem(parameters), backend)


def row(simulation, name: str) -> np.ndarray:
    """Along x in the middle of the grid, without the cells at its faces, which are beside each other."""
    return simulation.field(name).reshape(6, 8, 10)[3, 4, 1:9]


def test_beside_a_wall_along_cells_it_is_the_mean_over_edges(backend) -> None:
    """Four of twelve edges lie in the cell, of the others half on the wall, where ε is (1 + 4)/2."""
    simulation = built(backend, Material(name="slab", permittivity=4.0))
    expected = np.array([1.0] * 3 + [(4 + 4 + 4 * 2.5) / 12, (16 + 16 + 4 * 2.5) / 12] + [4.0] * 3)
    assert row(simulation, "permittivity") == pytest.approx(expected, rel=1e-6)
    assert row(simulation, "index") == pytest.approx(np.sqrt(expected), rel=1e-6)
    info = {field.name: field for field in simulation.fields}
    assert info["index"].range == (1.0, 2.0)
    assert info["material"].names == ("vacuum", "slab")


def test_a_magnetic_material_has_the_index_of_both(backend) -> None:
    simulation = built(backend, Material(name="slab", permittivity=4.0, permeability=2.25))
    assert row(simulation, "index")[[0, 7]] == pytest.approx([1.0, 3.0], rel=1e-6)


def test_a_metal_by_drudes_formula(backend) -> None:
    simulation = built(backend, Material(name="metal", permittivity=2.0, poles=[Drude(plasma=150.0, damping=20.0)]))
    terahertz = 299.792458 / 4  # of a vacuum wavelength of 4 µm
    permittivity = 2.0 - 150.0**2 / (terahertz**2 + 20j * terahertz)
    assert row(simulation, "permittivity")[7] == pytest.approx(permittivity.real, rel=1e-6)
    assert row(simulation, "index")[7] == pytest.approx(np.sqrt(permittivity).real, rel=1e-6)


def test_no_value_in_a_conductor_and_a_smoothed_ball_is_in_between(backend) -> None:
    ball = Sphere(material="glass", center=(0.25, 0.4, 0.3), radius=0.2)
    materials = (Material(name="copper", perfect_conductor=True), Material(name="glass", permittivity=2.25))
    simulation = built(backend, *materials, objects=[ball, Box(material="copper", **HALF)], smoothing=True)
    values = row(simulation, "permittivity")
    assert np.isnan(values[5:]).all()
    assert values[1] == pytest.approx(2.25, rel=2e-3), "the voxels of some edges reach the surface"
    whole = simulation.field("permittivity").reshape(6, 8, 10)[:, :, :4]
    between = (whole > 1.01) & (whole < 2.24)
    assert between.sum() > 40, "the ball's surface is smoothed over cells"


def test_a_selection_has_means_of_its_cells_and_paint_is_seen(backend) -> None:
    simulation = built(backend, Material(name="slab", permittivity=4.0))
    chosen = simulation.select(Selection(np.array([244, 245, 247], np.int32), np.array([0, 2, 3], np.int32)))
    whole = simulation.field("permittivity")
    expected = [whole[[244, 245]].mean(), whole[247]]
    assert simulation.gather("permittivity", chosen) == pytest.approx(expected, rel=1e-6)
    simulation.paint(Dab("material", (0.75, 0.4, 0.3), 0.4, 0.0))
    assert simulation.gather("permittivity", chosen)[1] == pytest.approx(1.0, rel=1e-6)
