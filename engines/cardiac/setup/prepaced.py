"""Where cells start that were paced before the run: each kind alone, on the CPU in float64, kept on disk.

The cells of all kinds are paced together, a SIMD lane each, from the model's published state; 1000 beats at a step of
0.02 ms take half a minute for up to eight kinds of TT06 on one core. TT06's stimulus is a potassium current here, as
in the protocol of the published single-cell action potentials: one that carried no charge would let potassium drift.
"""

from __future__ import annotations

import hashlib
import io
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np

from engines.api import Array, Progress, no_progress
from engines.api.errors import ProblemError
from engines.backend.cache_dir import cache_dir, keep, sealed, unsealed
from engines.backend.cpu import CpuBackend
from engines.backend.threads import parallel_region
from engines.cardiac.cells import cpu as tt06_cpu
from engines.cardiac.cells import tt06
from engines.cardiac.cells.kinds import Kind
from engines.cardiac.compiler.schemes import Step
from engines.cardiac.compiler.tissue import COMPILED, Kinds
from engines.cardiac.parameters.cells import Pacing
from engines.cardiac.stimulus.reach import steps_of_cycle
from engines.reading import read_npy

CHUNK_STEPS = 200_000
"""Steps between two looks at whether the run is still wanted: a tenth of a second."""


def paced_tt06(kinds: Sequence[Kind], pacing: Pacing, step: float, progress: Progress = no_progress) -> Array:
    """(kinds, 19) float64: physical states in the order of :data:`tt06.STATES` after the beats of ``pacing``."""
    cells = np.arange(len(kinds), dtype=np.uint8)
    tissue = tt06_cpu.CpuTissue(CpuBackend(), cells, of=kinds, precision="float64", potassium_stimulus=True)
    key = f"{tt06_cpu.digest()} {kinds!r}"
    return _paced(tissue, ("V", *tt06.ROWS), 0, key, pacing, step, progress)


def paced_compiled(
    compiled: Step, values: Array, pacing: Pacing, step: float, progress: Progress = no_progress
) -> Array:
    """(kinds, states) float64 after the beats, in the order of the model; ``values`` as in :class:`Kinds`.

    ``compiled`` must be of float64."""
    from engines.cardiac.compiler.cpu_kernels import digest

    kinds = Kinds(np.arange(len(values), dtype=np.uint8), values)
    tissue = COMPILED.open(CpuBackend(), compiled, len(values), None, 0.0, kinds)
    names = tuple(state.name for state in compiled.model.states)
    key = f"{digest(compiled)} {values.tolist()!r}"
    return _paced(tissue, names, compiled.model.voltage, key, pacing, step, progress)


def _paced(
    tissue: Any, names: tuple[str, ...], voltage_at: int, key: str, pacing: Pacing, step: float, progress: Progress
) -> Array:
    if pacing.duration > pacing.cycle_length:
        raise ProblemError(
            f"Cells are to be paced for {pacing.duration:g} ms of every {pacing.cycle_length:g} ms: make the pacing's "
            "cycle at least as long as its stimulus."
        )
    cycle = steps_of_cycle(pacing.cycle_length, step)
    dt = pacing.cycle_length / cycle
    text = f"{key} {pacing!r} {dt!r}"
    path = cache_dir() / "paced" / f"{hashlib.sha256(text.encode()).hexdigest()[:24]}.npy"
    kept = _kept(path)
    if kept is not None and kept.shape == (tissue.n_cells, len(names)):
        return kept
    on = max(1, round(pacing.duration / dt))
    voltage = tissue.new_voltage()
    beats_at_once = max(1, CHUNK_STEPS // cycle)
    done = 0
    while done < pacing.beats:
        progress(f"Pacing single cells, beat {done + 1:,} of {pacing.beats:,}", done / pacing.beats)
        beats = min(beats_at_once, pacing.beats - done)
        with parallel_region():
            tissue.pace(voltage, pacing.amplitude, cycle, on, beats, dt)
        done += beats
    states = np.array([
        voltage[: tissue.n_cells].astype(np.float64) if k == voltage_at else tissue.state(name)
        for k, name in enumerate(names)
    ]).T  # fmt: skip
    if not np.isfinite(states).all():
        raise ProblemError(
            f"A cell paced alone every {pacing.cycle_length:g} ms ceases to be a number at a step of {dt:g} ms: use a "
            "smaller step or a weaker stimulus, or look at the changes of the cell model."
        )
    content = io.BytesIO()
    np.save(content, states)
    keep(path, sealed(content.getvalue()))
    return states


def _kept(path: Path) -> Array | None:
    """None where there is none yet, or it is not as it was written: paced again."""
    with suppress(OSError):
        content = unsealed(path.read_bytes())
        return None if content is None else read_npy(io.BytesIO(content), len(content))
    return None
