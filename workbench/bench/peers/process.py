"""The other end of :mod:`workbench.bench.peers.child`: the process of a side, asked in turn and ended if it is late."""

from __future__ import annotations

import contextlib
import json
import os
import queue
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import IO, Any

import numpy as np

from engines.api import Array
from engines.api.device import DeviceInfo
from engines.backend.threads import SLEEP_IS_OURS, WAITING

CHILD = "workbench.bench.peers.child"
ENDING = 2.0
"""[s] that a side has to end by itself."""


class Refused(Exception):
    """Why a side has no figure, as a sentence."""


def environment(device: DeviceInfo, threads: int) -> dict[str, str]:
    """Of both sides alike: their threads, one GPU at most, and memory that is taken as it is needed. How threads wait
    is for each side to say, unless a person has said it."""
    counts = dict.fromkeys(
        ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS"), str(threads)
    )
    kept = {name: value for name, value in os.environ.items() if name not in WAITING or not SLEEP_IS_OURS}
    found = kept | counts | {"XLA_PYTHON_CLIENT_PREALLOCATE": "false", "PYBAMM_DISABLE_TELEMETRY": "true"}
    if device.kind == "cuda":
        number = int(device.id.partition(":")[2] or 0)
        seen = [one for one in os.environ.get("CUDA_VISIBLE_DEVICES", "").split(",") if one]
        chosen = seen[number] if number < len(seen) else str(number)
        # JAX that finds no GPU would take the CPU without a word; named so, it says that there is none.
        return found | {"JAX_PLATFORMS": "cuda,cpu", "CUDA_VISIBLE_DEVICES": chosen}
    return found | {"JAX_PLATFORMS": "cpu", "CUDA_VISIBLE_DEVICES": ""}


class SideProcess:
    """One side in its process, from which :meth:`close` or the end of the context frees everything."""

    def __init__(self, called: str, asked: Mapping[str, Any], environment: Mapping[str, str], patience: float) -> None:
        """Raises Refused, with what it is ``called``, where it is not ready within ``patience`` seconds."""
        self._called, self._open = called, contextlib.ExitStack()
        self._errors: IO[bytes] = self._open.enter_context(tempfile.TemporaryFile())  # noqa: SIM115
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-m", CHILD], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self._errors,
            text=True, env=dict(environment), start_new_session=True,
        )  # fmt: skip
        self._lines: queue.SimpleQueue[str] = queue.SimpleQueue()
        threading.Thread(target=self._listen, name="peers", daemon=True).start()
        try:
            self.about = self.ask(asked, patience)
        except BaseException:
            self.close()
            raise

    def _listen(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            self._lines.put(line)
        self._lines.put("")

    def ask(self, document: Mapping[str, Any], patience: float) -> dict[str, Any]:
        """What it answers. Raises Refused."""
        assert self._process.stdin is not None
        with contextlib.suppress(BrokenPipeError):  # it has ended: that is told below
            self._process.stdin.write(json.dumps(document) + "\n")
            self._process.stdin.flush()
        try:
            line = self._lines.get(timeout=patience)
        except queue.Empty:
            raise Refused(f"{self._called} takes longer than {patience:.0f} s") from None
        if not line:
            raise Refused(f"{self._called} ended: {self._last_words()}")
        found: dict[str, Any] = json.loads(line)
        return found

    def answer(self, folder: Path, patience: float) -> dict[str, Array]:
        """The arrays of the last run. Raises Refused."""
        path = folder / "answer.npz"
        self.ask({"do": "answer", "path": str(path)}, patience)
        with np.load(path) as arrays:
            return {name: arrays[name] for name in arrays.files}

    def _last_words(self) -> str:
        self._process.wait(10)
        self._errors.seek(0)
        lines = self._errors.read().decode(errors="replace").strip().splitlines()
        return lines[-1][:300] if lines else f"exit code {self._process.returncode}, nothing was said"

    def close(self) -> None:
        """With all that it has started: a compiler among them."""
        assert self._process.stdin is not None
        with contextlib.suppress(OSError, subprocess.TimeoutExpired):  # it ends by itself unless it is busy
            self._process.stdin.close()
            self._process.wait(ENDING)
        try:
            if hasattr(os, "killpg"):
                os.killpg(self._process.pid, signal.SIGKILL)
            else:
                self._process.kill()
        except ProcessLookupError:
            pass
        self._process.wait()
        for stream in (self._process.stdin, self._process.stdout):
            if stream is not None:
                with contextlib.suppress(OSError):  # what was not read
                    stream.close()
        self._open.close()

    def __enter__(self) -> SideProcess:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
