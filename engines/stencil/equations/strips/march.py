"""The CUDA kernel that takes whole steps, one or several, at a pass over a plane, as text (``cuda_kernel``): all passes
of a step follow each other row by row, with the bits that they have one by one.

A row that is loaded has lag 0. A pass whose cells need the row above of what has lag p works out the row p + 1 behind
the load; what it makes has that lag, and stays in registers for as many rows as those that read it are behind.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from engines.backend.cache_dir import source_file
from engines.backend.precision import REAL
from engines.formulas.graph import ordered
from engines.stencil.equations.cuda_kernel import cell_lines
from engines.stencil.equations.explicit import Explicit
from engines.stencil.equations.passes import BANKS, Pass, Plan
from engines.stencil.equations.spatial import INDICES, cell_of

MOST = 26
"""Rows that a thread has registers for, with those that it reads at the time."""
DEPTHS = {1: MOST, 2: MOST, 4: MOST, 8: 16}
"""Steps of a launch, and up to how many rows."""
RESIDENT = {8: 4, 16: 3, MOST: 2}
"""Blocks of a multiprocessor, by how many rows a thread keeps at most."""
_SOURCE = """\
// variants: {variants}
//
// Steps over a plane: {depth} at once. fields: (F, ny, nx); out: the same afterwards; see strips.cuh for the march,
// cells.cuh for laws and where; p0_0 …: of each pass what is the same in all cells.
#define HALO_COLUMNS {columns}
#include "stencil/equations/strips/strips.cuh"

// Blocks of (32, w) threads: w strips side by side; block (i, j) takes rows j span .. (j + 1) span - 1 of them.
extern "C" __global__ void __launch_bounds__(128, {resident})
strips(const int nx, const int ny, const int span, const REAL* __restrict__ fields, REAL* __restrict__ out,
       const REAL* __restrict__ laws, const int* __restrict__ where{numbers})
{{
    const int lane = threadIdx.x, start = (int)(blockIdx.x * blockDim.y + threadIdx.y) * USEFUL - HALO;
    if (start + HALO >= nx) return;  // a whole warp
    const int y0 = blockIdx.y * span, end = min(y0 + span, ny);
    const long long size = (long long)ny * nx;
    Part part = part_at(start, lane, laws, where, nx, ny);
    const bool stored = lane >= HALO / V && lane < 32 - HALO / V && part.x < nx;
    int row = inside(y0 - {rows}, ny, part.wraps_y);
{kept}{fresh}{loads}#pragma unroll 1
    for (int y = y0 - {rows}; y < end + {lag}; ++y) {{
{pushes}        row = row_after(row, y, part);
{loads}{levels}        const long long to = (long long)(y - {lag}) * nx;
        if (y - {lag} >= y0 && stored) {{
{stores}        }}
    }}
}}
"""


@dataclass
class _Array:
    """Rows of a field, or of what a pass makes. ``lag``: how far they are behind the load; ``columns``, ``rows``: how
    far from the sides of a strip they are wrong; ``kept``: how many before the newest somebody reads."""

    name: str
    lag: int = 0
    columns: int = 0
    rows: int = 0
    kept: int = 0

    def row(self, lag: int) -> str:
        """The one that is so far behind the load."""
        self.kept = max(self.kept, lag - self.lag)
        return f"{self.name}[{lag - self.lag}]"


@dataclass
class March:
    """``depth`` steps of a plan, as the parts of the kernel's text.

    loaded, last: rows of the fields, and of what the next step needs of this one, before and after
    made:         all that stand in registers
    """

    plan: Plan
    depth: int
    levels: str = ""
    made: list[_Array] = field(default_factory=list)
    loaded: list[_Array] = field(default_factory=list)
    last: list[_Array] = field(default_factory=list)

    def __post_init__(self) -> None:
        fields = self.plan.system.fields
        count = len(fields) * (2 if self.plan.remembers else 1)
        self.loaded = state = [self._array() for _ in range(count)]
        for _ in range(self.depth):
            number, base, banks = 0, state[: len(fields)], [state[len(fields) :]] * 2
            found: list[list[_Array]] = []
            now = base
            for _, storing, going in self.plan.stages:
                stored: dict[int, _Array] = {}
                for one in (*storing, going):
                    beside = dict(zip(BANKS, (base, *banks), strict=True))
                    made = self._level(one, number, dict(enumerate(now)) | stored, beside)
                    number += 1
                    if one.stores:
                        stored |= {len(fields) + row: each for row, each in zip(one.into, made, strict=True)}
                found.append(made)
                now = made[: len(fields)]
                if not self.plan.remembers:
                    banks = [*found, [], []][:2]
            state = found[-1]
        self.last = state

    @property
    def rows(self) -> int:
        """That a thread keeps."""
        return sum(each.kept for each in self.made)

    @property
    def columns(self) -> int:
        """How far at a strip's ends what it makes is wrong."""
        return max(each.columns for each in self.last)

    def _array(self, lag: int = 0, columns: int = 0, rows: int = 0) -> _Array:
        self.made.append(_Array(f"a{len(self.made)}", lag, columns, rows))
        return self.made[-1]

    def _level(
        self, one: Pass, number: int, near: Mapping[int, _Array], beside: Mapping[str, list[_Array]]
    ) -> list[_Array]:  # fmt: skip
        """Of one pass, whose names (by their rows) and fields in the cell itself stand in these arrays."""
        fields = self.plan.system.fields
        reads = [(near[one.names.index(name)], each) for name, offsets in one.reads.items() for each in offsets]
        reads += [(beside[bank][fields.index(name)], (0, 0, 0)) for bank, name in one.beside]
        lag = max((array.lag + dy for array, (_, dy, _) in reads), default=0)  # none: of the place alone
        columns = max((array.columns + abs(dx) for array, (dx, _, _) in reads), default=0)
        rows = max((array.rows + abs(dy) for array, (_, dy, _) in reads), default=0)
        level = len(self.made)
        around: list[str] = []
        for name, offsets in one.reads.items():
            k = one.names.index(name)
            used = {dy for _, dy, _ in offsets}
            three = [near[k].row(lag - dy if dy in used else lag) for dy in (-1, 0, 1)]
            flags = [str(any(dx and bool(dy) == far for dx, dy, _ in offsets)).lower() for far in (False, True)]
            around += [
                f"REAL u{level}_{k}[3][V + 2];",
                f"part.where = where + {19 * k};",
                f"neighbours<{', '.join(flags)}>({', '.join(three)}, part, y - {lag}, u{level}_{k});",
            ]
        symbols = dict(self._symbols(one, number, lag, level, beside))
        made = [self._array(lag, columns, rows) for _ in one.roots]
        body = cell_lines(one, symbols, f"next{level}[{{}}][c]")
        lines = [*around, f"REAL next{level}[{len(made)}][V];", "#pragma unroll", "for (int c = 0; c < V; ++c) {"]
        lines += [*(f"    {line}" for line in body), "}"]
        lines += [f"push({each.name}, next{level}[{k}]);" for k, each in enumerate(made)]
        self.levels += "".join(f"        {line}\n".replace("        #", "#") for line in lines)
        return made

    def _symbols(
        self, one: Pass, number: int, lag: int, level: int, beside: Mapping[str, list[_Array]]
    ) -> Iterator[tuple[str, str]]:  # fmt: skip
        """What symbols are called in the kernel, by their names here."""
        places = "inside(part.x + c, nx, part.wraps_x)", f"inside(y - {lag}, ny, part.wraps_y)", "0"
        for name in (str(node.value) for node in ordered(one.roots) if node.op == "symbol"):
            cell, (bank, _, of) = cell_of(name), name.partition("@")
            if cell is not None:
                dx, dy, _ = cell[1]
                yield name, f"u{level}_{one.names.index(cell[0])}[{1 + dy}][c + {1 + dx}]"
            elif bank in BANKS:
                yield name, f"{beside[bank][self.plan.system.fields.index(of)].row(lag)}[c]"
            elif name in INDICES:
                yield name, f"REAL({places[INDICES.index(name)]})"
            else:
                yield name, f"p{number}_{int(name[1:])}"

    def source(self, precision: str) -> str:
        """The text of the kernel ``strips``."""
        sizes = [len(one.numbers) for one in self.plan.passes]
        numbers = [f"const REAL p{which}_{k}" for which, size in enumerate(sizes) for k in range(size)]
        fresh = [f"REAL fresh{k}[V];" for k in range(len(self.loaded))]
        loads = [
            f"load_row(fields + {k} * size + (long long)row * nx, part.places, fresh{k});"
            for k in range(len(self.loaded))
        ]
        pushes = [f"push({each.name}, fresh{k});" for k, each in enumerate(self.loaded)]
        stores = [
            f"store_row<false>(out + {k} * size + to, part.x, nx, part.places.aligned, {each.name}[0]);"
            for k, each in enumerate(self.last)
        ]
        return _SOURCE.format(
            variants=REAL[precision],
            depth=self.depth,
            columns=self.columns,
            rows=max(each.rows for each in self.last),
            lag=self.last[0].lag,
            resident=next(count for most, count in RESIDENT.items() if self.rows <= most),
            numbers="".join(f", {each}" for each in numbers),
            kept="".join(f"    REAL {each.name}[{each.kept + 1}][V] = {{}};\n" for each in self.made),
            fresh="".join(f"    {line}\n" for line in fresh),
            loads="".join(f"        {line}\n" for line in loads),
            pushes="".join(f"        {line}\n" for line in pushes),
            levels=self.levels,
            stores="".join(f"            {line}\n" for line in stores),
        )


def marches_of(explicit: Explicit) -> list[March]:
    """What there are kernels for, the deepest last: explicit steps without noise over a whole plane, of passes that
    read the cells around each; sides stay as they are, and are periodic along the same axes for all."""
    plan, wraps = explicit.plan, explicit.sides.wraps
    plain = not plan.diffusivities and not any(one.draws for one in plan.passes)
    near = explicit.box[0] == 1 and all(one.reach(axis) <= 1 for one in plan.passes for axis in (0, 1))
    still = not explicit.sides.uses("t") and explicit.whole == (0, explicit.box[1], 0, 1)
    if not (plain and near and still) or (wraps != wraps[0]).any():
        return []
    several = not explicit.timed
    depths = [depth for depth in DEPTHS if (depth > 1 and several) or (depth == 1 and len(plan.passes) > 1)]
    return [march for march in (March(plan, depth) for depth in depths) if march.rows <= DEPTHS[march.depth]]


def strips_file(march: March, precision: str) -> Path:
    """As ``cuda_kernel.kernel_file``."""
    return source_file(march.source(precision), "equations")
