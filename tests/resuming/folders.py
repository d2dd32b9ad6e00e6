"""Runs into folders, copies of folders as a kill leaves them, and what two folders of results differ in."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest

from engines.api import Simulation
from workbench.cli import main
from workbench.run.recording import Recorder

OF_THE_CLOCK = ("timing.csv", "timing.jsonl", "checkpoint.npz", ".running")
"""Files whose content is when things happened; states are compared by what is computed from them."""
TIMES = ("started", "written", "resumed_at")
"""Entries of run.json that say when."""


def contents(folder: Path) -> dict[str, bytes | Any]:
    """What each file of results holds, by its path in ``folder``."""
    found: dict[str, bytes | Any] = {}
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder).as_posix()
        if path.is_file() and path.name not in OF_THE_CLOCK and not path.name.startswith("checkpoint"):
            grows = path.suffix == ".vtkhdf" or (path.suffix == ".h5" and path.name != "results.h5")
            found[name] = arrays_in(path) if grows else path.read_bytes()
    record = json.loads(found["run.json"])
    found["run.json"] = {name: value for name, value in record.items() if name not in TIMES}
    if command := record.get("command"):
        command.pop("mark")  # of the folder, which is another
    return found


def arrays_in(path: Path) -> dict[str, Any]:
    """Attributes and arrays by name: what was written twice lies elsewhere in a file of HDF5."""
    found: dict[str, Any] = {}

    def told(value: Any) -> Any:
        """References, which say where in the file something lies, by the name of what they are of."""
        if isinstance(value, h5py.Reference):
            return file[value].name
        if isinstance(value, np.ndarray) and value.dtype.names:
            return [[told(row[field]) for field in value.dtype.names] for row in value]
        return (
            [told(one) for one in value] if isinstance(value, np.ndarray) and value.ndim else np.asarray(value).tolist()
        )

    def take(name: str, each: h5py.HLObject) -> None:
        found[name] = {key: told(value) for key, value in each.attrs.items()}
        if isinstance(each, h5py.Dataset):
            values = each[()]
            # texts come as objects, of which the bytes are addresses
            held = values.tolist() if each.dtype.hasobject else values.tobytes()
            found[name]["array"] = each.dtype.str, each.shape, held

    with h5py.File(path) as file:
        take("/", file)
        file.visititems(take)
    return found


def differences(unbroken: Path, resumed: Path) -> list[str]:
    """Names of the files that are not the same in both, and of entries of run.json."""
    one, other = contents(unbroken), contents(resumed)
    told = [name for name in sorted({*one, *other}) if one.get(name) != other.get(name)]
    if "run.json" in told:
        records = one["run.json"], other["run.json"]
        told += [f"run.json: {key}" for key in records[0] if records[0][key] != records[1].get(key)]
    return told


def killed_recorder(checkpoint_step: int, kill_step: int, copy: Path) -> type[Recorder]:
    """Recorders that take a checkpoint at a step, and later copy their folder to ``copy``, as a kill leaves it."""

    class Killed(Recorder):
        def next_step(self, after: int) -> int | None:
            wanted = [super().next_step(after), *(step for step in (checkpoint_step, kill_step) if step > after)]
            return min((step for step in wanted if step is not None), default=None)

        def observe(self, simulation: Simulation) -> None:
            super().observe(simulation)
            if simulation.step == checkpoint_step:
                self._take_checkpoint(simulation)
                self._writer.flush()
            if simulation.step == kill_step:
                self._writer.flush()
                shutil.copytree(self.folder, copy)

    return Killed


def resumed_as_unbroken(
    project: str, arguments: list[str], steps: tuple[int, int], folder: Path, monkeypatch: pytest.MonkeyPatch
) -> list[str]:
    """What differs between a run and one with a checkpoint at ``steps[0]`` that was killed at ``steps[1]`` and resumed.

    The run that is copied is the one that ends undisturbed.
    """
    base = ["run", project, *arguments]
    whole, killed = folder / "whole", folder / "killed"
    with monkeypatch.context() as patch:
        patch.setattr("workbench.cli.runs.run.Recorder", killed_recorder(*steps, killed))
        assert main([*base, "--out", str(whole)]) == 0
    (killed / ".running").unlink(missing_ok=True)
    assert main([*base, "--out", str(killed), "--resume"]) == 0
    return differences(whole, killed)
