"""Fields on spheres as .vtu, read back by meshio."""

from __future__ import annotations

import meshio
import numpy as np

from engines.api import FieldInfo
from engines.geometry.particles import Particles
from workbench.export.formats import format_of, split_by_location


def test_spheres_are_vertices_with_a_radius(tmp_path):
    spheres = Particles(np.random.default_rng(0).normal(size=(7, 3)), np.arange(1.0, 8.0))
    fields = (
        FieldInfo("profile", "Profile", "1", "point", (0, 1), components=4),
        FieldInfo("flux", "Flux", "A/m²", "cell", (0, 1)),
    )
    values = {"profile": np.arange(28, dtype=np.float32).reshape(7, 4), "flux": np.linspace(0, 1, 7)}
    chosen = format_of(spheres)
    assert chosen.suffix == ".vtu"
    chosen.writer(spheres).write(tmp_path / "spheres.vtu", *split_by_location(fields, values))
    read = meshio.read(tmp_path / "spheres.vtu")
    assert (read.points == spheres.positions).all()
    assert (read.cells_dict["vertex"].ravel() == np.arange(7)).all()
    assert (read.point_data["radius [um]"] == spheres.radii).all()
    assert (read.point_data["profile [1]"] == values["profile"]).all()
    assert (read.point_data["flux [A/m²]"] == values["flux"]).all()
