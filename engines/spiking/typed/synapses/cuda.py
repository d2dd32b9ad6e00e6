"""Typed synapses on a GPU: the launches of a step, before that of the neurons, and after it and that of their fixed
synapses."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from engines.spiking.connectivity.plastic import Joined
from engines.spiking.typed.synapses.cuda_source import kernel_file
from engines.spiking.typed.synapses.plan import TypedSynapse
from engines.spiking.typed.synapses.state import event_rows, neuron_rows, rows_of, sum_rows

Launch = tuple[Any, tuple[int], tuple[Any, ...], bool]


def launches(
    backend: Any, block: Joined, typed: TypedSynapse, arrays: Mapping[str, Any], counts: Any
) -> tuple[list[Launch], list[Launch]]:  # fmt: skip
    """Before the neurons' step and after it: kernel, grid, arguments, and whether the parity comes last. ``counts``: of
    ``network.cu``."""
    k, n = block.connection, len(block.starts) - 1
    module = backend.compile(kernel_file(typed), (f"-DLATE={int(f'came_{k}' in arrays)}",))
    words, listed = backend.array(block.words), backend.array(block.listed)
    sent, came, runs, (first, stop) = arrays[f"sent_{k}"], arrays.get(f"came_{k}"), block.runs, block.target
    late = () if came is None else (came, np.int32(came.shape[0]))
    recent = (sent, np.int32(sent.shape[0]), arrays["events"], backend.array(runs.who))
    ends: list[tuple[str, tuple[int, int], Any, tuple[Any, ...]]] = [
        ("on_pre", block.source, runs.starts, recent),
        ("on_post", block.target, block.into[first : stop + 1], (*late, listed)),
    ]
    made, variables = arrays[f"made_{k}"], tuple(arrays[name] for name in rows_of(typed, k))
    found: list[Launch] = []
    if typed.step.after:
        number = len(block.words)
        grid = (max(1, min(32 * backend.multiprocessors, -(-number // 256))),)
        far = neuron_rows(typed, True, arrays)
        found.append((module.get_function("move_on"), grid,
                      (counts, words, made, *variables, *far, np.int64(number)), False))  # fmt: skip
    for which, (name, (first, stop), starts, own) in enumerate(ends):
        if typed.model.paths[which]:
            count = len(starts) - 1
            grid = (max(1, min(8 * backend.multiprocessors, -(-max(count, stop - first) // 256))),)
            arguments = (
                arrays["last"], counts, *own, backend.array(starts), words, made,
                arrays[f"events_{k}"], *variables, *event_rows(typed, which, arrays), arrays["ring"],
                arrays[f"cut_{k}"], np.int32(first), np.int32(stop - first), np.int32(count), np.int32(n),
                np.int32(arrays["ring"].shape[0] - 1),
            )  # fmt: skip
            found.append((module.get_function(name), grid, arguments, False))
    if not typed.step.sums:
        return [], found
    first, stop = block.target
    grid = (max(1, min(32 * backend.multiprocessors, -(-(stop - first) // 8))),)
    arguments = (
        arrays["clock"], backend.array(block.into), listed, words, made, *variables, *neuron_rows(typed, False, arrays),
        *sum_rows(typed, arrays), np.int32(first), np.int32(stop - first),
    )  # fmt: skip
    return [(module.get_function("sum_up"), grid, arguments, False)], found
