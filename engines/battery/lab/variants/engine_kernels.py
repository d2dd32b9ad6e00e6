"""The engine's own launchers as variants: diffusion in spheres, explicit, implicit and by modes, and kinetics."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from engines.api import Array
from engines.api.device import Backend
from engines.api.lab import Inputs, Prepared, Resources
from engines.backend.lab.variants import Buffers, Layout, kernel_resources
from engines.backend.twins import pick
from engines.battery.kinetics import butler_volmer
from engines.battery.kinetics.cuda import call
from engines.battery.lab.variants.spheres import POINTS
from engines.battery.particles.step.diffusion import MODE_DIFFUSION, SHELL_DIFFUSION


class ShellsPrepared(Prepared):
    """Finite volumes in place: a launch takes ``steps`` of ``dt`` seconds from where the last one ended.

    :meth:`poison` puts the input back, for the output lies in its place; a shell that were not advanced would differ
    from the reference, for all of them move.
    """

    def __init__(
        self,
        backend: Backend,
        inputs: Inputs,
        sets: int,
        scheme: Literal["explicit", "implicit"],
        dt: float,
        steps: int,
    ) -> None:
        self._backend, self._scheme, self._dt, self._steps = backend, scheme, dt, steps
        self._sets = [
            SHELL_DIFFUSION.open(backend, inputs["radius"], inputs["diffusivity"], POINTS) for _ in range(sets)
        ]
        first = self._sets[0]
        self._flux = first.per_particle(inputs["flux"])
        padding = ((0, 0), (0, first.n_padded - first.n_particles))
        self._start = np.pad(inputs["c"].T, padding, mode="edge")
        for index in range(sets):
            self.poison(index)
        self.set_bytes = first.deviation.nbytes + first.base.nbytes + 3 * self._flux.nbytes

    def launch(self, index: int) -> None:
        getattr(self._sets[index], self._scheme)(self._flux, self._dt, self._steps)

    def poison(self, index: int) -> None:
        start = self._backend.array(self._start)
        with self._backend.active():
            self._sets[index].deviation[...] = start
            self._sets[index].base.fill(0)

    def result(self, index: int) -> Array:
        return self._sets[index].concentration().T

    def resources(self) -> Resources | None:
        if self._scheme == "implicit" or (launched := self._sets[0].explicit_kernel) is None:
            return None
        kernel, block = launched
        return kernel_resources(self._backend, kernel, (block,), 0)  # type: ignore[arg-type]  # of kind "cuda"

    def close(self) -> None:
        self._sets = []


class ModesPrepared(Prepared):
    """Eigenmodes in place, ``seconds`` a launch. Their profile is made when it is looked at, outside of the launch."""

    def __init__(self, backend: Backend, inputs: Inputs, sets: int, seconds: float) -> None:
        self._backend, self._seconds = backend, seconds
        self._sets = [MODE_DIFFUSION.open(backend, inputs["radius"], inputs["diffusivity"]) for _ in range(sets)]
        first = self._sets[0]
        self._flux = first.per_particle(inputs["flux"])
        amplitudes = inputs["amplitudes"].T
        start = np.zeros((2 + first.modes, first.n_particles), np.float32)
        start[0], start[2 : 1 + len(amplitudes)] = amplitudes[0], amplitudes[1:]
        self._start = np.pad(start, ((0, 0), (0, first.n_padded - first.n_particles)), mode="edge")
        for index in range(sets):
            self.poison(index)
        self.set_bytes = first.state.nbytes + 3 * self._flux.nbytes

    def launch(self, index: int) -> None:
        self._sets[index].advance(self._flux, self._seconds)

    def poison(self, index: int) -> None:
        start = self._backend.array(self._start)
        with self._backend.active():
            self._sets[index].state[...] = start

    def result(self, index: int) -> Array:
        modes = self._sets[index]
        return self._backend.to_host(modes.profile(self._flux, POINTS))[:, : modes.n_particles].T

    def close(self) -> None:
        self._sets = []


class KineticsPrepared(Buffers):
    """``engines.battery.kinetics.butler_volmer``: ``law`` is the name of one of its two functions."""

    def __init__(
        self,
        backend: Backend,
        inputs: Inputs,
        sets: int,
        layout: Layout,
        law: Literal["current_density", "overpotential"],
        scale: float,
    ) -> None:
        super().__init__(backend, inputs, sets, layout)
        self._calls: list[Any] = []
        self._function = getattr(butler_volmer, law)
        kernel_call: Any = pick(backend, cpu=None, cuda=call)
        if kernel_call is not None:
            # What a launch passes is made once: the host's time for a launch is measured too.
            with backend.active():
                self._calls = [
                    kernel_call(backend, law, out, given, exchange, scale)
                    for out, (given, exchange) in zip(self._outputs, self._arrays, strict=True)
                ]

    def launch(self, index: int) -> None:
        if self._calls:
            self._calls[index]()
        else:
            self._function(self._backend, *self._arrays[index], out=self._outputs[index])

    def resources(self) -> Resources | None:
        if not self._calls:
            return None
        first = self._calls[0]
        return kernel_resources(self._backend, first.kernel, first.block, 0)  # type: ignore[arg-type]  # a CudaBackend

    def close(self) -> None:
        super().close()
        self._calls = []
