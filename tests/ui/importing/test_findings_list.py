"""What should be known of a file: each sentence with its sign and the buttons that mend it."""

from PySide6.QtWidgets import QLabel

from engines.api import Finding, Remedy
from ui.importing.findings import FindingsList
from ui.widgets.icons import pixmap
from workbench.words.numbers import spaced

MM, CM = Remedy("Read it in mm", length_unit="mm"), Remedy("Read it in cm", length_unit="cm")


def test_each_finding_has_its_sign_its_sentence_and_its_buttons(qtbot):
    shown, asked = FindingsList(), []
    qtbot.addWidget(shown)
    shown.mend_asked.connect(asked.append)
    findings = (
        Finding("It is <b>2 km</b> long.", "warning", remedy=MM, alternative=CM),
        Finding("It has one region.", "info"),
    )
    for _ in range(2):
        shown.show_findings(findings)
        labels = [label for label in shown.findChildren(QLabel) if not label.isHidden()]
        texts = [label.text() for label in labels if label.text()]
        assert texts == [spaced(finding.message) for finding in findings], "as it is, and not as HTML"
        signs = [label.pixmap().toImage() for label in labels if not label.pixmap().isNull()]
        assert signs == [pixmap(name, 16, role).toImage() for name, role in (("warning", "warn"), ("info", "muted"))]
    assert [button.text() for button in shown.buttons] == ["Read it in mm", "Read it in cm"]
    for button in shown.buttons:
        button.click()
    assert asked == [MM, CM]
    shown.show_findings(findings[1:])
    assert shown.buttons == []
