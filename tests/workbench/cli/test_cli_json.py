"""``--json``: every command answers a program in one document of one shape, of success and of failure."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from engines.api import registry
from tests.workbench.cli.commands import change
from tests.workbench.fake_engine import WaveEngine, block
from tests.workbench.fake_tools import TOOLS
from tests.workbench.house import write_mesh
from tests.workbench.verify import doubles
from workbench import cli
from workbench.cli import main
from workbench.cli.arguments import COMMANDS

OK = {
    "run": (
        [["run", "{project}", "--until", "0.1", "--no-pictures", "--out", "{out}"]],
        {"folder", "files", "outcome"},
    ),
    "resume": (
        [["run", "{project}", "--until", "0.1", "--no-pictures", "--out", "{out}"], ["resume", "{out}"]],
        {"folder", "outcome"},
    ),
    "estimate": ([["estimate", "{project}"]], {"memory_bytes", "step", "facts", "findings"}),
    "sweep": (
        [
            ["sweep", "{project}"],
            ["sweep", "{project}", "--vary", "speed=1,2", "--until", "0.1", "--workers", "1", "--out", "{out}"],
        ],
        {"folder", "files", "runs", "columns", "rows"},
    ),
    "tool": (
        [["tool", "{project}"], ["tool", "{project}", "faster", "--out", "{out}", "--apply"]],
        {"tool", "message", "facts", "files", "project"},
    ),
    "script": ([["script", "{project}"]], {"script"}),
    "bench": ([["bench"], ["bench", "--list"]], {"studies", "tables", "cases"}),
    "verify": ([["verify"]], {"record"}),
    "doctor": ([["doctor"]], {"found"}),
    "engines": ([["engines"]], {"engines"}),
    "presets": ([["presets"]], {"presets"}),
    "new": ([["new", "{out}", "--mesh", "{mesh}"]], {"project", "engine", "findings"}),
    "convert": ([["convert", "{mesh}", "{out}.vtu"]], {"files", "tetrahedra", "points", "findings"}),
    "serve": ([["serve", "--stop", "--socket", "{out}/serve.sock"]], {"socket", "stopped"}),
    "connect": ([["connect", "me@lab"]], set()),
    "completion": ([["completion", "bash"]], {"script"}),
}
"""Of each command: calls that go well one after the other, and what the last one answers besides its name and code."""
WRONG = {
    "doctor": ["--no-such"],
    "engines": ["--no-such"],
    "presets": ["--no-such"],
    "bench": ["nobody"],
    "verify": ["nobody"],
    "completion": ["tcsh"],
    "new": ["{project}"],
    "convert": ["nothing.msh", "{out}.vtu"],
}
"""Words that a command refuses, where it is not a project that there is not."""


@pytest.fixture
def answered(project, tmp_path, capsys, monkeypatch):
    """Carries out a command with ``--json``: (its answer, what it said to people)."""
    monkeypatch.setattr(WaveEngine, "tools", lambda self: TOOLS)
    places = {"project": project, "out": tmp_path / "out", "mesh": write_mesh(block(), tmp_path / "block.vtu")}

    def carry_out(words):
        code = main([*(word.format(**places) for word in words), "--json"])
        told = capsys.readouterr()
        answer = json.loads(told.out, parse_constant=pytest.fail)
        assert (answer["command"], answer["exit_code"]) == (words[0], code)
        return answer, told.err

    return carry_out


def broken_off(run: Path) -> None:
    """A run that is through becomes one that has half of it before it."""
    record = json.loads((run / "run.json").read_text())
    record["command"]["until"] = record["project"]["run"]["until"] = 0.2
    record["outcome"]["state"] = "interrupted"
    (run / "run.json").write_text(json.dumps(record))


def test_every_command_is_tried():
    assert set(OK) == set(COMMANDS)


@pytest.mark.parametrize("command", COMMANDS)
def test_what_a_command_found_stands_in_its_answer(answered, command, tmp_path, monkeypatch):
    if command == "verify":
        monkeypatch.setattr(registry, "engines", lambda: {"wave": doubles.engine_with(doubles.relaxation)})
    monkeypatch.setattr(cli, "open_window", lambda paths, where: 0)
    calls, keys = OK[command]
    for words in calls:
        if words[0] == "resume":
            broken_off(tmp_path / "out")
        answer, _ = answered(words)
        assert (answer["exit_code"], "error" in answer) == (0, False), words
    assert keys <= set(answer)


@pytest.mark.parametrize("command", COMMANDS)
def test_what_was_wrong_stands_in_its_answer(answered, command):
    answer, told = answered([command, *WRONG.get(command, ["no such project"])])
    assert answer["exit_code"] == 2
    assert answer["error"] in told


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["me@lab"], ["--host=me@lab", "--command=workbench"]),
        (["me@lab", "--command", "~/wb/workbench"], ["--host=me@lab", "--command=~/wb/workbench"]),
        (["me@lab", "--slurm="], ["--host=me@lab", "--command=workbench", "--slurm="]),
        (["me@lab", "--slurm=-p gpu"], ["--host=me@lab", "--command=workbench", "--slurm=-p gpu"]),
    ],
)
@pytest.mark.parametrize("asks", [False, True])
def test_a_window_is_opened_on_the_machine_that_is_named(monkeypatch, words, told, asks):
    """Where somebody sits at the terminal, SSH may ask there for a password."""
    opened = []
    monkeypatch.setattr(cli, "open_window", lambda paths, where: opened.append((paths, where)) or 0)
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(isatty=lambda: asks))
    assert cli.main(["connect", *words]) == 0
    assert opened == [([], [*told, *(["--asks"] if asks else [])])]


@pytest.mark.parametrize(
    ("words", "projects", "told"),
    [
        (["--beside"], [], ["--beside"]),
        (["--beside", "small_slab"], ["small_slab"], ["--beside"]),
        (["--local", "/tmp/x.sock", "small_slab"], ["small_slab"], ["--socket=/tmp/x.sock"]),
    ],
)
def test_a_window_is_opened_on_a_process_of_this_machine(monkeypatch, words, projects, told):
    opened = []
    monkeypatch.setattr(cli, "open_window", lambda paths, where: opened.append((paths, where)) or 0)
    assert cli.main(["connect", *words]) == 0
    assert opened == [(projects, told)]


@pytest.mark.parametrize("words", [[], ["--beside", "--local", "x.sock"], ["me@lab", "project", "--beside"]])
def test_one_machine_is_connected_to(answered, words):
    answer, _ = answered(["connect", *words])
    assert answer["exit_code"] == 2
    assert "--beside" in answer["error"]


def test_the_table_of_a_sweep_is_in_its_answer(answered):
    (listing, _), (answer, _) = (answered(words) for words in OK["sweep"][0])
    assert {"name": "speed", "value": 1.0, "unit": "mm/ms", "title": "Speed", "bounds": {"gt": 0.0}} in listing[
        "numbers"
    ]
    table = [dict(zip(answer["columns"], row, strict=True)) for row in answer["rows"]]
    assert [row["speed [mm/ms]"] for row in table] == [1.0, 2.0]
    assert [row["end [ms]"] for row in table] == pytest.approx([0.1, 0.1])


@pytest.mark.parametrize("name", ["cases", "charts"])
def test_a_sweep_writes_through_no_link(answered, tmp_path, name):
    """Results that somebody else packed may hold links, as those of a run may."""
    ours, out = tmp_path / "ours", tmp_path / "packed"
    ours.mkdir()
    out.mkdir()
    (out / name).symlink_to(ours)
    answer, told = answered(["sweep", "{project}", "--vary", "speed=1", "--until", "0.1", "--out", str(out)])
    assert answer["exit_code"] == 2
    assert f"'{out / name}' is a link" in told
    assert not list(ours.iterdir())


def test_what_a_library_writes_past_python_is_not_in_the_answer(capfd, monkeypatch):
    """A plug-in's or a compiler's own output made the document unreadable."""
    monkeypatch.setattr(cli, "_carried_out", lambda *_: min(0, os.write(1, b"compiling\n")))
    assert cli.main(["presets", "--json"]) == 0
    out, err = capfd.readouterr()
    assert json.loads(out) == {"command": "presets", "exit_code": 0}
    assert "compiling" in err
    os.write(1, b"again\n")
    assert capfd.readouterr().out == "again\n"


def test_a_tool_that_fails_says_why(answered, monkeypatch):
    def fail(*_):
        raise RuntimeError("out of thread")

    monkeypatch.setattr(type(TOOLS[0]), "run", fail)
    answer, told = answered(["tool", "{project}", TOOLS[0].id])
    assert answer["exit_code"] == 3
    assert "out of thread" in answer["error"]
    assert answer["error"] in told


def test_runs_that_fail_say_why(answered, project):
    change(project, trouble="build")
    answer, told = answered(["run", "{project}", "--out", "{out}"])
    assert (answer["exit_code"], answer["error"] in told) == (2, True)
    change(project, trouble="nan")
    for words in (
        ["run", "{project}", "--no-pictures"],
        ["sweep", "{project}", "--vary", "speed=1,2", "--workers", "1"],
    ):
        answer, told = answered([*words, "--until", "2", "--out", "{out}"])
        assert answer["exit_code"] == 3
        assert "no longer a number" in answer["error"]
        assert answer["error"] in told
