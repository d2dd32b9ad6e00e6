"""Data and groups of Gmsh files belong to the nodes and elements that their numbers name."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from engines.api.errors import MeshError
from engines.geometry.readers.meshio_files import read_with_meshio
from engines.geometry.reading import read_mesh

MESHES = Path(__file__).parents[2] / "data" / "meshes"
TEXT = MESHES / "gmsh_2.2_ascii.msh"
"""Of the same mesh, with the same numbers, as the others."""


def rows_of(section: str) -> list[list[float]]:
    lines = TEXT.read_text().split(f"${section}\n")[1].splitlines()
    return [[float(word) for word in line.split()] for line in lines[1 : 1 + int(lines[0])]]


def places(section: str) -> dict[tuple[float, ...], int]:
    """The number of the node at a place, or of the tetrahedron with that middle."""
    nodes = {int(number): np.array(place) for number, *place in rows_of("Nodes")}
    if section == "NodeData":
        return {tuple(place.round(6)): number for number, place in nodes.items()}
    solids = [row for row in rows_of("Elements") if row[1] == 4]
    return {tuple(np.mean([nodes[int(n)] for n in row[-4:]], axis=0).round(6)): int(row[0]) for row in solids}


@pytest.mark.parametrize("section", ["NodeData", "ElementData"])
@pytest.mark.parametrize("path", sorted(MESHES.glob("*.msh")), ids=lambda p: p.name)
def test_data_are_those_of_their_numbers(tmp_path: Path, path: Path, section: str) -> None:
    """They were taken in the order of the file, and a file with data of some, or a binary one, was damaged."""
    known = places(section)
    rows = np.zeros(len(known) - 1, [("number", "<i4"), ("values", "<f8", 2)])  # one is without
    rows["number"] = np.random.default_rng(1).permutation(sorted(known.values())[:-1])
    rows["values"] = np.stack([rows["number"], -rows["number"]], axis=1)
    text = "".join(f"{number} {x} {y}\n" for number, (x, y) in rows.tolist())
    data = rows.tobytes() + b"\n" if "binary" in path.name else text.encode()
    head, end = f'\n${section}\n1\n"own"\n1\n0.0\n3\n0\n2\n{len(rows)}\n', f"$End{section}\n"
    (tmp_path / "a.msh").write_bytes(path.read_bytes() + head.encode() + data + end.encode())
    raw = read_with_meshio(tmp_path / "a.msh")
    middles = raw.points if section == "NodeData" else raw.points[raw.cells].mean(axis=1)
    expected = np.array([known[tuple(place.round(6))] for place in middles], float)
    expected[expected == max(known.values())] = np.nan
    found = raw.point_data["own"] if section == "NodeData" else raw.cell_data["own"]
    np.testing.assert_array_equal(found, np.stack([expected, -expected], axis=1))


@pytest.mark.parametrize("wrong", ["999999999", "-1"])
def test_a_number_of_tags_that_no_file_has_takes_no_time(tmp_path: Path, wrong: str) -> None:
    """So many lines were read beyond the end of the file."""
    (tmp_path / "a.msh").write_text(
        f'{TEXT.read_text()}\n$NodeData\n{wrong}\n"own"\n1\n0.0\n3\n0\n1\n0\n$EndNodeData\n'
    )
    with pytest.raises(MeshError, match="damaged"):
        read_mesh(tmp_path / "a.msh")


@pytest.mark.parametrize(
    ("first", "second", "names", "told"),
    [
        ("1 1", "1 7", ["heart", "heart", "scar"], ""),
        ("1 1", "0", ["heart", "heart", "region 0"], ""),  # as Mesh.SaveAll writes it
        ("0", "1 7", ["region 0", "region 0", "scar"], ""),
        ("2 1 7", "1 7", ["heart", "heart", "scar"], "of several physical groups (1)"),
    ],
)
def test_groups_of_entities(tmp_path: Path, first: str, second: str, names: list[str], told: str) -> None:
    """A file with an entity of no group was damaged, and of several the first was taken without a word."""
    text = (
        '$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$PhysicalNames\n2\n3 1 "heart"\n3 7 "scar"\n$EndPhysicalNames\n'
        f"$Entities\n0 0 0 2\n1 0 0 0 1 1 1 {first} 0\n2 0 0 0 1 1 1 {second} 0\n$EndEntities\n"
        "$Nodes\n1 6 1 6\n3 1 0 6\n1\n2\n3\n4\n5\n6\n0 0 0\n1 0 0\n0 1 0\n0 0 1\n1 1 1\n2 1 1\n$EndNodes\n"
        "$Elements\n2 3 1 3\n3 1 4 2\n1 1 2 3 4\n2 2 3 4 5\n3 2 4 1\n3 2 3 5 6\n$EndElements\n"
    )
    (tmp_path / "a.msh").write_text(text)
    mesh = read_mesh(tmp_path / "a.msh")
    assert [mesh.region_names[number] for number in mesh.regions] == names
    found = [each.message for each in mesh.findings if "physical groups" in each.message]
    assert len(found) == bool(told)
    assert all(told in each for each in found)


def test_a_cell_of_two_groups_of_an_old_file(tmp_path: Path) -> None:
    """Version 2 has such a cell twice; that it is of the first alone was not told."""
    cells = "1 4 2 1 1 1 2 3 4\n2 4 2 1 1 2 3 4 5\n3 4 2 7 1 2 3 4 5\n"
    (tmp_path / "a.msh").write_text(
        '$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\n2\n3 1 "heart"\n3 7 "scar"\n$EndPhysicalNames\n'
        "$Nodes\n5\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n5 1 1 1\n$EndNodes\n"
        f"$Elements\n3\n{cells}$EndElements\n"
    )
    told = [each.message for each in read_mesh(tmp_path / "a.msh").findings]
    assert any("stood in the file twice" in each and "no longer of 'scar'" in each for each in told)


PARTS = sorted((MESHES.parent / "gmsh_parts").glob("*.msh"))


@pytest.mark.parametrize("path", PARTS, ids=lambda path: path.stem)
def test_parts_of_a_mesh_belong_to_what_they_are_parts_of(path: Path) -> None:
    """Boxes of 1 and 2 mm³ in three parts, and version 4.0, which Gmsh calls 4: they were damaged, of whom none was."""
    mesh = read_mesh(path)
    named = "without_groups" not in path.name
    left, right = ("left", "right") if named else ("region 1", "region 2")
    assert sorted(mesh.region_names.values()) == [left, right]
    corners = mesh.points[mesh.cells]
    volumes = np.linalg.det(corners[:, 1:] - corners[:, :1]) / 6
    assert volumes.sum() == pytest.approx(3.0)
    names = np.array([mesh.region_names[number] for number in mesh.regions])
    np.testing.assert_array_equal(names, np.where(corners.mean(axis=1)[:, 0] < 1, left, right))


def test_version_4_is_told_by_its_nodes(tmp_path: Path) -> None:
    """Others call 4.1 so."""
    for path in (MESHES / "gmsh_4.1_ascii.msh", MESHES / "gmsh_4.1_binary.msh"):
        (tmp_path / path.name).write_bytes(path.read_bytes().replace(b"4.1 ", b"4 ", 1))
        found, known = read_with_meshio(tmp_path / path.name), read_with_meshio(path)
        np.testing.assert_array_equal(found.cells, known.cells)
        np.testing.assert_array_equal(found.cell_data["gmsh:physical"], known.cell_data["gmsh:physical"])


def test_entities_of_parts_that_end_early_are_damaged(tmp_path: Path) -> None:
    whole = (MESHES.parent / "gmsh_parts" / "4.1_binary.msh").read_bytes()
    begin = whole.index(b"$PartitionedEntities") + len(b"$PartitionedEntities\n")
    for content in (whole[: begin + 100], whole[:begin] + b"\xff" * 64 + whole[begin + 64 :]):
        (tmp_path / "a.msh").write_bytes(content)
        with pytest.raises(MeshError, match="damaged"):
            read_mesh(tmp_path / "a.msh")
