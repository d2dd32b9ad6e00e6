"""Which cells a problem asks for, and how they are made."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path

import numpy as np

from engines.api import Array, Finding, Progress, no_progress
from engines.backend.base import Backend
from engines.cardiac.cell_settings import COMPILED, FROM_FILE
from engines.cardiac.cells import make_tissue, tt06
from engines.cardiac.cells.kinds import CHANGEABLE, Kind
from engines.cardiac.cells.tt06 import CellType
from engines.cardiac.compiler.model import CellModel, shipped
from engines.cardiac.compiler.schemes import Precision as FloatType
from engines.cardiac.compiler.schemes import Scheme, Step, step
from engines.cardiac.compiler.tissue import Kinds, make_compiled_tissue
from engines.cardiac.parameters import REACTION_STEP_LIMIT, CardiacParameters
from engines.cardiac.population import ParameterBook, Population, insulators, population, region_kinds
from engines.cardiac.sites import Sites
from engines.cardiac.stimulus import Protocol
from engines.cardiac.tissue import Tissue
from engines.errors import ProblemError

PRECISIONS: dict[str, FloatType] = {"fp32": "float32", "fp64": "float64", "mixed": "float64"}
STEEP = "courtemanche_1998"
"""Its ``release.u`` was 0.06 off in float32 at random states (measured on a GPU against the graph in float64)."""
STARTS: dict[str, tt06.Start] = {"published": "initial", "paced at 1 Hz": "limit_cycle_1Hz"}
CELL_TYPES = {"epi": CellType.EPI, "endo": CellType.ENDO, "M": CellType.M}


def compiled_model(parameters: CardiacParameters) -> CellModel | None:
    """The cell model that is compiled; None for TT06, which has kernels of its own. Raises ProblemError for a file."""
    if parameters.cell_model == FROM_FILE:
        cells = parameters.cells
        if not cells.file:
            raise ProblemError("No file of a cell model is chosen: choose one under cell options, or another model.")
        path = Path(cells.file)
        try:
            changed = path.stat().st_mtime_ns
        except OSError as error:
            raise ProblemError(f"The cell model {path.name} is not there any more: choose its file again.") from error
        return _imported(path, changed, cells.voltage, cells.stimulus)
    name = COMPILED.get(parameters.cell_model)
    return None if name is None else _shipped(name)


@lru_cache(maxsize=8)
def _imported(path: Path, changed: int, voltage: str, stimulus: str) -> CellModel:
    """The model in a file that was last ``changed`` at that time."""
    from engines.cardiac.compiler.importing import import_model

    return import_model(path, voltage or None, stimulus or None)


_shipped = lru_cache(maxsize=None)(shipped)
_stepped = lru_cache(maxsize=32)(step)


def compiled_step(parameters: CardiacParameters) -> Step | None:
    """The compiled step of the cell model without changes; None for TT06."""
    model = compiled_model(parameters)
    return (
        None if model is None else _step_of(model, parameters.cells.scheme, PRECISIONS[parameters.numerics.precision])
    )


def _step_of(model: CellModel, scheme: Scheme, precision: FloatType) -> Step:
    return _stepped(model, scheme, precision)


def step_limit(parameters: CardiacParameters) -> float:
    """Largest stable step of the reaction alone [ms]; TT06's where a model's own is not known."""
    model = compiled_model(parameters)
    known: Mapping[str, float] = {} if model is None else getattr(model, "stable_step", None) or {}
    return known.get(parameters.cells.scheme, REACTION_STEP_LIMIT)


def parameter_book(parameters: CardiacParameters) -> ParameterBook:
    """What may be changed of the cell model."""
    model = compiled_model(parameters)
    if model is not None:
        values = {each.name: each.value for each in model.parameters}
        return ParameterBook(model.title, lambda _: values)
    fluxes = frozenset(CHANGEABLE) - {"K_o", "Na_o", "Ca_o"}
    return ParameterBook("Ten Tusscher-Panfilov 2006", _tt06_values, fluxes)


def _tt06_values(cell_type: str) -> dict[str, float]:
    published = tt06.PARAMETERS[CELL_TYPES[cell_type]]
    return {name: published[name] for name in CHANGEABLE}


def make_cells(
    backend: Backend,
    mesh: Sites,
    parameters: CardiacParameters,
    plan: Protocol,
    order: Array,
    progress: Progress = no_progress,
) -> Tissue:
    """The cells on the device, in the order of the operator. Raises ProblemError."""
    numerics, model = parameters.numerics, compiled_model(parameters)
    mask = np.where(insulators(mesh, parameters), np.uint32(0), plan.mask).astype(np.uint32)[order]
    if plan.mask.any() and not mask.any():
        raise ProblemError("All stimuli lie in non-conducting scars: move one into living tissue.")
    if model is not None:
        cells = population(mesh, parameters, parameter_book(parameters))
        compiled, kinds = compiled_kinds(model, cells, parameters, order, progress)
        return make_compiled_tissue(backend, compiled, mesh.n_cells, mask, numerics.activation_threshold, kinds)
    cells = population(mesh, parameters, parameter_book(parameters), tuple(CELL_TYPES))
    of = tuple(Kind(CELL_TYPES[cell_type], changes) for cell_type, changes in cells.kinds)
    return make_tissue(
        backend,
        cells.of[order],
        mask,
        of=of,
        precision=PRECISIONS[numerics.precision],
        start=_tt06_start(of, parameters, progress),
        threshold=numerics.activation_threshold,
    )


def _tt06_start(of: tuple[Kind, ...], parameters: CardiacParameters, progress: Progress) -> tt06.Start | Array:
    numerics = parameters.numerics
    if numerics.initial_state != "paced":
        return STARTS[numerics.initial_state]
    from engines.cardiac.prepaced import paced_tt06

    return paced_tt06(of, numerics.pacing, min(numerics.step, REACTION_STEP_LIMIT), progress)


def compiled_kinds(
    model: CellModel, cells: Population, parameters: CardiacParameters, order: Array, progress: Progress = no_progress
) -> tuple[Step, Kinds]:
    """The step with what some kind changes left open, and the table of it."""
    numerics, scheme = parameters.numerics, parameters.cells.scheme
    opened = model.open(frozenset(name for _, changes in cells.kinds for name, _ in changes))
    opened = model if not opened.opened else opened  # the same object: its step is kept
    published = {each.name: each.value for each in model.parameters}
    rows = [[dict(changes).get(name, published[name]) for name in opened.opened] for _, changes in cells.kinds]
    values = np.array(rows) if opened.opened else np.zeros((len(rows), 1))
    start = None
    if numerics.initial_state == "paced":
        from engines.cardiac.prepaced import paced_compiled

        exact = _step_of(opened, scheme, "float64")
        start = paced_compiled(exact, values, numerics.pacing, numerics.step, progress)
    return _step_of(opened, scheme, PRECISIONS[numerics.precision]), Kinds(cells.of[order], values, start)


def cell_findings(parameters: CardiacParameters) -> list[Finding]:
    """What the owner of a problem should know about its cells. Raises ProblemError for changes that cannot be made."""
    book = parameter_book(parameters)
    for setting in parameters.regions:
        region_kinds(setting, book, np.random.default_rng(0))
    findings = []
    if COMPILED.get(parameters.cell_model) == STEEP and parameters.numerics.precision == "fp32":
        text = "A gate of this cell model depends on a difference that fp32 does not resolve: use fp64."
        findings.append(Finding(text))
    return findings
