"""Journeys about problems as such: opened, left, found again."""

from __future__ import annotations

from pathlib import Path

from tests.ui.journeys.desk import Journey
from tests.ui.journeys.person import Person


def to_the_gallery_and_back(person: Person, folder: Path) -> None:
    person.clicks_on("Search the problems")
    person.types("heat plate")
    person.clicks_on("Heat on a plate")
    person.clicks_on("Run")
    person.sees("Pause")
    person.clicks_on("Pause")
    person.clicks_on("Gallery")
    person.sees("Back to Heat on a plate")
    person.presses("Esc")
    person.sees("Go on")
    person.clicks_on("Gallery")
    person.sees("Back to Heat on a plate")
    person.clicks_on("Simulate")
    person.clicks_on("Go on")
    person.sees("Pause")


JOURNEYS = (
    Journey("To the gallery and back, while a run is paused", to_the_gallery_and_back, 10),
)
