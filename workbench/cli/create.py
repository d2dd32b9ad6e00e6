"""``workbench new`` and ``workbench convert``."""

from __future__ import annotations

from argparse import Namespace
from pathlib import Path

from engines.api import registry
from engines.api.errors import ProblemError
from engines.reading import refuse_pipe, resolved
from workbench.cli.opening import permission_of
from workbench.cli.telling import tell_findings
from workbench.export.carp import SUFFIXES as CARP_SUFFIXES
from workbench.export.meshes import SUFFIXES, export_mesh
from workbench.export.streams.nwb import convert_spikes
from workbench.importing.report import report_lines, report_of
from workbench.project.document import default_engine, new_document, open_document, save_document
from workbench.project.findings import as_record, findings_before_changes
from workbench.project.meshes import read_mesh_file, usual_length_unit


def new_command(options: Namespace) -> int:
    """Make a project from a mesh, or of an engine that makes its own geometry, and save it."""
    target = options.project
    _check_new(target)
    engine = registry.engine(options.engine) if options.engine else default_engine()
    if options.mesh is None and engine.geometry_type is not None:
        others = [other.id for other in registry.engines().values() if other.geometry_type is None]
        advice = f", or choose an engine that needs none with --engine: {', '.join(others)}" if others else ""
        raise ProblemError(f"The engine '{engine.id}' needs a mesh: add --mesh FILE{advice}.")
    document = new_document(
        engine, options.mesh, length_unit=options.length_unit, fibres=options.fibres, permission=permission_of(options)
    )
    from engines.backend.devices.select import open_backend  # Numba is imported when it is needed

    backend = open_backend("cpu")
    try:
        findings = findings_before_changes(document, backend)
    finally:
        backend.close()
    tell_findings(findings)
    if options.mesh is not None:
        unit = options.length_unit or usual_length_unit(options.mesh)
        for line in report_lines(report_of(document, options.mesh, unit)):
            print(line)
    saved = save_document(document, target)
    print(f"Made '{saved}' for the engine '{engine.id}'.")
    options.answer.update(
        project=str(saved.absolute()), engine=engine.id, findings=[as_record(finding) for finding in findings]
    )
    return 0


def convert_command(options: Namespace) -> int:
    """Read a mesh in any format, write it with regions and fibres as .vtu in millimetres, or as CARP in micrometres;
    spikes of a run are written as NWB, and a file of another program that an engine imports as a project."""
    refuse_pipe(options.mesh)
    target: Path = options.target
    if target.suffix.lower() == ".nwb":
        neurons, spikes = convert_spikes(options.mesh, target)
        print(f"Wrote '{target}': {neurons:,} neurons, {spikes:,} spikes.")
        options.answer.update(files=[str(target.absolute())], neurons=neurons, spikes=spikes)
        return 0
    others = {suffix for engine in registry.engines().values() for suffix in engine.imports}
    if options.mesh.suffix.lower() in others and target.suffix.lower() in ("", ".zip"):
        return _project_of(options)
    carp = target.suffix.lower() in CARP_SUFFIXES
    if target.suffix.lower() not in SUFFIXES:
        raise ProblemError(
            f"'{target}' must end in {', '.join(SUFFIXES)}: convert writes .vtu and CARP, spikes as .nwb, and "
            f"projects (a folder or .zip) of {', '.join(sorted(others))}."
        )
    paths = options.mesh, options.fibres, target
    mesh_file, fibres, written_file = (path and resolved(path.with_suffix("") if carp else path) for path in paths)
    if written_file in (mesh_file, fibres):
        read = "mesh" if written_file == mesh_file else "file of fibres"
        raise ProblemError(f"'{target}' would be written over the {read} that is read: choose another name.")
    unit = options.length_unit or usual_length_unit(options.mesh)
    mesh = read_mesh_file(options.mesh, unit, options.fibres)
    print(mesh.quality)
    tell_findings(mesh.findings)
    written = export_mesh(mesh, target)
    names = ", ".join(f"'{path}'" for path in written)
    print(f"Wrote {names}: {mesh.n_cells:,} tetrahedra, {mesh.n_points:,} points.")
    options.answer.update(
        files=[str(path.absolute()) for path in written], tetrahedra=mesh.n_cells, points=mesh.n_points,
        findings=[as_record(finding) for finding in mesh.findings],
    )  # fmt: skip
    return 0


def _project_of(options: Namespace) -> int:
    """Save what a file of another program becomes."""
    _check_new(options.target)
    document = open_document(options.mesh, permission=permission_of(options))
    tell_findings(document.findings)
    saved = save_document(document, options.target)
    print(f"Made '{saved}' for the engine '{document.engine.id}'.")
    options.answer.update(
        project=str(saved.absolute()), engine=document.engine.id,
        findings=[as_record(finding) for finding in document.findings],
    )  # fmt: skip
    return 0


def _check_new(target: Path) -> None:
    """Raises ProblemError where there is something already."""
    if target.exists() and not (target.is_dir() and not any(target.iterdir())):
        raise ProblemError(f"'{target}' exists already: choose another name.")
