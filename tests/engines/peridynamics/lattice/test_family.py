"""Families, calibration and dispersion: exact sums over the lattice."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from engines.peridynamics.body.cuts import Cut
from engines.peridynamics.lattice.family import WORD, family
from engines.peridynamics.lattice.layout import Layout
from engines.peridynamics.material.brittle import Lattice
from engines.peridynamics.material.influence import INFLUENCES


def lattice(dimensions=2, reach=3, formulation="plane stress") -> Lattice:
    return Lattice(family(dimensions, reach), formulation, 72e9, 2440.0, 3.8, 1e-3 / 3, 1e-3)


@pytest.mark.parametrize(
    ("dimensions", "reach", "bonds", "ratio"), [(2, 3, 28, 1.0409), (2, 4, 48, 0.9624), (3, 3, 122, 1.1208)]
)
def test_the_published_sums(dimensions, reach, bonds, ratio):
    """Dilation energy of the lattice over that of the continuum, to the four digits known."""
    found = lattice(dimensions, reach, "3D" if dimensions == 3 else "plane stress")
    assert found.family.bonds == bonds
    assert found.lattice_ratio == pytest.approx(ratio, abs=5e-5)


@pytest.mark.parametrize(("dimensions", "reach"), [(1, 3), (2, 2), (2, 4), (3, 2), (3, 3)])
def test_orbits_do_not_straddle_words(dimensions, reach):
    kin = family(dimensions, reach)
    bit = 0
    for count, size in zip(kin.orbits, (8, 4, 2), strict=True):
        for _ in range(count):
            assert len({tuple(row) for row in np.abs(kin.offsets[bit : bit + size])}) == 1
            assert bit // WORD == (bit + size - 1) // WORD
            bit += size
    assert bit == kin.bonds
    assert (kin.offsets[kin.opposite()] == -kin.offsets).all()


@pytest.mark.parametrize(("wave", "speed"), [(1, 1.1231), (2, 1.0337), (3, 0.9021)])
def test_dispersion_in_one_dimension(wave, speed):
    """c/c0 of a bar with the continuum's micromodulus 2E/Aδ²: ω² = (c V/ρ) Σ 2 (1 − cos kξ)/|ξ|, published digits."""
    kin = family(1, 3)
    k = wave / kin.reach
    square = 2 / kin.reach**2 * ((1 - np.cos(k * kin.offsets[:, 0])) / kin.lengths).sum()
    assert math.sqrt(square) / k == pytest.approx(speed, abs=5e-5)


@pytest.mark.parametrize(("dimensions", "formulation"), [(2, "plane stress"), (2, "plane strain"), (3, "3D")])
def test_the_step_is_stable_for_every_wave(dimensions, formulation):
    """The largest frequency of the lattice, found over a grid of wave vectors, is below 2/dt and close to it."""
    found = lattice(dimensions, 3, formulation)
    offsets = found.family.offsets[:, :dimensions]
    waves = np.linspace(-math.pi, math.pi, 17)
    n = offsets / found.family.lengths[:, None]
    largest = 0.0
    for wave in np.stack(np.meshgrid(*[waves] * dimensions), axis=-1).reshape(-1, dimensions):
        weights = (1 - np.cos(offsets @ wave)) / found.family.lengths
        largest = max(largest, np.linalg.eigvalsh((n.T * weights) @ n)[-1])
    # dt² K(1 s) λ <= 4 for leapfrog, with Σ over both of ±ξ and 1 − cos
    ratio = math.sqrt(largest * found.stiffness(found.stable_step)) / 2
    assert 0.7 < ratio <= 1


def test_places_and_steps_agree():
    kin, layout = family(3, 2), Layout((5, 4, 3), 2, 3)
    cells = np.stack(np.meshgrid(*map(np.arange, layout.counts), indexing="ij"), axis=-1).reshape(-1, 3)
    places = layout.places(cells)
    known = {tuple(cell): place for cell, place in zip(cells, places, strict=True)}
    assert len(set(known.values())) == len(cells)
    taken = set(places.tolist())
    for offset, step in zip(kin.offsets, layout.steps(kin.offsets), strict=True):
        for cell, place in known.items():
            there = tuple(np.array(cell) + offset)
            assert 0 <= place + step < layout.size
            # a neighbour that does not exist is a place that nobody else has
            assert (place + step == known[there]) if there in known else (place + step not in taken)


def test_a_cut_ends_where_it_ends():
    cut = Cut(np.array([0.0, 0.5]), np.array([[2.0, 0.0]]))
    first = np.array([[0.0, 0.0], [2.0, 0.0], [3.0, 0.0], [1.5, 0.0], [1.0, 1.0], [1.0, 0.0]])
    second = np.array([[0.0, 1.0], [2.0, 1.0], [3.0, 1.0], [3.0, 1.0], [3.0, 1.0], [1.0, -1.0]])
    assert cut.crosses(first, second).tolist() == [True, True, False, False, False, False]
    assert (cut.crosses(first, second) == cut.crosses(second, first)).all()


def test_particles_on_a_cut_belong_to_one_side():
    cut = Cut(np.array([0.0, 0.0]), np.array([[4.0, 0.0]]))
    points = np.array([[2.0, 0.0], [2.0, 0.0], [1.0, 0.0]])
    others = np.array([[2.0, 1.0], [2.0, -1.0], [3.0, 0.0]])
    assert cut.crosses(points, others).tolist() == [False, True, False]


def test_a_parallelogram_in_space():
    cut = Cut(np.array([0.0, 0.5, 0.0]), np.array([[2.0, 0.0, 0.0], [0.0, 0.0, 2.0]]))
    first = np.array([[1.0, 0.0, 1.0], [1.0, 0.0, 2.0], [1.0, 0.0, 3.0], [1.0, 0.0, 1.0]])
    second = np.array([[1.0, 1.0, 1.0], [1.0, 1.0, 2.0], [1.0, 1.0, 3.0], [1.0, 1.0, 4.0]])
    assert cut.crosses(first, second).tolist() == [True, True, False, False]


@pytest.mark.parametrize(
    ("name", "stiffness", "stretch"),
    [
        # ∫ w r² dr of 1, 1/4 and 8/105 over 1/3; ∫ w r³ dr of 1/4, 1/20 and 1/24
        ("constant", 9, 4 * math.pi / 9),
        ("triangular", 36, 4 * math.pi / 36 * 5),
        ("quartic", 315 / 8, 4 * math.pi / (315 / 8) * 6),
    ],
)
def test_closed_forms_of_influence_functions(name, stiffness, stretch):
    """c tδ³π/E and s₀² Eδ/G₀ in plane stress: s₀² = G₀/(c t ∫ w r³ dr δ⁴)."""
    found = replace(lattice(), influence=INFLUENCES[name])
    E, horizon = found.young, found.horizon
    unit = E / (math.pi * found.thickness * horizon**3)
    assert found.continuum_micromodulus == pytest.approx(stiffness * unit, rel=1e-12)
    assert found.critical_stretch**2 * E * horizon / found.fracture_energy == pytest.approx(stretch, rel=1e-12)


@pytest.mark.parametrize("name", INFLUENCES)
@pytest.mark.parametrize("partial", [False, True])
@pytest.mark.parametrize(("dimensions", "formulation"), [(2, "plane stress"), (3, "3D")])
def test_moduli_and_cracks_of_weighted_lattices(dimensions, formulation, partial, name):
    """Energy of dilation of the lattice to 1e-6, as VERIFICATION asks, and the work of the bonds that a crack along it
    cuts, counted one by one over rows below it."""
    found = replace(
        lattice(dimensions, 3, formulation), influence=INFLUENCES[name], partial_volumes=partial, lattice_crack=True
    )
    if dimensions == 3:
        found = replace(found, thickness=found.spacing)
    kin, V = found.family, found.volume
    bonds = 0.5 * found.micromodulus * found.weights * kin.lengths * found.spacing * V
    E, poisson = found.young, 1 / 3 if dimensions == 2 else 1 / 4
    wanted = E / (1 - poisson) if dimensions == 2 else 1.5 * E / (1 - 2 * poisson)
    assert 0.5 * bonds.sum() == pytest.approx(wanted, rel=1e-6)
    area = V / found.spacing
    cut = sum(bonds[kin.offsets[:, 1] > row].sum() * V for row in range(kin.reach))
    assert cut * found.critical_stretch**2 / area == pytest.approx(found.fracture_energy, rel=1e-12)
    assert found.critical_stretch == pytest.approx(replace(found, lattice_crack=False).critical_stretch, rel=0.15)
