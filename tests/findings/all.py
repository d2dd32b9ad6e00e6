"""All cases, and the places whose findings cannot come to all four: each with the tests that hold it."""

from tests.findings import battery, cardiac, fdtd, meshes, peridynamics, spiking, stencil

CASES = {
    f"{module.__name__.rpartition('.')[2]}: {title}": case
    for module in (battery, cardiac, fdtd, meshes, peridynamics, spiking, stencil)
    for title, case in module.CASES.items()
}
AT_THE_END = {
    title: case
    for module in (battery, cardiac, fdtd, peridynamics, stencil)
    for title, case in module.AT_THE_END.items()
}
OF_NO_FIELD = (
    "engines.geometry.",  # of a mesh's file, which no field of the form names
    "engines.fdtd.gprmax.reader._problem",  # of the file that was opened
    "engines.cardiac.carp.reader._findings",  # the same
    "engines.spiking.brian2.reader._findings",  # the same
    "engines.spiking.sonata.reader._findings",
    "engines.cardiac.setup.findings.problem_findings#8",
    "workbench.project.document._load_geometry",
)
"""What these make is of no field; all others say theirs."""
ELSEWHERE = {
    # only a run finds it, of numbers that grow without bound
    "engines.api.simulation.contract.noticed_of": "tests/workbench/run/test_beyond.py",
    # of the run before, which the window alone remembers
    "ui.session.house.HouseServices._look_for_state": "tests/ui/session/test_house_services.py",
    # a tool's message tells them, and what it writes has fibres that are mended
    "engines.geometry.fibres.files._elsewhere": "tests/engines/geometry/fibres/test_fibre_files.py",
    "engines.geometry.fibres.files._not_unit": "tests/engines/geometry/fibres/test_fibre_files.py",
    # what lacks a file cannot be estimated or run; the form asks for another
    "workbench.project.document.Document.findings": "tests/workbench/project/test_bpx_documents.py",
    "workbench.project.document.document_of": "tests/workbench/project/test_boundary.py",
    # what this machine has free is nothing of a project
    "workbench.project.findings.estimate_of": "tests/workbench/project/test_findings.py",
    # the window says a step above the stable one beside the figures of its estimate
    "workbench.project.findings.findings_with_step": "tests/workbench/cli/test_cli_others.py",
    "workbench.project.probing._outside": "tests/workbench/project/test_findings.py",
    # of the lines of a project, which no form has
    "workbench.project.probing.line_finding": "tests/workbench/run/test_lines.py",
    "workbench.run.lines.missed_lines": "tests/workbench/run/test_lines.py",
    # of the folder of a run that goes on from the command line
    "workbench.run.earlier.lacking#1": "tests/workbench/cli/test_cli_run_broken_off.py",
    "workbench.run.earlier.lacking#2": "tests/workbench/cli/test_cli_run_broken_off.py",
    "workbench.run.earlier.lacking#3": "tests/workbench/cli/test_cli_run_broken_off.py",
    "workbench.run.streams.opening.of_two_formats": "tests/workbench/cli/test_cli_run_broken_off.py",
    # a run from the command line has an end, or is refused
    "engines.fdtd.monitors.settling.endless": "tests/workbench/project/test_findings.py",
    # of where the run is to end, which no form has
    "workbench.project.findings.of_whole_steps#1": "tests/workbench/project/test_findings.py",
    "workbench.project.findings.of_whole_steps#2": "tests/workbench/project/test_findings.py",
    "workbench.project.findings.of_close_moments": "tests/workbench/export/test_moments.py",
    # why a project cannot run: said by the commands that make one, and by the estimate in the window
    "workbench.project.findings.refusal": "tests/workbench/project/test_findings.py",
}
