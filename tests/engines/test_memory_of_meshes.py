"""What is derived from a geometry and kept does not keep the geometry: it goes with the document that it belongs to."""

import gc
import weakref
from functools import partial

import pytest

from engines.api import Problem
from engines.backend.devices.select import open_backend
from engines.cardiac.engine import CardiacEngine
from engines.cardiac.parameters import CardiacParameters, Numerics
from engines.cardiac.tissue.operator import tissue_operator
from engines.geometry.meshes.box import box_mesh
from engines.peridynamics.body import cutting, filling
from engines.peridynamics.body.cutting import idle_notches
from engines.peridynamics.parameters import PeridynamicParameters

make_mesh = partial(box_mesh, (4, 4, 4), (2.0, 2.0, 2.0))


@pytest.mark.parametrize("discretisation", ["cell-centred", "vertex-centred (P1)"])
def test_a_mesh_that_was_estimated_goes_when_nobody_holds_it(discretisation):
    backend, mesh = open_backend("cpu"), make_mesh()
    parameters = CardiacParameters(numerics=Numerics(step=0.005, discretisation=discretisation))
    CardiacEngine().estimate(Problem(parameters, mesh), backend)
    gone = weakref.ref(mesh)
    del mesh
    gc.collect()
    assert gone() is None


@pytest.mark.parametrize("discretisation", ["cell-centred", "vertex-centred (P1)"])
def test_an_operator_is_assembled_once_whoever_held_it_before(discretisation):
    mesh, parameters = make_mesh(), CardiacParameters(numerics=Numerics(step=0.005, discretisation=discretisation))
    first = tissue_operator(mesh, parameters)
    assert tissue_operator(mesh, parameters) is first
    matrix, sites = first.matrix, first.sites
    del first
    gc.collect()
    again = tissue_operator(mesh, parameters)
    assert again.matrix is matrix
    assert again.sites is sites


def test_bodies_that_were_looked_at_for_idle_notches_go_with_the_kept_ones():
    """Notches are looked at for each spacing that is tried; only the latest few bodies are kept."""
    gone = []
    for step in range(12):
        values = PeridynamicParameters().model_dump(mode="json")
        values["bonds"]["spacing"] = 1.0 + 0.01 * step
        values["notches"] = values["notches"] or [{"kind": "line"}]
        parameters = PeridynamicParameters.model_validate(values)
        idle_notches(parameters)
        gone.append(weakref.ref(filling.filled(parameters)))
    filling._filled.cache_clear()
    cutting._laid_out.cache_clear()
    del parameters
    gc.collect()
    assert len(gone) == 12
    assert [each for each in gone if each() is not None] == []
