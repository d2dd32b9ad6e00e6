"""Pictures on the command line, with a renderer, without one, and with one that fails."""

from __future__ import annotations

import json
import signal
import time as clock
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from engines.api.errors import ProblemError
from tests.workbench.fake_engine import WaveEngine, WaveSimulation
from workbench.cli import main
from workbench.cli.runs import pictures, run
from workbench.project.boundary import EVERYTHING
from workbench.project.document import open_document, save_document
from workbench.run import recording
from workbench.run.states.checkpoint import CheckpointMeta
from workbench.words.units import counted

EMPTY = np.zeros((3, 4, 4), np.uint8)


def renderer(
    geometry: Any, info: Any, values: Any, time: float, view: Any, size: Any = (4, 3), lines: Any = (), **_: Any
) -> Any:
    assert {"voltage", "activation_time"} == set(values)
    assert len(values["voltage"]) == geometry.n_cells
    assert lines[:2] == ["slab", "NumPy on paper"]
    assert "of the measured ceiling" in lines[2]
    assert time in (0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 3.5, 4.0)
    return np.full((size[1], size[0], 4), 200, np.uint8)


def test_pictures_hold_the_project(project, tmp_path, monkeypatch):
    monkeypatch.setattr(pictures, "find_renderer", lambda: renderer)
    out = tmp_path / "out"
    assert main(["run", str(project), "--out", str(out), "--pictures", "8"]) == 0
    drawn = sorted(out.glob("picture_*.png"))
    assert [path.name for path in drawn] == [f"picture_{step:09d}.png" for step in range(25, 201, 25)]
    assert (
        open_document(drawn[0], permission=EVERYTHING).parameters == open_document(project).parameters
    )  # its mesh is elsewhere


def test_a_checkpoint_comes_after_the_pictures_before_it(project, tmp_path, monkeypatch):
    """A run that is killed then and goes on from it has passed them."""
    out, lacking = tmp_path / "out", []

    def slowly(*given: Any, **options: Any) -> Any:
        clock.sleep(0.1)
        return EMPTY

    def write(path: Path, meta: CheckpointMeta, *given: Any) -> None:
        drawn = {int(each.stem[-9:]) for each in out.glob("picture_*.png")}
        lacking.append(set(range(25, meta.step, 25)) - drawn)

    monkeypatch.setattr(pictures, "find_renderer", lambda: slowly)
    monkeypatch.setattr(recording, "write_checkpoint", write)
    monkeypatch.setattr(recording, "FIRST_CHECKPOINT_SECONDS", 0.0)
    command = ["run", str(project), "--out", str(out), "--pictures", "8", "--checkpoint-every", "0.001"]
    assert main(command) == 0
    assert len(lacking) > 1
    assert not any(lacking)


def interrupted_by(number: int, asked: list[int], seconds: float = 0.0) -> Any:
    """A renderer; while it draws its first picture the signal comes, and from then on it takes so long."""

    def draw(*given: Any, **options: Any) -> Any:
        if not asked:
            asked.append(number)
            raise KeyboardInterrupt(128 + number)
        clock.sleep(seconds)
        return EMPTY

    return lambda: draw


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_pictures_that_wait_when_a_run_is_interrupted_are_drawn(project, tmp_path, monkeypatch, capsys, number):
    out, asked = tmp_path / "out", []
    monkeypatch.setattr(pictures, "find_renderer", interrupted_by(number, asked))
    assert main(["run", str(project), "--out", str(out), "--pictures", "8"]) == 128 + number
    assert (out / "picture_000000025.png").exists()
    assert asked
    assert "no time" not in capsys.readouterr().err
    assert not list(out.glob("*.waiting.npz"))
    assert main(["resume", str(out)]) == 0
    assert len(list(out.glob("*.png"))) == 8


def test_pictures_that_there_is_no_time_for_are_told_and_drawn_when_the_run_goes_on(
    project, tmp_path, monkeypatch, capsys
):
    """They were gone: the run went on from after them."""
    out, whole, drawn = tmp_path / "out", tmp_path / "whole", []

    def draw(geometry: Any, info: Any, values: Any, time: float, view: Any, **options: Any) -> Any:
        drawn.append((time, {name: each.tobytes() for name, each in values.items()}, options["shifts"]))
        return EMPTY

    monkeypatch.setattr(WaveSimulation, "shifts", lambda self: {("balls", 0): (0.0, 0.0, 2.0)}, raising=False)
    monkeypatch.setattr(pictures, "find_renderer", lambda: draw)
    command = ["run", str(project), "--pictures", "8", "--out"]
    assert main([*command, str(whole)]) == 0
    expected = drawn.copy()
    monkeypatch.setattr(run, "DRAWING_SECONDS", 0.0)
    monkeypatch.setattr(pictures, "find_renderer", interrupted_by(signal.SIGTERM, []))
    capsys.readouterr()
    assert main([*command, str(out)]) == 128 + signal.SIGTERM
    number = len(list(out.glob("*.waiting.npz")))
    assert number
    told = f"There was no time for {counted(number, 'picture')}: 'workbench resume {out}' draws what is left."
    assert told in capsys.readouterr().err
    assert json.loads((out / "run.json").read_text())["outcome"]["state"] == "closed"
    assert not list(out.glob("*.png"))
    drawn.clear()
    monkeypatch.setattr(pictures, "find_renderer", lambda: draw)
    assert main(["resume", str(out)]) == 0
    assert sorted(path.name for path in out.glob("picture_*")) == [
        path.name for path in sorted(whole.glob("picture_*"))
    ]
    assert drawn == expected


def test_what_an_earlier_run_has_left_to_draw_may_be_damaged_and_is_not_of_a_new_one(
    project, tmp_path, monkeypatch, capsys
):
    out = tmp_path / "out"
    command = ["run", str(project), "--out", str(out), "--until", "2", "--pictures", "2"]
    monkeypatch.setattr(pictures, "find_renderer", lambda: lambda *given, **options: EMPTY)
    assert main(command) == 0
    waiting = out / "picture_000000050.waiting.npz"
    waiting.write_bytes(b"PK no")
    assert main(["resume", str(out), "--until", "4"]) == 0
    assert f"'{waiting}' is damaged: its picture is not drawn." in capsys.readouterr().err
    assert not waiting.exists()
    assert (out / "picture_000000200.png").exists()
    waiting.write_bytes(b"PK no")
    assert main(command) == 0
    assert "damaged" not in capsys.readouterr().err
    assert not waiting.exists()


@pytest.mark.parametrize(
    ("view", "taken"),
    [
        ({}, ["voltage", "activation_time"]),  # the first, and the front's
        ({"front": False}, ["voltage"]),
        ({"field": "activation_time"}, ["activation_time"]),
        ({"field": "gone", "front": False}, ["voltage"]),
    ],
)
def test_only_the_fields_of_the_picture_are_copied(project, tmp_path, monkeypatch, capsys, view, taken):
    seen = []
    monkeypatch.setattr(pictures, "find_renderer", lambda: lambda *given, **_: seen.append(list(given[2])) or EMPTY)
    document = open_document(project)
    document.project.view = document.project.view.model_copy(update=view)
    monkeypatch.setattr("workbench.cli.runs.run.open_project", lambda options: document)
    assert main(["run", str(project), "--out", str(tmp_path / "out"), "--pictures", "1"]) == 0
    assert seen == [taken]
    told = "shows a field 'gone' that this run does not have: pictures are of 'voltage'." in capsys.readouterr().err
    assert told == (view.get("field") == "gone")


@pytest.mark.parametrize("broken", [None, "raises", "wrong shape", "import"])
def test_without_a_picture_the_run_goes_on_and_says_so(project, tmp_path, monkeypatch, capsys, broken):
    def find() -> Any:
        if broken == "import":
            raise ImportError("libEGL.so.1: cannot open shared object file")
        if broken == "raises":
            return lambda *arguments, **options: 1 / 0
        return None if broken is None else lambda *arguments, **options: np.zeros((3, 3), np.uint8)

    monkeypatch.setattr(pictures, "find_renderer", find)
    out = tmp_path / "out"
    assert main(["run", str(project), "--out", str(out)]) == 0
    told = capsys.readouterr().err
    assert "icture" in told
    assert "the results are complete" in told
    assert (out / "points.csv").exists()
    assert not list(out.glob("*.png"))


def test_what_stands_in_space_is_in_the_picture_where_it_has_gone(project, tmp_path, monkeypatch):
    asked, moved = [], {("ball",): (0.0, 0.0, 2.0)}
    monkeypatch.setattr(WaveEngine, "placed", lambda self, problem: ("outlines of", problem.parameters))
    monkeypatch.setattr(WaveSimulation, "shifts", lambda self: moved, raising=False)
    monkeypatch.setattr(pictures, "find_renderer", lambda: lambda *_, **options: asked.append(options) or EMPTY)
    assert main(["run", str(project), "--out", str(tmp_path / "out"), "--pictures", "1"]) == 0
    (options,) = asked
    assert options["placement"] == ("outlines of", open_document(project).parameters)
    assert options["shifts"] == moved
    assert options["traced"] is None


def test_a_picture_without_outlines_is_better_than_none(project, tmp_path, monkeypatch):
    def refuse(self: WaveEngine, problem: Any) -> Any:
        raise ProblemError("Nothing stands anywhere.")

    seen = []
    monkeypatch.setattr(WaveEngine, "placed", refuse)
    monkeypatch.setattr(pictures, "find_renderer", lambda: lambda *_, **options: seen.append(options) or EMPTY)
    assert main(["run", str(project), "--out", str(tmp_path / "out"), "--pictures", "1"]) == 0
    assert seen[0]["placement"] is None


def test_a_movie_of_the_run(project, tmp_path, monkeypatch):
    """Each picture is as bright as its time is late."""
    from PIL import Image

    def drawn(geometry, info, values, time, view, **_):
        return np.full((6, 8, 4), round(50 * time), np.uint8)

    monkeypatch.setattr(pictures, "find_renderer", lambda: drawn)
    movie = tmp_path / "movies" / "run.gif"
    arguments = ["--no-pictures", "--movie", str(movie), "--movie-frames", "4"]
    assert main(["run", str(project), "--out", str(tmp_path / "out"), *arguments]) == 0
    with Image.open(movie) as file:
        assert file.n_frames == 4
        for place in range(4):
            file.seek(place)
            assert file.convert("RGB").getpixel((3, 3)) == (50 * (place + 1),) * 3


RANGE = "--range=-85:40"


def test_a_movie_whose_pictures_choose_their_own_range_says_so(project, tmp_path, monkeypatch, capsys):
    """Each is drawn while nobody knows what comes after it."""
    monkeypatch.setattr(pictures, "find_renderer", lambda: lambda *_, **__: np.zeros((6, 8, 4), np.uint8))
    document, told, begin = open_document(project), [], pictures.RunMovie.begin

    def moved(info):
        return replace(info, displaced=info.fields[0])

    for follow, deformed, given in ((False, False, ()), (True, False, ()), (True, True, ()), (True, False, [RANGE])):
        document.project.view.follow = follow
        name = f"{follow} {deformed} {len(given)}"
        saved = save_document(document, tmp_path / f"slab {name}")
        if deformed:
            monkeypatch.setattr(
                pictures.RunMovie, "begin", lambda movie, simulation, info: begin(movie, simulation, moved(info))
            )
        movie = ["--no-pictures", "--movie", str(tmp_path / f"{name}.gif"), "--movie-frames", "2"]
        assert main(["run", str(saved), "--out", str(tmp_path / f"out {name}"), *movie, *given]) == 0
        monkeypatch.setattr(pictures.RunMovie, "begin", begin)
        told.append(capsys.readouterr().err)
    assert "of its own" not in told[0]
    assert "Each picture of the movie has a range of colours of its own: for one in all of them add --range=" in told[1]
    assert "has a magnification and a range of colours of its own" in told[2]
    assert "of them set 'deformation' in the project's view and add --range=LOW:HIGH, or export" in told[2]
    assert "of its own" not in told[3], "it has what was given"


def test_a_range_that_is_given_is_that_of_all_pictures_also_when_the_run_goes_on(project, tmp_path, monkeypatch):
    seen = []

    def drawn(geometry, info, values, time, view, **_):
        seen.append((view.range, view.follow))
        return EMPTY

    monkeypatch.setattr(pictures, "find_renderer", lambda: drawn)
    document, out = open_document(project), str(tmp_path / "out")
    document.project.view.follow = True
    saved = str(save_document(document, tmp_path / "follows"))
    assert main(["run", saved, "--out", out, "--until", "1", "--pictures", "2", RANGE]) == 0
    assert main(["resume", out, "--until", "2"]) == 0
    assert set(seen) == {((-85.0, 40.0), False)}
    assert len(seen) > 2


@pytest.mark.parametrize(
    ("kind", "view", "told"),
    [
        ({}, {}, ""),
        (
            {"cyclic": True},
            {},
            "to 'Transmembrane voltage', whose values go round, as angles do, and keep their colours.",
        ),
        ({"names": ("air", "gold")}, {}, "to 'Transmembrane voltage', whose values are names, each of its own colour."),
        ({"names": ("air", "gold")}, {"height": 0.5}, ""),
        ({}, {"field": "phase"}, "whose colours are its own: the range was for a field that is not there."),
    ],
)
def test_a_range_that_a_field_does_not_take_is_told(kind, view, told, project, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(pictures, "find_renderer", lambda: lambda *_, **__: EMPTY)
    begin, document = pictures.Pictures.begin, open_document(project)

    def begun(drawing, simulation, info):
        begin(drawing, simulation, replace(info, fields=(replace(info.fields[0], **kind), *info.fields[1:])))

    monkeypatch.setattr(pictures.Pictures, "begin", begun)
    document.project.view = document.project.view.model_copy(update={"field": "voltage", **view})
    run_ = ["run", str(save_document(document, tmp_path / "seen")), "--until", "1", "--pictures", "2"]
    assert main([*run_, "--out", str(tmp_path / "out"), RANGE, "--movie", str(tmp_path / "run.gif")]) == 0
    said = capsys.readouterr().err
    assert said.count("--range does not apply") == bool(told)
    assert told in said
    assert main([*run_, "--out", str(tmp_path / "other")]) == 0
    assert "--range" not in capsys.readouterr().err


def test_a_range_is_of_two_numbers_of_which_the_second_is_larger(capsys):
    for text in ("1", "2:1", "1:1", "0:nan", "0:inf", "a:b", "1:2:3"):
        assert main(["run", "slab", f"--range={text}"]) == 2
        assert f"{text} is no LOW:HIGH" in capsys.readouterr().err


def test_a_movie_of_fewer_pictures_than_asked_for_says_so(project, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(pictures, "find_renderer", lambda: lambda *_, **__: np.zeros((6, 8, 4), np.uint8))
    asked = ["run", str(project), "--out", str(tmp_path / "out"), "--no-pictures"]
    assert main([*asked, "--movie", str(tmp_path / "frames"), "--movie-frames", "5000"]) == 0
    number = len(list((tmp_path / "frames").glob("*.png")))
    assert f"The movie has a picture of each step, {number}, where 5000 were asked for." in capsys.readouterr().err
    assert main([*asked, "--movie", str(tmp_path / "run.gif"), "--movie-frames", str(number)]) == 0
    assert "were asked for" not in capsys.readouterr().err


@pytest.mark.parametrize(
    ("asked", "told", "drawn"),
    [
        (["--pictures", "5000"], "There is a picture of each step, 50, where 5000 were asked for.", 50),
        (["--pictures", "8"], "The run came to its end before the times of 3 of 8 pictures.", 5),
        (["--pictures", "5"], "", 5),
        ([], "", 2),
    ],
)
def test_fewer_pictures_than_asked_for_are_told(project, tmp_path, monkeypatch, capsys, asked, told, drawn):
    monkeypatch.setattr(pictures, "find_renderer", lambda: lambda *given, **options: EMPTY)
    if drawn < 50:
        monkeypatch.setattr(WaveSimulation, "finished", property(lambda self: self.step >= 125))
    until = "1" if drawn == 50 else "2.5" if "5" in asked else "4"
    out = tmp_path / "out"
    assert main(["run", str(project), "--out", str(out), "--until", until, *asked]) == 0
    lines = capsys.readouterr().err.splitlines()
    assert [line for line in lines if "picture" in line] == [told] * bool(told)
    assert len(list(out.glob("*.png"))) == drawn


def test_a_run_without_an_end_to_divide_says_why_it_has_one_picture(project, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(pictures, "find_renderer", lambda: lambda *given, **options: EMPTY)
    monkeypatch.setattr(WaveSimulation, "finished", property(lambda self: self.step >= 125))
    monkeypatch.setattr(WaveEngine, "ends", lambda self, problem: True)
    document = open_document(project)
    document.project.run.until = None
    monkeypatch.setattr("workbench.cli.runs.run.open_project", lambda options: document)
    command = ["run", str(project), "--out", str(tmp_path / "out")]
    assert main([*command, "--pictures", "3"]) == 0
    told = (
        "There is one picture, of the end, where 3 were asked for: to divide the run, say with --until T [ms] how far"
    )
    assert told in capsys.readouterr().err
    assert main(command) == 0
    assert "picture" not in capsys.readouterr().err


def test_a_run_that_goes_on_says_each_time_that_its_movie_is_not_drawn(project, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(pictures, "find_renderer", lambda: lambda *_, **__: np.zeros((6, 8, 4), np.uint8))
    out, movie = tmp_path / "out", tmp_path / "run.gif"
    asked = ["run", str(project), "--no-pictures", "--until", "1", "--out", str(out)]
    assert main([*asked, "--movie", str(movie), "--movie-frames", "4"]) == 0
    before = movie.read_bytes()
    for until in ("2", "3"):
        capsys.readouterr()
        assert main(["resume", str(out), "--until", until]) == 0
        assert f"The movie '{movie}' that the run was asked for is not drawn" in capsys.readouterr().err
    assert movie.read_bytes() == before


def test_a_run_that_was_killed_while_the_picture_of_its_end_was_drawn_draws_it(project, tmp_path, monkeypatch, capsys):
    """One that was not killed has nothing left to draw."""
    monkeypatch.setattr(pictures, "find_renderer", lambda: lambda *_, **__: np.zeros((6, 8, 4), np.uint8))
    out = tmp_path / "out"
    assert main(["run", str(project), "--until", "1", "--out", str(out)]) == 0
    picture = max(out.glob("picture_*.png"))
    capsys.readouterr()
    assert main(["resume", str(out)]) == 2
    assert "has come to its end" in capsys.readouterr().err
    (out / ".running").touch()
    picture.unlink()
    before = (out / "series.csv").read_bytes()
    assert main(["resume", str(out)]) == 0
    assert "The run was killed at its end: what was to be drawn of it then is drawn now." in capsys.readouterr().err
    assert picture.is_file()
    assert (out / "series.csv").read_bytes() == before
    assert not (out / ".running").exists()


def test_a_movie_that_cannot_be_written_is_refused_before_the_run(project, tmp_path, capsys):
    out = tmp_path / "out"
    assert main(["run", str(project), "--out", str(out), "--movie", str(tmp_path / "run.avi")]) == 2
    assert "use .mp4, .gif, or a folder" in capsys.readouterr().err
    assert not list(out.glob("*.csv"))


def test_without_a_renderer_there_is_no_movie_and_it_is_said(project, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(pictures, "find_renderer", lambda: None)
    movie = tmp_path / "run.gif"
    assert main(["run", str(project), "--out", str(tmp_path / "out"), "--movie", str(movie)]) == 0
    assert "no renderer" in capsys.readouterr().err
    assert not movie.exists()
