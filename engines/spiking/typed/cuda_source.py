"""Typed neurons as CUDA: functions for ``network.cu`` of this module's words, none that a person typed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from engines.backend.cache_dir import source_file
from engines.formulas.emit_cuda import TEXT
from engines.formulas.graph import Node
from engines.spiking.typed.clock import timed_statements
from engines.spiking.typed.names import OUTSIDE
from engines.spiking.typed.plan import HELD, INDEX, MORE_E, MORE_I, NOW, SILENT, WAITS, Typed

OWN = {
    **TEXT,
    "div": "{} / {}", "neg": "F(-{}.v)", "exp": "exponential_of({})", "log": "logarithm_of({})", "sqrt": "root_of({})",
    "goldman": "linear_of({0})", "growth": "growth_of({0})", "expm1": "less_one_of({0})",
    "log10": "logarithm_of({}) * R(0.4342944819)", "sinh": "sinh_of({})", "cosh": "cosh_of({})",
    "tanh": "tanh_of({})", "sin": "turned({}, 0)", "cos": "turned({}, 1)", "tan": "turned({0}, 0) / turned({0}, 1)",
    "atan": "atan_of({})", "abs": "F(fabsf({}.v))", "floor": "F(floorf({}.v))",
    "lt": "{}.v < {}.v", "le": "{}.v <= {}.v", "eq": "{}.v == {}.v",
}  # fmt: skip
"""What operations are with numbers that are rounded one by one."""
_FILE = """\
// Typed neurons (typed/cuda_source.py): a step of each model, as a function of network.cu.
// Bytes of a neuron: those of its variables, each read and written once, besides what network.cu says.
//
// variants: -DDELAY=8; -DDELAY=16
#define TYPED_NEURONS
#define REAL F
#include "spiking/typed/functions.cuh"

{functions}
// more: (rows, n), variables that have no array among those of all models; p: numbers of the population
__device__ __forceinline__ bool typed_neuron(const int model, {parameters}) {{
    switch (model) {{
{cases}    }}
    return false;
}}

#include "spiking/network/network.cu"
"""
_PARAMETERS = (
    "const float* __restrict__ p", "const int i", "const int n", "const int now", "const F outside", "const F more_e",
    "const F more_i", "float* voltage", "float* g_e", "float* g_i", "float* recovery", "float* more", "int* release",
)  # fmt: skip
_FUNCTION = """\
__device__ __forceinline__ bool typed_{number}({parameters}) {{
{body}}}

"""


def cuda_source(models: Sequence[Typed]) -> str:
    """The text of kernels of networks with these models."""
    parameters = ", ".join(_PARAMETERS)
    arguments = ", ".join(each.split()[-1] for each in _PARAMETERS)
    functions = [
        _FUNCTION.format(number=k, parameters=parameters, body="".join(f"    {line}\n" for line in _body(typed)))
        for k, typed in enumerate(models)
    ]
    cases = [f"        case {k}: return typed_{k}({arguments});\n" for k in range(len(models))]
    return _FILE.format(functions="".join(functions), parameters=parameters, cases="".join(cases))


def _body(typed: Typed) -> Iterator[str]:
    symbols = {name: f"x{k}" for k, name in enumerate(typed.variables)}
    symbols |= {f"@{k}": f"F(p[{k}])" for k in range(len(typed.numbers))}
    symbols |= {
        OUTSIDE: "outside", str(MORE_E.value): "more_e", str(MORE_I.value): "more_i", str(WAITS.value): "waits",
        str(SILENT.value): "silent", str(HELD.value): "held", str(NOW.value): "F((float)now)",
        str(INDEX.value): "F((float)i)",
    }  # fmt: skip
    stores = [_row(typed.places[name]) for name in typed.variables]
    yield "const int released = release[i];"
    yield "const bool waits = released > now, silent = released == 0x7fffffff;"
    yield "const bool held = released >= now && released > 0;"
    for k, row in enumerate(stores):
        yield f"const F x{k} = F({row});"
    found: dict[Node, str] = {}
    for node, name, definition in timed_statements(typed.roots, symbols, OWN):
        found[node] = name
        if definition is not None:
            yield definition
    for root, row in zip(typed.roots, stores, strict=False):
        yield f"{row} = ({found[root]}).v;"
    if typed.released:
        yield f"if ({found[typed.roots[-1]]}) release[i] = now;"
    yield f"return {found[typed.roots[len(stores)]]};"


def _row(place: str | int) -> str:
    return f"more[{place} * (long long)n + i]" if isinstance(place, int) else f"{place}[i]"


def kernel_file(models: Sequence[Typed]) -> Path:
    """The source, in the cache."""
    return source_file(cuda_source(models), "neurons")
