"""What a person does to neurons with a brush while they run: stimulate them, silence them."""

from __future__ import annotations

from typing import Any

import numpy as np

from engines.api import Array, Dab, PaintInfo
from engines.api.abilities import Underneath
from engines.api.device import Backend
from engines.api.errors import ProblemError

STIMULATE, LESION = "stimulate", "lesion"
SILENT = (1 << 31) - 1
"""The step from which a neuron may fire again that never comes."""
RADIUS = 0.06
GOLDEN = 0.6180339887498949
"""Its multiples are spread evenly over 0 to 1: those of which share of the neurons a lesion takes."""


def infos(amount: float, unit: str) -> tuple[PaintInfo, ...]:
    """``amount`` [``unit`` of excitatory synapses] is enough to fire."""
    return (
        PaintInfo(
            STIMULATE,
            "Stimulate",
            unit,
            amount,
            RADIUS,
            erasable=False,
            amount_title="Input to each neuron",
            bounds=(0.0, 1000.0 * amount),
            hint="Gives the neurons one pulse through their excitatory synapses, which fades as those do.",
        ),
        PaintInfo(
            LESION,
            "Lesion",
            "",
            1.0,
            RADIUS,
            amount_title="Share of the neurons",
            bounds=(0.0, 1.0),
            hint="Neurons fire no more; erasing lets them fire again.",
        ),
    )


def reached(positions: Array, dab: Dab) -> Array:
    """(k,) neurons in the ball, and the nearest one however small it is."""
    away = positions - np.array(dab.position)
    squares = np.einsum("ij,ij->i", away, away)
    inside = np.flatnonzero(squares <= dab.radius**2)
    return inside if len(inside) else np.array([squares.argmin()])


def underneath(backend: Backend, arrays: dict[str, Any], neurons: Array, dab: Dab) -> Underneath:
    """What ``dab`` is about to change of ``neurons: (k,)``. Who is silent changes by painting alone."""
    lesion = dab.brush == LESION
    with backend.active():
        held = np.array(backend.to_host(arrays["release" if lesion else "g_e"][backend.array(neurons)]))
    return Underneath(dab.brush, neurons, held, held.nbytes + neurons.nbytes, lasts=lesion)


def put_back(backend: Backend, arrays: dict[str, Any], under: Underneath) -> Array:
    """Inputs as they were, or who was silent, and who was not; (n,) bool, who is silent then."""
    release = np.array(backend.to_host(arrays["release"]))
    with backend.active():
        if under.brush == LESION:
            now = release[under.place]  # who has fired since is as silent, or not, as before
            release[under.place] = np.where((now == SILENT) == (under.values == SILENT), now, under.values)
            arrays["release"][...] = backend.array(release)
        else:
            arrays["g_e"][backend.array(under.place)] = backend.array(under.values)
    return np.asarray(release == SILENT)


def stimulate(backend: Backend, arrays: dict[str, Any], neurons: Array, amount: float) -> None:
    """Raise what excitatory synapses give. Raises ProblemError."""
    if not (np.isfinite(amount) and amount > 0):
        raise ProblemError("A stimulus needs an input above zero: set the brush's input.")
    with backend.active():
        arrays["g_e"][backend.array(neurons)] += np.float32(amount)


def lesion(backend: Backend, arrays: dict[str, Any], neurons: Array, share: float, erase: bool) -> Array:
    """Silence a share of the neurons, always the same ones, or let those that were silenced fire again; (n,) bool,
    who is silent then. Raises ProblemError."""
    release = backend.to_host(arrays["release"]).copy()
    if erase:
        own = neurons[release[neurons] == SILENT]
        release[own] = 0
    else:
        if not 0 < share <= 1:
            raise ProblemError("A lesion takes a share of the neurons above 0 and up to 1: set the brush's share.")
        release[neurons[(neurons * GOLDEN) % 1.0 < share]] = SILENT
    with backend.active():
        arrays["release"][...] = backend.array(release)
    return np.asarray(release == SILENT)
