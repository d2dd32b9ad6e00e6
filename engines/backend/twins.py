"""The one door from a problem to its CUDA or its CPU class.

What an engine writes twice, a class for GPUs and its twin for the CPU with the same methods, is named once:

    DIFFUSION = Twins[Diffusion](__package__, cpu="cpu:CpuDiffusion", cuda="cuda:CudaDiffusion")
    steps = DIFFUSION.open(backend, shape, rates)

``Diffusion`` is the abstract base (or the protocol) beside them. Only the module of the twin that is opened is
imported, so that a machine without Numba or CuPy can do what needs the other.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any, Generic, TypeVar

from engines.api.device import Backend

Twin = TypeVar("Twin")
Value = TypeVar("Value")


def pick(backend: Backend, *, cpu: Value, cuda: Value) -> Value:
    """The value for the kind of device that ``backend`` is."""
    return cpu if backend.id == "cpu" else cuda


class Twins(Generic[Twin]):
    """A class on both kinds of device; ``cpu`` and ``cuda`` are ``module:name``, modules below ``package``."""

    def __init__(self, package: str | None, *, cpu: str, cuda: str) -> None:
        self._package = package or ""
        self._cpu, self._cuda = cpu, cuda

    def on(self, backend: Backend) -> Any:
        """The class (or function) for ``backend``, imported now."""
        module, _, name = pick(backend, cpu=self._cpu, cuda=self._cuda).partition(":")
        return getattr(import_module(f"{self._package}.{module}"), name)

    def open(self, backend: Backend, *arguments: Any, **options: Any) -> Twin:
        """The class for ``backend``, called with it and the rest."""
        made: Twin = self.on(backend)(backend, *arguments, **options)
        return made

    def __repr__(self) -> str:
        return f"Twins({self._package!r}, cpu={self._cpu!r}, cuda={self._cuda!r})"
