"""The CUDA kernel of a cell's step: one thread a cell, states as rows, voltage apart, as ``cells/tt06.cu`` has them."""

from __future__ import annotations

from pathlib import Path

from engines.backend.cache_dir import source_file
from engines.backend.precision import REAL
from engines.cardiac.compiler.schemes import STEP, STIMULUS, Step
from engines.formulas.emit_cuda import statements
from engines.formulas.graph import Node

BLOCK = 128
"""Threads per block; for TT06, 64 to 256 are within 1 %."""

_HEAD = """\
// variants: {real}; {real} -DGROUPS
//
// One step of a cell, a thread each. states: (rows, stride); voltage: (stride) mV after diffusion, overwritten;
// voltage_before: at the start of the step; active: bit k is set if stimulus k is on; currents: (32) mV/ms;
// kinds: (stride) columns of the table (parameters, n_kinds) of what kinds of cells differ in; unused where in nothing;
// activation: (stride) ms, negative until the first upward crossing of the threshold; times: none, or where the time
// stands that this step begins at (launches of a CUDA graph keep ``time``); dt: ms of the reaction; step_dt: ms from
// voltage_before to the end of the step, less than dt after waiting.

#include "cardiac/cells/cell_math.cuh"

__device__ __forceinline__ REAL
step_cell(REAL* states, long long stride, REAL* voltage, const REAL* voltage_before, REAL* activation,
          const unsigned char* kinds, const REAL* table, int n_kinds, const unsigned* stimulus_mask, unsigned active,
          const REAL* currents, REAL threshold, REAL time, const REAL* times, REAL dt, REAL step_dt, long long i) {{
    const REAL before = voltage_before[i];
    REAL stimulus = R(0);
    if (active != 0) {{
        for (unsigned bits = active & stimulus_mask[i]; bits != 0; bits &= bits - 1)
            stimulus += currents[__ffs(bits) - 1];
        if (dt > step_dt) stimulus *= divide(step_dt, dt);  // it wakes a cell: it was not on while that waited
    }}
    // All reads before the first write: the compiler must assume that rows overlap.
"""

_TAIL = """\
    if (before < threshold && after >= threshold && activation[i] < R(0))
        activation[i] = (times ? *times : time) + step_dt * divide(threshold - before, after - before);
    return after;
}}

#ifdef GROUPS
#include "cardiac/multirate/groups.cuh"

extern "C" __global__ void GROUPS_LAUNCH_BOUNDS
react_groups(REAL* states, long long stride, REAL* voltage, const REAL* voltage_before, REAL* __restrict__ activation,
             const unsigned char* __restrict__ kinds, const REAL* __restrict__ table, int n_kinds,
             const unsigned* __restrict__ stimulus_mask, unsigned active, const REAL* __restrict__ currents,
             REAL threshold, REAL time, const REAL* __restrict__ times, REAL dt, long long n_cells, GROUPS_DUE) {{
    react_due(THESE_GROUPS_DUE, voltage, dt, n_cells, [&](long long i, REAL elapsed) {{
        return step_cell(states, stride, voltage, voltage_before, activation, kinds, table, n_kinds, stimulus_mask,
                         active, currents, threshold, time, times, elapsed, dt, i);
    }});
}}
#else
extern "C" __global__ void __launch_bounds__({bound})
react(REAL* states, long long stride, REAL* voltage, const REAL* voltage_before, REAL* __restrict__ activation,
      const unsigned char* __restrict__ kinds, const REAL* __restrict__ table, int n_kinds,
      const unsigned* __restrict__ stimulus_mask, unsigned active, const REAL* __restrict__ currents, REAL threshold,
      REAL time, const REAL* __restrict__ times, REAL dt, long long n_cells) {{
    const long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n_cells) return;
    step_cell(states, stride, voltage, voltage_before, activation, kinds, table, n_kinds, stimulus_mask, active,
              currents, threshold, time, times, dt, dt, i);
}}
#endif
"""


def _launch_bound(step: Step) -> int:
    """Bound to 256 threads the compiler keeps to 128 registers where it can, so that two such blocks fit. The schemes
    with derivatives need nearly all of the 255 there are in double: aiming at 256, it spilled 8 bytes of TT06 by GRL1
    on sm_90, and none when bound to the threads that are launched (sm_75 to sm_89 keep the 8, by any bound tried)."""
    return BLOCK if step.precision == "float64" and step.scheme in ("GRL1", "GRL2") else 256


def cuda_source(step: Step) -> str:
    """The text of the kernel ``react``. It holds numbers and words of this module, nothing of a model's file."""
    names: dict[Node, str] = {}
    lines: list[str] = []
    row = 0
    rows: dict[int, int] = {}
    symbols = {STEP: "dt", STIMULUS: "stimulus"}
    for k, state in enumerate(step.model.states):
        symbols[state.name] = f"s{k}"
        if k == step.model.voltage:
            lines.append(f"const REAL s{k} = voltage[i];")
        else:
            lines.append(f"const REAL s{k} = states[{row} * stride + i];")
            rows[k] = row
            row += 1
    for k, name in enumerate(step.model.opened):
        symbols[name] = f"p{k}"
        lines.append(f"const REAL p{k} = table[{k} * n_kinds + kinds[i]];")
    done: dict[Node, list[int]] = {}
    for k, root in enumerate(step.after):
        done.setdefault(root, []).append(k)
    for node, name, definition in statements(step.after, symbols):
        names[node] = name
        if definition is not None:
            lines.append(definition)
        lines += [f"states[{rows[k]} * stride + i] = {name};" for k in done.get(node, ()) if k in rows]
    lines.append(f"const REAL after = {names[step.after[step.model.voltage]]};")
    lines.append("voltage[i] = after;")
    body = "".join(f"    {line}\n" for line in lines)
    return _HEAD.format(real=REAL[step.precision]) + body + _TAIL.format(bound=_launch_bound(step))


def kernel_file(compiled: Step) -> Path:
    """The CUDA source of a step, written to the cache: compilers want a file."""
    return source_file(cuda_source(compiled), "cells")
