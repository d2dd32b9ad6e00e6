"""What is told of a project that cannot run yet."""

import math
from dataclasses import replace
from itertools import product
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from engines.api import Estimate, Finding
from engines.api.simulation.contract import BrokenContract
from engines.backend.ceilings.machine import free_memory_bytes
from engines.backend.cpu import CpuBackend
from engines.geometry.grid import Grid
from engines.geometry.meshes.box import box_mesh
from tests.findings.cases import project
from tests.findings.meshes import mesh
from workbench.project.document import open_document
from workbench.project.findings import estimate_of, estimated_findings, findings_before_changes, findings_of
from workbench.project.probing import NEAR, SLACK, _is_beyond
from workbench.project.project import Probe


def test_why_a_project_cannot_run_yet_is_a_finding_at_its_field(tmp_path):
    """As ``workbench new`` and ``sweep`` tell it; the estimate in the window and ``run`` refuse with the same words."""
    path = project("peridynamics", {"numerics": {"step": 5.0}})(tmp_path)
    (told,) = findings_before_changes(open_document(path), CpuBackend())
    assert "above the stable limit" in told.message
    assert told.place == ("numerics", "step")


@pytest.mark.parametrize(("free", "told"), [(2**20, True), (2**40, False), (0, False)])
def test_a_run_that_needs_more_than_is_free_is_told_before_it_begins(tmp_path, free, told):
    class Full(CpuBackend):
        def free_memory(self) -> int:
            return free

    path = project("stencil", {"grid": {"kind": "2D", "cells_x": 1024, "cells_y": 1024}})(tmp_path)
    told_of = estimated_findings(open_document(path), Full())
    found = [finding.message for finding in told_of if "free" in finding.message]
    assert bool(found) is told
    if told:
        assert "has 0.00105 GB free: close other programs, make the problem smaller" in found[0]


@pytest.mark.parametrize(
    ("position", "away"),
    [
        ((0.5, 0.5, 0.0), None),
        ((1.0, 1.0, 0.0), None),
        ((0.5, 0.5, 7.0), None),  # a plane has no depth
        ((1.5, 0.5, 0.0), 0.508),  # of the middle of the last cell, 1/128 before the end
        ((0.5, -3.0, 0.0), 3.01),
    ],
)
def test_a_probe_beyond_a_grid_is_told_with_what_it_follows(tmp_path, position, away):
    """As after an edit that made the grid smaller: its curve would be taken for one of a place without anything."""
    grid = {"kind": "2D", "cells_x": 64, "cells_y": 64, "size_x": 1.0, "size_y": 1.0}
    document = open_document(project("stencil", {"grid": grid})(tmp_path))
    unit = document.geometry.length_unit
    document.project.probes = [Probe(name="P1", position=position)]
    told = [each for each in findings_of(document, None) if "'P1'" in each.message]
    assert bool(told) is (away is not None)
    if away is not None:
        assert told[0].distorts
        assert f"{away:.3g} {unit} away" in told[0].message
    assert told == [each for each in estimated_findings(document, CpuBackend()) if "'P1'" in each.message]


def corner():
    """A slab without a quarter: an L."""
    whole = box_mesh((8, 8, 1), (8.0, 8.0, 1.0))
    middles = whole.points[whole.cells].mean(axis=1)
    return whole.points, whole.cells[(middles[:, 0] < 4.0) | (middles[:, 1] < 4.0)].astype(np.int64)


def test_a_probe_in_a_hollow_of_a_mesh_is_told_and_one_on_its_surface_is_not(tmp_path):
    document = open_document(project("cardiac", {}, mesh=mesh(corner))(tmp_path))
    low, high = document.geometry.bounds
    document.project.probes = [
        Probe(name="on it", position=tuple(document.geometry.points[0])),
        Probe(name="in the hollow", position=tuple(high - 0.1 * (high - low))),
    ]
    told = [each.message for each in findings_of(document, None) if "is outside" in each.message]
    assert len(told) == 1
    assert "'in the hollow'" in told[0]


@pytest.mark.parametrize("counts", [(4, 5), (4, 5, 6), (1, 1)])
def test_a_probe_on_the_surface_of_a_grid_is_in_it_and_one_a_little_further_is_not(counts):
    """A thousandth of the longest side away, beyond any side of a grid that lies anywhere."""
    grid = Grid(counts, (1.0, 2.0, 0.5)[: len(counts)], (-10.0, 20.0, 30.0))
    low, high = (np.array(corner) for corner in grid.bounds)
    slack = SLACK * (high - low).max()
    for axis, end in product(range(3), (-1, 1)):
        for share, beyond in ((0.9, False), (1.1, high[axis] > low[axis])):
            place = (low + high) / 2
            place[axis] = (low, high)[(end + 1) // 2][axis] + end * share * slack
            assert _is_beyond(grid, place, grid.nearest(place[None])) == beyond, (axis, end, share)


def test_a_probe_beside_a_mesh_is_in_it_as_far_as_twice_the_size_of_the_nearest_cell():
    mesh = box_mesh((3, 3, 3), (3.0, 3.0, 3.0))
    tetrahedra = SimpleNamespace(
        points=mesh.points, cells=mesh.cells[:1], bounds=mesh.bounds, centers=lambda _: mesh.centers(np.array([0]))
    )
    centre, corners = tetrahedra.centers(0)[0], mesh.points[mesh.cells[0]]
    reach = NEAR * np.linalg.norm(corners - centre, axis=1).max()
    for share, beyond in ((0.99, False), (1.01, True)):
        away = share * reach * np.ones(3) / np.sqrt(3)
        assert _is_beyond(tetrahedra, centre + away, np.array([0])) == beyond


PLANE = {"kind": "plane", "position": 0.5, "frequencies": {"first": 0.9, "last": 1.2, "count": 3}}
PULSE = {"kind": "plane wave", "signal": {"kind": "pulse", "wavelength": 1.0}}
CONTINUOUS = {"kind": "plane wave", "signal": {"kind": "continuous", "wavelength": 1.0}}
TRACE = {"kind": "trace", "place": [1.0, 0.0, 0.0]}


@pytest.mark.parametrize(
    ("source", "monitor", "until", "decays", "told"),
    [
        (PULSE, PLANE, None, False, True),
        (PULSE, PLANE, 60.0, False, False),
        (PULSE, PLANE, None, True, False),
        (PULSE, TRACE, None, False, False),
        (CONTINUOUS, PLANE, None, False, False),
    ],
)
def test_spectra_of_a_run_without_an_end_are_told_with_the_edit_that_ends_it(
    tmp_path, source, monitor, until, decays, told
):
    grid = {"dimensions": "1D", "cells_x": 120, "size_x": 4.0}
    values = {"grid": grid, "sources": [source], "monitors": [monitor], "ending": {"at_decay": decays}}
    document = open_document(project("fdtd", values, until=until)(tmp_path))
    backend = CpuBackend()
    found = [each for each in estimated_findings(document, backend) if "Nothing ends" in each.message]
    assert bool(found) is told
    assert not [each for each in estimate_of(document, backend, until=5.0).findings if "Nothing ends" in each.message]
    if told:
        assert found[0].place == ("ending",)
        assert found[0].remedy.changes == {("ending", "at_decay"): True}


def test_the_system_tells_what_is_free(tmp_path: Path):
    file = tmp_path / "meminfo"
    file.write_text("MemTotal:       16 kB\nMemFree:        3 kB\nMemAvailable:   8 kB\nBuffers: 1 kB\n")
    assert free_memory_bytes(file) == 8 << 10
    assert free_memory_bytes(tmp_path / "none") == 0


SOUND = Estimate(10, 10, 0.1, None, 1.0)
MANY, HUGE = (Finding("a"),) * 600, (Finding("word " * 100_000),)
NO_ESTIMATES = [
    None, 5, "long " * 100, *(replace(SOUND, findings=each) for each in (None, (5,), 7, MANY, HUGE)),
    replace(SOUND, findings=(Finding("a", place=5),)), replace(SOUND, findings=(Finding("a", remedy="mend it"),)),
    replace(SOUND, facts=7), replace(SOUND, memory_bytes="much"), replace(SOUND, memory_bytes=-1),
    replace(SOUND, step=math.nan), replace(SOUND, step=0.0), replace(SOUND, seconds_per_simulated_unit=math.nan),
]  # fmt: skip


@pytest.mark.parametrize("answer", NO_ESTIMATES)
def test_what_is_no_estimate_is_told_in_a_sentence(tmp_path, monkeypatch, answer):
    """Engines are packages of others: the window drew half of it, or a command ended with an AttributeError."""
    document = open_document(project("stencil", {})(tmp_path))
    monkeypatch.setattr(type(document.engine), "estimate", lambda *_: answer)
    with pytest.raises(BrokenContract, match=r"is no estimate: .* for the author of this engine to mend") as told:
        estimate_of(document, CpuBackend())
    assert len(str(told.value)) < 400


def test_an_end_between_steps_is_told_where_it_is_far_from_both(tmp_path):
    """The run was 20 % short, and said 'Finished'."""
    document = open_document(project("peridynamics", {"numerics": {"step": 0.02}})(tmp_path))
    told = {until: [one.message for one in estimate_of(document, CpuBackend(), until).findings if "is to end" in
                    one.message] for until in (0.025, 0.06, 2.009)}  # fmt: skip
    sentence = "The run is to end at 0.025 µs, and its steps of 0.02 µs come to 0.02 µs: it ends there."
    assert told == {0.025: [sentence], 0.06: [], 2.009: []}


@pytest.mark.parametrize(
    ("until", "told"),
    [
        (0.01, ["The run is to end at 0.01 µs, before its first step: it takes one, and ends at 0.02 µs."]),
        (0.02, []),
        (0.025, []),
        (None, []),
    ],
)
def test_an_end_before_the_first_step_is_told_before_the_run(tmp_path, until, told):
    """By the command line, the window and Python, which tell these findings."""
    document = open_document(project("peridynamics", {"numerics": {"step": 0.02}})(tmp_path))
    asked = estimate_of(document, CpuBackend(), until)
    of_project = replace(document, project=document.project.model_copy(deep=True))
    of_project.project.run.until = until
    for estimate, each in ((asked, document), (estimate_of(of_project, CpuBackend()), of_project)):
        assert [one.message for one in findings_of(each, estimate) if "first step" in one.message] == told
