"""Two GPUs: what two ranks find is what one finds, to the bit, and large slabs are stepped nearly twice as fast.

Each test starts ``workbench run --ranks 2`` and one rank beside it; without two GPUs and an MPI they are skipped.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from engines.backend.devices.cuda_status import cuda_status

ROOT = Path(__file__).parents[2]
RUNS = {
    "heart": ["niederer_slab", "--until", "4"],
    "heart by groups": [
        "niederer_slab",
        "--until",
        "4",
        "--set",
        "numerics.multirate.on=true",
        "--set",
        "numerics.precision=mixed",
    ],
    "spiral": ["spiral_wave", "--until", "20"],
    "vertices": ["niederer_slab", "--until", "4", "--set", "numerics.discretisation=vertex-centred (P1)"],
    "grid": ["gray_scott_coral", "--until", "500"],
    "fields by equations": ["typed_fitzhugh", "--until", "20"],
    "waves": ["fdtd_gold_sphere", "--until", "20"],
    "dipole": ["fdtd_dipole", "--until", "20"],
    "patch": ["fdtd_patch", "--until", "20"],
    "crack": ["crack_branching", "--until", "30"],
    "solid": ["crack_branching", "--until", "20", "--set", "bonds.theory=state-based"],
    "neurons": ["brunel", "--until", "200"],
    "without delays": ["cuba_4000", "--until", "100"],
    "stdp": ["brunel", "--set", 'connections.0.plasticity={"kind": "stdp", "highest": 0.2}', "--until", "50"],
    "typed synapses": ["typed_stdp", "--until", "200"],
    "cells": ["thousand_cells", "--set", "ensemble.cells=100000", "--until", "1800"],
}
EXACT = (
    "voltage",
    "g_e",
    "g_i",
    "ring",
    "spikes",
    "history",
    "events",
    "electric",
    "magnetic",
    "u",
    "v",
    "w",
    "words",
    "work",
    "loss",
    "damped",
    "cells",
    "poles",
    "signals",
    "activation",
    "maps",
    "phase",
    "phase_seen",
    "groups_hold",
    "groups_waiting",
    "groups_low",
    "groups_high",
    "weights_0",
    "traces_0",
    "synapses_0_w",
)
"""Arrays of a checkpoint in which no sum of many elements is."""


def state_of(folder: Path) -> dict[str, np.ndarray]:
    with np.load(folder / "checkpoint.npz") as file:
        return {name: file[name] for name in file.files if not name.endswith(".json")}


def run(*given: str) -> None:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), *sys.path])}
    command = [sys.executable, "-P", "-m", "workbench", "run", *given, "--no-pictures"]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=500)
    assert done.returncode == 0, done.stderr


@pytest.fixture(autouse=True)
def two_gpus():
    pytest.importorskip("mpi4py", reason="needs the extra 'mpi'")
    beside = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])
    if shutil.which("mpiexec", path=beside) is None:
        pytest.skip("needs the mpiexec of an MPI: the extra 'mpi'")
    if len(cuda_status().devices) < 2:
        pytest.skip("needs two GPUs")


@pytest.mark.parametrize("name", RUNS)
def test_two_gpus_find_what_one_finds(name, tmp_path):
    one, two = tmp_path / "one", tmp_path / "two"
    run(*RUNS[name], "--device", "cuda:0", "--out", str(one))
    run(*RUNS[name], "--ranks", "2", "--out", str(two))
    expected, found = state_of(one), state_of(two)
    assert found.keys() == expected.keys()
    for part, values in expected.items():
        if part.split()[0] in EXACT or (part.startswith(("psi", "monitor")) and "energ" not in part):
            np.testing.assert_array_equal(found[part], values, part)
        elif part in ("ecg", "points"):  # sums over all elements, of the largest
            np.testing.assert_allclose(found[part], values, rtol=0, atol=1e-12 * np.abs(values).max(), err_msg=part)
        else:
            np.testing.assert_allclose(found[part], values, rtol=1e-12, err_msg=part)
    assert json.loads((two / "run.json").read_text())["command"]["ranks"] == 2
    run(*RUNS[name], "--device", "cuda:0", "--out", str(two), "--resume")


@pytest.mark.parametrize("name", ["dipole", "solid", "crack", "grid"])
def test_the_second_gpu_finds_what_the_first_does(name, tmp_path):
    """Also with kernels that ask for more shared memory than blocks have without asking."""
    folders = [tmp_path / number for number in "01"]
    for number, folder in enumerate(folders):
        run(*RUNS[name], "--device", f"cuda:{number}", "--out", str(folder))
    expected, found = map(state_of, folders)
    assert found.keys() == expected.keys()
    for part, values in expected.items():
        np.testing.assert_array_equal(found[part], values, part)
