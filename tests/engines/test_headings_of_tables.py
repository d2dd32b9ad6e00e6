"""What stands above the numbers of a table is heeded, however a program writes it: names in another order, units behind
a comma or in a comment as ``numpy.savetxt`` makes it, a line of units in brackets. What cannot be heeded is refused."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

import numpy as np
import pytest

from engines.api.errors import MeshError, ProblemError
from engines.battery.protocol.drive_cycles import read_drive_cycle
from engines.battery.setup import sizes
from engines.fdtd.media.index_tables import read_index_table
from engines.geometry.fibres.files import read_fibre_file
from engines.peridynamics.body.corners import corners_of
from engines.peridynamics.cloud.files import read_points
from engines.peridynamics.parameters import PolygonPlate
from engines.spiking.connectivity.files import read as read_connections
from engines.spiking.stimulate.spike_lists import read_spikes
from engines.tables.files import read_table
from engines.tables.text import text_table
from workbench.project.meshes import read_mesh_file


def written(folder: Path, text: str, name: str = "table.csv") -> Path:
    file = folder / name
    file.write_text(text)
    return file


@pytest.mark.parametrize(
    "above",
    [
        "time [ms],value [mV]",
        "# time [ms],value [mV]",
        "# measured on Monday\n# time [ms], value [mV]",
        "time,value\n[ms],[mV]",
        "time,value\n(ms),(mV)",
        "time in ms,value in mV",
        '"time, ms","value, mV"',
        "value [mV],time [ms]",
    ],
)
def test_the_units_of_a_table_are_heeded(tmp_path: Path, above: str) -> None:
    swapped = above.startswith("value")
    rows = "5,1\n6,2\n" if swapped else "1,5\n2,6\n"
    file = written(tmp_path, f"{above}\n{rows}")
    found = read_table(str(file), "history", ("time", "value"), ("s", "V"))
    assert np.allclose(found, [[0.001, 0.005], [0.002, 0.006]], rtol=1e-12)


def test_names_alone_tell_which_of_two_columns_is_which(tmp_path: Path) -> None:
    file = written(tmp_path, "value,time\n5,1\n6,2\n")
    assert read_table(str(file), "history", ("time", "value"), ("s", "V")).tolist() == [[1, 5], [2, 6]]


@pytest.mark.parametrize("comment", ["# 2024, room 7", "# by hand", "# a, b, c [ms]", "#", "# 0,5"])
def test_another_comment_is_no_heading(comment: str) -> None:
    assert text_table(f"{comment}\n0,1\n1,2\n").heading == ()


def test_a_minimum_is_no_minute() -> None:
    heading = text_table('time;"Voltage, min"\n0;1\n1;2\n').heading
    assert heading == ("time", "Voltage, min")


@pytest.mark.parametrize("above", ["time in min,current in mA", "t/min,I/mA", "time_min,current_mA"])
def test_a_drive_cycle_heeds_its_units(tmp_path: Path, above: str) -> None:
    found = read_drive_cycle(written(tmp_path, f"{above}\n0,1\n1,2\n"))
    assert found.times.tolist() == [0, 60]
    assert np.allclose(found.values, [0.001, 0.002])


def test_a_drive_cycle_of_rates_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ProblemError, match="'C-rate': it should be a current"):
        read_drive_cycle(written(tmp_path, "time [s],C-rate\n0,1\n1,2\n"))


MEASURED = [(0.5 + 0.05 * row, 1.5 + 0.01 * row, 0.1 + 0.01 * row) for row in range(6)]


def indices(*order: int) -> str:
    return "\n".join(",".join(f"{row[place]:g}" for place in order) for row in MEASURED) + "\n"


@pytest.mark.parametrize(
    ("above", "order"), [("wl,n,k", (0, 1, 2)), ("wl [um],k,n", (0, 2, 1)), ("wl,err,n,k", (0, 0, 1, 2))]
)
def test_columns_of_n_and_k_are_found_by_their_names(tmp_path: Path, above: str, order: tuple[int, ...]) -> None:
    found = read_index_table(written(tmp_path, f"{above}\n{indices(*order)}"), 1.0)
    assert np.allclose(found.index, [n + 1j * k for _, n, k in MEASURED])


@pytest.mark.parametrize(
    ("above", "sentence"),
    [
        ("# wavelength (nm), n, k", "choose that unit"),
        ("wavelength in nm, n, k", "choose that unit"),
        ("energy (eV), n, k", "put wavelengths in its first column"),
        ("energy, n, k", "put wavelengths in its first column"),
        ("wavelength (Angstrom), n, k", "put wavelengths in its first column"),
        ("wavelength [um], eps1, eps2", "has permittivities"),
    ],
)
def test_indices_over_something_else_are_refused(tmp_path: Path, above: str, sentence: str) -> None:
    with pytest.raises(ProblemError, match=sentence):
        read_index_table(written(tmp_path, f"{above}\n{indices(0, 1, 2)}"), 1.0)


def test_a_fourth_column_without_names_of_n_and_k_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ProblemError, match="4 columns: call those that are meant n and k"):
        read_index_table(written(tmp_path, f"wl,err,real,imag\n{indices(0, 0, 1, 2)}"), 1.0)


def test_connections_named_in_a_comment_are_those_columns(tmp_path: Path) -> None:
    found = read_connections(str(written(tmp_path, "# post,pre,delay [s]\n0,1,0.002\n2,3,0.004\n")))
    assert {name: values.tolist() for name, values in found.items()} == {"post": [0, 2], "pre": [1, 3], "delay": [2, 4]}


def test_a_column_of_connections_that_is_there_twice_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ProblemError, match=r"Two columns of table\.csv are called 'pre'"):
        read_connections(str(written(tmp_path, "pre,post,pre\n0,1,2\n")))


def test_spikes_heed_the_unit_in_a_comment(tmp_path: Path) -> None:
    neurons, times = read_spikes(str(written(tmp_path, "# time [s],neuron\n0.5,1\n1.5,2\n")))
    assert neurons.tolist() == [1, 2]
    assert times.tolist() == [500, 1500]


@pytest.mark.parametrize(
    ("above", "sentence"),
    [("diameter [um],weight", "is of diameters"), ("weight,radius [um]", "is the radius: put it first")],
)
def test_sizes_that_are_no_radii_are_refused(tmp_path: Path, above: str, sentence: str) -> None:
    with pytest.raises(ProblemError, match=sentence):
        sizes._table(written(tmp_path, f"{above}\n5,1\n6,2\n"), "The sizes")


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("x [m],y [m]\n0,0\n0.02,0\n0.02,0.01\n", (20, 10)),
        ("x [um];y [um]\n0;0\n20000;0\n20000;10000\n", (20, 10)),
        ("# x [cm],y [cm]\n0,0\n2,0\n2,1\n", (20, 10)),
        ("y,x\n0,0\n0,20\n10,20\n", (20, 10)),
        ("corner,x,y\n1,0,0\n2,20,0\n3,20,10\n", (20, 10)),
        ("outline of the part\n0,0\n20,0\n20,10\n", (20, 10)),
    ],
)
def test_corners_heed_their_titles(tmp_path: Path, text: str, size: tuple[float, float]) -> None:
    corners = corners_of(PolygonPlate(file=str(written(tmp_path, text))))
    assert tuple(np.ptp(corners, axis=0)) == pytest.approx(size)


def test_corners_in_another_unit_than_a_length_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ProblemError, match="a unit that is no length"):
        corners_of(PolygonPlate(file=str(written(tmp_path, "x [V],y [V]\n0,0\n1,0\n1,1\n"))))


def test_points_named_in_a_comment_have_these_columns(tmp_path: Path) -> None:
    found = read_points(written(tmp_path, "# z y x material\n0 1 2 1\n3 4 5 2\n"), 3, "mm")
    assert found.positions.tolist() == [[2, 1, 0], [5, 4, 3]]
    assert found.volumes is None
    assert found.groups is not None
    assert found.groups.numbers.tolist() == [1, 2]


def test_fibres_in_another_order_are_refused(tmp_path: Path) -> None:
    mesh = read_mesh_file(Path(str(files("sample_data"))) / "small_slab" / "slab.vtu", "mm", None)
    for above in ("z,y,x", "# fz,fy,fx"):
        file = written(tmp_path, f"{above}\n" + "0,0,1\n" * mesh.n_cells)
        with pytest.raises(MeshError, match="in the order z, y, x: write x, y and z"):
            read_fibre_file(file, mesh)
    fibres, _, _ = read_fibre_file(written(tmp_path, "x,y,z\n" + "0,0,1\n" * mesh.n_cells), mesh)
    assert np.allclose(fibres, [0, 0, 1])
