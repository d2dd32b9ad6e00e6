"""Asks where problems are computed."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QCheckBox,
    QDialog,
    QDialogButtonBox,
    QFormLayout,
    QLabel,
    QLineEdit,
    QRadioButton,
    QVBoxLayout,
    QWidget,
)

from engines.api.errors import ProblemError
from workbench.remote.connection import Place
from workbench.remote.streams import SOCKETS, check_host

BESIDE_NOTE = (
    "In a process of its own: steps and pictures do not wait for each other, and a fault of a device does not touch "
    "the window. A run with an end goes on when the window closes: choose this again to see it."
)
NOTE = (
    "SSH logs in, with the key that you have for that machine, and starts Workbench there. What runs there goes on "
    "when the window closes or the line is lost: connect again to see it."
)


JOB_TIP = (
    "The machine is where one logs in to a cluster. A job with these options of sbatch has the run; one that is there "
    "already is used. Where it has to wait, it stays in the queue: try again later."
)


class PlaceDialog(QDialog):
    """Starts with the ``place`` that there is (None: this computer), or that was last."""

    chosen = Signal(object)
    """A :class:`Place`, or None for this computer."""

    def __init__(self, place: Place | None, last: Place, parent: QWidget) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle("Where problems are computed")
        self.here = QRadioButton("On &this computer", self)
        self.beside = QRadioButton("On this computer, &beside the window", self)
        self.there = QRadioButton("On &another machine, through SSH", self)
        (self.here if place is None else self.there if place.host else self.beside).setChecked(True)
        self.beside.setEnabled(SOCKETS)
        self._place = place
        last = place if place is not None and place.host else last
        self.host = QLineEdit(last.host, self)
        self.host.setPlaceholderText("user@host")
        self.command = QLineEdit(last.command, self)
        self.command.setToolTip("As a shell of that machine finds it, such as ~/workbench/.venv/bin/workbench")
        self.in_a_job = QCheckBox("In a &job of Slurm", self)
        self.in_a_job.setChecked(last.job_options is not None)
        self.in_a_job.setToolTip(JOB_TIP)
        self.job_options = QLineEdit(last.job_options or "", self)
        self.job_options.setPlaceholderText("--gpus=1 --time=8:00:00")
        self.job_options.setToolTip(JOB_TIP)
        self.job_options.setEnabled(self.in_a_job.isChecked())
        self.in_a_job.toggled.connect(self.job_options.setEnabled)
        self.said = QLabel(self)
        self.said.setObjectName("bad")
        self.said.setWordWrap(True)
        self.said.hide()
        form = QFormLayout()
        form.setContentsMargins(24, 0, 0, 0)
        form.addRow("&Machine", self.host)
        form.addRow("&Workbench there", self.command)
        form.addRow(self.in_a_job, self.job_options)
        self.buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Cancel, self)
        accept = self.buttons.addButton("", QDialogButtonBox.ButtonRole.AcceptRole)
        self.buttons.accepted.connect(self._accept)
        self.buttons.rejected.connect(self.reject)
        layout = QVBoxLayout(self)
        layout.addWidget(self.here)
        layout.addWidget(self.beside)
        layout.addWidget(self._note(BESIDE_NOTE))
        layout.addWidget(self.there)
        layout.addLayout(form)
        layout.addWidget(self._note(NOTE))
        layout.addWidget(self.said)
        layout.addWidget(self.buttons)
        for edit in (self.host, self.command, self.job_options):
            edit.textEdited.connect(lambda _: self.there.setChecked(True))
        self.in_a_job.clicked.connect(lambda _: self.there.setChecked(True))
        self.here.toggled.connect(lambda here: accept.setText("Compute here" if here else "Compute there"))
        self.here.toggled.emit(self.here.isChecked())
        chosen = next(each for each in (self.here, self.beside, self.there) if each.isChecked())
        (self.host if chosen is self.there else chosen).setFocus()
        self.setMinimumWidth(460)

    def _note(self, text: str) -> QLabel:
        note = QLabel(text, self)
        note.setObjectName("muted")
        note.setWordWrap(True)
        note.setContentsMargins(24, 0, 0, 0)
        return note

    def _accept(self) -> None:
        place = None
        if self.beside.isChecked():
            place = self._place if self._place is not None and not self._place.host else Place()
        if self.there.isChecked():
            place = Place(
                self.host.text().strip(), self.command.text().strip() or "workbench",
                job_options=self.job_options.text().strip() if self.in_a_job.isChecked() else None,
            )  # fmt: skip
            try:
                check_host(place.host)
            except ProblemError as error:
                self.said.setText(str(error))
                self.said.show()
                self.adjustSize()
                return
        self.accept()
        self.chosen.emit(place)
