"""Symmetric Butler-Volmer kinetics over arrays, both ways, on either backend.

    j = 2 j0 sinh(F η/2RT),   η = (2RT/F) asinh(j/2j0)

Odd to the last bit and as accurate near equilibrium as elsewhere: no exponentials cancel, as they do in the usual
``j0 (exp(Fη/2RT) − exp(−Fη/2RT))``, which at 10 µV keeps three digits in float32.
"""

from __future__ import annotations

from typing import Any

from engines.api.device import Backend
from engines.backend.twins import Twins
from engines.battery.parameter_sets.constants import FARADAY, GAS, REFERENCE_TEMPERATURE

LAUNCH = Twins[None](__package__, cpu="cpu:launch", cuda="cuda:launch")


def current_density(
    backend: Backend, overpotential: Any, exchange: Any, *, temperature: float = REFERENCE_TEMPERATURE, out: Any = None
) -> Any:
    """j [A/m²], positive for a positive ``overpotential`` η [V]; ``exchange``: j0 [A/m²], ``temperature`` [K].

    Device arrays (n,) of one precision, float32 or float64, contiguous and as ``backend.empty`` places them; the answer
    goes to ``out``, or to a new array, and is returned. Within 3e-7 (float32) and 1e-15 (float64) of the value;
    saturates where an exponential would overflow (|Fη/2RT| of 88 and 709). Called inside ``backend.timed`` or
    ``active``. Raises ValueError where the arrays do not match.
    """
    return _launch(backend, "current_density", overpotential, exchange, out, FARADAY / (2 * GAS * temperature))


def overpotential(
    backend: Backend,
    current_density: Any,
    exchange: Any,
    *,
    temperature: float = REFERENCE_TEMPERATURE,
    out: Any = None,
) -> Any:
    """η [V] of a ``current_density`` j [A/m²]: the inverse of :func:`current_density`, with the same arguments.

    ``exchange`` is positive. Within 5e-7 (float32) and 2e-15 (float64) of the value.
    """
    return _launch(backend, "overpotential", current_density, exchange, out, 2 * GAS * temperature / FARADAY)


def _launch(backend: Backend, name: str, given: Any, exchange: Any, out: Any, scale: float) -> Any:
    if out is None:
        out = backend.empty(given.shape, given.dtype)
    for array in (given, exchange, out):
        if array.dtype != given.dtype or array.shape != (len(given),) or not array.flags.c_contiguous:
            raise ValueError(
                "overpotential, exchange current density and result are contiguous arrays (n,) of one precision"
            )
    if given.dtype not in ("float32", "float64"):
        raise ValueError(f"kinetics are in float32 or float64, not {given.dtype}")
    if not len(given):
        return out
    LAUNCH.on(backend)(backend, name, out, given, exchange, scale)
    return out
