"""Shape measures of cells whose shape is known."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from engines.geometry.meshes.orient import signed_thickness
from engines.geometry.meshes.quality import measure_quality

REGULAR = np.array([[1, 1, 1], [1, -1, -1], [-1, 1, -1], [-1, -1, 1]], float)
CORNER = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], float)
CELL = np.array([[0, 1, 2, 3]], np.int32)


@pytest.fixture(scope="module", autouse=True)
def compiled() -> None:
    """Before an example is timed."""
    measure_quality(oriented(CORNER), CELL)


def oriented(points: np.ndarray) -> np.ndarray:
    return points if signed_thickness(points, CELL)[0] > 0 else points[[1, 0, 2, 3]]


@given(st.floats(1e-3, 1e3), st.integers(0, 2**31))
def test_a_regular_cell_at_any_size_and_attitude(size: float, seed: int) -> None:
    turn = Rotation.random(rng=np.random.default_rng(seed)).as_matrix()
    quality = measure_quality(oriented(size * REGULAR @ turn.T), CELL)
    # float32 results: half an ulp of 1 is 6e-8; the rest is room for the rotation's round-off
    assert quality.mean_ratio[0] == pytest.approx(1.0, abs=1e-6)
    assert quality.min_dihedral[0] == pytest.approx(np.degrees(np.arccos(1 / 3)), rel=1e-6)
    assert quality.shortest[0] == pytest.approx(size * np.sqrt(8), rel=1e-6)
    assert quality.longest[0] == pytest.approx(size * np.sqrt(8), rel=1e-6)


def test_the_corner_of_a_cube() -> None:
    quality = measure_quality(CORNER, CELL)
    # V = 1/6, Σl² = 3·1 + 3·2; angles 90° at the three edges of the corner, arccos(1/√3) at the others
    assert quality.mean_ratio[0] == pytest.approx(12 * 0.5 ** (2 / 3) / 9, rel=1e-6)
    assert quality.min_dihedral[0] == pytest.approx(np.degrees(np.arccos(1 / np.sqrt(3))), rel=1e-6)


def test_slivers_come_worst_first() -> None:
    heights = np.array([0.5, 0.01, 0.001])
    points = np.concatenate([np.array([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, h]]) for h in heights])
    quality = measure_quality(points, np.arange(12).reshape(3, 4))
    np.testing.assert_array_equal(quality.slivers, [2, 1])
    assert quality.worst_cell == 2
    assert "2 of 3 cells are slivers" in quality.findings()[0].message
    assert "worst (cell 2)" in quality.summary().replace("\n", " ")


def test_a_flat_cell_has_quality_zero() -> None:
    quality = measure_quality(np.array([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]], float), CELL)
    assert quality.mean_ratio[0] == 0
    assert quality.min_dihedral[0] == 0
