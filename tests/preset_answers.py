"""Whether every preset still gives the same numbers, bit for bit: a script for changes that may not change an answer.

    python -m tests.preset_answers record before.json           at the commit to hold to
    python -m tests.preset_answers compare before.json          after the change, on the same machine

Each preset runs on the CPU for a number of steps that follows from its size, when compared for as many as in the
record; hashes are taken of its fields, series, charts and state. Bits differ between processors, so a record holds on
the machine that made it. Names after the file choose presets.
"""

from __future__ import annotations

import hashlib
import json
import sys
import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np

from engines.api import Simulation
from engines.backend import open_backend
from workbench.project.presets import open_preset, presets

VALUES = 100_000_000
"""Values of fields that a preset's steps together pass over, about."""
MOST_STEPS, LEAST_STEPS = 3000, 12


def digest(value: Any) -> str:
    """Of an array's type, shape and bytes; of anything else, its representation."""
    if isinstance(value, np.ndarray) and value.dtype != object:
        content = f"{value.dtype.str}{value.shape}".encode() + np.ascontiguousarray(value).tobytes()
    elif hasattr(value, "__dataclass_fields__"):
        content = json.dumps([(name, digest(getattr(value, name))) for name in value.__dataclass_fields__]).encode()
    elif isinstance(value, Mapping):
        content = json.dumps([(str(name), digest(value[name])) for name in value]).encode()
    elif isinstance(value, (tuple, list)):
        content = json.dumps([digest(each) for each in value]).encode()
    else:
        content = repr(value).encode()
    return hashlib.sha256(content).hexdigest()[:16]


def answers(simulation: Simulation) -> dict[str, str]:
    """A hash of each thing that a viewer, an export or a checkpoint takes from ``simulation``."""
    found = {f"field {info.name}": digest(simulation.field(info.name)) for info in simulation.fields}
    found |= {f"series {name}": repr(float(value)) for name, value in simulation.observe().items()}
    for info in simulation.charts:
        with suppress(KeyError):  # a chart over time is drawn from samples
            found[f"chart {info.name}"] = digest(simulation.chart(info.name))
    found |= {f"state {name}": digest(value) for name, value in simulation.state().items()}
    return found | {"step": str(simulation.step), "time": repr(simulation.time)}


def of_preset(preset: Any, steps: int | None = None) -> dict[str, str]:
    """The answers of a preset after ``steps``, or as many as its size allows."""
    document = open_preset(preset)
    backend = open_backend("cpu")
    simulation = document.engine.build(document.complete_problem(), backend)
    try:
        if steps is None:
            values = sum(np.size(simulation.field(info.name)) for info in simulation.fields) or 1
            steps = int(min(max(VALUES // values, LEAST_STEPS), MOST_STEPS))
        for _ in range(4):  # as a run does, in batches
            if not simulation.finished:
                simulation.advance(steps // 4)
        simulation.synchronize()
        return answers(simulation)
    finally:
        simulation.close()
        backend.close()


def differences(before: Mapping[str, str], now: Mapping[str, str]) -> list[str]:
    """Names of what is not the same."""
    return sorted(name for name in {**before, **now} if before.get(name) != now.get(name))


def main(mode: str, file: str, *names: str) -> int:
    path = Path(file)
    known: dict[str, dict[str, str]] = json.loads(path.read_text()) if path.exists() else {}
    wrong = 0
    for preset in sorted(presets(), key=lambda each: (each.engine, each.id)):
        if names and preset.id not in names and preset.engine not in names:
            continue
        started = time.perf_counter()
        before = {} if mode == "record" else known.get(preset.id, {})
        found = of_preset(preset, int(before["step"]) if before else None)
        seconds = time.perf_counter() - started
        if mode == "record":
            known[preset.id] = found
            path.write_text(json.dumps(known, indent=1))
            print(
                f"{preset.engine} {preset.id}: step {found['step']}, {len(found)} answers, {seconds:.1f} s", flush=True
            )
            continue
        other = differences(before, found)
        wrong += bool(other)
        print(f"{preset.engine} {preset.id}: {'differs in ' + ', '.join(other[:6]) if other else 'same'}", flush=True)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
