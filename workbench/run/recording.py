"""Writes a run into a folder while it goes on: traces, series, fields for ParaView, checkpoints, timing, outcome.

Every file is complete at any moment, so a full disk or a crash costs what was not yet written and nothing else:

    traces.csv, series.csv       a row for each sampled time
    points.csv                   at the end: each probe, where it is, its activation time and the like
    charts/*.csv                 at the end: the charts that are not over time (histograms, profiles, along lines)
    results.h5                   at the end: what the engine gives beside these (spectra of monitors)
    files/*                      at the end: what it gives in forms of other programs (Touchstone)
    spikes.h5, cells.h5          every spike, or rows of values of every cell, while it goes on; at the end spikes.npz
    fields.pvd, fields/*         whole fields, every interval and at the end; or fields.vtkhdf, one file of them all;
                                 or fields/*.igb and at the end fields/*.dat, with fields/mesh.*
    ecg.csv                      a row for each sampled time: the leads of an electrocardiogram
    checkpoint.npz               to resume from, after 5, 10, 20 s …, every minute and at the end; checkpoint-1.npz is
                                 the one before
    timing.jsonl, timing.csv     a row for each kernel and second
    run.json                     the project, the device, versions, findings before it and of its end, and that
    branch-2, ...                the same of what came after the run was rewound
"""

from __future__ import annotations

import json
import math
import platform
import time as clock
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from engines.api import Finding, Selection, Simulation, SimulationInfo
from engines.api.abilities import Traced
from engines.api.charts import ChartData, ChartInfo
from engines.api.errors import WorkbenchError
from engines.api.simulation.contract import chart_of, noticed_of
from engines.recording import series_of
from workbench import __version__
from workbench.export.chart_tables import chart_text
from workbench.export.hdf5 import write_hdf5
from workbench.export.naming import file_stems
from workbench.export.results import dims_of, files_of, note_of, results_of
from workbench.export.tables import points_table, position_titles, write_table
from workbench.project.document import Document
from workbench.project.findings import as_record
from workbench.run.earlier import (
    CHECKPOINT,
    RECORD,
    TABLES,
    forget,
    keep_tables_until,
    lacking,
    names_of_results,
    sweep_results,
)
from workbench.run.frames import RunState, Sample
from workbench.run.lines import line_results, missed_lines
from workbench.run.observer import Observer
from workbench.run.session import probe_elements
from workbench.run.states.checkpoint import KEPT, Checkpoint, CheckpointMeta, problem_fingerprint, write_checkpoint
from workbench.run.streams.fields import chosen_fields, open_sink
from workbench.run.streams.opening import NAMES as STREAMS
from workbench.run.streams.opening import check_streams, continued, form_of, of_two_formats, streams_of
from workbench.run.streams.stream import Stream, in_turn
from workbench.run.streams.tables import Tables
from workbench.run.timing_log import TimingLog
from workbench.storage.atomic import SameFolder, StorageError, storing, write_text
from workbench.storage.background import BackgroundWriter
from workbench.storage.patience import Patience
from workbench.words.failures import as_sentence

CHECKPOINT_SECONDS, FIRST_CHECKPOINT_SECONDS = 60.0, 5.0
HURRIED = "It was told to end at once: --resume goes on from its checkpoint, and writes what is not here."


class Recorder(Observer):
    """Records one run of ``document`` into ``folder``.

    ``findings`` are what was known before the run; ``snapshot_interval`` is in the engine's time unit (None: as the
    problem says, :class:`~engines.recording.FieldSeries`). ``resume`` continues the files that are there from the
    checkpoint's time on; otherwise earlier results in the folder are replaced. The newest ``checkpoints`` stay.
    ``command`` is how the run was asked for, to ask for it again after a crash. ``patience`` is what a full disk is met
    with. ``tell`` is given what is found once the simulation is there. ``settle`` is called before each checkpoint: it
    comes back when nothing from before it is still to be written by others.
    Raises StorageError from any method; what was written stays readable.
    """

    wants_profiles = True

    def __init__(
        self,
        folder: Path,
        document: Document,
        *,
        findings: Sequence[Finding] = (),
        snapshot_interval: float | None = None,
        checkpoint_seconds: float = CHECKPOINT_SECONDS,
        checkpoints: int = KEPT,
        resume: Checkpoint | None = None,
        command: Mapping[str, Any] | None = None,
        patience: Patience | None = None,
        tell: Callable[[Sequence[Finding]], object] = list,
        settle: Callable[[], object] = lambda: None,
    ) -> None:
        self.folder = folder
        self.probes = probe_elements(document)
        self.timing = TimingLog()
        self._document = document
        self._project = document.current_project()
        self._findings = [as_record(finding) for finding in findings]
        self._noticed: list[dict[str, Any]] = []
        self._fingerprint = problem_fingerprint(document, self.probes)
        self._series = series_of(document.parameters, snapshot_interval)
        self._checkpoint_seconds, self._checkpoints = checkpoint_seconds, checkpoints
        self._command = command
        self._resume = resume
        self._names: set[str] = set()
        """Of what this run has written, or writes; there may be others beside them."""
        self._streams: list[Stream] = []
        self._started = _now()
        self._at, self._ending = (0, 0.0), ""
        self._content: dict[str, Any] = {}
        self._hurried = False
        self._is_named = False
        """Whether its record stands in the folder: files without one would be in the way of every other run."""
        self._patience = patience or Patience()
        self._tables = Tables(self.probes, self._patience)
        self._tell, self._settle = tell, settle
        self._root, self._branches = folder, 1
        self._place: SameFolder | None = None
        self._branched_at: float | None = None

    # What the runner calls.

    def check(self, simulation: Simulation) -> None:
        chosen_fields(simulation, self._series)
        if self._resume is not None:
            check_streams(simulation, self._series, self.folder, self._document.time_unit)

    def begin(self, simulation: Simulation, info: SimulationInfo) -> None:
        self._info = info
        self._whole_batch = simulation.whole_batch
        if isinstance(simulation, Traced):  # what is recorded in each step is on disk up to the latest sample
            self._whole_batch = math.lcm(self._whole_batch, simulation.sample_steps)
        self._writer = BackgroundWriter()
        self.timing.begin(info)
        self._at = (simulation.step, simulation.time)
        with storing(self.folder):
            self._root.mkdir(parents=True, exist_ok=True)
            self._place = self._place or SameFolder(self._root)
            self._place.check()
            (self.folder / "fields").mkdir(parents=True, exist_ok=True)
        sweep_results(self.folder)
        heads = self._tables.heads(info)
        self._names = {*TABLES} & {*heads} | {*open_sink(info, self._series, self.folder, info.time_unit).names}
        found = missed_lines(simulation, self._project.lines)
        if self._resume is None:
            forget(self.folder)
        else:
            time, spacing = self._resume.meta.time, simulation.sample_steps * simulation.dt
            keep_tables_until(self.folder, time)
            self._names |= names_of_results(self.folder)
            form = form_of(info, self._series)
            split = tuple(of_two_formats(self.folder, form, time, info.time_unit))
            names = [*heads, *continued(simulation, info, self._series)]
            names = [name for name in names if not split or name != form]
            found += (*lacking(self.folder, names, time, spacing, info.time_unit), *split)
        told = [finding for finding in found if as_record(finding) not in self._findings]
        self._findings += map(as_record, told)
        self._tell(told)
        self._write_outcome("running", None)  # first of all: whose the other files are
        self._is_named = True
        self._begun = self._last_checkpoint = clock.monotonic()
        self._tables.open(self.folder, heads, keep=self._resume is not None)
        resumed_at = None if self._resume is None else self._resume.meta.time
        between = self._resume is not None and self._resume.meta.step % simulation.sample_steps != 0
        self._end_before = resumed_at if between else None
        self._streams = streams_of(simulation, info, self._series, self.folder, resumed_at)

    def next_step(self, after: int) -> int | None:
        wishes = [stream.next_step(after) for stream in self._streams]
        if self._checkpoint_due():
            wishes.append((after // self._whole_batch + 1) * self._whole_batch)
        return min((wish for wish in wishes if wish is not None), default=None)

    def observe(self, simulation: Simulation) -> None:
        if self._checkpoint_due() and simulation.step > 0 and simulation.step % self._whole_batch == 0:
            self._take_checkpoint(simulation)
        for stream in self._streams:
            if stream.next_step(simulation.step - 1) == simulation.step:
                stream.look(simulation)
        self._write_streams()

    def sampled(self, sample: Sample) -> None:
        self._writer.check()
        self._at = (sample.step, sample.time)
        if self._end_before is not None and len(sample.trace_times):
            self._tables.forget_end(self._end_before, sample, self._writer.flush)
            self._end_before = None
        self._tables.add(sample)
        self._tables.log_timing(self.timing.add(sample))
        self._write_streams()

    def restarted(self, simulation: Simulation) -> None:
        self._close_streams()
        self._writer.close()
        self._tables.close()
        self._resume = None
        self.begin(simulation, self._info)

    def rewound(self, simulation: Simulation) -> None:
        """What was written stays; from here on a folder of its own inside takes what comes."""
        self._tables.log_timing(self.timing.flush())
        self._write_streams(everything=True)
        self._close_streams()
        self._writer.close()
        self._tables.close()
        self._write_outcome("rewound", None)
        self._branches += 1
        self.folder = self._root / f"branch-{self._branches}"
        self._branched_at = simulation.time
        self._resume = None
        self.begin(simulation, self._info)

    def finish(self, simulation: Simulation, state: RunState, error: WorkbenchError | None) -> None:
        """Write what is left; one file that fails does not keep the others from being written."""
        failures: list[WorkbenchError] = []
        self._ending = ending_of(simulation, state, error)

        def attempt(job: Callable[[], Any]) -> Any:
            try:
                return job()
            except Exception as failure:  # of any kind: the next file may still succeed
                failures.append(as_sentence(failure))

        def patiently(job: Callable[[], None]) -> None:
            attempt(partial(self._patience.keep_trying, job))

        attempt(lambda: self._tables.log_timing(self.timing.flush()))
        if self._place is None or not self._place.is_there:  # nothing is written into what bears its name now
            attempt(self._check_place)
        elif self._hurried and error is None:
            self._ending, state = HURRIED, RunState.CLOSED  # also at its end: a resumed run has the rest to write
            attempt(lambda: self._take_checkpoint(simulation))
        elif self._is_named and (error is None or not error.torn):
            # The last fields and checkpoint, unless they are no longer numbers: the ones before are worth more.
            # A checkpoint after a row or a field that could not be written would stand for files that lack it.
            so_far = len(failures)
            attempt(self._writer.flush)
            complete = len(failures) == so_far and not isinstance(error, StorageError)
            finite = self._is_finite(simulation)
            for stream in self._streams:
                attempt(partial(self._end_stream, stream, simulation, finite))
            attempt(self._writer.flush)
            if finite and complete:
                attempt(lambda: self._take_checkpoint(simulation))
            charts, lines = self._info.charts, line_results(simulation, self._project.lines)
            stems = file_stems((*(chart.name for chart in charts), *(chart.name for chart, _ in lines)))
            for chart in charts:
                if not chart.series:
                    patiently(
                        partial(self._write_chart, stems[chart.name], chart, partial(chart_of, simulation, chart))
                    )
            for chart, data in lines:
                patiently(partial(self._write_chart, stems[chart.name], chart, partial(replace, data)))
            patiently(partial(self._write_results, simulation))
            attempt(lambda: self._notice(simulation, state))
            if self.probes:
                patiently(partial(self._write_points, simulation))
        attempt(self._close_streams)
        attempt(self._writer.close)
        self._tables.close()
        failure = error or next(iter(failures), None)
        patiently(partial(self._write_outcome, "failed" if failure else str(state), failure))
        if failures and error is None:
            raise failures[0]

    def hurry(self) -> None:
        """The machine is about to end this process: at the end a checkpoint is written, and what a resumed run has
        again is left out. From any thread."""
        self._hurried = True
        self.stop_waiting()

    def stop_waiting(self) -> None:
        """The run is to end: a full disk is not waited for. From any thread."""
        self._patience.end()

    @property
    def time(self) -> float:
        """How far the run has come, in its unit of time."""
        return self._at[1]

    def record(self) -> dict[str, Any]:
        """What ``run.json`` says of the run as it stands there last, but for the project; empty before there is one."""
        return {name: value for name, value in self._content.items() if name != "project"}

    def saved(self) -> list[str]:
        """Names of the result files that are there, for a sentence to the person."""
        if self._place is None or not self._place.is_there:
            return []
        names = [*STREAMS, "fields.pvd", CHECKPOINT, "timing.csv", RECORD, *sorted(self._names)]
        return [name for name in dict.fromkeys(names) if (self.folder / name).is_file()]

    # The files.

    def _submit(self, job: Callable[[], None]) -> None:
        job = in_turn(job)

        def work() -> None:
            self._check_place()
            job()

        self._writer.submit(lambda: self._patience.keep_trying(work))

    def _check_place(self) -> None:
        if self._place is not None:
            self._place.check()

    def _is_finite(self, simulation: Simulation) -> bool:
        try:
            return simulation.non_finite() is None
        except Exception:  # a device that is past answering: nothing on it is worth keeping
            return False

    def _checkpoint_due(self) -> bool:
        """Each is taken when as much time has passed as before it since the beginning, until they are rare enough."""
        known = max(FIRST_CHECKPOINT_SECONDS, self._last_checkpoint - self._begun)
        return clock.monotonic() - self._last_checkpoint >= min(known, self._checkpoint_seconds)

    def _take_checkpoint(self, simulation: Simulation) -> None:
        self._settle()
        self._last_checkpoint = clock.monotonic()
        self._write_streams(everything=True)  # before it: what comes after it is forgotten where it is continued
        state = simulation.state()
        meta = CheckpointMeta(self._fingerprint, self._info.device, simulation.step, simulation.time)
        streams = tuple(self._streams)

        def write() -> None:
            self._tables.sync()  # a machine that crashes has all rows before a checkpoint that it has
            for stream in streams:
                stream.sync()
            write_checkpoint(self.folder / CHECKPOINT, meta, state, self._checkpoints)

        self._submit(write)

    def _write_streams(self, everything: bool = False) -> None:
        for stream in self._streams:
            job = stream.written(everything)
            if job is not None:
                self._submit(job)

    def _end_stream(self, stream: Stream, simulation: Simulation, finite: bool) -> None:
        self._submit(stream.ended(simulation, finite))

    def _close_streams(self) -> None:
        streams, self._streams = self._streams, []
        for stream in streams:
            stream.close()

    def _write_points(self, simulation: Simulation) -> None:
        handle = simulation.select(Selection(np.array([element for _, element in self.probes], np.int32)))
        shown = [field for field in self._info.fields if field.summary]
        values = {field.name: simulation.gather(field.name, handle) for field in shown}
        geometry = simulation.geometry
        header, rows = points_table(self.probes, geometry, shown, values)
        header[1:4] = [*position_titles(geometry), *position_titles(geometry, "cell ")]
        rows = [[row[0], *probe.position, *row[1:]] for probe, row in zip(self._project.probes, rows, strict=True)]
        write_table(self.folder / "points.csv", header, rows)
        self._names.add("points.csv")

    def _write_results(self, simulation: Simulation) -> None:
        results = results_of(simulation)
        if results:
            write_hdf5(self.folder / "results.h5", results, note_of(simulation), dims_of(simulation))
            self._names.add("results.h5")
        for name, text in files_of(simulation).items():
            with storing(self.folder):
                (self.folder / "files").mkdir(exist_ok=True)
            write_text(self.folder / "files" / name, text)
            self._names.add(f"files/{name}")

    def _write_chart(self, stem: str, chart: ChartInfo, data: Callable[[], ChartData]) -> None:
        with storing(self.folder):
            (self.folder / "charts").mkdir(exist_ok=True)
        write_text(self.folder / "charts" / f"{stem}.csv", chart_text(chart, data()))
        self._names.add(f"charts/{stem}.csv")

    def _notice(self, simulation: Simulation, state: RunState) -> None:
        if state is RunState.FINISHED:
            self._noticed = [as_record(finding) for finding in noticed_of(simulation)]

    def _write_outcome(self, state: str, error: WorkbenchError | None) -> None:
        device = self._info.device_info
        content = {
            "outcome": {
                "state": state,
                "step": self._at[0],
                "time": self._at[1],
                "time_unit": self._info.time_unit,
                "error": None if error is None else str(error),
                "ending": self._ending,
            },
            "started": self._started,
            "written": _now(),
            **({} if self._command is None else {"command": dict(self._command)}),
            "branched_at": self._branched_at,
            "resumed_at": None if self._resume is None else self._resume.meta.time,
            "device": {name: getattr(device, name, None) for name in ("name", "kind", "threads", "driver")},
            "versions": {
                "workbench": __version__,
                "python": platform.python_version(),
                **(device.versions if device else {}),
            },
            "findings": self._findings,
            "noticed": self._noticed,
            "files": self.saved() if state != "running" else sorted(self._names),
            "project": self._project.model_dump(mode="json"),
        }
        self._content = content
        self._check_place()
        write_text(self.folder / RECORD, json.dumps(content, indent=2) + "\n")


def ending_of(simulation: Simulation, state: RunState, error: WorkbenchError | None) -> str:
    """Why a run has ended, as a sentence."""
    if error is not None:
        return str(error)
    if simulation.finished:
        return simulation.ending or "The problem has come to its end."
    return "It has run to where it was to end." if state is RunState.FINISHED else "It was stopped before its end."


def _now() -> str:
    return clock.strftime("%Y-%m-%dT%H:%M:%SZ", clock.gmtime())
