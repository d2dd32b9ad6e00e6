"""What tables and plots ask of a list of records: the best per size, the levels of the bandwidth curve, notes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from engines.api.lab import Case, Published, Study
from workbench.bench.lab import LARGEST_ON_CPU
from workbench.bench.records import BandwidthPoint, VariantRecord
from workbench.words.units import SECONDS

Key = tuple[str, str, str, tuple[int, ...] | None, str]

FALL = 0.7
"""A level of the memory ends where the bandwidth falls below this part of the level's best."""
STEADY = 0.85
"""…and the next begins where a point keeps this part of the one before it: between them lies the slope of the knee."""
NO_GAIN = 1.02
"""A variant helps if it is faster than the first one by more than a measurement's scatter."""


def key(record: VariantRecord) -> Key:
    """What tells one figure from another; a new measurement of the same replaces the old."""
    return record.study, record.variant, record.case, record.shape, record.cache


def accepted(records: Iterable[VariantRecord]) -> list[VariantRecord]:
    return [record for record in records if not record.refused]


def cases_of(records: Iterable[VariantRecord]) -> list[str]:
    """Names of the sizes, smallest first."""
    points = {record.case: record.points for record in records}
    return sorted(points, key=lambda name: points[name])


def variants_of(records: Iterable[VariantRecord]) -> dict[str, str]:
    """Variant id to title, in the order in which they were measured."""
    return {record.variant: record.title for record in records}


def fastest(records: Iterable[VariantRecord]) -> dict[tuple[str, str, str], VariantRecord]:
    """(variant, case, cache) to the record of its best launch shape."""
    return {(one.variant, one.case, one.cache): one for one in best_blocks(accepted(records))}


def best_blocks(records: Iterable[VariantRecord]) -> list[VariantRecord]:
    """One record per variant, size and cache: its fastest launch shape, or a refused one where all were refused."""
    kept: dict[tuple[str, str, str], VariantRecord] = {}
    for record in records:
        place = (record.variant, record.case, record.cache)
        known = kept.get(place)
        if known is None or (not record.refused and (known.refused or record.seconds < known.seconds)):
            kept[place] = record
    return list(kept.values())


def winners(records: Iterable[VariantRecord]) -> set[Key]:
    """Keys of the fastest record of each size (point updates per second; cold and warm apart)."""
    best: dict[tuple[str, str, str], VariantRecord] = {}
    for record in accepted(records):
        place = (record.study, record.case, record.cache)
        if place not in best or record.points_per_second > best[place].points_per_second:
            best[place] = record
    return {key(record) for record in best.values()}


def shape_text(shape: Sequence[int] | None) -> str:
    """``32×8``"""
    return "" if shape is None else "×".join(str(threads) for threads in shape)


# Published figures.

UNITS: Mapping[str, tuple[str, float]] = {
    "GB/s": ("rate", 1e9),
    "TB/s": ("rate", 1e12),
    "Gpoint/s": ("points", 1e9),
    "Mpoint/s": ("points", 1e6),
    **{unit: ("time", seconds) for unit, seconds in SECONDS.items()},
}
"""Unit of a published table to (quantity, size of the unit)."""


def published_figure(table: Published, record: VariantRecord) -> float | None:
    """What the table says of this variant, size and block shape, in the table's unit."""
    figures = table.figures.get(record.variant, {})
    if record.shape is not None:
        exact = figures.get(f"{record.case} {'x'.join(str(threads) for threads in record.shape)}")
        if exact is not None:
            return exact
    return figures.get(record.case)


def published_line(table: Published, variant: str, cases: Sequence[Case]) -> list[tuple[int, float]]:
    """(points, value in SI) of one variant over the sizes; the best shape where the table has several."""
    _, unit = UNITS.get(table.unit, ("", 1.0))
    quantity = UNITS.get(table.unit, ("",))[0]
    line = []
    for case in cases:
        figures = table.figures.get(variant, {})
        values = [value for name, value in figures.items() if name == case.name or name.startswith(f"{case.name} ")]
        if values:
            line.append((case.points, unit * (min(values) if quantity == "time" else max(values))))
    return line


# The bandwidth curve.


@dataclass(frozen=True)
class Level:
    """A flat part of the bandwidth curve. ``reach``: the largest working set [bytes] that still gets ``rate`` [B/s]."""

    name: str
    rate: float
    reach: int


def levels(curve: Iterable[BandwidthPoint]) -> list[Level]:
    """Flat parts of the best bandwidth over the working set, from the fastest cache to the memory.

    Working sets below that of the peak are left out: there the cost of a launch shows and not a level.
    """
    best: dict[int, float] = {}
    for point in curve:
        best[point.working_set] = max(best.get(point.working_set, 0.0), point.bytes_per_second)
    points = sorted(best.items())
    if not points:
        return []
    peak = max(range(len(points)), key=lambda place: points[place][1])
    found: list[list[tuple[int, float]]] = [[points[peak]]]
    before = points[peak][1]
    falling = False
    for size, rate in points[peak + 1 :]:
        if rate >= FALL * max(value for _, value in found[-1]):
            found[-1].append((size, rate))
            falling = False
        elif falling and rate >= STEADY * before:
            found.append([(size, rate)])
            falling = False
        else:
            falling = True
        before = rate
    if falling:  # the curve ends on a slope: its last point is the best that is known of the memory
        found.append([points[-1]])
    caches = len(found) - 1
    names = ["Cache" if caches == 1 else f"Cache {place + 1}" for place in range(caches)] + ["Memory"]
    return [Level(name, max(rate for _, rate in part), part[-1][0]) for name, part in zip(names, found, strict=True)]


# Notes.


def left_out(study: Study | None, records: Sequence[VariantRecord], kind: str, cases: Sequence[str]) -> list[str]:
    """What a roofline of these sizes does not show, and why, a sentence each. ``kind`` of device: cuda or cpu."""
    sentences = []
    for title, why in _refused(records).items():
        for reason, at in why.items():
            where = "" if len(at) == len(cases) else f" at {', '.join(at)}"
            sentences.append(f"{title}{where}: {reason.rstrip('.')}.")
    uncounted = variants_of(record for record in records if record.flops <= 0 and not record.refused)
    if uncounted:
        sentences.append(f"{', '.join(uncounted.values())}: no operations are counted.")
    if study is None:
        return sentences
    measured = variants_of(records)
    missing = [variant for variant in study.variants if variant.id not in measured]
    elsewhere = [variant.language for variant in missing if variant.device != kind]
    if elsewhere:
        where = "a processor" if kind == "cuda" else "an NVIDIA GPU"
        ways = "1 way is" if len(elsewhere) == 1 else f"{len(elsewhere)} ways are"
        sentences.append(f"{', '.join(dict.fromkeys(elsewhere))}: {ways} for {where}.")
    if here := [variant.title for variant in missing if variant.device == kind]:
        sentences.append(f"{', '.join(here)}: not measured yet.")
    known = {record.case for record in records}
    sizes = [case for case in study.cases if case.name not in known]
    if large := [case.name for case in sizes if kind == "cpu" and case.points > LARGEST_ON_CPU]:
        sentences.append(f"{', '.join(large)}: more than a processor is given.")
    if unmeasured := [case.name for case in sizes if case.name not in large]:
        sentences.append(f"{', '.join(unmeasured)}: not measured yet; check the size and choose Full runs.")
    return sentences


def _refused(records: Sequence[VariantRecord]) -> dict[str, dict[str, list[str]]]:
    """Title of a variant to why it has no figure, to the sizes at which no launch shape has one."""
    found: dict[str, dict[str, list[str]]] = {}
    for record in sorted(best_blocks(records), key=lambda record: record.points):
        if record.refused:
            found.setdefault(record.title, {}).setdefault(record.refused, []).append(record.case)
    return found


def did_not_help(study: Study, records: Sequence[VariantRecord], case: str) -> list[tuple[str, float, str]]:
    """(title, speed relative to the first variant of the same language, note) of variants that gained nothing."""
    best = {variant: record for (variant, at, _), record in fastest(records).items() if at == case}
    first: dict[str, VariantRecord] = {}
    lines = []
    for variant in study.variants:
        record = best.get(variant.id)
        if record is None:
            continue
        base = first.setdefault(variant.language, record)
        ratio = record.points_per_second / base.points_per_second
        if record is not base and ratio < NO_GAIN:
            lines.append((variant.title, ratio, variant.note))
    return sorted(lines, key=lambda line: line[1])
