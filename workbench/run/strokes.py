"""Strokes of a brush that can be taken back: what each dab paints over is kept, in the region of the dab alone.

A class of the worker thread; others hold a stroke only to ask for it again.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from engines.api import Dab, Simulation
from engines.api.abilities import Painted, Underneath, Unpainting
from engines.geometry.base import Geometry
from workbench.project.probing import SLACK

MOST_BYTES = 128 << 20
"""Of what all strokes of a run paint over; the oldest go first."""


class Outcome(StrEnum):
    """What came of taking a stroke back, in a sentence."""

    DONE = ""
    GONE_ON = "The run has gone on since this stroke, and what it brought has spread."
    TOO_FAR = "This stroke cannot be taken back: what it painted over is no longer kept."
    NO_WAY = "What is painted on this problem cannot be taken back: Reset begins anew without it."


def beside(geometry: Geometry, dab: Dab) -> str:
    """What to say of a dab that lies beside the geometry, and is not to be painted: engines reach the nearest element
    however small a ball is. Empty for others."""
    low, high = (np.asarray(corner, float) for corner in geometry.bounds)
    place, extent = np.asarray(dab.position, float), high - low
    away = np.where(extent > 0, np.maximum(np.maximum(low - place, place - high), 0.0), 0.0)
    if np.linalg.norm(away) <= max(dab.radius, SLACK * float(extent.max())):
        return ""
    ranges = (f"{axis} from {a:.4g} to {b:.4g}" for axis, a, b in zip("xyz", low, high, strict=True) if b > a)
    return (
        f"Nothing is painted at ({', '.join(f'{value:.4g}' for value in place)}) {geometry.length_unit}: the brush, "
        f"{dab.radius:.3g} {geometry.length_unit} in radius, lies beside the geometry ({', '.join(ranges)})."
    )


class Stroke:
    """Dabs from one press of the button to its release."""

    def __init__(self) -> None:
        self.dabs: list[Dab] = []
        self.began = 0
        """The step at which it did."""
        self.kept = 0
        """Bytes of what it painted over."""
        self._under: list[tuple[int, Underneath]] = []
        self._told_beside = False
        self._outcome = Outcome.DONE
        self._taken_back = False

    def paint(self, simulation: Simulation, dabs: Sequence[Dab], say: Callable[[str], None]) -> None:
        """Go on with these. Raises what a dab raises that is not possible."""
        if not isinstance(simulation, Painted):
            return  # the run changed under the brush
        if not self.dabs:
            self.began = simulation.step
        for dab in dabs:
            if told := beside(simulation.geometry, dab):
                if not self._told_beside:
                    say(told)
                self._told_beside = True
                continue
            if isinstance(simulation, Unpainting):
                under = simulation.underneath(dab, first=not self.dabs)
            else:
                under, self._outcome = None, Outcome.NO_WAY
            said = simulation.paint(dab)
            self.dabs.append(dab)
            if under is not None and self._outcome is Outcome.DONE:
                self._under.append((simulation.step, under))
                self.kept += under.nbytes
            if said:
                say(said)
        if self.kept > MOST_BYTES:
            self.forget()

    def take_back(self, simulation: Simulation) -> Outcome:
        """Put back what was there before; nothing is changed where that is no longer possible."""
        if self._outcome is not Outcome.DONE or not isinstance(simulation, Unpainting):
            return self._outcome
        if any(step != simulation.step for step, under in self._under if not under.lasts):
            return Outcome.GONE_ON
        for _, under in reversed(self._under):
            simulation.put_back(under)
        self._under, self.kept, self._taken_back = [], 0, True
        return Outcome.DONE

    def again(self, simulation: Simulation, say: Callable[[str], None]) -> None:
        """Paint all of it once more, now, if it was taken back."""
        if not self._taken_back:
            return
        dabs, self.dabs, self._taken_back = self.dabs, [], False
        self.paint(simulation, dabs, say)

    def forget(self) -> None:
        """It can no longer be taken back."""
        self._under, self.kept, self._outcome = [], 0, Outcome.TOO_FAR


def keep_within(strokes: Sequence[Stroke], most: int = MOST_BYTES) -> None:
    """``strokes``, oldest first: those that there is no room for are forgotten."""
    room = most
    for stroke in reversed(strokes):
        if stroke.kept > room:
            stroke.forget()
            room = 0
        room -= stroke.kept


@dataclass(frozen=True)
class TakenBack:
    """What came of taking a stroke back that ``began`` at this step."""

    outcome: Outcome
    began: int = 0


class Strokes:
    """The strokes of a run, oldest first, by numbers that whoever paints gives them. A class of the worker thread."""

    def __init__(self, say: Callable[[str], None]) -> None:
        self._say = say
        self._strokes: dict[int, Stroke] = {}

    def paint(self, simulation: Simulation, number: int, dabs: Sequence[Dab]) -> None:
        """Go on with a stroke, or begin it. Raises what a dab raises that is not possible."""
        self._strokes.setdefault(number, Stroke()).paint(simulation, dabs, self._say)
        keep_within(tuple(self._strokes.values()))

    def take_back(self, simulation: Simulation, number: int) -> TakenBack:
        stroke = self._strokes.get(number)
        return TakenBack(Outcome.DONE) if stroke is None else TakenBack(stroke.take_back(simulation), stroke.began)

    def again(self, simulation: Simulation, number: int) -> None:
        if number in self._strokes:
            self._strokes[number].again(simulation, self._say)

    def clear(self) -> None:
        """The run begins anew."""
        self._strokes.clear()
