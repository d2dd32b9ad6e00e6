"""Tables that have a row for each sampled time: traces, series, leads of an electrocardiogram, and the run's timing."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import chain
from pathlib import Path

import numpy as np

from engines.api import Array, SimulationInfo
from workbench.export.streams.over_time import series_titles
from workbench.export.tables import columns_of, rows_as_text
from workbench.run.earlier import TABLES, TOLERANCE, keep_tables_until, last_row
from workbench.run.frames import Sample
from workbench.run.meters import followed
from workbench.run.timing_log import COLUMNS, TimingRow, csv_rows_of, jsonl_of
from workbench.storage.append import AppendedFile
from workbench.storage.patience import Patience

LEAD = "ecg_"
"""What the names of series begin with that are leads of an electrocardiogram."""


class Tables:
    """``traces.csv`` of ``probes`` (name, element), ``series.csv``, ``ecg.csv``, ``timing.jsonl`` and ``timing.csv``.

    ``patience`` is what a full disk is met with. Raises StorageError from any method.
    """

    def __init__(self, probes: Sequence[tuple[str, int]], patience: Patience) -> None:
        self._probes, self._patience = probes, patience
        self._files: dict[str, AppendedFile] = {}

    def heads(self, info: SimulationInfo) -> dict[str, str]:
        """What each table of this run begins with, by name."""
        self._info, self._trace_fields = info, followed(info.fields, profiles=True)
        self._leads = [s for s in info.series if s.name.startswith(LEAD)]
        time_title, heads = f"time [{info.time_unit}]", {}
        if self._probes:
            each = [columns_of(field, f"{name}: ") for name, _ in self._probes for field in self._trace_fields]
            heads["traces.csv"] = [time_title, *chain(*each)]
        if info.series:
            heads["series.csv"] = series_titles(info.series, info.time_unit)
        if self._leads:
            heads["ecg.csv"] = [time_title, *(f"{s.title} [{s.unit}]" for s in self._leads)]
        texts = {name: rows_as_text([titles]) for name, titles in heads.items()}
        return texts | {"timing.jsonl": "", "timing.csv": rows_as_text([COLUMNS])}

    def open(self, folder: Path, heads: dict[str, str], *, keep: bool) -> None:
        """With these ``heads``; ``keep`` goes on with those that are there. Until then nothing is written."""
        self._folder, self._keep = folder, keep
        for name, head in heads.items():
            self._open(name, head)

    def add(self, sample: Sample) -> None:
        times = sample.trace_times
        if self._probes and len(times):
            rows = np.unique(np.concatenate([times, *(each for each, _ in sample.finer.values())]))
            self._append("traces.csv", _numbers([rows, *self._trace_columns(sample, rows)]))
        missing = np.full(len(times), np.nan)
        for name, infos in (("series.csv", self._info.series), ("ecg.csv", self._leads)):
            if infos and len(times):
                columns = [times, *(sample.series.get(s.name, missing) for s in infos)]
                self._append(name, _numbers(columns))

    def log_timing(self, rows: list[TimingRow]) -> None:
        if rows:
            self._append("timing.jsonl", jsonl_of(rows))
            self._append("timing.csv", rows_as_text(csv_rows_of(rows)))

    def forget_end(self, time: float, sample: Sample, flush: Callable[[], None]) -> None:
        """The run goes on from an end between two samples, which had a row of its own there; what is recorded in each
        step has one there all the same. ``sample``: the first one after it; ``flush``: comes back when nothing waits
        for rows of these files."""
        self._patience.keep_trying(partial(self._forget_end, time, sample, flush))

    def sync(self) -> None:
        """A machine that crashes has all rows that there are now."""
        for table in self._files.values():
            table.sync()

    def close(self) -> None:
        for table in self._files.values():
            table.close()

    def _open(self, name: str, head: str) -> None:
        self._files[name] = AppendedFile(self._folder / name, head, keep=self._keep)

    def _forget_end(self, time: float, sample: Sample, flush: Callable[[], None]) -> None:
        flush()  # a checkpoint on its way waits for rows of these files
        last = last_row(self._folder / "traces.csv") if self._probes and sample.finer else []
        for name in TABLES:
            if name in self._files:
                self._files[name].close()
        keep_tables_until(self._folder, time, without=True)
        for name in TABLES:
            if name in self._files:
                self._open(name, "")
        if last and abs(float(last[0]) - time) <= TOLERANCE * time:
            steps = [True, *self._of_each_step(sample)]
            cells = (cell if kept else "" for cell, kept in zip(last, steps, strict=True))
            self._append("traces.csv", ",".join(cells) + "\n")

    def _of_each_step(self, sample: Sample) -> Iterator[bool]:
        """Whether it is recorded in each step, of every column of a trace."""
        for place, _ in enumerate(self._probes):
            for info in self._trace_fields:
                told = info.name in sample.finer and place < sample.finer[info.name][1].shape[1]
                yield from [told] * info.components

    def _trace_columns(self, sample: Sample, times: Array) -> list[Array]:
        """The columns that the file began with, at all times that some of them have values of; a probe that is no
        longer followed leaves its own empty."""
        columns: list[Array] = []
        names = tuple(name for name, _ in self._probes)
        for index, name in enumerate(names):
            followed = index if sample.probes == names else _index(sample.probes, name)
            for field in self._trace_fields:
                trace = np.full((len(times), field.components), np.nan)
                if followed is not None and field.name in sample.traces:
                    own, values = sample.trace(field.name, followed)
                    trace[np.searchsorted(times, own)] = values.reshape(len(own), -1)
                columns += list(trace.T)
        return columns

    def _append(self, name: str, text: str) -> None:
        self._patience.keep_trying(lambda: self._files[name].append(text))


def _numbers(columns: list[Array]) -> str:
    table = np.column_stack(columns)
    lines = []
    for row in table:
        cells = [f"{row[0]:.10g}", *("" if np.isnan(value) else f"{value:.9g}" for value in row[1:])]
        lines.append(",".join(cells) + "\n")
    return "".join(lines)


def _index(names: tuple[str, ...], name: str) -> int | None:
    return names.index(name) if name in names else None
