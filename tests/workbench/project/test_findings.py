"""What is told of a project that cannot run yet."""

from pathlib import Path

import pytest

from engines.backend.ceilings.machine import free_memory_bytes
from engines.backend.cpu import CpuBackend
from tests.findings.cases import project
from workbench.project.document import open_document
from workbench.project.findings import estimate_of, estimated_findings, findings_before_changes


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
