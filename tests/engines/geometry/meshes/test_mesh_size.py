"""What is said of a mesh whose size is no heart's in the unit that it was read in."""

from __future__ import annotations

import numpy as np
import pytest

from engines.geometry.meshes.sizes import UNITS, body_choices, length_text, size_text, unit_choices
from engines.geometry.raw import RawMesh
from engines.geometry.reading import checked
from tests.engines.geometry.cups import OUTER, cup


@pytest.fixture(scope="module")
def heart():
    return cup(across=12, through=3)


def read(heart, size: float, unit: str):
    """The heart, ``size`` mm wide in truth, whose file is in ``mm`` and read in ``unit``."""
    raw = RawMesh(heart.points * size / (2.0 * OUTER), heart.cells.astype(np.int64))
    return [finding for finding in checked(raw, "heart.vtu", unit).findings if "heart" in finding.message]


@pytest.mark.parametrize("file", ["um", "mm", "cm", "m"])
@pytest.mark.parametrize("chosen", ["um", "mm", "cm", "m"])
def test_a_human_heart_in_a_wrong_unit_is_asked_after(heart, file, chosen):
    """All directions: the remedy names the unit that the file is in; nothing is said where it is chosen."""
    found = read(heart, 100.0 / UNITS[file], chosen)
    if file == chosen:
        assert found == []
        return
    (finding,) = found
    assert finding.severity == "warning"
    assert f"in {file.replace('um', 'µm')} a heart of 100 mm" in finding.message
    assert finding.remedy is not None
    assert finding.remedy.length_unit == file


def test_a_heart_in_centimetres_is_told_what_each_unit_would_mean(heart):
    """It was a heart of 2.5 mm without a word."""
    (finding,) = read(heart, 2.5, "mm")
    assert finding.message.startswith(
        "Its coordinates read in mm, the mesh is a heart of 2.5 × 2.5 × 1.25 mm, smaller than a mouse's; it would be "
        "in µm a heart of 0.0025 mm, in cm a heart of 25 mm, and in m a heart of 2,500 mm."
    )
    assert finding.remedy.length_unit == "cm"


@pytest.mark.parametrize(("size", "said"), [(8.0, "a mouse's"), (14.0, "a rat's"), (600.0, "larger than a horse's")])
def test_small_animals_hearts_are_asked_after(heart, size, said):
    (finding,) = read(heart, size, "mm")
    assert said in finding.message


@pytest.mark.parametrize("size", [25.0, 60.0, 120.0, 240.0])
def test_hearts_from_a_rabbits_on_are_not(heart, size):
    assert read(heart, size, "mm") == []


def choices(points, cells: int, volume: float, unit: str):
    found, proposed = unit_choices(points, volume, cells, unit)
    return {each.unit: each for each in found}, proposed


@pytest.mark.parametrize("file", ["um", "mm", "cm", "m"])
@pytest.mark.parametrize("chosen", ["um", "mm", "cm", "m"])
def test_what_a_heart_would_be_in_each_unit_and_which_is_likely(heart, file, chosen):
    """A heart of 100 mm: 100 mm in the unit of its file whatever unit it was read in, which is proposed."""
    points = heart.points * (100.0 / (2 * OUTER)) / UNITS[file] * UNITS[chosen]
    scale = float(np.ptp(points[:, 0])) / (2 * OUTER)
    found, proposed = choices(points, heart.n_cells, float(heart.volumes.sum()) * scale**3, chosen)
    assert proposed == file
    assert found[file].means == "a heart of 100 mm"
    assert found[file].plausible
    assert not found[file].remark
    for unit, each in found.items():
        length = 100.0 * UNITS[unit] / UNITS[file]
        assert each.plausible == (4.0 <= length <= 250.0)
        assert bool(each.remark) == (length < 20 or length > 250)


def test_a_slab_is_a_piece_of_tissue_and_a_usual_unit_stays():
    corners = np.array([[0.0, 0, 0], [20.0, 7.0, 3.0]])
    found, proposed = choices(corners, 6, 420.0, "mm")
    assert proposed == "mm"
    assert found["mm"].means == "a piece of tissue of 20 × 7 × 3 mm"
    assert found["um"].means == "a piece of tissue of 20 × 7 × 3 µm"
    assert found["m"].means == "a piece of tissue of 20 × 7 × 3 m"
    assert not found["m"].plausible
    assert found["m"].remark == "unusual for tissue"
    _, proposed = choices(1e3 * corners, 6, 420e9, "mm")
    assert proposed == "um"


def test_sizes_are_told_in_the_unit_of_the_longest():
    assert size_text(np.array([0.5, 120.0, 30.25])) == "0.5 × 120 × 30.2 mm"
    assert size_text(np.array([2e-6, 4e-5, 8e-5])) == "2 × 40 × 80 nm"
    assert length_text(1234.0) == "1.23 m"
    assert [each.means for each in body_choices(np.array([20.0, 10.0, 5.0]))] == [
        "a body of 20 × 10 × 5 µm",
        "a body of 20 × 10 × 5 mm",
        "a body of 200 × 100 × 50 mm",
        "a body of 20 × 10 × 5 m",
    ]
