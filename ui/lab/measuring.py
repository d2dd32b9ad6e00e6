"""A measurement as the window follows it: polls, gathers figures by device, ends without waiting for anybody."""

from __future__ import annotations

import time as clock

from PySide6.QtCore import QObject, QTimer, Signal

from ui.lab.findings import Key, key
from workbench.bench.lab_run import Ceilings, Failed, Finished, LabRun, Measured, MeasuredTable, Progress
from workbench.bench.records import LabRecord, MachineRecord, TableRecord, VariantRecord

TICK_MILLISECONDS = 100
REFRESH_SECONDS = 0.3
"""Tables and plots follow three times a second: often enough to see it go on."""
LARGEST_SHARE = 0.2
"""Of the window's time that following may take; with ten thousand figures it follows less often."""
END_SECONDS = 15.0
"""A launch of a large problem ends by itself; closing waits no longer than this for it."""


class Measuring(QObject):
    """Owns at most one run; ``records`` holds what this session has found, by the name of the device."""

    progressed = Signal(str, float)
    changed = Signal()
    """New figures, or another machine."""
    ended = Signal(str, str)
    """A sentence and its severity; the run is over."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.device = ""
        """Name of the device that was measured last."""
        self._machines: dict[str, MachineRecord] = {}
        self._figures: dict[str, dict[Key, VariantRecord]] = {}
        self._tables: dict[str, dict[str, TableRecord]] = {}
        self._run: LabRun | None = None
        self._cancelled = False
        self._count = 0
        self._refused = 0
        self._next_refresh = 0.0
        self._dirty = False
        self._timer = QTimer(self)
        self._timer.setInterval(TICK_MILLISECONDS)
        self._timer.timeout.connect(self.tick)

    @property
    def running(self) -> bool:
        return self._run is not None

    def record(self, device: str = "") -> LabRecord | None:
        """What this session has found on a device, or on the last one."""
        name = device or self.device
        machine = self._machines.get(name)
        if machine is None:
            return None
        return LabRecord(machine, tuple(self._figures[name].values()), tuple(self._tables[name].values()))

    @property
    def devices(self) -> list[str]:
        return list(self._machines)

    def start(self, run: LabRun) -> None:
        self._run, self._cancelled, self._count, self._refused = run, False, 0, 0
        run.start()
        self._timer.start()

    def cancel(self) -> None:
        if self._run is not None:
            self._cancelled = True
            self._run.cancel()

    def close(self) -> None:
        """End the run's thread. Waits for the launch that is on its way."""
        self._timer.stop()
        run, self._run = self._run, None
        if run is not None:
            run.cancel()
            until = clock.monotonic() + END_SECONDS
            while run.alive and clock.monotonic() < until:
                clock.sleep(0.005)

    def tick(self) -> None:
        run = self._run
        if run is None:
            self._timer.stop()
            return
        alive = run.alive  # before the poll: what a thread says last is said before it ends
        end: tuple[str, str] | None = None
        for event in run.poll():
            match event:
                case Progress():
                    self.progressed.emit(event.text, event.fraction)
                case Ceilings():
                    self._set_machine(event.machine)
                case Measured():
                    self._take(event.record)
                    self._count += 1
                    self._refused += bool(event.record.refused)
                case MeasuredTable():
                    self._take_table(event.record)
                    self._count += 1
                    self._refused += bool(event.record.refused)
                case Finished():
                    self._set_machine(event.record.machine)
                    for record in event.record.variants:
                        self._take(record)
                    for table in event.record.tables:
                        self._take_table(table)
                    end = (self._summary(), "info")
                case Failed():
                    end = (event.sentence, "error")
        if end is None and not alive:
            end = (self._summary(), "info") if self._cancelled else ("The measurement ended unexpectedly.", "error")
        if self._dirty and (end is not None or clock.monotonic() >= self._next_refresh):
            self._refresh()
        if end is not None:
            self._run = None
            self._timer.stop()
            self.ended.emit(*end)

    def _refresh(self) -> None:
        begun = clock.monotonic()
        self._dirty = False
        self.changed.emit()
        now = clock.monotonic()
        self._next_refresh = now + max(REFRESH_SECONDS, (now - begun) / LARGEST_SHARE)

    def _set_machine(self, machine: MachineRecord) -> None:
        self.device = str(machine.device.get("name", "this machine"))
        self._machines[self.device] = machine
        self._figures.setdefault(self.device, {})
        self._tables.setdefault(self.device, {})
        self._dirty = True

    def _take(self, record: VariantRecord) -> None:
        self._figures[self.device][key(record)] = record
        self._dirty = True

    def _take_table(self, record: TableRecord) -> None:
        """A new measurement of a table replaces the old, unless it could not be measured this time."""
        known = self._tables[self.device].get(record.table)
        if known is None or known.refused or not record.refused:
            self._tables[self.device][record.table] = record
        self._dirty = True

    def _summary(self) -> str:
        refused = f", {self._refused} of them refused" if self._refused else ""
        return f"{'Cancelled' if self._cancelled else 'Finished'}: {self._count} measured{refused}."
