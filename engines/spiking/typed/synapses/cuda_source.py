"""Typed synapses as CUDA: kernels of this module's words, none that a person typed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from engines.backend.cache_dir import source_file
from engines.formulas.graph import Node
from engines.spiking.typed.clock import timed_statements
from engines.spiking.typed.cuda_source import OWN
from engines.spiking.typed.plan import NOW
from engines.spiking.typed.synapses.language import uses
from engines.spiking.typed.synapses.plan import TypedSynapse
from engines.spiking.typed.synapses.steps import HEARER, SENDER, SINCE

_FILE = """\
// Typed synapses (typed/synapses/cuda_source.py): what spikes of senders (on_pre) and of hearers (on_post) do.
// A warp looks at 32 runs of synapses, those of a sender with the same delay, or at 32 hearers, and takes the synapses
// of each that is due together. Bytes of a run in each step: 9; of an event: 4 of the target, or 8 of its place in a
// hearer's list, {also}, each variable read and, if it changes, written, 8 of each sum.
//
// last: (neurons,) the step of each one's last spike; words, listed, runs: connectivity/plastic.py; p: numbers that
// parameters make; first, own_neurons: whose spikes these are; starts: (count + 1,) of the synapses of each run or
// hearer; LATE: what hearers do has a delay
// variants: -DLATE=0; -DLATE=1
#define REAL F
#if LATE
#define SENT unsigned char* sent, int period,
#else
#define SENT
#endif
#include "spiking/typed/functions.cuh"

{kernels}"""
_KERNEL = """\
// grid: any number of warps{comment}
extern "C" __global__ void __launch_bounds__(256)
{name}(const int* __restrict__ last, const int* __restrict__ counts, {own_parameters}
       const long long* __restrict__ starts, const int2* __restrict__ words, const float* __restrict__ p, int* events,
       {rows}, int* ring, unsigned long long* cut, int first, int own_neurons, int count, int n, int mask) {{
    const int lane = threadIdx.x & 31, warps = gridDim.x * (blockDim.x >> 5), now = counts[2];
    int* const arriving = ring + (long long)((now + 1) & mask) * 2 * n;
{keep}    for (int base = 32 * (blockIdx.x * (blockDim.x >> 5) + (threadIdx.x >> 5)); base < count;
         base += 32 * warps) {{
        const int own = base + lane;
{look}        for (unsigned left = __ballot_sync(~0u, due); left; left &= left - 1) {{
            const int which = base + __ffs((int)left) - 1, neuron = {neuron};
            const long long begin = starts[which], end = starts[which + 1];
            for (long long place = begin + lane; place < end; place += 32) {{
                const long long k = {place};
                const int hearer = {hearer};
{body}            }}
{counted}        }}
    }}
}}

"""
_SUMS = """\
// What neurons get from all of their synapses in the step that begins, a warp for each: sums of 32 side by side, then
// in pairs, so that they are the same each time. Bytes of a synapse: 8 of its place, 8 of its ends, 4 of each variable.
// grid: any number of warps; clock: the step
extern "C" __global__ void __launch_bounds__(256)
sum_up(const int* __restrict__ clock, const long long* __restrict__ into, const long long* __restrict__ listed,
       const int2* __restrict__ words, const float* __restrict__ p{rows}{neurons}{sums}, int first, int count) {{
    const int lane = threadIdx.x & 31, warps = gridDim.x * (blockDim.x >> 5), now = *clock;
    for (int own = blockIdx.x * (blockDim.x >> 5) + (threadIdx.x >> 5); own < count; own += warps) {{
        const int hearer = first + own;
        F{none}
        const long long begin = into[hearer], end = into[hearer + 1];
        for (long long place = begin + lane; place < end; place += 32) {{
            const long long k = listed[place];
            const int sender = words[k].y;
            {{
{body}            }}
        }}
        for (int half = 16; half; half >>= 1) {{
{paired}        }}
        if (lane == 0) {{
{stored}        }}
    }}
}}

"""
_MOVES = """\
// A step of all synapses. Bytes of a synapse: 8 of its ends, each variable read and, if it moves, written.
// grid: over synapses; counts: of network.cu
extern "C" __global__ void __launch_bounds__(256)
move_on(const int* __restrict__ counts, const int2* __restrict__ words, const float* __restrict__ p{rows}{neurons},
        long long number) {{
    const int now = counts[2];
    for (long long k = (long long)blockIdx.x * blockDim.x + threadIdx.x; k < number;
         k += (long long)gridDim.x * blockDim.x) {{
        const int sender = words[k].y, hearer = words[k].x >> 8;
{body}    }}
}}

"""
_KEEP = """\
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < own_neurons; i += gridDim.x * blockDim.x)
        sent[(long long)(now % period) * own_neurons + i] = last[first + i] == now;
"""
"""Slots of other steps are read in the same launch: of this one it is ``last`` that tells."""
_PRE = """\
        bool due = false;
        if (own < count) {
            const int who = runs[own].x, late = runs[own].y, slot = now % period - late;
            due = late ? sent[(long long)(slot < 0 ? slot + period : slot) * own_neurons + who - first]
                       : last[who] == now;
        }
"""
_POST = """\
        bool due = own < count && last[first + own] == now;
#if LATE
        if (own < count) {
            sent[(long long)(now % period) * count + own] = due;
            due = sent[(long long)((now + 1) % period) * count + own];
        }
#endif
"""


def cuda_source(typed: TypedSynapse) -> str:
    """The text of the kernels of both spikes; of what does nothing there is none."""
    kernels = "".join(_kernel(typed, which) for which in range(2) if typed.model.paths[which])
    kernels += _steps(typed)
    also = "4 of the last event" if typed.model.rates else "none of a last event"
    return _FILE.format(kernels=kernels, also=also)


def _steps(typed: TypedSynapse) -> str:
    """What is done in each step."""
    found = ""
    for sums in (True, False):
        roots = [node for _, node in typed.step.sums] if sums else list(typed.step.after.values())
        if not roots:
            continue
        read = typed.step.of(roots)
        body = "".join(f"{' ' * (16 if sums else 8)}{line}\n" for line in _step_body(typed, roots, sums))
        more = {
            "rows": "".join(f", float* row{k}" for k in range(len(typed.variables))),
            "neurons": "".join(f", const float* far{k}" for k in range(len(read))),
            "body": body,
        }
        if sums:
            more |= {
                "sums": "".join(f", float* sum{k}" for k in range(len(roots))),
                "none": "".join(f" total{k} = F(0.0f){';' if k == len(roots) - 1 else ','}" for k in range(len(roots))),
                "paired": "".join(
                    f"            total{k} = total{k} + F(__shfl_down_sync(~0u, total{k}.v, half));\n"
                    for k in range(len(roots))
                ),
                "stored": "".join(f"            sum{k}[hearer] = total{k}.v;\n" for k in range(len(roots))),
            }
        found += (_SUMS if sums else _MOVES).format(**more)
    return found


def _step_body(typed: TypedSynapse, roots: Sequence[Node], sums: bool) -> Iterator[str]:
    symbols = {name: f"x{k}" for k, name in enumerate(typed.variables)}
    symbols |= {f"@{k}": f"F(p[{k}])" for k in range(len(typed.numbers))}
    symbols |= {
        str(NOW.value): "F((float)now)", str(SENDER.value): "F((float)sender)", str(HEARER.value): "F((float)hearer)",
    }  # fmt: skip
    for k, row in enumerate(typed.step.of(roots)):
        symbols[row.name] = f"y{k}"
        yield f"const F y{k} = F(far{k}[{('sender', 'hearer')[row.side]}]);"
    for k, name in enumerate(typed.variables):
        if uses(roots, name):
            yield f"const F x{k} = F(row{k}[k]);"
    found: dict[Node, str] = {}
    for node, name, definition in timed_statements(roots, symbols, OWN):
        found[node] = name
        if definition is not None:
            yield definition
    for k, root in enumerate(roots):
        if sums:
            yield f"total{k} = total{k} + ({found[root]});"
        else:
            yield f"row{typed.variables.index(list(typed.step.after)[k])}[k] = ({found[root]}).v;"


def _kernel(typed: TypedSynapse, which: int) -> str:
    body = "".join(f"{' ' * 16}{line}\n" for line in _body(typed, which))
    far = [f"const float* far{k}" for k in range(len(typed.paths[which].rows))]
    rows = ", ".join([*(f"float* row{k}" for k in range(len(typed.variables))), *far])
    if which == 0:
        more = {
            "name": "on_pre", "comment": "; sent: (period, own_neurons) who fired in the last steps", "look": _PRE,
            "own_parameters": "unsigned char* sent, int period, unsigned long long* all, const int2* runs,",
            "keep": _KEEP, "neuron": "runs[which].x", "place": "place", "hearer": "words[k].x >> 8",
            "counted": " " * 12 + "if (lane == 0) atomicAdd(all, (unsigned long long)(end - begin));\n",
        }  # fmt: skip
    else:
        more = {
            "name": "on_post", "comment": "; sent: (period, count) who fired in the last steps, where that is late",
            "own_parameters": "SENT const long long* __restrict__ listed,", "look": _POST, "keep": "",
            "neuron": "first + which", "place": "listed[place]", "counted": "", "hearer": "neuron",
        }  # fmt: skip
    return _KERNEL.format(rows=rows, body=body, **more)


def _body(typed: TypedSynapse, which: int) -> Iterator[str]:
    path = typed.paths[which]
    symbols = {name: f"x{k}" for k, name in enumerate(typed.variables)}
    symbols |= {f"@{k}": f"F(p[{k}])" for k in range(len(typed.numbers))}
    symbols |= {
        str(SINCE.value): "since", str(NOW.value): "F((float)now)",
        str(SENDER.value): "F((float)words[k].y)" if which else "F((float)neuron)",
        str(HEARER.value): "F((float)hearer)",
    }  # fmt: skip
    if typed.model.rates:
        yield "const F since = F((float)(now - events[k]));"
        yield "events[k] = now;"
    sender = "words[k].y" if which else "neuron"
    for k, far in enumerate(path.rows):
        symbols[far.name] = f"y{k}"
        yield f"const F y{k} = F(far{k}[{(sender, 'hearer')[far.side]}]);"
    for k in range(len(typed.variables)):
        yield f"const F x{k} = F(row{k}[k]);"
    found: dict[Node, str] = {}
    for node, name, definition in timed_statements(path.roots, symbols, OWN):
        found[node] = name
        if definition is not None:
            yield definition
    for k, (variable, node) in enumerate(zip(typed.variables, path.after, strict=True)):
        if str(node.value) != variable:
            yield f"row{k}[k] = ({found[node]}).v;"
    for row, many in enumerate(path.quanta):
        if many is not None:
            place = "arriving + n + hearer" if row else "arriving + hearer"
            yield f"const int added{row} = (int)rintf(({found[many]}).v);"
            yield f"if (added{row}) atomicAdd({place}, added{row});"
    if path.cut is not None:
        yield f"if ({found[path.cut]}) atomicAdd(cut, 1ull);"


def kernel_file(typed: TypedSynapse) -> Path:
    """The source, in the cache."""
    return source_file(cuda_source(typed), "synapses")
