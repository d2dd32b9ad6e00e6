"""The study of 288 diffusion steps in spheres, after dendrite's benchmark: 100 s of 10,000 particles."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from engines.api.device import Backend
from engines.api.lab import Case, Inputs, Prepared, Published, Resources, Shape, Study, Variant
from engines.backend.lab.variants import Buffers, Launch, array_variant, kernel_resources, kernel_variant, up_to
from engines.battery.lab.variants import cpu, expressions, spherical_step
from engines.battery.lab.variants.engine_kernels import ModesPrepared, ShellsPrepared
from engines.battery.lab.variants.spheres import (
    BYTES,
    CASES,
    DT,
    PARTICLES,
    POINTS,
    STEPS,
    closed_reference,
    closed_reference_rows,
    smooth,
)
from engines.battery.lab.variants.spherical_step import Lanes, on_device
from engines.battery.step.particle_rows import MODES

if TYPE_CHECKING:
    from engines.backend.cuda import CudaBackend

FLOPS = spherical_step.FLOPS * STEPS
FILE = Path(__file__).with_name("spherical_steps.cu")
PARTICLE_FOLDER = Path(__file__).resolve().parents[2] / "particles" / "step"
LARGEST_STEPWISE = 1 << 19
"""Points up to which array expressions take all steps: 10,000 particles. 100,000 take NumPy some 5 s a launch."""
IMPLICIT_STEPS = 12
"""Of 8.3 s, each 24 explicit ones."""
OTHER_ALGORITHM = 5e-3
"""288 explicit steps differ from the exact solution by their own error: in time at most x² e⁻ˣ/576 ≤ 1e-3 of a mode's
amplitude (x: λ²Dt/R²), in space λ²x e⁻ˣ/12·32² ≤ 6e-3 of the fourth mode's, a fifth of the largest value."""

RTX_3090 = Published(
    source="Dendrite: 133x Faster Battery Simulation, Final Benchmark Results (10,000 x 32 x 288)",
    device="RTX 3090",
    unit="ms",
    figures={"numpy": {"10k": 351.0}, "cupy": {"10k": 518.0}, "steps": {"10k": 2.63}},
)
PLAIN_FUSED = Published(
    source="A plain fused kernel, one warp per particle",
    device="Plain fused",
    unit="ms",
    figures={"fused": {"10k": 0.035}},
)


class StepwisePrepared(Buffers):
    """A launch is 288 launches of one step's kernel, to and from a scratch array; as a graph or one by one."""

    def __init__(self, backend: CudaBackend, case: Case, inputs: Inputs, sets: int, shape: Shape, graph: bool) -> None:
        super().__init__(backend, inputs, sets, PARTICLES)
        self._cuda = backend
        self._kernel = backend.compile(spherical_step.FILE).get_function("spherical_shuffle")
        self._how = Lanes(POINTS)(case, shape)
        scratch = backend.empty(case.size, np.float32)
        # What a launch passes is made once: the host's time for a launch is measured too.
        self._calls = [self._chain(index, scratch) for index in range(sets)]
        self.set_bytes += scratch.nbytes
        self._graphs: list[Any] = []
        if graph:
            with backend.active():
                self._steps(0)  # the kernel is loaded before it is captured
            self._graphs = [self._captured(index) for index in range(sets)]

    def _chain(self, index: int, scratch: Any) -> list[tuple[Any, ...]]:
        """Arguments of each step; an even number of them, so that the last one writes to the output."""
        out, (c, tau, gain) = self._outputs[index], self._arrays[index]
        places = [c, *[scratch, out] * (STEPS // 2)]
        return [(after, before, tau, gain, *self._how.scalars) for before, after in pairwise(places)]

    def _steps(self, index: int) -> None:
        for arguments in self._calls[index]:
            self._kernel(self._how.grid, self._how.block, arguments)

    def _captured(self, index: int) -> Any:
        return self._cuda.captured(lambda: self._steps(index))

    def launch(self, index: int) -> None:
        if self._graphs:
            self._graphs[index]()
        else:
            self._steps(index)

    def resources(self) -> Resources:
        return kernel_resources(self._cuda, self._kernel, self._how.block, 0)

    def close(self) -> None:
        super().close()
        self._calls, self._graphs = [], []


def _stepwise(id: str, title: str, graph: bool, note: str) -> Variant:
    def prepare(backend: Backend, case: Case, inputs: Inputs, sets: int, shape: Shape | None) -> Prepared:
        cuda: CudaBackend = backend  # type: ignore[assignment]  # the Lab gives it to no other device
        return StepwisePrepared(cuda, case, inputs, sets, shape or (256,), graph)

    return Variant(
        id=id, title=title, language="CUDA", bytes=BYTES, flops=FLOPS, source=spherical_step.FILE,
        symbol="spherical_shuffle", prepare=prepare, note=note, steps=STEPS, shapes=((256,),),
    )  # fmt: skip


def _shells(
    id: str, title: str, language: Literal["CUDA", "Numba"], scheme: Literal["explicit", "implicit"], symbol: str,
    note: str, steps: int = STEPS, tolerance: float | None = None,
) -> Variant:  # fmt: skip
    def prepare(backend: Backend, case: Case, inputs: Inputs, sets: int, shape: Shape | None) -> Prepared:
        return ShellsPrepared(backend, inputs, sets, scheme, DT * STEPS / steps, steps)

    source = f"{scheme}.cu" if language == "CUDA" else "cpu.py"
    return Variant(
        id=id, title=title, language=language, bytes=BYTES, flops=FLOPS, source=PARTICLE_FOLDER / source,
        symbol=symbol, prepare=prepare, note=note, steps=STEPS, tolerance=tolerance,
    )  # fmt: skip


def _modes(id: str, language: Literal["CUDA", "Numba"]) -> Variant:
    def prepare(backend: Backend, case: Case, inputs: Inputs, sets: int, shape: Shape | None) -> Prepared:
        return ModesPrepared(backend, inputs, sets, DT * STEPS)

    return Variant(
        id=id, title=f"{MODES} eigenmodes, one evaluation", language=language, bytes=4 * (2 * (2 + MODES) + 3) / POINTS,
        flops=8 * MODES / POINTS, source=PARTICLE_FOLDER / ("modes.cu" if language == "CUDA" else "cpu.py"),
        symbol="relax", prepare=prepare, steps=STEPS, tolerance=OTHER_ALGORITHM,
        note="Another algorithm: exact at any time, so points/s count what explicit steps would have computed. The "
        "shells are made from the modes when they are looked at, not here.",
    )  # fmt: skip


def _expression(id: str, language: Literal["CuPy", "NumPy"], note: str) -> Variant:
    """Refused where its launches would take seconds."""
    whole = array_variant(
        id, "Array expressions", language, expressions.__file__, "spherical_steps",
        on_device(expressions.spherical_steps, STEPS), bytes=BYTES, flops=FLOPS, note=note, steps=STEPS,
        layout=PARTICLES,
    )  # fmt: skip
    return up_to(LARGEST_STEPWISE, whole)


def _fused(case: Case, shape: Shape) -> Launch:
    how = Lanes(POINTS)(case, shape)
    return Launch(how.grid, how.block, (*how.scalars, np.int32(STEPS)))


def _passes(backend: Backend, case: Case) -> Any:
    scratch = backend.empty(case.size, np.float32)
    return on_device(cpu.spherical_stepwise, scratch, STEPS)(backend, case)


OWN_NOTE = "In the launch shape that tuning found here: several shells per lane, two shuffles a lane and step."
IMPLICIT_NOTE = (
    f"Another algorithm: {IMPLICIT_STEPS} Crank-Nicolson steps for the {STEPS}; points/s count what explicit steps "
    "would have computed."
)

VARIANTS: tuple[Variant, ...] = (
    _stepwise(
        "steps", "288 launches", False,
        "Warp shuffles, a launch per step: dendrite's final form. Launching takes longer than computing.",
    ),
    _stepwise("graph", "A CUDA graph of 288 steps", True, "The same kernels without the host's part."),
    kernel_variant(
        "fused", "One launch, a warp per particle", FILE, "spherical_fused", _fused, bytes=BYTES, flops=FLOPS,
        shapes=((256,), (128,), (64,), (512,)), steps=STEPS, layout=PARTICLES,
        note="All steps in registers, one point per lane: six instructions a point and step, two of them shuffles.",
    ),
    _shells("engine", "One launch, the engine's", "CUDA", "explicit", "constant", OWN_NOTE),
    _shells(
        "implicit", "Implicit, 12 steps", "CUDA", "implicit", "in_registers", IMPLICIT_NOTE, IMPLICIT_STEPS,
        OTHER_ALGORITHM,
    ),
    _modes("modes", "CUDA"),
    _expression("cupy", "CuPy", "Dendrite's first: five kernels a step, each through memory; slower than NumPy there."),
    array_variant(
        "numba-steps", "288 passes", "Numba", cpu.__file__, "spherical_stepwise",
        _passes, bytes=BYTES, flops=FLOPS, steps=STEPS, layout=PARTICLES,
        note="Each step goes through the caches, and all threads meet after it.",
    ),
    _shells(
        "numba-engine", "In the first-level cache, the engine's", "Numba", "explicit", "explicit",
        "A vector of particles takes all its steps before the next one begins.",
    ),
    _shells(
        "numba-implicit", "Implicit, 12 steps", "Numba", "implicit", "implicit", IMPLICIT_NOTE, IMPLICIT_STEPS,
        OTHER_ALGORITHM,
    ),
    _modes("numba-modes", "Numba"),
    _expression("numpy", "NumPy", "Five passes a step, one core."),
)  # fmt: skip


STUDY = Study(
    id="spherical-288",
    title="Spherical diffusion, 288 steps",
    summary="100 s of particles of 32 shells; bytes are those of one pass, so time tells what the steps cost.",
    cases=CASES,
    variants=VARIANTS,
    inputs=smooth,
    reference=closed_reference,
    reference_rows=closed_reference_rows,
    tolerance=2e-5,
    tolerance_note=(
        "Seven float32 roundings a step of at most 6e-8 each, which add up like a random walk where they have no bias "
        "and in full where they have: 288 x 6e-8 = 1.7e-5."
    ),
    published=(RTX_3090, PLAIN_FUSED),
)
