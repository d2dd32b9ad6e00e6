"""The CUDA kernel of a pass over the grid, as text: numbers and words of this module, nothing that a person typed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from engines.backend.cache_dir import source_file
from engines.backend.precision import REAL
from engines.formulas.emit_cuda import rounded_statements
from engines.formulas.graph import Node, ordered
from engines.stencil.equations.noise.terms import DRAWN
from engines.stencil.equations.passes import BANKS, Pass
from engines.stencil.equations.spatial import INDICES, cell_of

ROWS = (1, 2, 4)
"""Rows of a thread that kernels are compiled for."""
_SOURCE = """\
// variants: {variants}
//
// One pass over a grid. fields, stored: (n, nz, ny, nx), read with neighbours; base, second, third: the same of
// fields, read in the cell itself; out: written; see cells.cuh for laws and where; p0 …: what is the same in all cells.
#include "stencil/equations/cells.cuh"
{header}
template <bool EDGE>
DEVICE void cells(const Box box, const int x, const int y0, const int z, {parameters})
{{
    const long long size = (long long)box.nz * box.ny * box.nx;
{loads}#pragma unroll
    for (int r = 0; r < ROWS; ++r) {{
        const int y = y0 + r;
        if (EDGE && y >= box.ny) return;
        const long long place = ((long long)z * box.ny + y) * box.nx + x;
{beside}        REAL {written};
#pragma unroll
        for (int c = 0; c < W; ++c) {{
{drawn}{body}        }}
{stores}    }}
}}

// Blocks of (a, b) threads; block (i, j, k) takes W a columns and ROWS b rows of the plane k. Bytes of a cell: {bytes}.
extern "C" __global__ void __launch_bounds__({bounds})
sweep(const int nx, const int ny, const int nz, {parameters})
{{
    const Box box = {{nx, ny, nz}};
    const int first_x = blockIdx.x * blockDim.x * W, first_y = blockIdx.y * blockDim.y * ROWS, z = blockIdx.z;
    const int x = first_x + (int)threadIdx.x * W, y0 = first_y + (int)threadIdx.y * ROWS;
    const bool inner = first_x > 0 && first_y > 0 && first_x + (int)blockDim.x * W < nx &&
                       first_y + (int)blockDim.y * ROWS < ny{inner};
    if (inner) cells<false>(box, x, y0, z, {arguments});
    else if (x < nx && y0 < ny) cells<true>(box, x, y0, z, {arguments});
}}
"""
ROOMY = 16
"""Values that a pass reads for a cell from which its threads may have all registers. Compilers hold some of others
back, so that more threads run at a time, which takes a tenth of the time away; of these they would spill some."""
WHOLE = ("row_0", "rows_in_all", "plane_0", "planes_in_all")
"""First and number of rows and of planes in the whole grid, of passes that hang on the place."""
_IN_WHOLE = "in_whole(y, row_0, rows_in_all)", "in_whole(z, plane_0, planes_in_all)"
_ARRAYS = ("fields", "stored", *BANKS)


def cuda_source(one: Pass, fields: Sequence[str], precision: str) -> str:
    """The text of the kernel ``sweep``."""
    symbols = _symbols(one, fields)
    numbers = [f"p{number}" for number in range(len(one.numbers))]
    words = ["step", "seed", "high"] if one.draws else []
    whole = list(WHOLE) if one.placed else []
    given = [f"const REAL* __restrict__ {name}" for name in _ARRAYS]
    parameters = [*given, "REAL* out", "const REAL* __restrict__ laws", "const int* __restrict__ where"]
    parameters += [*(f"const REAL {name}" for name in numbers), *(f"const unsigned {name}" for name in words)]
    parameters += [f"const int {name}" for name in whole]
    groups = sorted({which // 4 for which in one.draws})
    body = cell_lines(one, symbols, "out{}[c]")
    variants = [f"{REAL[precision]} -DROWS={rows}{wide}" for rows in ROWS for wide in ("", " -DWIDE")]
    return _SOURCE.format(
        variants="; ".join(variants),
        header='#include "formulas/noise/normals.cuh"\n' if words else "",
        drawn="".join(f"            {line}\n" for group in groups for line in _drawn(group)),
        parameters=", ".join(parameters),
        loads="".join(f"    {line}\n" for line in _loads(one, fields)),
        beside="".join(f"        {line}\n" for line in _beside(one, fields)),
        written=", ".join(f"out{k}[W]" for k in range(len(one.roots))),
        body="".join(f"            {line}\n" for line in body),
        stores="".join(
            f"        store_cells<W, false>(out + {row} * size + place, out{k});\n" for k, row in enumerate(one.into)
        ),
        inner=" && z > 0 && z + 1 < nz" if _planes(one) else "",
        arguments=", ".join([*_ARRAYS, "out", "laws", "where", *numbers, *words, *whole]),
        bounds="256, 1" if sum(map(len, one.reads.values())) + len(one.beside) >= ROOMY else "256",
        bytes=f"{one.arrays_read} values read, {one.arrays_written} written",
    )


def cell_lines(one: Pass, symbols: Mapping[str, str], out: str) -> list[str]:
    """Statements that work a pass out for a cell, by what symbols are called there; ``out``: a root, by its number."""
    found: dict[Node, str] = {}
    lines: list[str] = []
    for node, name, definition in rounded_statements(one.roots, symbols):
        found[node] = name
        lines += [] if definition is None else [definition]
    return lines + [f"{out.format(k)} = {found[root]};" for k, root in enumerate(one.roots)]


def _symbols(one: Pass, fields: Sequence[str]) -> dict[str, str]:
    """What symbols are called in the kernel, by their names here."""
    called: dict[str, str] = {}
    for node in ordered(one.roots):
        if node.op != "symbol":
            continue
        name = str(node.value)
        cell, (bank, _, field) = cell_of(name), name.partition("@")
        if cell is not None:
            dx, dy, dz = cell[1]
            low, _ = _span(one, cell[0], dz)
            called[name] = f"u{one.names.index(cell[0])}_{dz + 1}[r + {dy - low}][c + {1 + dx}]"
        elif bank in BANKS:
            called[name] = f"{bank}{fields.index(field)}[c]"
        elif name in INDICES:
            called[name] = f"REAL({('x + c', *_IN_WHOLE)[INDICES.index(name)]})"
        elif name.startswith(DRAWN):
            group, place = divmod(int(name.removeprefix(DRAWN)), 4)
            called[name] = f"REAL(drawn{group}[{place}])"
        else:
            called[name] = f"p{int(name[1:])}"
    return called


def _span(one: Pass, name: str, dz: int) -> tuple[int, int]:
    """The lowest and the highest row beside a cell's that is read of a field, in that plane."""
    rows = [dy for _, dy, plane in one.reads[name] if plane == dz]
    return min(rows), max(rows)


def _planes(one: Pass) -> bool:
    return any(dz for offsets in one.reads.values() for _, _, dz in offsets)


def _loads(one: Pass, fields: Sequence[str]) -> Iterator[str]:
    for name, offsets in one.reads.items():
        row = one.names.index(name)
        bank = f"fields + {row} * size" if row < len(fields) else f"stored + {row - len(fields)} * size"
        for dz in sorted({plane for _, _, plane in offsets}):
            low, high = _span(one, name, dz)
            rows, array = f"ROWS + {high - low}", f"u{row}_{dz + 1}"
            yield f"REAL {array}[{rows}][W + 2];"
            at = f"x, y0 + {low}, z + {dz}"
            yield f"load_rows<{rows}, EDGE>({bank}, box, {at}, laws, where + {19 * row}, {array});"


def _beside(one: Pass, fields: Sequence[str]) -> Iterator[str]:
    for bank, field in one.beside:
        row = fields.index(field)
        yield f"REAL {bank}{row}[W];"
        yield f"load_cells<W>({bank} + {row} * size + place, {bank}{row});"


def _drawn(group: int) -> tuple[str, str]:
    """Four noises of a cell (``noise.drawn``)."""
    row, plane = _IN_WHOLE
    counter = f"{{(unsigned)(x + c), (unsigned){row}, (unsigned){plane}, step}}"
    return f"float drawn{group}[4];", f"normals({counter}, seed, (high & ~15u) | {group}u, drawn{group});"


def kernel_file(one: Pass, fields: Sequence[str], precision: str) -> Path:
    """The CUDA source of a pass, written to the cache: compilers want a file."""
    return source_file(cuda_source(one, fields, precision), "equations")
