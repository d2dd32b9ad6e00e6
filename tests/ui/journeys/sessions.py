"""Journeys about problems as such: opened, left, painted on, found again."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np

from tests.ui.journeys.desk import Journey
from tests.ui.journeys.person import Person

HEAT = "Heat on a plate"
TIME = r"\d[\d. ]* [mµ]?s"


def opens(person: Person, title: str) -> None:
    """A ready problem, by a word or two of it."""
    person.types(title.lower())
    person.clicks_on(title)
    person.sees("Menu of .*")  # a chart of its run, which is built then


def stands_at(person: Person) -> str:
    """The time at which a run that was paused stands."""
    person.sees("Go on")
    told = person.sees(TIME)
    person.waits(0.3)
    return told if person.sees(TIME) == told else stands_at(person)


def to_the_gallery_and_back(person: Person, folder: Path) -> None:
    opens(person, HEAT)
    person.clicks_on("Run")
    person.clicks_on("Pause")
    reached = stands_at(person)
    person.clicks_on("Gallery")
    person.sees(f"Back to {HEAT}")
    person.presses("Esc")
    assert person.sees(TIME) == reached
    person.clicks_on("Gallery")
    person.sees(f"Back to {HEAT}")
    person.clicks_on("Simulate")
    assert person.sees(TIME) == reached
    person.clicks_on("Go on")
    person.sees("Pause")


def kept_aside(person: Person, folder: Path) -> None:
    opens(person, HEAT)
    person.fills("Source", "0.37")
    person.clicks_on("Gallery")
    person.sees(f"Back to {HEAT}")
    person.types("two charges")
    person.clicks_on("Poisson: two charges")
    person.sees(f"'{HEAT}' has unsaved changes.")
    person.clicks_on("Keep aside")
    person.sees("Boundary value.*|Charges|Charge")
    person.clicks_on("Gallery")
    person.clicks_on(HEAT, near="Unsaved")
    person.sees(r"0\.37")


def painted_and_undone(person: Person, folder: Path) -> None:
    opens(person, HEAT)
    person.clicks_on("Brush")
    person.pulls("3D view", (0.55, 0.6), (0.7, 0.6))  # on the plate
    person.sees("Source is painted, and Temperature is shown: .*")
    before = person.looks_at("3D view")
    person.clicks_on("Show Source")
    painted = person.watches("3D view", lambda now: differing(now, before) > 300, "what was painted")
    person.presses("Ctrl+Z")
    person.watches("3D view", lambda now: differing(now, painted) > 300, "the view as it was before")


def differing(one: np.ndarray, other: np.ndarray) -> int:
    """Pixels that are clearly of another colour."""
    if one.shape != other.shape:
        return one.shape[0] * one.shape[1]
    return int((np.abs(one.astype(int) - other).max(axis=-1) > 24).sum())


def learnt(person: Person, folder: Path) -> None:
    opens(person, HEAT)
    person.enters("Source")
    person.presses("F1")
    person.sees("(?s).*Rate at which u is produced.*")
    person.presses("Esc")
    dark = person.looks_at("Source").mean()
    person.presses("Ctrl+P")
    person.types("light theme", enter=True)
    person.watches("Source", lambda now: now.mean() > dark + 100, "a light field")


def reopened_at_its_moment(person: Person, folder: Path) -> None:
    opens(person, HEAT)
    person.clicks_on("Run")
    person.clicks_on("Pause")
    reached = stands_at(person)
    curve = person.looks_at("Largest value", still=True)
    person.clicks_on("Snapshot")
    person.names_a_file(folder / "moment.png")
    person.sees("Written to .*moment.png.*")
    person.clicks_on("Reset")
    person.sees(r"0\.00 s")
    person.clicks_on("Open")
    person.names_a_file(folder / "moment.png")
    person.sees(re.escape(reached))
    person.watches("Largest value", lambda now: differing(now, curve) < 400, "its curve as it was")


JOURNEYS = (
    Journey("To the gallery and back, while a run is paused", to_the_gallery_and_back, 11),
    Journey("Edits kept aside and opened again", kept_aside, 13),
    Journey("Painted, and undone", painted_and_undone, 8),
    Journey("What a field means, a command by its name, the other theme", learnt, 9),
    Journey("A snapshot opened again at its moment", reopened_at_its_moment, 11),
)
