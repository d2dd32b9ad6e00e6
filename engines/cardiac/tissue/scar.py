"""Scar painted into a tissue that runs: cells that conduct less, or not at all.

The flux through each face is one number, computed from what both of its cells conduct, and so the voltage that leaves
one cell enters the other: rows around the paint are assembled anew and replaced on the device. A cell that does not
conduct is alone: it gets no stimulus, comes to rest and stays there. Cells of a region that is a non-conducting scar
are cut out of the operator from the start: they look alike here, and no brush changes them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from engines.api import Array
from engines.api.device import Backend
from engines.api.errors import ProblemError
from engines.cardiac.diffusion.forward_euler import Diffusion
from engines.cardiac.diffusion.patch import RINGS_OF_PATCH, RINGS_OF_ROWS, RINGS_OF_SHARES, Patch, rings
from engines.cardiac.parameters import CardiacParameters
from engines.cardiac.tissue.operator import CellOperator, diffusion_tensors
from engines.cardiac.tissue.population import insulators
from engines.cardiac.tissue.rows import ALL_ROWS, Rows
from engines.geometry.meshes.mesh import TetMesh

LEAST_LEFT = 1e-3
"""A share of the conductivity below this counts as none."""
ROUNDS = 3
"""Of weakening gradients where a row would not be stable at the step of the run."""
ROUND_OFF = 1e-9
STATE = ("scar_cells", "scar_left", "scar_shares_of", "scar_shares")


class Scar:
    """What conductivity is left in each cell. Cells are numbered as in the operator, of which the device has ``rows``.

    Rows may be as steep as the step in use bears, the conductivity scale and the parts of diffusion included: what
    ``diffusion.dt`` is. ``left: (n_cells,)`` float32, 1 in tissue that nothing was painted on; ``shares``: how much of
    each cell's gradient the rows keep (:attr:`TissueOperator.correction` where nothing is painted nearby).
    ``insulating: (n_cells,)`` bool, cells of regions that are scar.
    """

    def __init__(
        self,
        backend: Backend,
        mesh: TetMesh,
        parameters: CardiacParameters,
        operator: CellOperator,
        diffusion: Diffusion,
        n_padded: int,
        rows: Rows = ALL_ROWS,
    ) -> None:
        self._backend, self._mesh, self._parameters = backend, mesh, parameters
        self._operator, self._diffusion, self._rows = operator, diffusion, rows
        self._n_padded = n_padded
        self.left = np.ones(len(operator.order), np.float32)
        self._shares = operator.correction
        self._steep_rows, self._steep_rates = np.zeros(0, np.int32), np.zeros(0)
        """Rows that ask for a smaller step than the sound tissue, and how large their sums are [1/ms]."""
        self.insulating = insulators(mesh, parameters)[operator.order]
        self._shown: Any = None
        self.dead = self._dead()
        """On the device: where cells do not conduct; None where there are none."""

    def paint(self, cells: Array, left: float) -> Array:
        """Leave a share ``left`` (0..1) of their conductivity to ``cells: (m,)``; 1 gives the tissue back.

        Returns the cells that have changed.

        Raises ProblemError, and changes nothing, if that needs a smaller time step.
        """
        left = 0.0 if left < LEAST_LEFT else min(left, 1.0)
        changed = cells[(self.left[cells] != np.float32(left)) & ~self.insulating[cells]]
        if len(changed) == 0:
            return changed
        before = self.left[changed]
        self.left[changed] = left
        try:
            self._replace_rows(changed)
        except ProblemError:
            self.left[changed] = before
            raise
        self._show(changed)
        return changed

    @property
    def stable_step(self) -> float:
        """[ms]: that of the operator, of :class:`TissueOperator`, as it is painted now."""
        sound = self._operator.stable_step
        return min(sound, 1 / float(self._steep_rates.max())) if len(self._steep_rates) else sound

    def alone(self, cells: Array) -> Array:
        """(m,) bool: which of ``cells`` do not conduct."""
        return (self.left[cells] == 0) | self.insulating[cells]

    def shown(self) -> Any:
        """(n_padded,) float32 on the device: 0 in sound tissue, 1 where nothing conducts."""
        if self._shown is None:
            scar, own = (
                np.zeros(self._n_padded, np.float32),
                self._rows.own(np.where(self.insulating, 1, 1 - self.left)),
            )
            scar[: len(own)] = own
            self._shown = self._backend.array(scar)
        return self._shown

    def state(self) -> dict[str, Array]:
        cells = np.flatnonzero(self.left != 1).astype(np.int32)
        others = np.flatnonzero(self._shares != self._operator.correction).astype(np.int32)
        return dict(zip(STATE, (cells, self.left[cells], others, self._shares[others]), strict=True))

    def restore(self, state: Mapping[str, Array]) -> Array:
        """Take a state back (one without scar: sound tissue); returns the cells that have changed.

        Raises ProblemError, and changes nothing, if that needs a smaller time step.
        """
        none = np.zeros(0, np.int32)
        cells, values, others, kept = (np.asarray(state.get(name, none)) for name in STATE)
        left, shares = np.ones_like(self.left), self._operator.correction.copy()
        left[cells], shares[others] = values, kept
        changed = np.flatnonzero((left != self.left) | (shares != self._shares))
        if len(changed):
            near = rings(changed, self._operator.neighbours, RINGS_OF_ROWS)
            self._upload(near, self._patch(changed, left), shares)
        self.left, self._shares = left, shares
        if len(changed):
            self._show(changed)
        return changed

    def _patch(self, changed: Array, left: Array) -> Patch:
        return painted_patch(self._mesh, self._parameters, self._operator, changed, left)[0]

    def _replace_rows(self, changed: Array) -> None:
        neighbours = self._operator.neighbours
        patch = self._patch(changed, self.left)
        near = rings(changed, neighbours, RINGS_OF_SHARES)
        surroundings = rings(near, neighbours, RINGS_OF_SHARES)
        scarred = rings(surroundings[self.left[surroundings] < 1], neighbours, RINGS_OF_SHARES)
        touched = np.isin(near, scarred, assume_unique=True)
        allowed = patch.shares(np.isin(patch.cells, scarred, assume_unique=True))
        shares = self._shares.copy()
        shares[near] = np.where(touched, allowed[np.searchsorted(patch.cells, near)], self._operator.correction[near])
        rows = rings(near, neighbours, 1)
        self._upload(rows, patch, shares, weaken=near[touched])
        self._shares = shares

    def _upload(self, rows: Array, patch: Patch, shares: Array, weaken: Array | None = None) -> None:
        """Assemble ``rows`` and hand them to the device. In cells to ``weaken``, ``shares`` become 0 where a row would
        ask for a smaller step than the one in use: two-point fluxes ask for less."""
        places = np.searchsorted(patch.cells, rows)
        sound = (1 + ROUND_OFF) / self._operator.stable_step
        most = max(sound, (1 - ROUND_OFF) / self._diffusion.dt)
        for left in reversed(range(ROUNDS + 1)):
            columns, weights = patch.rows(shares[patch.cells], places)
            rates = np.abs(weights).sum(axis=1)
            steep = rows[rates > most]
            if len(steep) == 0:
                break
            if weaken is None or left == 0:
                raise ProblemError(
                    "The scar needs a smaller time step there: erase some of it, paint with another amount, or lower "
                    "the conductivity scale."
                )
            shares[np.intersect1d(rings(steep, self._operator.neighbours, 1), weaken)] = 0.0
        self._diffusion.update_rows(rows, columns, weights)
        others, above = ~np.isin(self._steep_rows, rows), rates > sound
        self._steep_rows = np.concatenate([self._steep_rows[others], rows[above]])
        self._steep_rates = np.concatenate([self._steep_rates[others], rates[above]])

    def _show(self, changed: Array) -> None:
        which, here = self._rows.here(changed)
        with self._backend.active():
            if self._shown is not None:
                self._shown[self._backend.array(here)] = self._backend.array(1 - self.left[changed][which])
        self.dead = self._dead()

    def _dead(self) -> Any:
        _, dead = self._rows.here(np.flatnonzero((self.left == 0) | self.insulating))
        return self._backend.array(dead) if len(dead) else None


def painted_patch(
    mesh: TetMesh, parameters: CardiacParameters, operator: CellOperator, changed: Array, left: Array
) -> tuple[Patch, TetMesh]:
    """The tissue around ``changed`` cells, and its mesh; ``left: (n_cells,)`` of their conductivity, in the order of
    the operator."""
    cells = rings(changed, operator.neighbours, RINGS_OF_PATCH)
    part = mesh.take_cells(operator.order[cells])
    kept = left[cells].astype(np.float64)
    conducts = kept > 0
    tensors = diffusion_tensors(part, parameters) * np.where(conducts, kept, 1.0)[:, None, None]
    return Patch.around(cells, part, tensors, operator.neighbours, conducts), part
