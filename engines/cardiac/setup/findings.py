"""What the owner of a problem should know before it runs."""

from __future__ import annotations

from engines.api import Finding, Remedy
from engines.cardiac.parameters import CardiacParameters
from engines.cardiac.setup.cells import cell_findings
from engines.cardiac.setup.resolution import front_findings
from engines.cardiac.stimulus.protocol import told_times
from engines.cardiac.stimulus.reach import idle_findings, reached_findings, rounded_findings, strong_findings
from engines.cardiac.tissue.operator import CellOperator, TissueOperator, VertexTissueOperator
from engines.geometry.meshes.mesh import TetMesh

REGIONS = ("regions",)


def problem_findings(mesh: TetMesh, parameters: CardiacParameters, operator: TissueOperator) -> tuple[Finding, ...]:
    """Of cells, regions, fibres, stimuli and the operator. Raises ProblemError for changes that cannot be made."""
    findings: list[Finding] = []
    findings += cell_findings(parameters)
    named = [setting.region for setting in parameters.regions]
    twice = sorted({region for region in named if named.count(region) > 1})
    if twice:
        last = {setting.region: setting.model_dump(mode="json") for setting in parameters.regions}
        findings.append(
            Finding(
                f"More than one setting is for {', '.join(twice)}: the last one counts.",
                place=REGIONS,
                remedy=Remedy("Keep the last of each", {REGIONS: list(last.values())}),
            )
        )
    unnamed = sorted(set(mesh.region_names.values()) - set(named))
    if unnamed:
        findings.append(
            Finding(f"No cell type is set for {', '.join(unnamed)}: epicardial cells are used.", "info", REGIONS)
        )
    if mesh.fibres is None:
        findings.append(
            Finding(
                "The mesh has no fibres: it conducts alike in all directions, as along fibres.",
                place=("tissue",),
                remedy=Remedy("Make fibres by rule…", tool="fibres"),
                alternative=Remedy("Fibres from a file…", tool="fibres-from-file"),
            )
        )
    findings += front_findings(mesh, parameters)
    if not parameters.stimuli:
        findings.append(Finding("There is no stimulus: nothing will happen until one is added.", place=("stimuli",)))
    findings += idle_findings(parameters.stimuli, parameters.regions, operator.sites)
    findings += [*strong_findings(parameters), *rounded_findings(parameters)]
    if times := told_times(parameters.stimuli, parameters.tissue, parameters.numerics.step):
        findings.append(Finding(times, "info", ("stimuli",)))
    if len(operator.pieces) > 1:
        sizes = ", ".join(f"{size:,}" for size in operator.pieces[:5]) + (", …" if len(operator.pieces) > 5 else "")
        findings.append(
            Finding(
                f"The conducting tissue is in {len(operator.pieces):,} pieces, of {sizes} {operator.noun}: a wave does "
                "not cross between them. Stimulate each, or join the mesh.",
                place=("stimuli",),
            )
        )
    if isinstance(operator, VertexTissueOperator):
        findings += reached_findings(parameters.stimuli, mesh, operator.sites)
        vertices = operator.sites.n_cells
        findings.append(
            Finding(
                f"{vertices:,} vertices are unknowns instead of {mesh.n_cells:,} cells, "
                f"{mesh.n_cells / vertices:.1f} times fewer.",
                "info",
                ("numerics", "discretisation"),
            )
        )
    limited = operator.limited_cells if isinstance(operator, CellOperator) else 0
    if limited:
        findings.append(
            Finding(
                f"{limited:,} of {mesh.n_cells:,} cells are badly shaped: their fluxes fall back towards two points, "
                "which is less accurate; run a mesh optimiser if it matters there.",
                distorts=True,
            )
        )
    return tuple(findings)
