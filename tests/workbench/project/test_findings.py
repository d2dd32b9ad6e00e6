"""What is told of a project that cannot run yet."""

from engines.backend.cpu import CpuBackend
from tests.findings.cases import project
from workbench.project.document import open_document
from workbench.project.findings import findings_before_changes


def test_why_a_project_cannot_run_yet_is_a_finding_at_its_field(tmp_path):
    """As ``workbench new`` and ``sweep`` tell it; the estimate in the window and ``run`` refuse with the same words."""
    path = project("peridynamics", {"numerics": {"step": 5.0}})(tmp_path)
    (told,) = findings_before_changes(open_document(path), CpuBackend())
    assert "above the stable limit" in told.message
    assert told.place == ("numerics", "step")
