"""Which cells a problem asks for, and how they are made."""

from __future__ import annotations

import math
from functools import lru_cache
from pathlib import Path

import numpy as np

from engines.api import Array, Finding, Progress, Remedy, no_progress
from engines.api.device import Backend
from engines.api.errors import ProblemError
from engines.backend.precision import FLOAT_TYPES, FloatType
from engines.cardiac.cells import tt06
from engines.cardiac.cells.kinds import CHANGEABLE, Kind
from engines.cardiac.cells.tissue import Tissue
from engines.cardiac.cells.tt06 import CellType
from engines.cardiac.cells.tt06_tissue import TT06_CELLS
from engines.cardiac.compiler.accuracy.beat import BEAT
from engines.cardiac.compiler.accuracy.trials import STEPS, accuracy
from engines.cardiac.compiler.model import CellModel, StepLimit, shipped
from engines.cardiac.compiler.schemes import Scheme, Step, step
from engines.cardiac.compiler.tissue import Kinds, make_compiled_tissue
from engines.cardiac.parameters import REACTION_STEP_LIMIT, CardiacParameters
from engines.cardiac.parameters.cells import COMPILED, FROM_FILE
from engines.cardiac.stimulus.protocol import Protocol
from engines.cardiac.stimulus.reach import pacing_step
from engines.cardiac.tissue.population import ParameterBook, Population, insulators, population, region_kinds
from engines.cardiac.tissue.sites import Sites
from engines.quantities import rounded_down
from engines.reading import Version, version_of

REACTION_TYPES: dict[str, FloatType] = {**FLOAT_TYPES, "mixed": "float64"}
"""What cells compute with, by the precision of a problem."""
CHEAPEST_FIRST: tuple[Scheme, ...] = ("LRL", "RL", "GRL1", "GRL2")
"""Forward Euler is the same as LRL where no state is stiff, and unstable where one is."""
STEP, SCHEME = ("numerics", "step"), ("cells", "scheme")
USUAL_STEP = 0.02
"""Step [ms] at which the scheme that a model takes by default is accurate."""
FIRST: Scheme = "RL"
"""For models from files: it is stable at larger steps than all that are cheaper. Others where it is not accurate."""
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
            version = version_of(path)
        except OSError as error:
            raise ProblemError(f"The cell model {path.name} is not there any more: choose its file again.") from error
        return _imported(path, version, cells.voltage, cells.stimulus)
    name = COMPILED.get(parameters.cell_model)
    return None if name is None else _shipped(name)


@lru_cache(maxsize=8)
def _imported(path: Path, version: Version, voltage: str, stimulus: str) -> CellModel:
    """The model in a file while it is this ``version``."""
    from engines.cardiac.compiler.importing import import_model

    return import_model(path, voltage or None, stimulus or None)


_shipped = lru_cache(maxsize=None)(shipped)
_stepped = lru_cache(maxsize=32)(step)


def compiled_step(parameters: CardiacParameters) -> Step | None:
    """The compiled step of the cell model without changes; None for TT06."""
    model = compiled_model(parameters)
    precision = REACTION_TYPES[parameters.numerics.precision]
    return None if model is None else _step_of(model, scheme_of(model, parameters), precision)


def _step_of(model: CellModel, scheme: Scheme, precision: FloatType) -> Step:
    return _stepped(model, scheme, precision)


def scheme_of(model: CellModel, parameters: CardiacParameters) -> Scheme:
    """How a compiled model is stepped: as is chosen, or else as cheaply as it is accurate at :data:`USUAL_STEP`."""
    chosen = parameters.cells.scheme
    if chosen != "by model":
        return chosen
    if not model.limits:
        return _measured_scheme(model)
    accurate = {limit.scheme: limit.accurate or 0.0 for limit in model.limits}
    good = (scheme for scheme in CHEAPEST_FIRST if accurate.get(scheme, 0.0) >= USUAL_STEP)
    return next(good, CHEAPEST_FIRST[-1])


def _measured_scheme(model: CellModel) -> Scheme:
    """For a model from a file: the first that is accurate at :data:`USUAL_STEP`, or else at the largest step."""
    found: dict[Scheme, float] = {}
    for scheme in dict.fromkeys((FIRST, *CHEAPEST_FIRST)):
        known = accuracy(model, scheme, USUAL_STEP)
        found[scheme] = known.limit.accurate or 0.0
        if found[scheme] >= USUAL_STEP or not known.whole:
            return scheme
    return max(found, key=found.__getitem__)


def reaction_part(parameters: CardiacParameters) -> float:
    """The step that a cell reacts in [ms]."""
    return parameters.numerics.step / parameters.numerics.reaction_substeps


def _own_limit(parameters: CardiacParameters) -> StepLimit | None:
    """What was measured of the steps of a compiled model by the scheme it takes."""
    model = compiled_model(parameters)
    if model is None:
        return None
    scheme = scheme_of(model, parameters)
    return model.limit(scheme) if model.limits else accuracy(model, scheme, USUAL_STEP).limit


def step_limit(parameters: CardiacParameters) -> float:
    """Largest stable step of the reaction alone [ms]. Raises ProblemError where none was found for a model's scheme."""
    known, from_file = _own_limit(parameters), parameters.cell_model == FROM_FILE
    if known is None:
        return REACTION_STEP_LIMIT
    if known.stable is None:
        raise ProblemError(
            f"One cell of this model by {known.scheme} is unstable at every step that was tried, from {STEPS[0]:g} ms "
            "on: choose another scheme.",
            SCHEME,
        )
    return min(known.stable, REACTION_STEP_LIMIT) if from_file else known.stable


def working_step(parameters: CardiacParameters, diffusion_limit: float) -> float:
    """What to try where a run has ceased to be numbers [ms]: at most half its step, stable on the mesh (up to
    ``diffusion_limit``), and accurate for one cell where that was measured."""
    known = _own_limit(parameters)
    longest = [0.5 * parameters.numerics.step, 0.9 * diffusion_limit]
    if known is not None and known.accurate is not None:
        longest.append(known.accurate * parameters.numerics.reaction_substeps)
    return rounded_down(min(longest), digits=2)


def check_quiet_step(parameters: CardiacParameters) -> None:
    """Raises ProblemError if quiet cells of a multirate reaction wait longer than a compiled model bears."""
    settings, known = parameters.numerics.multirate, _own_limit(parameters)
    step = parameters.numerics.step
    longest = settings.slow_steps(step) * step
    if settings.on and known is not None and known.stable is not None and longest > known.stable:
        raise ProblemError(
            f"Quiet cells react every {longest:g} ms, and by {known.scheme} this cell model is stable up to "
            f"{known.stable:g} ms: choose a smaller step of quiet cells, or another scheme."
        )


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
    """The cells on the device, sites ``order`` of the mesh. Raises ProblemError."""
    numerics, model = parameters.numerics, compiled_model(parameters)
    mask = np.where(insulators(mesh, parameters), np.uint32(0), plan.mask).astype(np.uint32)
    if plan.mask.any() and not mask.any():
        raise ProblemError("All stimuli lie in non-conducting scars: move one into living tissue.")
    mask = mask[order]
    if model is not None:
        cells = population(mesh, parameters, parameter_book(parameters))
        compiled, kinds = compiled_kinds(model, cells, parameters, order, progress)
        return make_compiled_tissue(backend, compiled, len(order), mask, numerics.activation_threshold, kinds)
    cells = population(mesh, parameters, parameter_book(parameters), tuple(CELL_TYPES))
    of = tuple(Kind(CELL_TYPES[cell_type], changes) for cell_type, changes in cells.kinds)
    return TT06_CELLS.open(
        backend,
        cells.of[order],
        mask,
        of=of,
        precision=REACTION_TYPES[numerics.precision],
        start=_tt06_start(of, parameters, progress),
        threshold=numerics.activation_threshold,
    )


def _tt06_start(of: tuple[Kind, ...], parameters: CardiacParameters, progress: Progress) -> tt06.Start | Array:
    numerics = parameters.numerics
    if numerics.initial_state != "paced":
        return STARTS[numerics.initial_state]
    from engines.cardiac.setup.prepaced import paced_tt06

    return paced_tt06(of, numerics.pacing, pacing_step(parameters), progress)


def compiled_kinds(
    model: CellModel, cells: Population, parameters: CardiacParameters, order: Array, progress: Progress = no_progress
) -> tuple[Step, Kinds]:
    """The step with what some kind changes left open, and the table of it."""
    numerics, scheme = parameters.numerics, scheme_of(model, parameters)
    opened = model.open(frozenset(name for _, changes in cells.kinds for name, _ in changes))
    opened = model if not opened.opened else opened  # the same object: its step is kept
    published = {each.name: each.value for each in model.parameters}
    rows = [[dict(changes).get(name, published[name]) for name in opened.opened] for _, changes in cells.kinds]
    values = np.array(rows) if opened.opened else np.zeros((len(rows), 1))
    start = None
    if numerics.initial_state == "paced":
        from engines.cardiac.setup.prepaced import paced_compiled

        exact = _step_of(opened, scheme, "float64")
        start = paced_compiled(exact, values, numerics.pacing, pacing_step(parameters), progress)
    return _step_of(opened, scheme, REACTION_TYPES[numerics.precision]), Kinds(cells.of[order], values, start)


def cell_findings(parameters: CardiacParameters) -> list[Finding]:
    """What the owner of a problem should know about its cells. Raises ProblemError for changes that cannot be made."""
    book = parameter_book(parameters)
    for setting in parameters.regions:
        region_kinds(setting, book, np.random.default_rng(0))
    model = compiled_model(parameters)
    if model is None:
        return []
    findings = [Finding(note, "info", ("cells",)) for note in model.notes]
    if model.limits:
        return findings + _known_step_findings(parameters)
    return findings + _measured_step_findings(model, parameters)


def _known_step_findings(parameters: CardiacParameters) -> list[Finding]:
    """Of a model whose limits are stored with it."""
    limit, step = _own_limit(parameters), reaction_part(parameters)
    if limit is None or limit.accurate is None or not limit.accurate < step <= (limit.stable or step):
        return []
    return [
        Finding(
            f"One cell of this model by {limit.scheme} activates within 0.1 ms and lasts as long within 1 ms up to "
            f"steps of {limit.accurate:g} ms; here they are {step:g} ms: choose a smaller step or another scheme.",
            place=STEP,
            remedy=_smaller_step(parameters, limit.accurate),
            distorts=True,
        )
    ]


def _measured_step_findings(model: CellModel, parameters: CardiacParameters) -> list[Finding]:
    """What one beat of a model from a file is off at the scheme and the step that are chosen."""
    step, scheme = reaction_part(parameters), scheme_of(model, parameters)
    known = accuracy(model, scheme, step)
    if not known.whole:
        what = "does not repolarise within 1 s" if known.beat.excited else "is not excited"
        if known.beat.reached < BEAT:
            what = f"cannot be integrated to 8 digits beyond {known.beat.reached:.3g} ms"
        return [
            Finding(
                f"One cell of this model {what} after 52 pA/pF for 1 ms from its file's start: how accurate steps are "
                "was not measured.",
                place=("cells", "file"),
            )
        ]
    trial, limit = known.at(step), known.limit
    beat = f"One cell of this model by {scheme} at {step:g} ms"
    exact = f"an integration to 8 digits gives an APD90 of {known.beat.duration:.1f} ms"
    if trial.accurate:
        text = f"{beat} has an APD90 of {trial.duration:.1f} ms, {trial.duration_error:+.2f} ms off: {exact}."
        return [Finding(text, "info", STEP)]
    if not trial.stable:
        what = "is unstable"
    elif math.isnan(trial.duration):
        what = "has no action potential that ends"
    else:
        what = (
            f"has an APD90 of {trial.duration:.1f} ms, {trial.duration_error:+.1f} ms off, and activates "
            f"{trial.activation_error:+.2f} ms off"
        )
    if limit.accurate is not None and limit.accurate < step:
        smaller = _smaller_step(parameters, limit.accurate)
        return [Finding(f"{beat} {what}: {exact}.", place=STEP, remedy=smaller, distorts=True)]
    remedy = None if parameters.cells.scheme == "by model" else Remedy("Take the model's scheme", {SCHEME: "by model"})
    text = f"{beat} {what}: {exact}, and no smaller step that was tried does."
    return [Finding(text, place=SCHEME, remedy=remedy, distorts=True)]


def _smaller_step(parameters: CardiacParameters, part: float) -> Remedy:
    """A step whose parts are ``part`` [ms]."""
    whole = float(f"{part * parameters.numerics.reaction_substeps:.9g}")
    return Remedy(f"Make the step {whole:g} ms", {STEP: whole})
