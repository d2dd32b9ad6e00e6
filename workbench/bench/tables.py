"""The Kernel Lab's records as plain text: the ceilings, the variants, and the published tables beside this machine."""

from __future__ import annotations

from collections.abc import Sequence

from engines.api.lab import Published, Study
from engines.backend.ceilings.curve import OPERATIONS, ceiling_at
from workbench.bench.records import LabRecord, MachineRecord, VariantRecord, shape_name
from workbench.words.units import percent, seconds_of


def curve_table(machine: MachineRecord) -> str:
    """GB/s of each operation over working sets, then what a launch costs."""
    at = {(point.working_set, point.operation): point.bytes_per_second for point in machine.curve}
    lines = ["working set " + "".join(f"{operation:>9}" for operation in OPERATIONS) + "   GB/s"]
    for size in sorted({point.working_set for point in machine.curve}):
        row = "".join(f"{at[size, operation] / 1e9:9.1f}" for operation in OPERATIONS if (size, operation) in at)
        lines.append(f"{size_name(size):>11} {row}")
    if machine.graph_node_seconds is None:
        lines.append(f"entering a parallel loop {machine.launch_seconds * 1e6:.1f} µs")
    else:
        lines.append(
            f"launch {machine.launch_seconds * 1e6:.1f} µs, "
            f"kernel in a CUDA graph {machine.graph_node_seconds * 1e6:.2f} µs"
        )
    return "\n".join(lines)


def size_name(size: int) -> str:
    """``32 KB``, ``4 GB``: powers of 1024."""
    for unit in ("B", "KB", "MB"):
        if size < 1024:
            return f"{size} {unit}"
        size //= 1024
    return f"{size} GB"


def study_table(study: Study, record: LabRecord) -> str:
    """The variants of one study in the order in which they were measured."""
    lines = [
        f"{study.title} ({study.id}). {study.summary}",
        f"{'case':9} {'variant':16} {'':6} {'shape':>9} {'time':>12} {'p5 - p95':>21} {'GB/s':>8} {'of best':>8}"
        f" {'of triad':>8} {'Gpoint/s':>9} {'error':>8} {'regs':>5} {'occ.':>5}",
    ]
    for one in record.variants:
        if one.study == study.id:
            lines.append(_variant_line(one, record.machine))
    return "\n".join(lines)


def _variant_line(one: VariantRecord, machine: MachineRecord) -> str:
    head = f"{one.case:9} {one.variant:16} {one.language:6} {shape_name(one.shape):>9}"
    if one.refused:
        return f"{head} refused: {one.refused}"
    triad = ceiling_at(machine.curve, one.working_set, ("triad",))
    of_triad = f"{percent(one.bytes_per_second / triad, 1):>8}" if triad else f"{'':8}"
    spread = f"{duration(one.seconds_p5)} - {duration(one.seconds_p95)}"
    registers = "" if one.registers is None else str(one.registers)
    occupancy = "" if one.occupancy is None else percent(one.occupancy)
    return (
        f"{head} {duration(one.seconds):>12} {spread:>21} {one.bytes_per_second / 1e9:8.1f}"
        f" {percent(one.fraction, 1):>8} {of_triad} {one.points_per_second / 1e9:9.2f} {one.error:8.1e}"
        f" {registers:>5} {occupancy:>5}"
    )


def duration(seconds: float) -> str:
    """Three to four digits with a unit that suits."""
    for limit, scale, unit in ((1e-3, 1e6, "µs"), (1.0, 1e3, "ms")):
        if seconds < limit:
            return f"{seconds * scale:.4g} {unit}"
    return f"{seconds:.4g} s"


def published_table(study: Study, published: Published, variants: Sequence[VariantRecord], device: str) -> str:
    """What was published, and beside each figure in brackets what was measured here; - where it was not.

    Below, the other variants that were measured at those sizes.
    """
    columns = list(dict.fromkeys(key for row in published.figures.values() for key in row))
    width = max(22, *(len(column) + 2 for column in columns))
    lines = [
        f"{study.title}: {published.source}",
        f"in {published.unit}: {published.device} [{device}]",
        f"{'':14}" + "".join(f"{column:>{width}}" for column in columns),
    ]
    figures = {name: dict(row) for name, row in published.figures.items()}
    for one in variants:
        if one.study == study.id and not one.refused and any(column.startswith(one.case) for column in columns):
            figures.setdefault(one.variant, {})
    for variant, row in figures.items():
        cells = []
        for column in columns:
            theirs = f"{row[column]:.4g}" if column in row else "-"
            ours = measured(study.id, variant, column, published.unit, variants)
            cells.append(f"{theirs} [{'-' if ours is None else f'{ours:.4g}'}]")
        lines.append(f"{variant:14}" + "".join(f"{cell:>{width}}" for cell in cells))
    return "\n".join(lines)


def measured(study: str, variant: str, column: str, unit: str, variants: Sequence[VariantRecord]) -> float | None:
    """This machine's figure for a published one: its column names a case, or a case and a block shape.

    Without a shape it is that of the variant's usual (first) shape; a variant without shapes has one figure.
    """
    case, _, shape = column.partition(" ")
    for one in variants:
        named = one.study == study and one.variant == variant and one.case == case and not one.refused
        if named and (not shape or shape_name(one.shape) in ("", shape)):
            time = seconds_of(unit)
            return one.seconds / time if time else one.bytes_per_second * 1e-9
    return None
