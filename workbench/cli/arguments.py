"""The commands and their options."""

from __future__ import annotations

import argparse
import json
import math
import re
import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any, NoReturn

from workbench import __version__

COMMANDS = (
    "run", "resume", "estimate", "sweep", "tool", "script", "bench", "verify", "doctor", "engines", "presets",
    "new", "convert", "serve", "connect", "completion",
)  # fmt: skip
COMPUTING = ("run", "resume", "estimate", "sweep", "tool", "bench", "verify")
MOVIE_FRAMES = 150
"""Six seconds."""
SHELLS = ("bash", "zsh", "fish")


class Unasked(int):
    """A number that nobody has asked for: that there are fewer is no news."""


PICTURES = Unasked(4)


class Misused(SystemExit):
    """Of options that there are not: argparse has told the ``sentence`` on stderr."""

    def __init__(self, sentence: str) -> None:
        super().__init__(2)
        self.sentence = sentence


class Parser(argparse.ArgumentParser):
    """One that says what was wrong to programs too."""

    def error(self, message: str) -> NoReturn:
        self.print_usage(sys.stderr)
        print(f"{self.prog}: error: {message}", file=sys.stderr)
        raise Misused(message)


def parser() -> argparse.ArgumentParser:
    top = Parser(
        prog="workbench",
        description="Simulation workbench. Without a command it opens the window, on the files given.",
    )
    top.add_argument("--version", action="version", version=f"workbench {__version__}")
    top.set_defaults(answer={})  # what --json prints
    commands = top.add_subparsers(dest="command", required=True, metavar="COMMAND")

    _run(commands)

    resume = commands.add_parser("resume", help="go on with a run that was ended, as it was asked for")
    resume.add_argument("out", type=Path, metavar="OUT", help="the folder of its results")
    further = "simulated time to run to (default: as it was asked for)"
    resume.add_argument("--until", type=positive, metavar="T", help=further)
    resume.add_argument("--device", type=device, help="auto, cpu or cuda:N (default: as it was asked for)")
    _ranks(resume)
    _boundary(resume)
    resume.set_defaults(carry_out=_later("workbench.cli.runs.resume:resume_command"))

    estimate = commands.add_parser("estimate", help="what a run will need: memory, time, what goes to disk")
    estimate.add_argument("project", metavar="PROJECT", help="folder, .zip, snapshot .png, mesh file or id of a preset")
    estimate.add_argument("--device", type=device, help="auto, cpu or cuda:N (default: the project's)")
    _changed(estimate)
    _boundary(estimate)
    estimate.set_defaults(carry_out=_later("workbench.cli.estimate:estimate_command"))

    _sweep(commands)

    _tool(commands)

    script = commands.add_parser("script", help="print the shortest Python script that makes a project's problem")
    script.add_argument("project", metavar="PROJECT", help="folder, .zip, snapshot .png, mesh file or id of a preset")
    script.add_argument("--of-defaults", action="store_true", help="begin with the engine's defaults, not a preset")
    _boundary(script)
    script.set_defaults(carry_out=_later("workbench.cli.script:script_command"))

    _bench(commands)

    verify = commands.add_parser("verify", help="run cases with known answers, to check this installation")
    verify.add_argument("engines", nargs="*", metavar="ENGINE", help="default: all engines")
    verify.add_argument("--device", type=device, default="auto", help="auto, cpu or cuda:N")
    verify.add_argument("--case", action="append", default=[], metavar="ID", help="only this case (may be repeated)")
    verify.add_argument("--list", action="store_true", help="name the cases that there are")
    verify.add_argument("--out", type=Path, metavar="DIR", help="folder for the figures as JSON, CSV and Markdown")
    verify.set_defaults(carry_out=_later("workbench.cli.verify:verify_command"))

    doctor = commands.add_parser("doctor", help="what this machine has, and the command that adds what is missing")
    doctor.add_argument("--warm", action="store_true", help="compile all kernels now, so that Run starts at once")
    doctor.set_defaults(carry_out=_later("workbench.cli.doctor:doctor_command"))

    engines = commands.add_parser("engines", help="list the engines")
    engines.set_defaults(carry_out=_later("workbench.cli.listing:engines_command"))
    presets = commands.add_parser("presets", help="list the ready problems")
    presets.set_defaults(carry_out=_later("workbench.cli.listing:presets_command"))

    _create(commands)

    _serve(commands)

    completion = commands.add_parser("completion", help="print what completes commands, options and presets in a shell")
    completion.add_argument("shell", choices=SHELLS, metavar="SHELL", help=", ".join(SHELLS))
    completion.set_defaults(carry_out=_later("workbench.cli.completion:completion_command"))
    for command in commands.choices.values():
        command.add_argument(
            "--json", action="store_true", help="answer on stdout in one JSON document, all else on stderr"
        )
    return top


def _tool(commands: Any) -> None:
    tool = commands.add_parser("tool", help="list an engine's tools, or work on a project with one")
    tool.add_argument("project", metavar="PROJECT", help="folder, .zip, snapshot .png, mesh file or id of a preset")
    tool.add_argument("tool", nargs="?", metavar="ID", help="the tool (default: list them)")
    tool.add_argument(
        "--set", action="append", default=[], type=setting, dest="values", metavar="NAME=VALUE",
        help="one of the tool's numbers (may be repeated); dots lead into groups",
    )  # fmt: skip
    kept = tool.add_mutually_exclusive_group()
    kept.add_argument("--apply", action="store_true", help="take the change over into PROJECT")
    kept.add_argument("--save", type=Path, metavar="PROJECT", help="take it over into a new folder or .zip")
    tool.add_argument("--device", type=device, help="auto, cpu or cuda:N (default: the project's)")
    tool.add_argument("--out", type=Path, metavar="DIR", help="folder for the charts as CSV")
    _boundary(tool)
    tool.set_defaults(carry_out=_later("workbench.cli.tool:tool_command"))


def _create(commands: Any) -> None:
    new = commands.add_parser("new", help="make a project from a mesh or, with --engine, of an engine's own geometry")
    new.add_argument("project", type=Path, metavar="PROJECT", help="folder or .zip to make")
    new.add_argument("--mesh", type=Path, help="mesh file, for an engine that takes one")
    new.add_argument("--engine", metavar="ID", help="default: the first that takes meshes")
    _mesh_options(new)
    _boundary(new)
    new.set_defaults(carry_out=_later("workbench.cli.create:new_command"))

    convert = commands.add_parser("convert", help="convert a mesh, spikes of a run, or a file of another program")
    convert.add_argument("mesh", type=Path, metavar="FILE", help="mesh; spikes.h5 of a run; .par, .in or BPX's .json")
    convert.add_argument(
        "target", type=Path, metavar="OUT", help="OUT.vtu, OUT.elem for CARP; OUT.nwb; a project's folder or .zip"
    )
    _mesh_options(convert)
    _boundary(convert)
    convert.set_defaults(carry_out=_later("workbench.cli.create:convert_command"))


def _serve(commands: Any) -> None:
    serve = commands.add_parser("serve", help="have runs for windows elsewhere; 'connect' starts it by itself")
    serve.add_argument("--socket", type=Path, metavar="PATH", help="where it listens (default: a folder of your own)")
    serve.add_argument("--stdio", action="store_true", help="pass on what comes over SSH; starts a server if need be")
    serve.add_argument(
        "--idle", type=positive, default=30.0, metavar="MINUTES",
        help="without a window and a run it ends after so long (default 30)",
    )  # fmt: skip
    serve.add_argument("--stop", action="store_true", help="end the server that is on, and its run; its state is kept")
    serve.add_argument(
        "--slurm", nargs="?", const="", metavar="OPTIONS",
        help="in a job with these options of sbatch (--slurm='--gpus=1'), submitted if there is none",
    )  # fmt: skip
    serve.add_argument("--waits", action="store_true", help=argparse.SUPPRESS)
    serve.set_defaults(carry_out=_later("workbench.cli.runs.serve:serve_command"))

    connect = commands.add_parser("connect", help="open the window on the runs of another machine")
    connect.add_argument("host", nargs="?", default="", metavar="USER@HOST", help="as 'ssh' takes it")
    connect.add_argument("project", nargs="?", default="", metavar="PROJECT", help="opened once it is connected")
    connect.add_argument("--beside", action="store_true", help="instead: a process of this machine beside the window")
    connect.add_argument("--local", type=Path, metavar="SOCKET", help="instead: a server of this machine")
    connect.add_argument(
        "--command", dest="there", default="workbench", metavar="COMMAND", help="what Workbench is called there"
    )
    connect.add_argument("--slurm", metavar="OPTIONS", help="compute in a job of its cluster, with options of sbatch")
    connect.set_defaults(carry_out=_later("workbench.cli.runs.serve:connect_command"))


def _run(commands: Any) -> None:
    run = commands.add_parser("run", help="run a project without a window")
    run.add_argument("project", metavar="PROJECT", help="folder, .zip, snapshot .png, mesh file or id of a preset")
    run.add_argument(
        "--until",
        type=positive,
        metavar="T",
        help="simulated time to run to (default: the project's, or the end of its protocol)",
    )
    run.add_argument("--device", type=device, help="auto, cpu or cuda:N (default: the project's)")
    _ranks(run)
    run.add_argument("--out", type=folder, metavar="DIR", help="folder for the results, replaced (default: a new one)")
    run.add_argument("--resume", action="store_true", help="continue from the checkpoint in --out")
    run.add_argument("--snapshot-every", type=positive, metavar="T", help="write whole fields every T")
    run.add_argument(
        "--checkpoint-every", type=positive, default=60.0, metavar="SECONDS", help="of wall time (default 60)"
    )
    run.add_argument("--checkpoints", type=several, default=2, metavar="N", help="keep the N newest (default 2)")
    pictures = run.add_mutually_exclusive_group()
    pictures.add_argument("--pictures", type=count, default=PICTURES, metavar="N", help=f"default {PICTURES}")
    pictures.add_argument("--no-pictures", dest="pictures", action="store_const", const=0)
    run.add_argument(
        "--movie", type=Path, metavar="FILE", help="draw a movie of the run: .mp4, .gif, or a folder of pictures"
    )
    run.add_argument("--movie-frames", type=several, metavar="N", help=f"of --movie, {MOVIE_FRAMES} if not given")
    run.add_argument(
        "--range", type=limits, metavar="LOW:HIGH",
        help="of the colours, the same in all pictures and the movie: --range=-85:40 (default: the project's or the "
        "field's; where the project follows the values, and where nothing is known of them before, each picture's own)",
    )  # fmt: skip
    run.add_argument(
        "--quiet", action="store_true", help="no progress and no results in words: warnings and errors alone"
    )
    _changed(run)
    _boundary(run)
    run.set_defaults(carry_out=_later("workbench.cli.runs.run:run_command"))


def _ranks(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--ranks", type=several, metavar="N",
        help="share the problem among N processes, each with a GPU or a share of the cores (default: one, or those "
        "that mpiexec or Slurm has started); needs the extra 'mpi'",
    )  # fmt: skip


def _changed(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--set", action="append", default=[], type=setting, dest="values", metavar="NAME=VALUE",
        help="one of the problem's parameters (may be repeated); dots lead into groups, as 'sweep' lists them",
    )  # fmt: skip


def _sweep(commands: Any) -> None:
    sweep = commands.add_parser("sweep", help="run a project with other numbers and compare; without --vary: list them")
    sweep.add_argument("project", metavar="PROJECT", help="folder, .zip, snapshot .png, mesh file or id of a preset")
    sweep.add_argument(
        "--vary", action="append", default=[], type=varied, metavar="NAME=VALUES",
        help="a number (dots lead into groups) and FROM:TO:COUNT, FROM:TO:COUNT:log or a list A,B,C; once or twice",
    )  # fmt: skip
    sweep.add_argument(
        "--converge", nargs="?", const="", metavar="NAME[=VALUES]",
        help="instead: make a number finer (cells of all axes together; default: half and twice as fine as it is), and "
        "say order, value in the limit and doubt of what is read, or that it does not converge",
    )  # fmt: skip
    sweep.add_argument(
        "--chart", action="append", default=[], metavar="NAME[:READING]",
        help="keep this chart or series (may be repeated; default: all) and read max, min, mean, where-max, "
        "where-min, last or at=X of its curves for the table; a name with a colon needs one: content:u:last",
    )  # fmt: skip
    sweep.add_argument("--until", type=positive, metavar="T", help="end of each run (default: as of 'run')")
    sweep.add_argument("--device", type=device, help="auto, cpu or cuda:N (default: the project's)")
    sweep.add_argument(
        "--out", type=Path, metavar="DIR",
        help="folder for the table and curves (default: NAME-sweep); cases that are through in it are not run again",
    )  # fmt: skip
    sweep.add_argument("--anew", action="store_true", help="run every case, also those that are through in --out")
    sweep.add_argument(
        "--workers", type=several, metavar="N",
        help="run N cases at once, each on a GPU or share of the cores of its own (default: as many as there are of "
        "them where that is sooner; 1: one after the other); needs the extra 'study'",
    )  # fmt: skip
    sweep.add_argument("--scheduler", default="", metavar="ADDRESS", help="run them on the workers of Dask's scheduler")
    sweep.add_argument("--cluster", default="", choices=("slurm",), help="run them on N jobs of this cluster")
    sweep.add_argument("--yes", action="store_true", help="make the runs however many they are")
    _boundary(sweep)
    sweep.set_defaults(carry_out=_later("workbench.cli.sweep:sweep_command"))


def _bench(commands: Any) -> None:
    bench = commands.add_parser("bench", help="time the kernels against this device's measured bandwidth")
    bench.add_argument(
        "engines", nargs="*", metavar="ENGINE",
        help="default: all engines; 'scaling PROJECT': steps of a project or preset on one rank, two, four …; "
        "'peers [NAME …]': other programs beside ours, where they are installed",
    )  # fmt: skip
    bench.add_argument("--ranks", type=several, metavar="N", help="of 'scaling', at most (default: the GPUs)")
    bench.add_argument("--device", type=device, default="auto", help="auto, cpu or cuda:N")
    bench.add_argument("--elements", type=elements, nargs="+", default=(), metavar="N", help="sizes, such as 1e6")
    bench.add_argument("--out", type=Path, metavar="DIR", help="folder for the tables as JSON and CSV, and for plots")
    bench.add_argument("--quick", action="store_true", help="one size of each study and few runs: a minute on a CPU")
    bench.add_argument(
        "--study", action="append", default=[], metavar="ID",
        help="only this study (may be repeated); 'all': every study of the engines, and no whole steps",
    )  # fmt: skip
    bench.add_argument(
        "--steps", action="store_true", help="whole steps of the engines, and no studies that are not named"
    )
    bench.add_argument("--case", action="append", default=[], metavar="NAME", help="only this size (may be repeated)")
    bench.add_argument(
        "--table", action="append", default=[], metavar="ID",
        help="measure this table (may be repeated) or 'all', and no studies nor whole steps unless they are named",
    )  # fmt: skip
    bench.add_argument("--thorough", action="store_true", help="tables with the published sizes, however long it takes")
    bench.add_argument("--list", action="store_true", help="name the studies, tables and sizes that there are")
    _changed(bench)
    bench.set_defaults(carry_out=_later("workbench.cli.bench:bench_command"))


def varied(text: str) -> tuple[str, str]:
    """``name=values``, both as they stand."""
    name, sign, values = text.partition("=")
    if not sign or not name.strip() or not values.strip():
        raise argparse.ArgumentTypeError(f"{text} is no NAME=VALUES")
    return name.strip(), values.strip()


def positive(text: str) -> float:
    value = float(text)
    if not (math.isfinite(value) and value > 0):
        raise argparse.ArgumentTypeError(f"{text} is no positive number")
    return value


def limits(text: str) -> tuple[float, float]:
    try:
        low, high = map(float, text.split(":"))
    except ValueError:
        low = high = math.nan
    if not (low < high and math.isfinite(high - low)):
        raise argparse.ArgumentTypeError(f"{text} is no LOW:HIGH, two numbers of which the second is larger")
    return low, high


def folder(text: str) -> Path:
    if not text:
        raise argparse.ArgumentTypeError("an empty text is no folder: '.' is the one that you are in")
    return Path(text)


def count(text: str) -> int:
    if not text.isdecimal() or int(text) > 10_000:
        raise argparse.ArgumentTypeError(f"{text} is no number from 0 to 10000")
    return int(text)


def several(text: str) -> int:
    if not text.isdecimal() or not 1 <= int(text) <= 10_000:
        raise argparse.ArgumentTypeError(f"{text} is no number from 1 to 10000")
    return int(text)


def elements(text: str) -> int:
    value = float(text)
    if not 1 <= value <= 1e9:
        raise argparse.ArgumentTypeError(f"{text} is no number of elements from 1 to 1e9")
    return round(value)


def device(text: str) -> str:
    if not re.fullmatch(r"auto|cpu|cuda(:\d+)?", text):
        raise argparse.ArgumentTypeError(f"{text} is none of auto, cpu, cuda:0, cuda:1, …")
    return text


def setting(text: str) -> tuple[str, Any]:
    """``name=value``; the value is JSON where it can be (numbers, true, null, lists) or a number or a truth
    as Python writes it (``.5``, ``+3``, ``False``), else a text."""
    name, sign, value = text.partition("=")
    if not sign or not name.strip():
        raise argparse.ArgumentTypeError(f"{text} is no NAME=VALUE")
    try:
        return name.strip(), json.loads(value)
    except (ValueError, RecursionError):
        if _LOOSE_NUMBER.fullmatch(value.strip()):
            return name.strip(), float(value)
        return name.strip(), {"true": True, "false": False}.get(value.strip().lower(), value)


_LOOSE_NUMBER = re.compile(r"[+-]?(\.\d+|(0|[1-9]\d*)(\.\d*)?)([eE][+-]?\d+)?", re.ASCII)


def _mesh_options(command: argparse.ArgumentParser) -> None:
    units = ("um", "mm", "cm", "m")
    command.add_argument("--length-unit", choices=units, help="of the mesh file (default: um for CARP, else mm)")
    command.add_argument("--fibres", type=Path, metavar="FILE", help="file with the fibres")


def _boundary(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--allow-outside", action="store_true", help="let the project read the files outside its folder that it names"
    )


def _later(name: str) -> Callable[[Any], int]:
    """The function that carries a command out, imported when it is wanted: ``--help`` needs no NumPy."""
    module, function = name.split(":")

    def carry_out(options: Any) -> int:
        return int(getattr(import_module(module), function)(options))

    return carry_out
