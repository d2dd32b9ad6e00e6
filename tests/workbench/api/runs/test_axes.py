"""Results and what cells did know their axes: xarray had axes without names, and no coordinates."""

import numpy as np
import pytest

import workbench as wb
from workbench.api.names import quantities
from workbench.api.runs.axes import results_on_axes


def test_what_cells_did_is_over_time_and_cells():
    cells = wb.open("thousand_cells").set("ensemble.cells", 3).run(until=90, device="cpu").cells
    for name, dims in (("voltage", ("time", "cell")), ("time", ("time",)), ("negative_particle_radius", ("cell",))):
        assert (cells[name].dims, tuple(cells[name].coordinates)) == (dims, dims), name
    axes = cells["voltage"].coordinates
    assert (axes["time"].tolist(), axes["time"].unit, axes["cell"].tolist()) == ([0, 60, 90], "s", [0, 1, 2])


@pytest.mark.filterwarnings("ignore::workbench.api.findings.WorkbenchWarning")
def test_spectra_are_over_frequency_and_places_and_traces_over_time():
    results = wb.open("fdtd_slab").run(until=20, device="cpu").results
    for name, dims in {
        "balance/R": ("frequency",),
        "through/energy": ("frequency",),
        "through/Ez": ("frequency", "z", "y"),
        "through/y of Ez": (),
        "echoes behind the slab/Ez": ("time",),
    }.items():
        found = results[name]
        assert (found.dims, tuple(found.coordinates)) == (dims, dims), name
        assert [len(axis) for axis in found.coordinates.values()] == list(found.shape[: len(dims)]), name
    field = results["through/Ez"]
    assert field.coordinates["frequency"].unit == "THz"
    assert field.coordinates["y"].tolist() == results["through/y of Ez"].tolist()


def test_axes_are_not_guessed_where_as_many_lie_along_another():
    """As many directions as frequencies: which of both an array is over is not known."""
    numbers = np.arange(4.0)
    arrays = {"far/frequency [THz]": numbers, "far/theta [rad]": numbers, "far/E": np.zeros((4, 4, 7))}
    found = results_on_axes(quantities("result", arrays))
    assert [each.dims for each in found.values()] == [(), (), ()]
    found = results_on_axes(
        quantities("result", arrays | {"far/E": np.zeros((4, 5, 7)), "far/theta [rad]": numbers[1:]})
    )
    assert [each.dims for each in found.values()] == [("frequency",), (), ()]


def test_a_number_alone_has_no_axes():
    (found,) = results_on_axes(quantities("result", {"peak/force [N]": np.array(2.0)})).values()
    assert (float(found), found.unit, found.dims) == (2.0, "N", ())
