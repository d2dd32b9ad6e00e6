"""Least squares by batches: a grid of candidates, then Levenberg's and Marquardt's steps from the best of them.

A step takes two batches: one of neighbours, for the slopes, and one of steps of different damping, of which the best is
taken. Coordinates are those of the unit cube.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import product

import numpy as np

from engines.api import Array

DAMPINGS = (1e-4, 1e-2, 0.1, 1.0)
"""Marquardt's λ, tried together."""
SLOPE = 0.1
"""Distance of neighbours, over the mesh of the grid, at first."""
NARROWER = 0.25
"""What a step that finds nothing better leaves of the reach of the next one."""
ENOUGH = 1e-3
"""The part of the misfit that a step must take away for the next one to be worth its runs."""

Evaluate = Callable[[Array], Array]
"""(m, p) candidates → (m, r) residuals; not finite where a candidate cannot be calculated."""


@dataclass
class Search:
    """``best: (p,)`` of all that were ``tried``, with its ``residuals: (r,)`` and ``misfit``, their root mean square.

    Nothing has been found where no candidate can be calculated: misfit is infinite.
    """

    evaluate: Evaluate
    tried: list[tuple[Array, float]] = field(default_factory=list)
    best: Array = field(default_factory=lambda: np.zeros(0))
    residuals: Array = field(default_factory=lambda: np.zeros(0))
    misfit: float = np.inf

    def grid(self, numbers: int, candidates: int) -> None:
        """``candidates`` values of each of so many numbers."""
        axis = np.linspace(0.0, 1.0, candidates)
        self._try(np.array(list(product(axis, repeat=numbers))))

    def zoom(self, candidates: int, reach: float) -> float:
        """``candidates`` values of each number within ``reach`` of the best; the reach for the next look."""
        if not np.isfinite(self.misfit):
            return reach
        axis = np.linspace(-reach, reach, candidates)
        around = self.best + np.array(list(product(axis, repeat=len(self.best))))
        self._try(np.clip(around, 0.0, 1.0))
        return 3.0 * reach / (candidates - 1)  # one and a half of its meshes

    def refine(self, rounds: int, reach: float) -> None:
        """At most so many steps, none of them longer than ``reach``."""
        if not np.isfinite(self.misfit):
            return
        for _ in range(rounds):
            before, start, here = self.misfit, self.best, self.residuals
            away = np.where(start + SLOPE * reach <= 1.0, SLOPE, -SLOPE) * reach
            there = self._try(start + np.diag(away))
            slopes = ((there - here) / away[:, None]).T
            steps = [_step(slopes, here, damping) for damping in DAMPINGS] if np.isfinite(slopes).all() else []
            if steps:
                self._try(np.clip(start + np.clip(steps, -reach, reach), 0.0, 1.0))
            if self.misfit >= before:
                reach *= NARROWER
            elif self.misfit > (1 - ENOUGH) * before:
                return

    def _try(self, points: Array) -> Array:
        """(m, r) residuals of ``points: (m, p)``."""
        residuals = self.evaluate(points)
        for point, row in zip(points, residuals, strict=True):
            misfit = float(np.sqrt(np.mean(row**2))) if np.isfinite(row).all() else np.inf
            self.tried.append((point, misfit))
            if misfit < self.misfit:
                self.best, self.residuals, self.misfit = point, row, misfit
        return residuals


def _step(slopes: Array, residuals: Array, damping: float) -> Array:
    """(p,); slopes: (r, p)"""
    normal = slopes.T @ slopes
    scale = np.diag(normal).copy()
    scale[scale <= 0] = 1.0
    return np.asarray(np.linalg.solve(normal + damping * np.diag(scale), -slopes.T @ residuals))
