"""A plate over the view with what is known of the problem before a run, and a button that mends it."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QLabel, QPushButton, QToolButton, QWidget

from engines.api import Finding
from ui.widgets.banner import Banner
from ui.widgets.icons import dress
from workbench.words.numbers import spaced


class FindingsBanner(Banner):
    """One finding at a time, warnings first; what was closed comes again with another document alone.

    Where there is no warning it goes by itself, and is not opened again by information that changes with each edit.
    """

    mend_asked = Signal(object)
    """A :class:`engines.api.Remedy`."""
    place_asked = Signal(tuple)
    """Show this place of the form."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.findings: tuple[Finding, ...] = ()
        self._all: Sequence[Finding] = ()
        self._before: Sequence[Finding] = ()
        self._closed: set[Finding] = set()
        self._said: Finding | None = None
        """What the run said, where that is shown."""
        self._covered = self._read = self._locked = False
        self._at = 0
        self.mend = QPushButton(self)
        self.mend.clicked.connect(self._mend)
        self.mend.setToolTip("Make this edit; Undo takes it back")
        self.mend_otherwise = QPushButton(self)
        self.mend_otherwise.setToolTip(self.mend.toolTip())
        self.mend_otherwise.clicked.connect(lambda: self.mend_asked.emit(self.findings[self._at].alternative))
        self.show_place = QToolButton(self)
        self.show_place.setText("Show")
        self.show_place.setToolTip("Show the field in the form")
        self.show_place.clicked.connect(lambda: self.place_asked.emit(self.findings[self._at].place))
        self.count = QLabel(self)
        self.next = QToolButton(self)
        self.next.setObjectName("small")
        self.next.setToolTip("The next finding")
        self.next.setAccessibleName("The next finding")
        self.next.clicked.connect(lambda: self._turn(1))
        dress(self.next, "chevron-right", "muted")
        self.buttons.insertWidget(0, self.mend)
        self.buttons.insertWidget(1, self.mend_otherwise)
        self.buttons.insertWidget(2, self.show_place)
        self.buttons.addWidget(self.count)
        self.buttons.addWidget(self.next)
        self.closed.connect(self._forget_these)

    @property
    def finding(self) -> Finding | None:
        """The one that is shown."""
        return self.findings[self._at] if self.findings and not self.isHidden() else None

    def forget(self) -> None:
        """Another document: nothing of it was closed yet."""
        self._closed.clear()
        self._read = False
        self.show_findings(())

    def show_findings(self, findings: Sequence[Finding]) -> None:
        """In their order; the warning that is read stays while it is among them and none comes that is worse, what a
        run said while no warning comes."""
        if findings != self._all:
            self._before, self._all = self._all, findings
        shown = self.findings[self._at] if self.findings else None
        left = tuple(finding for finding in findings if finding not in self._closed)
        if left == self.findings:
            return
        comes = any(each.severity == "warning" and each not in self.findings for each in left)
        self.findings = left
        self._at = 0
        said = shown in left and shown == self._said and not comes
        if shown in left and (said or (shown.severity == "warning" and shown.distorts >= left[0].distorts)):
            self._at = left.index(shown)
        self._show(stays=said)

    def point_at(self, finding: Finding) -> None:
        """What a run said of its answers: shown whatever was there before it, but where a warning came with it."""
        self._closed.discard(finding)
        self._read = False
        self.show_findings(self._all)
        worse = [each for each in self.findings if each.severity == "warning" and each not in self._before]
        if finding in self.findings and (finding.severity == "warning" or not worse):
            self._at = self.findings.index(finding)
            self._said = finding
            self._show(stays=True)

    def open_again(self) -> None:
        """All of them, also those that were closed; they stay until they are closed."""
        self._closed.clear()
        self._read = False
        self.show_findings(self._all)
        self._show(stays=True)

    def set_covered(self, covered: bool) -> None:
        """Whether something else than the problem is shown below (the gallery), or something is said in its place."""
        if covered != self._covered:
            self._covered = covered
            self._show()

    def set_locked(self, locked: bool) -> None:
        """While a run goes on nothing is edited: what would mend a finding leaves its room to the view."""
        self._locked = locked
        self._show_remedies()

    def _show(self, stays: bool = False) -> None:
        warned = any(finding.severity == "warning" for finding in self.findings)
        if not self.findings or self._covered or (self._read and not warned):
            self.hide()
            return
        finding = self.findings[self._at]
        self.say(finding.message, finding.severity, stays=warned or stays)
        self._show_remedies()
        self.show_place.setVisible(bool(finding.place))
        several = len(self.findings) > 1
        self.count.setText(f"{self._at + 1} of {len(self.findings)}")
        self.count.setVisible(several)
        self.next.setVisible(several)
        self.settle()

    def _show_remedies(self) -> None:
        finding = self.findings[self._at] if self.findings else None
        remedies = (None, None) if finding is None else (finding.remedy, finding.alternative)
        for button, remedy in zip((self.mend, self.mend_otherwise), remedies, strict=True):
            button.setVisible(remedy is not None and not self._locked)
            button.setText("" if remedy is None else spaced(remedy.text))
        self.settle()

    def _turn(self, by: int) -> None:
        self._at = (self._at + by) % len(self.findings)
        self._show()

    def _mend(self) -> None:
        self.mend_asked.emit(self.findings[self._at].remedy)

    def _forget_these(self) -> None:
        self._closed.update(self.findings)
        self.findings, self._at, self._read = (), 0, True
