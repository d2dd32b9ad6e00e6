"""What is told of a mesh or a surface: on the terminal, and as the values that the import page shows."""

from dataclasses import replace

import numpy as np
import pytest

from engines.api import registry
from engines.api.errors import ProblemError
from engines.geometry.meshes.box import box_mesh
from engines.geometry.raw import RawMesh
from engines.geometry.reading import checked
from tests.workbench.importing.boxes import write_box
from workbench.cli import main
from workbench.export.meshes import export_mesh
from workbench.importing.report import report_lines, report_of
from workbench.project.document import engines_for, new_document, open_document


@pytest.fixture
def slab(tmp_path):
    """20 × 10 × 5 mm in cubes of 5 mm, two regions, fibres along x."""
    box = box_mesh((4, 2, 1), (20.0, 10.0, 5.0))
    names = {1: "LV endo", 2: "scar"}
    data = {"region": np.where(box.centroids[:, 0] < 15.0, 1, 2)}
    raw = RawMesh(box.points, box.cells.astype(np.int64), cell_data=data, region_names=names)
    raw.cell_data["fibres"] = np.tile([1.0, 0.0, 0.0], (box.n_cells, 1))
    export_mesh(checked(raw, "slab"), tmp_path / "slab.vtu")
    return tmp_path / "slab.vtu"


def test_the_edges_of_every_cell_of_a_small_mesh_are_told(tmp_path):
    """A right corner of 1 mm, and a cell on its slanted side that reaches 10 mm: its own edges are the longest."""
    points = np.array([[0.0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1], [10, 10, 10]])
    export_mesh(checked(RawMesh(points, np.array([[0, 1, 2, 3], [1, 2, 3, 4]])), "two"), tmp_path / "two.vtu")
    document = new_document(registry.engine("cardiac"), tmp_path / "two.vtu")
    longest = (9**2 + 10**2 + 10**2) ** 0.5
    mean = (3 + 3 * 2**0.5 + 3 * 2**0.5 + 3 * longest) / 12
    assert report_of(document, tmp_path / "two.vtu", "mm").edges == f"mean {mean:.3g} mm, longest {longest:.3g} mm"


def test_a_mesh_is_told_in_words(slab):
    """Kuhn's six tetrahedra of a cube of edge a: edges of a, √2 a and √3 a, of a cell 3, 2 and 1."""
    document = new_document(registry.engine("cardiac"), slab)
    report = report_of(document, slab, "mm")
    mean = (3 + 2 * 2**0.5 + 3**0.5) / 6 * 5
    told = list(report_lines(report))
    assert told[0] == "Unit      mm: a piece of tissue of 20 × 10 × 5 mm"
    assert "          in cm a piece of tissue of 200 × 100 × 50 mm" in told
    assert "          in m a piece of tissue of 20 × 10 × 5 m, unusual for tissue" in told
    assert "Size      20 × 10 × 5 mm" in told
    assert f"Mesh      48 tetrahedra, 30 points, edges mean {mean:.3g} mm, longest 8.66 mm" in told
    assert "Regions   LV endo, 36 cells, 75.0 % of the volume: endocardial cells" in told
    assert "          scar, 12 cells, 25.0 % of the volume: epicardial cells" in told
    assert told[-1] == "Fibres    from the mesh's file, without sheets"
    assert report.triangles.shape == (2 * 2 * (8 + 4 + 2), 3, 3)
    assert {*report.colours} == {0, 1}
    right = report.triangles[report.colours == 1]
    assert right[:, :, 0].min() == pytest.approx(15.0)


def test_every_cell_of_a_small_mesh_is_measured(slab):
    """Of the slab, whose last corner is drawn out to 40 mm from the one beside it."""
    document = new_document(registry.engine("cardiac"), slab)
    points = document.loaded.points.copy()
    corner = np.lexsort(points.T)[-1]
    far = np.linalg.norm(points - points[corner], axis=1)
    beside = np.flatnonzero(np.isclose(far, 5.0) & np.isclose(points[:, 1], points[corner, 1]))
    beside = beside[np.isclose(points[beside, 2], points[corner, 2])]
    points[corner, 0] = points[beside[0], 0] + 40.0
    told = report_of(replace(document, loaded=replace(document.loaded, points=points)), slab, "mm").edges
    longest = max(np.linalg.norm(points[a] - points[b]) for cell in document.loaded.cells for a in cell for b in cell)
    assert longest > 40
    assert told.endswith(f"longest {longest:.3g} mm")


def test_new_tells_it_on_the_terminal(slab, tmp_path, capsys):
    assert main(["new", str(tmp_path / "made"), "--mesh", str(slab), "--length-unit", "um"]) == 0
    told = capsys.readouterr()
    assert "Unit      um: a piece of tissue of 20 × 10 × 5 µm, unusual for tissue\n" in told.out
    assert "          in mm a piece of tissue of 20 × 10 × 5 mm, which is likely\n" in told.out
    assert "Read the file in mm: workbench new --length-unit mm" in told.err


def test_the_same_mesh_as_a_body_that_breaks(slab):
    document = new_document(registry.engine("peridynamics"), slab, length_unit="cm")
    report = report_of(document, slab, "cm")
    assert document.parameters.body.length_unit == "cm"
    assert report.means == "a body of 200 × 100 × 50 mm"
    assert report.fibres is None
    assert [region.becomes for region in report.regions] == ["", ""]
    assert document.geometry.n_cells == 48


def test_a_surface_is_a_body_of_particles(tmp_path):
    """2 × 1 × 1 cm in a file in cm: 2000 mm³ in some 30,000 particles."""
    path = write_box(tmp_path / "bar.stl", (2.0, 1.0, 1.0))
    assert [engine.id for engine in engines_for(path)] == ["fdtd", "peridynamics"]
    document = new_document(registry.engine("peridynamics"), path, length_unit="cm")
    assert report_of(document, path, "cm").size == "20 × 10 × 10 mm"
    assert document.parameters.bonds.spacing == pytest.approx((2000.0 / 30_000) ** (1 / 3), rel=0.03)
    assert document.geometry.n_cells == pytest.approx(30_000, rel=0.1)


@pytest.mark.parametrize(
    ("unit", "grid", "scale"), [("um", "um", 1.0), ("mm", "mm", 1.0), ("cm", "mm", 10.0), ("m", "m", 1.0)]
)
def test_a_surface_is_an_object_in_the_middle_of_a_grid(tmp_path, unit, grid, scale):
    path = write_box(tmp_path / "bar.stl", (2.0, 1.0, 1.0))
    parameters = new_document(registry.engine("fdtd"), path, length_unit=unit).parameters
    (body,) = parameters.objects
    assert parameters.grid.length_unit == grid
    assert body.scale == scale
    size = np.array([parameters.grid.size_x, parameters.grid.size_y, parameters.grid.size_z])
    middle = np.array(body.shift) + scale * np.array([1.0, 0.5, 0.5])
    assert middle == pytest.approx(size / 2, rel=1e-3)
    assert (size > 2.4 * scale * np.array([1.0, 1.0, 1.0])).all()


def test_a_surface_opens_by_its_path_and_saves_with_its_file(tmp_path):
    path = write_box(tmp_path / "bar.stl", (2.0, 1.0, 1.0))
    assert open_document(path).engine.id == "fdtd"
    assert main(["new", str(tmp_path / "p"), "--engine", "peridynamics", "--mesh", str(path)]) == 0
    assert any(file.suffix == ".stl" for file in (tmp_path / "p").rglob("*"))


def test_what_goes_wrong_is_one_sentence(slab, tmp_path):
    hole = write_box(tmp_path / "hole.stl", (1.0, 1.0, 1.0), open_side=True)
    with pytest.raises(ProblemError, match=r"^The surface in 'hole.stl' is open at 4 edges, .*: close it\.$"):
        new_document(registry.engine("peridynamics"), hole)
    with pytest.raises(ProblemError, match=r"^The engine 'battery' makes nothing of 'slab.vtu': leave the mesh out\.$"):
        new_document(registry.engine("battery"), slab)
    with pytest.raises(ProblemError, match=r"^There is no file '.*lost.stl': choose another\.$"):
        new_document(registry.engine("fdtd"), tmp_path / "lost.stl")
