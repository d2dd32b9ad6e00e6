"""Particles as .vtu, read back by meshio and by an XML parser; recorded and exported like everything else."""

import csv
import xml.etree.ElementTree as ElementTree

import meshio
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engines.geometry.particles import Particles
from tests.ui.scene.spheres import SHELLS, Soak, SoakServices, ten
from tests.workbench.fake_engine import FakeBackend
from workbench.export.formats import format_of
from workbench.export.pvd import read_pvd
from workbench.export.results import export_results, take_results
from workbench.export.vtu_particles import VtuParticlesWriter
from workbench.project.project import Probe
from workbench.run.frames import RunState
from workbench.run.recording import Recorder
from workbench.run.runner import Runner


@settings(max_examples=15)
@given(st.integers(1, 40), st.integers(1, 25), st.sampled_from(["f4", "f8", "i4", "i8", "u1", ">f4"]))
def test_what_was_written_reads_back(tmp_path_factory, n, shells, kind):
    choose = np.random.default_rng(n)
    particles = Particles(choose.normal(size=(n, 3)), choose.uniform(0.1, 2.0, n), "um")
    values = (100 * choose.normal(size=(n, shells) if shells > 1 else n)).astype(kind)
    path = tmp_path_factory.mktemp("vtu") / "a.vtu"
    VtuParticlesWriter(particles).write(path, {"one per cell": values[::-1]}, {'v <&"> [mV]': values})
    read = meshio.read(path)
    np.testing.assert_array_equal(read.points, particles.positions)
    np.testing.assert_array_equal(read.cells_dict["vertex"], np.arange(n)[:, None])
    np.testing.assert_array_equal(read.point_data["radius [um]"], particles.radii)
    np.testing.assert_array_equal(read.point_data['v <&"> [mV]'], values)
    np.testing.assert_array_equal(read.point_data["one per cell"], values[::-1])
    arrays = ElementTree.parse(path).getroot().iter("DataArray")
    components = {entry.attrib["Name"]: int(entry.attrib.get("NumberOfComponents", 1)) for entry in arrays}
    assert components['v <&"> [mV]'] == shells


def test_the_present_moment_of_particles_is_exported(tmp_path):
    soak = Soak(ten())
    assert format_of(soak.geometry).suffix == ".vtu"
    soak.advance(30)
    written = export_results(take_results(soak), tmp_path / "export.pvd")
    assert [path.name for path in written] == ["export.pvd", "export_000000030.vtu"]
    assert read_pvd(written[0]) == [(pytest.approx(3.0), "export_000000030.vtu")]
    read = meshio.read(written[1])
    assert read.point_data["inside [1]"].shape == (10, SHELLS)
    np.testing.assert_array_equal(read.point_data["inside [1]"], soak.field("inside"))
    np.testing.assert_array_equal(read.point_data["surface [1]"], soak.field("surface"))


def test_a_recorded_run_of_particles_is_a_collection_with_traces(tmp_path):
    document = SoakServices(ten()).document()
    document.project.probes = [Probe(name="first", position=tuple(ten().positions[0]))]
    recorder = Recorder(tmp_path / "out", document, snapshot_interval=0.5)
    runner = Runner(
        FakeBackend,
        lambda backend, progress: document.engine.build(document.problem, backend, progress),
        time_unit="s",
        until=1.0,
        probes=recorder.probes,
        observers=[recorder],
        autostart=True,
    )
    runner.wait(RunState.FINISHED)
    runner.close()
    assert runner.error is None
    moments = read_pvd(tmp_path / "out" / "fields.pvd")
    assert [time for time, _ in moments] == pytest.approx([0.0, 0.5, 1.0])
    soak = Soak(ten())
    for time, name in moments:
        soak.step = round(time / soak.dt)
        np.testing.assert_array_equal(
            meshio.read(tmp_path / "out" / name).point_data["inside [1]"], soak.field("inside")
        )
    with (tmp_path / "out" / "traces.csv").open(newline="") as file:
        rows = list(csv.reader(file))
    assert len(rows[0]) == 1 + SHELLS + 1
    assert rows[0][1] == "first: inside_0 [1]"
    np.testing.assert_allclose(
        np.array(rows[-1][1:], float), [*soak.field("inside")[0], soak.field("surface")[0]], 1e-6
    )
