"""What a person does to a tissue with a brush while it runs: stimulate it, paint scar into it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from engines.api import Array, Dab, FieldInfo, PaintInfo
from engines.api.abilities import Underneath
from engines.api.device import Backend
from engines.api.errors import ProblemError
from engines.cardiac.cells.tissue import Tissue
from engines.cardiac.diffusion.forward_euler import Diffusion
from engines.cardiac.multirate.groups import Groups
from engines.cardiac.parameters import CardiacParameters, Stimulus
from engines.cardiac.stimulus.protocol import membrane_current
from engines.cardiac.stimulus.touch import Touch, TouchProtocol
from engines.cardiac.tissue.operator import CellOperator, TissueOperator
from engines.cardiac.tissue.population import insulators
from engines.cardiac.tissue.rows import ALL_ROWS, Rows
from engines.cardiac.tissue.scar import Scar
from engines.cardiac.tissue.sites import Sites
from engines.cardiac.watch.watcher import TissueWatcher
from engines.geometry.meshes.mesh import TetMesh

PULSE_MILLISECONDS = 2.0
RADIUS = 0.03
SCAR_RADII = 2.0
"""Scar is painted with a brush so many times as large: it is to go through the wall."""
CELL_SIZES = 1.5
"""A brush reaches at least so many cube roots of the largest cell's volume."""
MOST_AWAY = 4.0
"""Of these sizes that a place within a cell, also a flat one, is from its middle."""
SCAR = FieldInfo("scar", "Scar", "", "cell", (0.0, 1.0), "viridis", traced=False)
VEILED = ("voltage", "calcium", "rest")
"""Fields that cells that do not conduct have none of: of the moment, and what they rest at."""


class Brushes:
    """``infos`` are what viewers offer, ``fields`` what they show of it. Scar is painted on cells alone: its rows are
    made anew from the fluxes of finite volumes."""

    def __init__(
        self,
        backend: Backend,
        mesh: TetMesh,
        parameters: CardiacParameters,
        operator: TissueOperator,
        protocol: TouchProtocol,
        tissue: Tissue,
        diffusion: Diffusion,
        groups: Groups | None = None,
        watchers: Sequence[TissueWatcher] = (),
        rows: Rows = ALL_ROWS,
    ) -> None:
        self._backend, self._sites, self._operator, self._rows = backend, operator.sites, operator, rows
        self._place = np.empty(len(operator.order), np.int32)
        self._place[operator.order] = np.arange(len(operator.order), dtype=np.int32)
        self._noun = operator.noun
        self._tissue_parameters, self._dt = parameters.tissue, parameters.numerics.step
        self._groups, self._watchers = groups, watchers
        self._touch = Touch(backend, protocol, tissue.stimulus_mask, protocol.mask[operator.order], rows)
        self._scar: Scar | None = None
        if isinstance(operator, CellOperator):
            self._scar = Scar(backend, mesh, parameters, operator, diffusion, tissue.n_padded, rows)
        regional = np.flatnonzero(insulators(operator.sites, parameters)[operator.order])
        self._touch.silence(regional, np.ones(len(regional), bool))
        _, still = rows.here(regional)
        self._still = backend.array(still) if len(still) else None
        """Where the problem itself has a scar."""
        self.fields = () if self._scar is None else (SCAR,)
        self.infos = tuple(info for info in _infos(self._sites) if info.name != SCAR.name or self._scar is not None)

    def paint(self, dab: Dab, step: int) -> str | None:
        """Do it from ``step`` on; see :meth:`engines.api.Simulation.paint`."""
        reached = self._reached(dab)
        if not len(reached):
            return f"Nothing is painted at ({_told(dab)}) mm, where there is no tissue within {dab.radius:.3g} mm."
        cells = self._place[reached]
        if self._groups is not None:
            self._groups.wake(self._rows.here(cells)[1])
        if dab.brush == SCAR.name:
            if self._scar is None:
                raise ProblemError("Scar is painted on cells alone: choose the cell-centred discretisation.")
            self._tell(self._scar, self._scar.paint(cells, 1.0 if dab.erase else dab.amount))
            return None
        if not (np.isfinite(dab.amount) and dab.amount > 0):
            raise ProblemError("A stimulus needs a current above zero: set the brush's current.")
        length = max(1, round(PULSE_MILLISECONDS / self._dt))
        self._touch.stimulate(cells, membrane_current(dab.amount, self._tissue_parameters), step, length)
        return (
            f"Stimulus at ({_told(dab)}) mm, {dab.radius:.3g} mm radius, {len(cells):,} {self._noun}, "
            f"t = {step * self._dt:.1f} ms."
        )

    def underneath(self, dab: Dab, first: bool, step: int) -> Underneath | None:
        """All that is painted, or the pulses that have not ended: of the first dab of a stroke alone."""
        scar = dab.brush == SCAR.name
        if not first or (scar and self._scar is None):
            return None
        held = self._scar.state() if scar and self._scar is not None else self._touch.state(step)
        return Underneath(dab.brush, (), held, sum(values.nbytes for values in held.values()), lasts=scar)

    def put_back(self, under: Underneath) -> None:
        if under.brush != SCAR.name:
            self._touch.restore(under.values)
        elif self._scar is not None:
            self._tell(self._scar, self._scar.restore(under.values))

    @property
    def stable_step(self) -> float:
        """[ms]: :attr:`TissueOperator.stable_step` of the tissue as it is painted now."""
        return self._operator.stable_step if self._scar is None else self._scar.stable_step

    @property
    def painted_limit(self) -> str:
        """What sets that limit, in words; empty where nothing that was painted does."""
        return "painted scar" if self.stable_step < self._operator.stable_step else ""

    def values(self, field: str) -> Any:
        """(n_padded,) on the device: one of ``fields``."""
        if field != SCAR.name or self._scar is None:
            raise KeyError(field)
        return self._scar.shown()

    def veiled(self, field: str, values: Any) -> Any:
        """``values: (n_padded,)`` of a field for viewers: NaN in cells that do not conduct."""
        dead = None if self._scar is None else self._scar.dead
        silent = [cells for cells in (self._still, dead) if cells is not None]
        if field not in VEILED or not silent:
            return values
        with self._backend.active():
            veiled = values.copy()
            for cells in silent:
                veiled[cells] = np.nan
        return veiled

    def left(self) -> Array:
        """(n_cells,) in the mesh's numbering: the share of their conductivity that painting has left the cells."""
        return np.ones(len(self._place), np.float32) if self._scar is None else self._scar.left[self._place]

    def state(self, step: int) -> dict[str, Array]:
        return {**self._touch.state(step), **({} if self._scar is None else self._scar.state())}

    def restore(self, state: Mapping[str, Array]) -> None:
        if self._scar is not None:
            self._tell(self._scar, self._scar.restore(state))
        self._touch.restore(state)

    def _tell(self, scar: Scar, changed: Array) -> None:
        """Stimuli and watchers follow what conducts now."""
        if len(changed):
            self._touch.silence(changed, scar.alone(changed))
            for watcher in self._watchers:
                watcher.conduct(changed, scar.left)

    def _reached(self, dab: Dab) -> Array:
        """The sites of a dab, in their own numbering: by position, and the nearest one in which the middle of the
        ball may lie, however small that is."""
        away = self._sites.centroids - np.array(dab.position)
        squares = np.einsum("ij,ij->i", away, away)
        inside = np.flatnonzero(squares <= dab.radius**2)
        if len(inside):
            return inside
        nearest = int(squares.argmin())
        size = float(self._sites.volumes[nearest]) ** (1 / 3)
        return np.array([nearest] if squares[nearest] <= (dab.radius + MOST_AWAY * size) ** 2 else [], int)


def _told(dab: Dab) -> str:
    return ", ".join(f"{value:.1f}" for value in dab.position)


def _infos(mesh: Sites) -> tuple[PaintInfo, ...]:
    low, high = mesh.bounds
    size = float(mesh.volumes.max()) ** (1 / 3)
    radius = max(RADIUS, CELL_SIZES * size / float((high - low).max()))
    amplitude = float(Stimulus.model_fields["amplitude"].default)
    return (
        PaintInfo(
            "stimulus",
            "Stimulate",
            "µA/cm³",
            amplitude,
            radius,
            stroke=False,
            erasable=False,
            amount_title="Current",
            hint=f"A pulse of {PULSE_MILLISECONDS:g} ms into the ball under the pointer, through the wall.",
        ),
        PaintInfo(
            SCAR.name,
            SCAR.title,
            "1",
            0.0,
            SCAR_RADII * radius,
            amount_title="Conductivity left",
            bounds=(0.0, 1.0),
            hint="What is painted conducts this share of what it did; with 0 nothing, and it turns grey.",
        ),
    )
