"""The Lab's plots as PNG files: light, without a window, and without a display where there is none."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from PySide6.QtCore import QBuffer, QEvent, QIODevice, QSize
from PySide6.QtGui import QFont, QImage, QPainter
from PySide6.QtWidgets import QApplication

from engines.api.lab import Study
from engines.api.registry import engines
from ui.lab.figures.bandwidth import BandwidthCurve
from ui.lab.figures.blocks import BlockMap, cells
from ui.lab.figures.chart import Chart
from ui.lab.figures.roofline import Roofline
from ui.lab.figures.scaling import QUANTITIES, Scaling
from ui.lab.figures.table_heat import TableMap
from ui.lab.findings import cases_of, variants_of
from ui.widgets.fonts import STRONG, family
from ui.widgets.theme import palette
from workbench.bench.plots import BANDWIDTH, TABLE, plot_name
from workbench.bench.records import LabRecord, VariantRecord, device_text
from workbench.storage.atomic import write_bytes

SIZE = QSize(1200, 760)
HEAD = 56
LEAST_SHAPES = 2
"""A heat map of fewer cells says nothing."""


def save_plots(record: LabRecord, folder: Path, studies: Sequence[Study] | None = None) -> list[Path]:
    """Write every plot of a record to ``folder``; returns the files.

    ``studies`` give titles and published lines (None: those of this installation's engines). Must be called on the
    main thread. Raises StorageError.
    """
    application = _application()
    known = [study for engine in engines().values() for study in engine.studies()] if studies is None else studies
    written = list(plots(record, folder, known))
    application.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)  # the plots are gone before this returns
    return written


def plots(record: LabRecord, folder: Path, studies: Sequence[Study] = ()) -> Iterator[Path]:
    """As :func:`save_plots`, a file at a time, for a window that wants to answer in between."""
    for name, title, chart in _charts(record, {study.id: study for study in studies}):
        path = folder / f"{name}.png"
        try:
            write_bytes(path, png(picture(chart, title, device_text(record.machine))))
        finally:
            chart.deleteLater()
        yield path


def picture(chart: Chart, title: str, machine: str) -> QImage:
    """A plot with its title and the device above it."""
    font = QFont(family())
    font.setPixelSize(13)
    chart.setFont(font)
    plot = chart.image(SIZE)
    colors = chart.colors
    result = QImage(SIZE.width(), SIZE.height() + HEAD, QImage.Format.Format_RGB32)
    result.fill(colors.color("plot"))
    painter = QPainter(result)
    painter.setPen(colors.color("text"))
    font.setPixelSize(18)
    font.setWeight(STRONG)
    painter.setFont(font)
    painter.drawText(20, 30, title)
    font.setPixelSize(13)
    font.setWeight(QFont.Weight.Normal)
    painter.setFont(font)
    painter.setPen(colors.color("muted"))
    painter.drawText(20, 50, machine)
    painter.drawImage(0, HEAD, plot)
    painter.end()
    return result


def png(image: QImage) -> bytes:
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    image.save(buffer, "PNG")  # type: ignore[call-overload]  # the stubs want bytes, Qt a text
    return bytes(buffer.data().data())


def _charts(record: LabRecord, studies: dict[str, Study]) -> Iterator[tuple[str, str, Chart]]:
    light = palette("light")
    if record.machine.curve:
        curve = BandwidthCurve(light)
        curve.set_data(record.machine)
        yield BANDWIDTH, "Bandwidth over the working set", curve
    for identifier in dict.fromkeys(variant.study for variant in record.variants):
        mine = [variant for variant in record.variants if variant.study == identifier]
        study = studies.get(identifier)
        title = study.title if study is not None else identifier
        order = {variant: place for place, variant in enumerate(variants_of(mine))}
        good = [variant for variant in mine if not variant.refused]
        if any(variant.flops > 0 for variant in good):
            roofline = Roofline(light)
            roofline.set_data(record.machine, mine, order)
            yield plot_name(identifier, "roofline"), f"{title}: roofline", roofline
        for case in cases_of(good):
            here = [variant for variant in mine if variant.case == case]
            yield from _block_maps(here, identifier, title, case)
        if good:
            for quantity, name in QUANTITIES:
                scaling = Scaling(light)
                scaling.quantity = quantity
                scaling.set_data(study, mine, order)
                yield plot_name(identifier, name), f"{title}: {name.lower()} against problem size", scaling

    for table in record.tables:
        if table.heat is not None and table.rows:
            chart = TableMap(light)
            chart.set_data(table.columns, table.heat, table.rows)
            yield plot_name(TABLE, table.table), f"{table.title}. {chart.legend()}", chart


def _block_maps(
    records: Sequence[VariantRecord], identifier: str, title: str, case: str
) -> Iterator[tuple[str, str, Chart]]:
    for variant, name in variants_of(records).items():
        for cache in dict.fromkeys(record.cache for record in records):
            mine = [record for record in records if record.variant == variant and record.cache == cache]
            if len(cells(mine)) >= LEAST_SHAPES:
                chart = BlockMap(palette("light"))
                chart.set_data(mine)
                kind = "blocks" if cache == "cold" else "blocks warm"
                heading = f"{title}: {name} at {case}, % of the ceiling by block shape"
                yield plot_name(identifier, kind, variant, case), heading, chart


def _application() -> QApplication:
    """The application of this process; without a display one that draws into memory."""
    existing = QApplication.instance()
    if isinstance(existing, QApplication):
        return existing
    if sys.platform.startswith("linux") and not (os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")):
        os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    return _keep(QApplication(["workbench"]))


_kept: list[QApplication] = []


def _keep(application: QApplication) -> QApplication:
    """Qt's application lives as long as Python refers to it."""
    _kept.append(application)
    return application
