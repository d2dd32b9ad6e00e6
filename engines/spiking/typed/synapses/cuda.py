"""Typed synapses on a GPU: the launches of a step, after that of the neurons and of their fixed synapses."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from engines.spiking.connectivity.plastic import Joined
from engines.spiking.typed.synapses.cuda_source import kernel_file
from engines.spiking.typed.synapses.plan import TypedSynapse
from engines.spiking.typed.synapses.state import rows_of

Launch = tuple[Any, tuple[int], tuple[Any, ...], bool]


def launches(
    backend: Any, block: Joined, typed: TypedSynapse, arrays: Mapping[str, Any], counts: Any
) -> list[Launch]:  # fmt: skip
    """Kernel, grid, arguments, and whether the parity comes last. ``counts``: of ``network.cu``."""
    k, n = block.connection, len(block.starts) - 1
    module = backend.compile(kernel_file(typed), ())
    words = backend.array(block.words)
    sent = arrays[f"sent_{k}"]
    ends: list[tuple[str, tuple[int, int], Any, tuple[Any, ...]]] = [
        ("on_pre", block.source, block.starts, (sent, np.int32(sent.shape[0]), arrays["events"])),
        ("on_post", block.target, block.into, (backend.array(block.listed),)),
    ]
    found = []
    for (name, (first, stop), starts, own), path in zip(ends, typed.model.paths, strict=True):
        if path:
            grid = (max(1, min(8 * backend.multiprocessors, -(-(stop - first) // 256))),)
            arguments = (
                arrays["last"], counts, *own, backend.array(starts), words, arrays[f"made_{k}"],
                arrays[f"events_{k}"], *(arrays[name] for name in rows_of(typed, k)), arrays["ring"],
                arrays[f"cut_{k}"], np.int32(first), np.int32(stop - first), np.int32(n),
                np.int32(arrays["ring"].shape[0] - 1),
            )  # fmt: skip
            found.append((module.get_function(name), grid, arguments, False))
    return found
