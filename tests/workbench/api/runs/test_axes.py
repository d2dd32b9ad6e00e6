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


def test_how_cells_ended_and_their_cycles_are_over_cells_and_cycles():
    """Python had neither."""
    cells = wb.open("hundred_cycles").set({"ensemble.cells": 3, "protocol": ["Discharge at 1C for 60 s"], "cycles": 2})
    results = cells.run(device="cpu").results
    wanted = {f"end/{name}": ("cell",) for name in ("time", "charge given", "voltage")}
    wanted |= {
        "cycles/discharge capacity": ("cycle", "cell"),
        "cycles/lowest potential of the anode": ("cycle", "cell"),
    }
    for name, dims in (wanted | {"cycles/cycle": ("cycle",)}).items():
        found = results[name]
        assert (found.dims, tuple(found.coordinates)) == (dims, dims), name
        assert tuple(len(axis) for axis in found.coordinates.values()) == found.shape, name
        assert found.coordinates.get("cycle", np.arange(1, 3)).tolist() == [1, 2]
    assert results["end/time"].tolist() == [120, 120, 120]


@pytest.mark.parametrize(("preset", "shells"), [("one_particle", 32), ("particle_sizes", 16)])
def test_what_is_inside_of_particles_is_over_their_radius(preset, shells):
    """Its shells were components."""
    with wb.open(preset).simulate(device="cpu") as run:
        found = run.field("stoichiometry")
    assert (found.dims, tuple(found.coordinates)) == (("point", "radius"), ("radius",))
    np.testing.assert_allclose(found.coordinates["radius"], (np.arange(shells) + 0.5) / shells)


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


SPHERE = ("frequency", "theta", "phi")


@pytest.mark.filterwarnings("ignore::workbench.api.findings.WorkbenchWarning")
@pytest.mark.parametrize(
    ("preset", "wanted"),
    [
        (
            "fdtd_patch",
            {
                "ports/scattering": ("frequency", "port"), "ports/voltages": ("frequency", "port"),
                "ports/frequencies": ("frequency",), "ports/impedances": ("port",), "ports/driven": (),
                "around/E_theta": SPHERE, "around/directivity": SPHERE, "around/phi": ("phi",),
                "around/radiated energy": ("frequency",), "around/E": ("frequency", "face", "component"),
                "around/normals": ("face", "component"), "around/areas": ("face",), "around/energy": ("frequency",),
            },
        ),
        (
            "fdtd_ring",
            {"transmission/through": ("frequency",), "in the ring/resonance Q": ("resonance",),
             "in the ring/Ez": ("time",)},
        ),
        (
            "fdtd_gold_sphere",
            {"cross_sections/absorbed": ("frequency",), "scattered/H": ("frequency", "face", "component")},
        ),
        (
            "cuba_4000",
            {"neurons/spikes": ("neuron",), "neurons/mean rate": ("neuron",),
             "connectivity/mean synapses by sender and population that hears": ("sender", "hearer")},
        ),
        (
            "notched_concrete_beam",
            {"crack/path": ("segment", "end", "component"), "crack/position of the tip": ("time",),
             "bonds/particle": ("particle", "component"), "bonds/broken": ("particle",),
             "load_displacement/force": ("x",), "peak/force": ()},
        ),
        ("typed_stdp", {"synapses of connection/0/w": ("synapse",)}),
    ],
)  # fmt: skip
def test_results_with_names_of_their_own_are_over_what_the_engine_says(preset, wanted):
    with wb.open(preset).simulate(device="cpu") as run:
        run.advance(20)
        results = run.results
    for name, dims in wanted.items():
        found = results[name]
        assert (found.dims, tuple(found.coordinates)) == (dims, dims), name
        assert tuple(len(axis) for axis in found.coordinates.values()) == found.shape, name
        if "port" in dims:
            assert found.coordinates["port"].tolist() == [1], "as 'driven' counts"
        if name.startswith("ports") and "frequency" in dims:
            assert found.coordinates["frequency"].unit == "Hz"
            assert found.coordinates["frequency"].tolist() == results["ports/frequencies"].tolist()
        if name.startswith("around") and "theta" in dims:
            assert found.coordinates["theta"].unit == "rad"
        if "component" in dims:
            assert found.coordinates["component"].tolist() == ["x", "y", "z"]


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
