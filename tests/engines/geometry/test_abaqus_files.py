"""Abaqus's cards mean what its manual says: comments, sets and names in every legal form, and what lies elsewhere."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from engines.api.errors import MeshError
from engines.geometry.reading import read_mesh
from engines.peridynamics.cloud.files import read_points

CORNERS = ((0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0), (0, 0, 1), (1, 0, 1), (1, 1, 1), (0, 1, 1))
CELLS = ((1, 2, 4, 5), (2, 3, 4, 7), (2, 6, 7, 5), (4, 7, 8, 5), (2, 4, 5, 7))
"""A cube of five."""
NODES = "\n".join(f"{number}, {x}., {y}., {z}." for number, (x, y, z) in enumerate(CORNERS, 1))
HEAD = f"*NODE\n{NODES}\n"


def rows(*numbers: int) -> str:
    return "".join(f"{k}, {', '.join(map(str, CELLS[k - 1]))}\n" for k in numbers)


ALL = HEAD + "*ELEMENT, TYPE=C3D4\n" + rows(1, 2, 3, 4, 5)


def read(folder: Path, text: str) -> list[str]:
    """The region of each cell."""
    (folder / "a.inp").write_text(text)
    mesh = read_mesh(folder / "a.inp")
    assert mesh.volumes.sum() == pytest.approx(1.0)
    return [mesh.region_names[number] for number in mesh.regions]


@pytest.mark.parametrize(
    ("text", "regions"),
    [
        (ALL + "*ELSET, ELSET=A\n1, 2\n*ELSET, ELSET=B\n3, 4, 5\n", "AABBB"),
        (ALL + "*ELSET, ELSET=A\n1\n** more of it\n2\n*ELSET, ELSET=B\n3, 4, 5\n", "AABBB"),
        (ALL + "*ELSET, ELSET=A\n1\n*ELSET, ELSET=a\n2\n*ELSET, ELSET=B\n3, 4, 5\n", "AABBB"),
        (ALL + "*ELSET, ELSET=A, GENERATE\n1, 2\n*ELSET, ELSET=B, GENERATE\n3, 3, 1\n4, 5, 1\n", "AABBB"),
        (ALL + "*ELSET, ELSET=one\n1\n*ELSET, ELSET=A\none, 2\n*ELSET, ELSET=B\n3, 4, 5\n", ["one", "A", *"BBB"]),
        (ALL + "*ELSET, ELSET=A\n1, 2\n*ELSET, ELSET=_S1, INTERNAL\n1\n*ELSET, ELSET=B\n3, 4, 5\n", "AABBB"),
        (HEAD + "*ELEMENT, TYPE=C3D4, ELSET=A\n" + rows(1, 3, 2) + "*ELEMENT, TYPE=C3D4, ELSET=A\n" + rows(4)
         + "*ELEMENT, TYPE=C3D4, ELSET=B\n" + rows(5), "AAAAB"),
        (HEAD + "*ELEMENT, TYPE=S3\n11, 1, 2, 3\n*ELEMENT, TYPE=C3D4, ELSET=A\n" + rows(1, 2, 3)
         + "*ELEMENT, TYPE=C3D4, ELSET=B\n" + rows(4, 5), "AAABB"),
        (HEAD + "*ELEMENT, TYPE=C3D4\n" + rows(1, 2) + "*ELSET, ELSET=A\n1, 2\n*ELEMENT, TYPE=C3D4\n" + rows(3, 4, 5)
         + "*ELSET, ELSET=B\n3, 4, 5\n", "AABBB"),
        (HEAD + "*ELEMENT, TYPE=C3D4,\nELSET=A\n" + rows(1, 2) + "** the rest\n" + rows(3, 4, 5), "AAAAA"),
        (HEAD.lower() + "*element, type = dc3d4 , elset = \"A\"\n" + rows(1, 2, 3, 4, 5), "AAAAA"),
        (HEAD.replace("1., 1., 0.", "1.D0, +1.0E+00,").replace(", 0.\n", "\n") + "*ELEMENT, TYPE=C3D4, ELSET=A\n"
         + rows(1, 2, 3, 4, 5), "AAAAA"),
        (HEAD + "*ELEMENT, TYPE=C3D4\n" + rows(1, 2, 3, 4, 5).replace(", 5\n", ",\n5\n") + "*INSTANCE, NAME=P, PART=Q\n"
         "0., 0., 0.\n*END INSTANCE\n*ELSET, ELSET=A, INSTANCE=P\nP.1, 2, 3, 4, 5\n", "AAAAA"),
    ],
)  # fmt: skip
def test_sets_and_elements_are_those_of_the_cards(tmp_path: Path, text: str, regions: str | list[str]) -> None:
    """Elements behind a comment were lost, and sets of other blocks taken."""
    assert read(tmp_path, text) == list(regions)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (ALL.replace("*NODE", "*NODE, SYSTEM=C"), "cylindrical"),
        (ALL.replace("*NODE", "*NODE, INPUT=nodes.txt"), "includes other files"),
        (ALL + "*NGEN\n1, 8, 1\n", r"makes or moves its mesh by \*NGEN"),
        (ALL + "*INSTANCE, NAME=P-1, PART=P\n10., 0., 0.\n", "moves its part"),
        (ALL + "*INSTANCE, NAME=P-1, PART=P\n*INSTANCE, NAME=P-2, PART=P\n", "2 instances"),
        (ALL + "*ELSET, ELSET=A\nB\n*ELSET, ELSET=B\nA\n", "damaged"),
        (ALL + "*ELEMENT, TYPE=C3D27\n9, 1, 2\n", "solids of the type C3D27, which are not read"),
        (ALL + "*Element, type=sc8r\n9, 1, 2, 3, 4, 5, 6, 7, 8\n", "solids of the type SC8R"),
    ],
)
def test_what_lies_elsewhere_is_refused(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(MeshError, match=said):
        read(tmp_path, text)


def test_triangles_of_a_plane(tmp_path: Path) -> None:
    text = "*node\n1, 0, 0\n2, 1, 0\n3, 1, 1\n4, 0, 1\n*element, type=cps3\n1, 1, 2, 3\n** and\n2, 1, 3, 4\n"
    (tmp_path / "a.inp").write_text(text)
    np.testing.assert_allclose(read_points(tmp_path / "a.inp", 2, "mm").volumes, [0.5, 0.5])
