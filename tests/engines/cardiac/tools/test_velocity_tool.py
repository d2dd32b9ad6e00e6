"""Conductivities tuned to a velocity: the tuned ones conduct as wanted in another strand, measured another way."""

import numpy as np
import pytest

from engines.api import Problem
from engines.api.errors import ProblemError
from engines.cardiac.engine import CardiacEngine
from engines.cardiac.parameters import Box, CardiacParameters, Numerics, RegionSetting, Stimulus
from engines.cardiac.tools.strand import Strand, front_velocity
from engines.cardiac.tools.velocity import TuneVelocity, VelocityParameters, typical_spacing
from engines.geometry.meshes.box import box_mesh

SPACING = 0.5


@pytest.fixture(scope="module")
def tuned(cpu):
    """The tool's answer for a small block at 0.5 mm."""
    mesh = box_mesh((8, 4, 4), (4.0, 2.0, 2.0), jitter=0.1)
    parameters = CardiacParameters(regions=[RegionSetting(region="tissue", cell_type="endo", conductivity_scale=3.0)])
    told = []
    result = TuneVelocity().run(
        Problem(parameters, mesh), VelocityParameters(), cpu, lambda text, fraction: told.append((text, fraction))
    )
    return parameters, result, told


def arrival(cpu, parameters, fibre, counts):
    """Velocity [m/s] between two cells of a block of other size and without jitter, from their activation alone."""
    mesh = box_mesh(counts, [SPACING * n for n in counts], fibre=fibre)
    site = Box(lower=(-1, -1, -1), upper=(1.5, 99, 99))
    woken = parameters.model_copy(
        update={"regions": [RegionSetting(region="tissue", cell_type="endo")], "stimuli": [Stimulus(site=site)]}
    )
    simulation = CardiacEngine().build(Problem(woken, mesh), cpu)
    middle = SPACING * np.array(counts) / 2
    first, last = (mesh.nearest([[part * 2 * middle[0], middle[1], middle[2]]])[0] for part in (0.4, 0.85))
    while simulation.time < 70.0 and simulation.field("activation")[last] < 0:
        simulation.advance(50)
    activation = simulation.field("activation")
    simulation.close()
    return float((mesh.centroids[last, 0] - mesh.centroids[first, 0]) / (activation[last] - activation[first]))


def test_the_tuned_conductivities_conduct_as_wanted(tuned, cpu):
    """In a thicker, longer, regular block, between two cells: 3 %, for tuning leaves 1 %, and one cell's activation on
    a mesh of 0.5 mm lies up to half an edge (2 % of the way between the two cells) beside the front's mean."""
    parameters, result, _ = tuned
    new = parameters.model_copy(update={"tissue": result.parameters.tissue})
    assert arrival(cpu, new, (1, 0, 0), (36, 4, 3)) == pytest.approx(0.6, rel=0.03)
    assert arrival(cpu, new, (0, 1, 0), (28, 4, 3)) == pytest.approx(0.25, rel=0.03)
    assert arrival(cpu, parameters, (1, 0, 0), (24, 4, 3)) < 0.55  # it was slower before


def test_only_the_tissue_changes_and_both_sides_by_one_factor(tuned):
    parameters, result, _ = tuned
    old, new = parameters.tissue, result.parameters.tissue
    assert new.sigma_il / old.sigma_il == pytest.approx(new.sigma_el / old.sigma_el, rel=1e-3)  # four digits are kept
    assert new.sigma_it / old.sigma_it == pytest.approx(new.sigma_et / old.sigma_et, rel=1e-3)
    assert result.parameters.model_copy(update={"tissue": old}) == parameters
    assert result.geometry is None
    along, across = result.charts[0][1].curves
    assert np.abs(along.y - 0.6).min() < 0.006, "the tuned one is among them"
    assert np.abs(across.y - 0.25).min() < 0.0025
    assert (np.diff(along.x) > 0).all()
    assert "0.6" in result.message


def test_progress_grows_and_is_told_often(tuned):
    _, _, told = tuned
    fractions = [fraction for _, fraction in told]
    assert len(told) > 40
    assert 0.0 <= min(fractions) <= max(fractions) <= 1.0
    assert any("across the fibres" in text for text, _ in told)


def test_velocity_grows_about_with_the_root_of_the_conductivity(cpu):
    """On a fine strand, where the scheme has little say: the exponent of v ∝ σ^p is 0.5 in the cable equation."""
    parameters = CardiacParameters(numerics=Numerics(step=0.01))
    faster = parameters.model_copy(update={"conductivity_scale": 2.0})
    velocities = [front_velocity(Strand(each, None, 0.25), 0.6, cpu) for each in (parameters, faster)]
    # 0.25 mm is a little coarse for the slower front (table of the slab in the README).
    assert np.log2(velocities[1] / velocities[0]) == pytest.approx(0.5, abs=0.07)


def test_a_step_that_is_too_long_and_a_region_that_is_not_there_are_sentences(cpu):
    tool, mesh = TuneVelocity(), box_mesh((4, 3, 3), (0.4, 0.3, 0.3))
    long = CardiacParameters(numerics=Numerics(step=0.1))
    with pytest.raises(ProblemError, match=r"needs a time step below 0\.1 ms: set it to 0"):
        tool.run(Problem(long, mesh), VelocityParameters(along=3.0, across=None, spacing=0.1), cpu)
    with pytest.raises(ProblemError, match="no region 'scar'; its regions are: tissue"):
        tool.run(Problem(long, mesh), VelocityParameters(region="scar"), cpu)
    bare = box_mesh((4, 3, 3), (2.0, 1.5, 1.5), fibre=None)
    assert tool.defaults(Problem(long, bare)).across is None
    with pytest.raises(ProblemError, match="has no fibres"):
        tool.run(Problem(long, bare), VelocityParameters(), cpu)


def test_the_spacing_is_the_edge_of_the_cubes():
    assert typical_spacing(box_mesh((4, 3, 3), (1.2, 0.9, 0.9))) == pytest.approx(0.3)


def test_what_its_owner_raises_ends_it(cpu):
    class Enough(Exception):
        pass

    def progress(text, fraction):
        if fraction > 0.1:
            raise Enough

    with pytest.raises(Enough):
        TuneVelocity().run(
            Problem(CardiacParameters(), box_mesh((6, 3, 3), (3, 1.5, 1.5))), VelocityParameters(), cpu, progress
        )
