"""Journeys to results: charts, movies, runs beside each other, measured data."""

from __future__ import annotations

import csv
import re
from pathlib import Path

from tests.ui.journeys.desk import Journey
from tests.ui.journeys.person import Person
from tests.ui.journeys.sessions import HEAT, differing, opens, stands_at

CHART = "Part of the incident power"


def transmission_in_decibels(person: Person, folder: Path) -> None:
    opens(person, "Glass slab")
    person.sees("1 note")  # its banner, too, which moves what is at the upper edge of the view
    person.clicks_on("pace")
    person.clicks_on("Run")
    person.sees("Pause")
    person.sees_no("Pause")  # it has ended
    small = person.looks_at(CHART)
    person.clicks_on(f"Enlarge {CHART}")
    person.watches(CHART, lambda now: now.shape[0] > 1.5 * small.shape[0], "a large chart")
    large = person.looks_at(CHART)
    person.chooses(f"Menu of {CHART}", "Vertical axis", "Decibels of a power, 10 log₁₀")
    person.watches(CHART, lambda now: differing(now, large) > 300, "in decibels")
    for suffix in ("png", "svg", "csv"):
        person.chooses(f"Menu of {CHART}", f"Save as {suffix.upper()}")
        person.names_a_file(folder / f"drop.{suffix}")
        person.sees(f"Written to .*drop.{suffix}.*")
    assert (folder / "drop.png").read_bytes().startswith(b"\x89PNG")
    assert "<svg" in (folder / "drop.svg").read_text()
    header, *rows = csv.reader((folder / "drop.csv").read_text().splitlines())
    assert any("dB" in title for title in header)
    assert min(float(row[2]) for row in rows) < 0


def rewound_and_filmed(person: Person, folder: Path) -> None:
    opens(person, HEAT)
    person.clicks_on("Run")
    person.sees(r"0\.[5-9]\d s")
    person.clicks_on("Pause")
    reached = stands_at(person)
    now = person.looks_at("3D view")
    person.pulls("Timeline", (0.03, 0.5), (0.015, 0.5))
    person.sees("Now")
    person.watches("3D view", lambda seen: differing(seen, now) > 300, "an earlier moment")
    person.sees_no(re.escape(reached))
    person.clicks_on("Now")
    person.sees(re.escape(reached))
    person.chooses("Run menu", "Rewind to the last checkpoint")
    person.clicks_on("Go on")
    person.clicks_on("Pause")
    person.chooses("File menu", "Export", "Movie")
    person.sees("Lasts at most")
    suffix = "mp4" if person.sees("MP4 movie|GIF animation").startswith("MP4") else "gif"
    person.clicks_on("Export…")
    person.names_a_file(folder / f"film.{suffix}")
    person.sees(f"Written to .*film.{suffix}: .* frames?.*")
    assert (b"GIF8" if suffix == "gif" else b"ftyp") in (folder / f"film.{suffix}").read_bytes()[:12]


def two_runs_beside_each_other(person: Person, folder: Path) -> None:
    opens(person, HEAT)
    person.clicks_on("Run")
    person.sees(r"0\.[1-9]\d s")
    person.clicks_on("Reset")
    person.sees(r"0\.00 s")
    person.fills("Source", "5")
    person.sees("5")
    person.clicks_on("Run", near="Step")
    person.sees(r"0\.[1-9]\d s")
    person.chooses("Run menu", "Compare runs side by side")
    person.sees("Runs side by side")
    person.sees(".*Source")
    person.sees("5")
    person.presses("Esc")
    person.sees("Estimate")


def measured_voltages(person: Person, folder: Path) -> None:
    lines = [f"{60 * minute},{4.1 - 0.004 * minute},{5.0}" for minute in range(60)]
    (folder / "cycler.csv").write_text("\n".join(["Test time [s],Voltage [V],Current [A]", *lines]))
    opens(person, "Where the voltage goes")
    person.clicks_on("Run")
    person.sees("Pause")
    person.chooses("Menu of Terminal voltage", "Overlay measured data")
    person.names_a_file(folder / "cycler.csv")
    person.sees("60 points: .*")
    person.clicks_on("Use these")
    person.sees(".*cycler RMSE .*")


JOURNEYS = (
    Journey("Transmission in decibels, large, as PNG, SVG and CSV", transmission_in_decibels, 19),
    Journey("Looked back, rewound, gone on, and filmed", rewound_and_filmed, 17),
    Journey("Two runs beside each other", two_runs_beside_each_other, 13),
    Journey("A cycler's table over the voltage", measured_voltages, 10),
)
