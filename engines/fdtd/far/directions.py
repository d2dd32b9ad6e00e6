"""Directions of a far field and the weights with which they make integrals over the sphere."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from engines.api import Array


@dataclass(frozen=True)
class Directions:
    """A grid of polar angles θ from ``axis`` and azimuths φ around it, from the next axis on (x, y, z, x, …).

    theta: (t,), phi: (p,) [rad]; weights: (t,), ``∫ f dΩ = Σ weights[i] · 2π/p · f[i, j]``
    """

    theta: Array
    phi: Array
    weights: Array
    axis: int = 2

    def frame(self) -> tuple[Array, Array, Array]:
        """r̂, θ̂ and φ̂, (t, p, 3) each."""
        theta, phi = self.theta[:, None], self.phi[None, :]
        sine, cosine = np.sin(theta), np.cos(theta)
        flat = np.ones_like(theta)
        radial = (sine * np.cos(phi), sine * np.sin(phi), cosine * np.ones_like(phi))
        polar = (cosine * np.cos(phi), cosine * np.sin(phi), -sine * np.ones_like(phi))
        around = (-flat * np.sin(phi), flat * np.cos(phi), np.zeros_like(theta * phi))
        shift = (self.axis + 1) % 3  # the parts stand for the axes after ``axis``, and for it
        return (
            np.roll(np.stack(radial, axis=2), shift, axis=2),
            np.roll(np.stack(polar, axis=2), shift, axis=2),
            np.roll(np.stack(around, axis=2), shift, axis=2),
        )


def sphere(polar: int = 64, azimuths: int = 128, axis: int = 2) -> Directions:
    """``polar + 1`` angles from pole to pole, both included, with Clenshaw and Curtis's weights (``polar`` even).

    Exact for fields of up to ``polar`` / 2 waves around the sphere: a box of radius R makes about 2πR/λ of them.
    """
    if polar % 2:
        raise ValueError("the number of polar steps is even")
    theta = np.pi * np.arange(polar + 1) / polar
    k = np.arange(1, polar // 2 + 1)
    halves = np.where(2 * k == polar, 1.0, 2.0)
    weights = 2 / polar * (1 - (halves / (4 * k**2 - 1) * np.cos(2 * np.outer(theta, k))).sum(axis=1))
    weights[[0, -1]] /= 2
    return Directions(theta, 2 * np.pi * np.arange(azimuths) / azimuths, weights, axis)


def circle(azimuths: int = 360, axis: int = 2) -> Directions:
    """Directions across ``axis``, for problems in which nothing varies along it."""
    return Directions(np.array([np.pi / 2]), 2 * np.pi * np.arange(azimuths) / azimuths, np.ones(1), axis)
