"""The other commands: engines, presets, new, convert, doctor, and opening the window."""

from __future__ import annotations

import io
import json
import os
import re
import subprocess
import sys
import types
from dataclasses import replace
from typing import Any

import meshio
import pytest

import workbench as wb
from engines.api import registry
from engines.api.presets import presets_in
from tests.workbench.fake_engine import WaveEngine
from workbench import cli
from workbench.cli import doctor, main
from workbench.cli.arguments import parser
from workbench.cli.runs import progress
from workbench.cli.runs.asked import Asked
from workbench.cli.voice import RENEWED, voices
from workbench.project import presets as preset_module
from workbench.project.document import open_document, save_document


def test_engines_lists_them(house, capsys):
    assert main(["engines"]) == 0
    assert capsys.readouterr().out == "wave  Wave: A plane wave along x\n"


def test_presets_come_from_the_sample_data(project, tmp_path, monkeypatch, capsys):
    content = json.loads((project / "project.json").read_text())
    (project / "project.json").write_text(json.dumps({**content, "title": "Slab", "summary": "A small slab"}))
    (project / "preview.png").write_bytes(b"picture")
    (tmp_path / "empty").mkdir()
    (tmp_path / "broken").mkdir()
    (tmp_path / "broken" / "project.json").write_text("{")
    monkeypatch.setattr(preset_module.resources, "files", lambda package: tmp_path)
    assert main(["presets"]) == 0
    assert capsys.readouterr().out == "slab  Slab: A small slab\n"
    (preset,) = preset_module.presets()
    assert preset.picture is not None
    document = preset_module.open_preset(preset)
    assert document.path is None
    assert document.geometry.n_cells == 216
    assert main(["run", "slab", "--until", "0.1", "--no-pictures", "--out", str(tmp_path / "out")]) == 0


def write_preset(folder: Any, name: str, content: str) -> None:
    (folder / name).mkdir(parents=True)
    (folder / name / "project.json").write_text(content)


def test_presets_that_are_left_out_are_named(house, tmp_path, monkeypatch, capsys, caplog):
    """One that cannot be read, one of a name that another engine has, and all of an engine that cannot list them."""
    project = json.dumps({"title": "Drum", "engine": "wave", "parameters": {}})
    for folder, name in (("samples", "mine"), ("first", "drum"), ("second", "drum"), ("second", "dome")):
        write_preset(tmp_path / folder, name, project)
    write_preset(tmp_path / "first", "torn", "{")

    def engine(name: str, place: str) -> Any:
        def presets(self: Any) -> Any:
            return presets_in(tmp_path / place) if place else [][0]

        return type("Other", (WaveEngine,), {"id": name, "presets": presets})()

    monkeypatch.setattr(preset_module.resources, "files", lambda package: tmp_path / "samples")
    others = {"a": engine("a", "first"), "b": engine("b", "second"), "c": engine("c", "")}
    monkeypatch.setattr(registry, "engines", lambda: others)
    expected = (
        "The preset 'torn' is left out, for its project.json cannot be read",
        "The preset 'drum' of the engine 'b' is left out, for the engine 'a' has one of that name: rename its folder",
        "The presets of the engine 'c' are left out, for they cannot be listed (IndexError: list index out of range)",
    )
    for _ in range(2):
        assert sorted(preset.id for preset in preset_module.presets()) == ["dome", "drum", "mine"]
    for sentence in expected:
        assert caplog.text.count(sentence) == 1
    assert main(["doctor"]) == 0
    told = capsys.readouterr().out
    assert re.search(r"^Presets +3$", told, re.MULTILINE)
    for sentence in expected:
        assert told.count(sentence) == 1


def test_new_makes_a_project_that_runs(house, mesh_file, tmp_path, capsys):
    for name in ("fresh", "fresh.zip"):
        target = tmp_path / name
        assert main(["new", str(target), "--mesh", str(mesh_file), "--length-unit", "cm"]) == 0
        assert open_document(target).geometry.points.max() == pytest.approx(60)
        assert main(["run", str(target), "--until", "0.1", "--no-pictures", "--out", str(tmp_path / "out")]) == 0


def test_new_goes_into_an_empty_folder_and_into_no_other(house, mesh_file, tmp_path, capsys):
    target = tmp_path / "empty"
    target.mkdir()
    assert main(["new", str(target), "--mesh", str(mesh_file)]) == 0
    assert main(["new", str(target), "--mesh", str(mesh_file)]) == 2
    assert "exists already" in capsys.readouterr().err


def test_convert_writes_a_vtu_in_millimetres(house, mesh_file, tmp_path, capsys):
    assert main(["convert", str(mesh_file), str(tmp_path / "out.vtu"), "--length-unit", "m"]) == 0
    assert meshio.read(tmp_path / "out.vtu").points.max() == pytest.approx(6000)
    assert "216 tetrahedra" in capsys.readouterr().out


def test_convert_writes_over_no_mesh_that_it_reads(house, mesh_file, tmp_path, capsys):
    """Arrays that it does not read would be lost."""
    mesh, link = tmp_path / "mesh.vtu", tmp_path / "link.vtu"
    assert main(["convert", str(mesh_file), str(mesh)]) == 0
    link.symlink_to(mesh)
    before = mesh.read_bytes()
    for target in (mesh, link):
        assert main(["convert", str(mesh), str(target)]) == 2
        assert "would be written over the mesh that is read" in capsys.readouterr().err
    assert mesh.read_bytes() == before


def test_convert_writes_over_no_fibres_that_it_reads(house, mesh_file, tmp_path, capsys):
    """A set of CARP's files that is called as the fibres are has its own in their place."""
    fibres = tmp_path / "out.lon"
    fibres.write_text("0 0 1\n" * 216)
    before = fibres.read_bytes()
    for suffix in (".elem", ".lon"):
        assert main(["convert", str(mesh_file), str(tmp_path / f"out{suffix}"), "--fibres", str(fibres)]) == 2
        assert "would be written over the file of fibres that is read" in capsys.readouterr().err
    assert fibres.read_bytes() == before
    assert main(["convert", str(mesh_file), str(tmp_path / "other.elem"), "--fibres", str(fibres)]) == 0


def test_convert_of_a_pipe_says_so(tmp_path, capsys):
    os.mkfifo(tmp_path / "mesh.msh")
    assert main(["convert", str(tmp_path / "mesh.msh"), str(tmp_path / "out.vtu")]) == 2
    assert "is a pipe or a device" in capsys.readouterr().err


@pytest.mark.parametrize("number", ["-1", "0", "10001", "1.5"])
def test_what_is_at_least_one_says_so(number, capsys):
    assert main(["run", "sine_mode", "--ranks", number]) == 2
    assert f"{number} is no number from 1 to 10000" in capsys.readouterr().err


def test_doctor_looks_at_everything(capsys):
    assert main(["doctor"]) == 0
    told = capsys.readouterr().out
    for subject in ("Python", "numpy", "CPU", "NVIDIA GPU", "Qt and OpenGL", "Cache"):
        assert re.search(rf"^{subject}  +\S", told, re.MULTILINE), subject


def test_doctor_gives_the_command_for_what_is_missing(monkeypatch, capsys):
    def answer(command: list[str]) -> str:
        if command[0] != "nvidia-smi":
            return '{"devices": [], "missing": "cupy", "sentence": "CuPy is not installed."}'
        return "NVIDIA T4, 570.1, 15360 MiB" if len(command) > 1 else "| CUDA Version: 13.0 |"

    monkeypatch.setattr(doctor, "_output", answer)
    monkeypatch.setattr(doctor.ctypes.util, "find_library", lambda name: None if name == "EGL" else name)
    monkeypatch.setattr(doctor, "WINDOW", ("no-such-package",))
    assert main(["doctor"]) == 0
    told = capsys.readouterr().out
    assert "CuPy is not installed." in told
    assert re.search(r"pip install 'cupy-cuda13x\b", told)
    assert "cuda12x" not in told
    assert "pip install 'no-such-package'" in told
    if sys.platform == "linux":
        assert "sudo apt-get install -y libegl1\n" in told


def test_doctor_warms_the_kernels(monkeypatch, capsys):
    module = types.ModuleType("engines.backend.compile.warm")
    module.warm = lambda progress, others: [  # type: ignore[attr-defined]
        progress(f"Compiling {name}", 0.5) for name in ("the wave", *(other.__module__ for other in others))
    ]
    monkeypatch.setitem(sys.modules, "engines.backend.compile.warm", module)
    assert main(["doctor", "--warm"]) == 0
    told = capsys.readouterr().err
    assert "Compiling the wave" in told
    assert "Compiling ui.scene.warm" in told


def test_without_a_command_the_window_opens_with_the_files(project, monkeypatch):
    opened: list[Any] = []

    class Window:
        def load(self) -> Any:
            return lambda paths: opened.append(paths)

    monkeypatch.setattr("workbench.cli.entry_points", lambda group: [Window()] if group == "workbench.window" else [])
    assert main([]) == 0
    assert main([str(project)]) == 0
    assert opened == [[], [str(project)]]


def test_the_window_opens_a_preset_by_its_name(house, tmp_path, monkeypatch, capsys):
    opened: list[Any] = []
    window = types.SimpleNamespace(load=lambda: opened.append)
    monkeypatch.setattr("workbench.cli.entry_points", lambda group: [window])
    monkeypatch.setattr(preset_module.resources, "files", lambda package: tmp_path)
    write_preset(tmp_path, "coral_reef", "{}")
    assert main(["coral_reef"]) == 0
    assert opened == [["coral_reef"]]
    assert main(["coral_leaf"]) == 2
    told = capsys.readouterr().err
    assert told.startswith("'coral_leaf' is neither a file nor a command nor a preset; the nearest is 'coral_reef';")
    assert main(["rum"]) == 2
    assert "the nearest are 'run', 'resume'" in capsys.readouterr().err
    assert main(["run", "coral_leaf"]) == 2
    assert "There is no file and no preset 'coral_leaf'; the nearest is 'coral_reef'" in capsys.readouterr().err


def test_a_window_that_cannot_open_says_what_to_do(monkeypatch, capsys):
    class Window:
        def load(self) -> Any:
            raise ImportError("libEGL.so.1: cannot open shared object file")

    monkeypatch.setattr("workbench.cli.entry_points", lambda group: [Window()])
    assert main([]) == 2
    assert "libEGL.so.1" in capsys.readouterr().err
    monkeypatch.setattr("workbench.cli.entry_points", lambda group: [])
    assert main([]) == 2
    assert "no window" in capsys.readouterr().err


def test_help_and_version_need_neither_numpy_nor_qt():
    code = (
        "import sys; from workbench.cli import main; assert main(['--version']) == 0; assert main(['run', '-h']) == 0; "
        "assert not {'numpy', 'PySide6', 'numba', 'meshio'} & set(sys.modules), sys.modules.keys()"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    assert "workbench 0.2.0" in done.stdout


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("\x1b]52;c;YQ==\x07", "' ]52;c;YQ== '"), ("\x9b2J", "' 2J'"), ("\0", "' '"),
        ("gnp.\u202eexe", "\\u202e"), ("a\rb", "\\u000d"), ("\u2028x", "\\u2028"),
    ],
)  # fmt: skip
def test_names_of_a_stranger_do_nothing_to_a_terminal(name, shown, tmp_path, capsys):
    """As they stood in the project they set the clipboard, cleared the screen, or read from right to left."""
    (tmp_path / "project.json").write_text(json.dumps({"engine": name, "title": name}))
    assert main(["estimate", str(tmp_path)]) == 2
    assert main(["estimate", str(tmp_path), "--json"]) == 2
    told = capsys.readouterr()
    strange = next(letter for letter in name if not letter.isascii() or not letter.isprintable())
    assert strange not in told.err + told.out
    assert shown in told.err


def test_a_line_that_renews_itself_does_so(capsys):
    with voices() as (out, _):
        print(f"{RENEWED}5 %\tof\x1b[K it", file=out)
    assert capsys.readouterr().out == f"{RENEWED}5 %\tof\\u001b[K it\n"


@pytest.mark.parametrize(("code", "at_once"), [(0, False), (3, False), (130, True), (143, True)])
def test_a_process_that_was_told_to_end_does_not_take_itself_down_first(monkeypatch, code, at_once):
    def ended(number: int) -> None:
        raise RuntimeError(f"gone with {number}")

    monkeypatch.setattr("workbench.cli.main", lambda: code)
    monkeypatch.setattr("os._exit", ended)
    with pytest.raises(RuntimeError if at_once else SystemExit, match=str(code)):
        cli.command()


def test_doctor_names_the_room_of_each_folder_and_looks_for_a_card_where_it_can(monkeypatch):
    monkeypatch.setattr(doctor.shutil, "disk_usage", lambda place: types.SimpleNamespace(free=5 * 2**30))
    assert [" 5 GB free" in each.found for each in doctor._folders()] == [True] * 3

    def refused(*_: Any) -> Any:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(doctor.Path, "glob", refused)
    assert doctor._has_nvidia_card() is False


def test_options_have_the_defaults_that_their_help_says():
    told = {}
    for name, command in parser()._subparsers._group_actions[0].choices.items():
        for option in command._actions:
            for said in re.findall(r"\bdefault:? ([\d.]+\d|\d)", option.help or ""):
                told[name, option.dest] = (option.default, float(said))
    assert {("run", "checkpoint_every"), ("run", "checkpoints"), ("run", "pictures"), ("serve", "idle")} <= told.keys()
    assert all(default == said for default, said in told.values()), told
    assert Asked.model_fields["checkpoint_every"].default == told["run", "checkpoint_every"][0]


@pytest.mark.parametrize("terminal", [True, False])
def test_a_terminal_has_one_line_of_progress_that_is_written_over(monkeypatch, terminal):
    """Elsewhere there is a line now and then."""
    told, now = io.StringIO(), [0.0]
    told.isatty = lambda: terminal
    monkeypatch.setattr(sys, "stderr", told)
    monkeypatch.setattr(progress, "clock", types.SimpleNamespace(monotonic=lambda: now[0]))
    line = progress.Line()
    for at in (0.5, 1.25, 1.5, 2.5):  # of which the second and the last are late enough
        now[0] = at * (progress.TERMINAL_SECONDS if terminal else progress.QUIET_SECONDS)
        line("Meshing", at / 5)
    line.clear()
    head, lines = "\r\x1b[K", ["Meshing (25 %)", "Meshing (50 %)"]
    said = "".join(f"{head}{each}" for each in lines) + head if terminal else "".join(f"{each}\n" for each in lines)
    assert told.getvalue() == said


@pytest.mark.parametrize(
    ("pace", "until", "said"),
    [
        (0.5, 4.0, ["Pace    0.5 s for 1 ms", "Run     2 s to 4 ms"]),
        (0.5, None, ["Pace    0.5 s for 1 ms"]),
        (None, 4.0, []),
    ],
)
def test_an_estimate_tells_how_long_a_run_takes_where_that_is_known(project, monkeypatch, capsys, pace, until, said):
    document = open_document(project)
    document.project.run.until = until
    save_document(document)
    estimate = WaveEngine.estimate
    monkeypatch.setattr(
        WaveEngine, "estimate", lambda *given: replace(estimate(*given), seconds_per_simulated_unit=pace)
    )
    assert main(["estimate", str(project), "--device", "cpu"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line for line in lines if line.startswith(("Pace", "Run"))] == said


@pytest.mark.parametrize(("stable", "said"), [(0.125, "0.125 ms"), (0.0012399, "1.23 µs"), (0.2, ""), (None, "")])
def test_an_estimate_tells_a_step_that_no_run_takes(project, monkeypatch, capsys, stable, said):
    """As the window does; a step at the limit is taken."""
    estimate = WaveEngine.estimate
    monkeypatch.setattr(WaveEngine, "estimate", lambda *given: replace(estimate(*given), step=0.2, stable_step=stable))
    assert main(["estimate", str(project), "--device", "cpu", "--json"]) == 0
    told = capsys.readouterr()
    sentence = f"The step is above the largest stable one: set it to {said} or less."
    messages = [finding["message"] for finding in json.loads(told.out)["findings"]]
    assert (messages[:1] == [sentence]) is bool(said)
    assert ("above the largest stable one" in told.err) is bool(said)
    in_python = [finding.message for finding in wb.open(project).estimate("cpu").findings]
    assert in_python == messages


@pytest.mark.parametrize(("terminal", "looks"), [(True, 5), (False, 1)])
def test_how_a_run_stands_is_looked_at_now_and_then(monkeypatch, terminal, looks):
    """In a second: five times on a terminal, once elsewhere, and there not again for ten."""
    told, now = io.StringIO(), [100.0]
    told.isatty = lambda: terminal
    monkeypatch.setattr(sys, "stderr", told)
    monkeypatch.setattr(progress, "clock", types.SimpleNamespace(monotonic=lambda: now[0]))
    part = iter(range(100))
    runner = types.SimpleNamespace(take_samples=list)
    line = progress.ProgressLine(None, "s")
    monkeypatch.setattr(line, "_text", lambda runner: f"look {next(part)}")
    for tenth in range(1, 11):
        now[0] = 100 + tenth / 10 + 1e-3
        line.show(runner)
    assert told.getvalue().count("look") == looks


def test_ctrl_c_has_its_exit_code_and_programs_are_told(house, monkeypatch, capsys):
    def interrupt():
        raise KeyboardInterrupt

    monkeypatch.setattr(registry, "engines", interrupt)
    assert main(["engines", "--json"]) == 130
    assert json.loads(capsys.readouterr().out)["error"] == "Interrupted."


@pytest.mark.parametrize(
    ("program", "said"),
    [
        ([sys.executable, "-c", "print(' a b ')"], "a b"),
        ([sys.executable, "-c", "print(1); exit(3)"], ""),
        (["/no"], ""),
    ],
)
def test_what_a_program_of_the_system_says_counts_where_it_ends_well(program, said):
    assert doctor._output(program) == said
