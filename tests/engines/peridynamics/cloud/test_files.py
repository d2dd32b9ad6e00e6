"""Points from tables and meshes, and what is refused."""

import meshio
import numpy as np
import pytest

from engines.api.errors import ProblemError
from engines.peridynamics.cloud.body import checked, cloud_body
from engines.peridynamics.cloud.files import Points, read_points
from engines.peridynamics.parameters import PointBody


def written(folder, text, name="points.csv"):
    path = folder / name
    path.write_text(text)
    return path


def test_columns_by_name_and_by_order(tmp_path):
    named = read_points(written(tmp_path, "material;y;x;volume\n2;1;0;8\n3;2;4;9\n"), 2, "cm")
    assert (named.positions == [[0, 10], [40, 20]]).all()
    assert np.allclose(named.volumes, [800, 900])
    assert (named.groups.numbers == [2, 3]).all()
    bare = read_points(written(tmp_path, "# points\n0 1 2\n3 4 5\n"), 3, "mm")
    assert (bare.positions == [[0, 1, 2], [3, 4, 5]]).all()
    assert bare.volumes is None


def test_a_mesh_of_tetrahedra_gives_centroids_and_volumes(tmp_path):
    corners = np.array([[0, 0, 0], [6, 0, 0], [0, 6, 0], [0, 0, 6], [6, 6, 6]], float)
    path = tmp_path / "two.vtu"
    meshio.Mesh(corners, [("tetra", [[0, 1, 2, 3], [1, 2, 3, 4]])]).write(path)
    found = read_points(path, 3, "mm")
    assert np.allclose(found.positions[0], 1.5)
    assert np.allclose(found.volumes, [36, 72])
    assert np.allclose(found.high, 6)


def test_a_mesh_of_triangles_gives_centroids_and_areas(tmp_path):
    path = tmp_path / "two.msh"
    corners = np.array([[0, 0, 0], [3, 0, 0], [3, 6, 0], [0, 6, 0]], float)
    meshio.Mesh(corners, [("triangle", [[0, 1, 2], [0, 3, 2]])]).write(path, file_format="gmsh22")
    found = read_points(path, 2, "mm")
    assert np.allclose(found.positions, [[2, 2], [1, 4]])
    assert np.allclose(found.volumes, 9)


def test_meshes_tell_their_groups(tmp_path):
    """Physical groups of triangles and of tetrahedra with their names, data of cells without; none of plain meshes."""
    corners = np.array([[0, 0, 0], [3, 0, 0], [3, 6, 0], [0, 6, 0], [3, 3, 5]], float)
    of_cells = {2: [("triangle", [[0, 1, 2]]), ("triangle", [[0, 3, 2]])], 3: [("tetra", [[0, 1, 2, 4], [0, 2, 3, 4]])]}
    for dimension, cells in of_cells.items():
        values = [np.array([4]), np.array([2])] if dimension == 2 else [np.array([4, 2])]
        named = meshio.Mesh(
            corners, cells, cell_data={"gmsh:physical": values, "gmsh:geometrical": values},
            field_data={"matrix": np.array([4, dimension]), "edge": np.array([2, 1])},
        )  # fmt: skip
        named.write(tmp_path / "named.msh", file_format="gmsh22", binary=False)
        groups = read_points(tmp_path / "named.msh", dimension, "mm").groups
        assert (groups.numbers == [4, 2]).all()
        assert groups.told == "2, 4 (matrix)"
        assert (groups.held("matrix") == [True, False]).all()
        assert (groups.held("2") == [False, True]).all()
        meshio.Mesh(corners, cells, cell_data={"material": values}).write(tmp_path / "numbered.vtu")
        assert (read_points(tmp_path / "numbered.vtu", dimension, "mm").groups.numbers == [4, 2]).all()
        meshio.Mesh(corners, cells).write(tmp_path / "plain.vtu")
        assert read_points(tmp_path / "plain.vtu", dimension, "mm").groups is None


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "is empty"),
        ("x,y,z\n", "no points"),
        ("x,y,weight\n0,0,1\n", "call them x, y, z, volume, material"),
        ("1,2\n", "has 2 columns"),
        ("x,y,z\n0,0,0\n1,2\n", "Row 3"),
        ("0,0,0\n1,2,red\n", "Row 2"),
        ("0,0,nan\n1,2,3\n", "Point 0"),
        ("0,0,0,1,1.5\n1,2,3,1,0\n", "whole numbers"),
    ],
)
def test_tables_that_are_none(tmp_path, text, said):
    with pytest.raises(ProblemError, match=said):
        read_points(written(tmp_path, text), 3, "mm")


def test_files_that_are_none(tmp_path):
    with pytest.raises(ProblemError, match="no file"):
        read_points(tmp_path / "none.csv", 3, "mm")
    with pytest.raises(ProblemError, match="choose a mesh"):
        cloud_body(PointBody(), 1.0, 3)
    with pytest.raises(ProblemError, match="cannot be read"):
        read_points(written(tmp_path, "", "points.png"), 3, "mm")


def cube(n=4):
    return np.stack(np.meshgrid(*[np.arange(float(n))] * 3, indexing="ij"), -1).reshape(-1, 3)


@pytest.mark.parametrize(
    ("change", "given", "said"),
    [
        (lambda p: np.concatenate([p, p[5:6] + 0.01]), {}, "Points 5 and 64 overlap: they are 0.0173 mm apart"),
        (lambda p: np.concatenate([p, p[:1] + 50]), {}, "Point 64 has no neighbour"),
        (lambda p: p, {"reach": 1.5}, "use 2 at least"),
        (lambda p: p, {"horizon": 1.9}, "use 2 at least"),
        (lambda p: p, {"horizon": 20.0}, "use 8 at most"),
        (lambda p: p[:3], {}, "no shape"),
    ],
)
def test_bodies_that_are_none(change, given, said):
    points = change(cube())
    with pytest.raises(ProblemError, match=said):
        checked(Points(points, None), 1.0, **{"reach": 3, **given})


def test_volumes_are_positive():
    volumes = np.ones(64)
    volumes[7] = -1
    with pytest.raises(ProblemError, match="volume of point 7 is -1"):
        checked(Points(cube(), volumes), 1.0, 3)


def test_a_body_is_the_same_object_until_its_file_changes(tmp_path):
    path = written(tmp_path, "\n".join(f"{x},{y},{z}" for x, y, z in cube()))
    body = PointBody(file=str(path))
    first = cloud_body(body, 1.0, 3)
    assert cloud_body(body, 1.0, 3) is first
    assert first.filled.counts == (4, 4, 4)
    assert (first.filled.cells == cube()).all()


def test_what_a_body_lacks_of_its_file_is_told(tmp_path):
    """Half a plate came without a word, and so did a body without its hexahedra."""
    corners = np.array([[0, 0, 0], [3, 0, 0], [3, 6, 0], [0, 6, 0], [6, 0, 0], [6, 6, 0], [0, 0, 3]], float)
    plane = [("triangle", [[0, 1, 2], [0, 2, 3]]), ("quad", [[1, 4, 5, 2]])]
    meshio.Mesh(corners, plane).write(tmp_path / "plate.msh", file_format="gmsh22")
    (told,) = read_points(tmp_path / "plate.msh", 2, "mm").findings
    assert told.message.startswith("Not taken: 1 quadrilateral, for a mesh is of triangles")
    corners = np.array([[x, y, z] for z in (0, 1) for y in (0, 1) for x in (0, 1)], float)
    corners = np.concatenate([corners, [[0.5, 0.5, 2]]])
    cells = [[0, 1, 2, 4], [3, 1, 2, 7], [5, 1, 4, 7], [6, 2, 4, 7], [1, 2, 4, 7]]
    solid = [("tetra", cells), ("pyramid", [[4, 5, 7, 6, 8]])]
    meshio.Mesh(corners, solid).write(tmp_path / "body.vtu")
    body = PointBody(file=str(tmp_path / "body.vtu"), formulation="3D", horizon=2.0)
    (found,) = cloud_body(body, 1.0, 3.0).findings
    assert found.message.startswith("Not taken: 1 pyramid, for a mesh is of tetrahedra")
