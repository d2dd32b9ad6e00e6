"""What is said of a mesh whose size is no heart's in the unit that it was read in."""

from __future__ import annotations

import numpy as np
import pytest

from engines.geometry.meshes.check import UNITS
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
    assert f"in {file} a heart of 100 mm" in finding.message
    assert finding.remedy is not None
    assert finding.remedy.length_unit == file


def test_a_heart_in_centimetres_is_told_what_each_unit_would_mean(heart):
    """It was a heart of 2.5 mm without a word."""
    (finding,) = read(heart, 2.5, "mm")
    assert finding.message.startswith(
        "Its coordinates read in mm, the mesh is a heart of 2.5 × 2.5 × 1.25 mm, smaller than a mouse's; it would be "
        "in um a heart of 0.0025 mm, in cm a heart of 25 mm, and in m a heart of 2,500 mm."
    )
    assert finding.remedy.length_unit == "cm"


@pytest.mark.parametrize(("size", "said"), [(8.0, "a mouse's"), (14.0, "a rat's"), (600.0, "larger than a horse's")])
def test_small_animals_hearts_are_asked_after(heart, size, said):
    (finding,) = read(heart, size, "mm")
    assert said in finding.message


@pytest.mark.parametrize("size", [25.0, 60.0, 120.0, 240.0])
def test_hearts_from_a_rabbits_on_are_not(heart, size):
    assert read(heart, size, "mm") == []
