"""Reads openCARP's parameter files (opencarp.org, "Parameters"): the mesh, tissue, cells, stimuli, step and output.

Lengths are micrometres, ``dt`` microseconds, other times milliseconds. openCARP's unknowns are at vertices, with linear
elements, so the problem's are too. What the file asks for and the problem has not is a finding, whatever it is.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import partial
from pathlib import Path

from pydantic import ValidationError

from engines.api import Finding, Imported
from engines.api.errors import ProblemError
from engines.cardiac.carp.lines import Parameters, parameters_of
from engines.cardiac.carp.regions import regions_of
from engines.cardiac.carp.stimuli import Electrodes, stimuli_of, vertex_files
from engines.cardiac.parameters import VERTEX_CENTRED, CardiacParameters, Numerics
from engines.cardiac.parameters.recording import Recording, TissueSeries
from engines.cardiac.setup.cells import step_limit
from engines.cardiac.tissue.operator import tissue_operator
from engines.geometry.meshes.mesh import TetMesh
from engines.quantities import rounded_down
from engines.reading import guarded

SUFFIX = ".par"
LARGEST = 4 << 20
USUAL_STEP = 5.0
"""openCARP's [µs]."""
MOST_PARTS = 50
OF_ITS_OWN = (
    "simID", "timedt", "parab_", "ellip_", "cg_", "purk_", "operator_splitting", "theta", "renumbering", "meshformat",
    "output_level", "vofile", "gridout_", "num_", "lats[].ID", "lats[].all", "lats[].method", "mesh_",
    "localize_pts", "post_processing_opts",
)  # fmt: skip
"""Beginnings of names that say how openCARP solves and where it writes, and ask for nothing of the problem."""
MOST_NAMED = 60


@guarded("cannot be read as openCARP's parameters: save it again as text.", largest=LARGEST)
def read_par(path: Path) -> Imported:
    """What a ``.par`` file says but for what its mesh has to be known for, which is ``on``. Raises ProblemError with
    the line that cannot be read."""
    file = parameters_of(path)
    told: list[str] = []
    mesh = _mesh(file, path, told)
    end = file.entry("tend")
    until = None if end is None else end.number()
    if until is not None and until <= 0:
        raise ProblemError(f"'{path.name}' ends at {until:g} ms: give tend a time above zero.")
    parameters = CardiacParameters(numerics=_numerics(file, told), recording=_recording(file))
    on = partial(_on_mesh, file, parameters, tuple(told))
    return Imported(parameters, until=until, mesh=mesh, length_unit="um", files=tuple(vertex_files(file)), on=on)


def _mesh(file: Parameters, path: Path, told: list[str]) -> str:
    name = file.text("meshname")
    if name:
        return f"{name}.elem"
    beside = sorted(each.name for each in path.parent.glob("*.elem"))
    if len(beside) != 1:
        raise ProblemError(f"'{path.name}' names no mesh: add a line 'meshname = NAME', or put one mesh beside it.")
    told.append(f"the file names no mesh, and '{beside[0]}' lies beside it")
    return beside[0]


def _numerics(file: Parameters, told: list[str]) -> Numerics:
    if file.number("bidomain"):
        told.append("bidomain is not solved: here it is the monodomain problem of the same tissue")
    if kind := file.number("experiment"):
        told.append(f"experiment = {kind:g} asks openCARP for something else than a run: here it is one")
    if file.number("mass_lumping", 1.0) == 0:
        told.append("mass_lumping = 0: mass is lumped here, which slows waves down on coarse meshes")
    entry = file.entry("dt")
    step = (USUAL_STEP if entry is None else entry.number()) * 1e-3
    if entry is not None and not 0 < step <= 1:
        raise entry.error("the step has to be above 0 and at most 1000 µs.")
    numerics = Numerics(step=step, discretisation=VERTEX_CENTRED, initial_state="published")
    for number in file.indices("lats", "num_LATs"):
        threshold = file.number(f"lats[{number}].threshold", -10.0)
        if file.number(f"lats[{number}].mode") == 0 and file.number(f"lats[{number}].measurand") == 0:
            if -80 <= threshold <= 40:
                return numerics.model_copy(update={"activation_threshold": threshold})
            told.append(f"lats[{number}].threshold is not between -80 and 40 mV, and is 0 mV here")
    return numerics


def _recording(file: Parameters) -> Recording:
    """``vm.igb`` as openCARP writes it, where the file says how often."""
    entry = file.entry("spacedt")
    if entry is None:
        return Recording()
    if entry.number() < 0:
        raise entry.error("the interval has to be above zero.")
    return Recording(fields=TissueSeries(interval=entry.number(), names=["voltage"], format="igb"))


def _on_mesh(
    file: Parameters, parameters: CardiacParameters, told: tuple[str, ...], mesh: TetMesh, path: Path,
    files: Mapping[str, Path],
) -> Imported:  # fmt: skip
    """The whole problem on its ``mesh``, read from ``path``, with the ``files`` that may be read, by their names."""
    notes = list(told)
    try:
        regions = regions_of(file, mesh.region_names, notes)
        stimuli = stimuli_of(file, regions.tissue.surface_to_volume, Electrodes(path.with_suffix(".pts"), files), notes)
    except ValidationError as error:
        problem = error.errors(include_url=False, include_input=False)[0]
        name = ".".join(str(part) for part in problem["loc"])
        raise ProblemError(f"The file's {name} cannot be used here: {problem['msg'][:120]}.") from error
    settings = {"regions": list(regions.settings), "stimuli": stimuli}
    whole = parameters.model_copy(update={"cell_model": regions.model, "tissue": regions.tissue, **settings})
    _stabilise(whole, mesh, notes)
    return Imported(whole, _findings(notes, file.rest()))


def _stabilise(parameters: CardiacParameters, mesh: TetMesh, told: list[str]) -> None:
    """openCARP's diffusion is implicit and takes any step: this one takes it in parts."""
    numerics = parameters.numerics
    try:
        diffusion, reaction = tissue_operator(mesh, parameters).stable_step, step_limit(parameters)
    except ProblemError:
        return  # it opens nevertheless; Run says what is wrong with it
    asked = numerics.step
    if asked > reaction:
        numerics.step = rounded_down(reaction, digits=2)
    if numerics.step > diffusion:
        numerics.diffusion_substeps = min(MOST_PARTS, math.ceil(numerics.step / (0.95 * diffusion)))
        numerics.step = min(numerics.step, rounded_down(0.95 * diffusion * numerics.diffusion_substeps, digits=2))
    if numerics.step < asked:
        told.append(f"dt of {1e3 * asked:g} µs is more than is stable here: the step is {1e3 * numerics.step:g} µs")


def _findings(notes: list[str], rest: list[str]) -> tuple[Finding, ...]:
    """What of the file is otherwise here, and the parameters that nothing was made of."""
    own = [name for name in rest if name.startswith(OF_ITS_OWN)]
    others = [name for name in rest if name not in own]
    told = [f"{note[0].upper()}{note[1:]}." for note in dict.fromkeys(notes)]
    if others:
        told.append(
            f"Of openCARP's parameters these are not read, and the problem goes without them: {_named(others)}."
        )
    found = [Finding(sentence) for sentence in told]
    if own:
        found.append(Finding(f"These of openCARP's parameters mean nothing here: {_named(own)}.", "info"))
    return tuple(found)


def _named(names: list[str]) -> str:
    more = f" and {len(names) - MOST_NAMED:,} more" if len(names) > MOST_NAMED else ""
    return ", ".join(name[:60] for name in names[:MOST_NAMED]) + more
