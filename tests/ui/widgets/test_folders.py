"""Asking for a folder to write into."""

import pytest
from PySide6.QtCore import Qt, QTimer
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QFileDialog, QLineEdit, QMessageBox

from ui.widgets.parts import folder_for


@pytest.fixture
def answer(monkeypatch):
    """Types a name into Qt's own dialog and presses Enter; what is left open is closed."""
    QApplication.setAttribute(Qt.ApplicationAttribute.AA_DontUseNativeDialogs)
    warned = []
    monkeypatch.setattr(QMessageBox, "warning", lambda parent, title, told: warned.append(told))

    def folder(typed, start):
        def enter():
            dialog = QApplication.activeModalWidget()
            assert isinstance(dialog, QFileDialog)
            field = dialog.findChild(QLineEdit, "fileNameEdit")
            field.setText(typed)
            QTest.keyClick(field, Qt.Key.Key_Return)
            if dialog.isVisible():
                (QApplication.activeModalWidget() or dialog).close()
                dialog.reject()

        QTimer.singleShot(200, enter)
        return folder_for(None, "Export results into a folder", str(start)), warned

    yield folder
    QApplication.setAttribute(Qt.ApplicationAttribute.AA_DontUseNativeDialogs, False)


@pytest.mark.parametrize("typed", ["new", "new/within/it", "old"])
def test_a_folder_is_made_where_it_is_not_there_yet(qapp, answer, tmp_path, typed):
    """Qt refuses one: "Directory not found"."""
    (tmp_path / "old").mkdir()
    chosen, warned = answer(typed, tmp_path)
    assert chosen == tmp_path / typed
    assert chosen.is_dir()
    assert not warned


def test_where_it_cannot_be_made_a_sentence_says_so_and_the_dialog_stays(qapp, answer, tmp_path):
    (tmp_path / "taken").write_text("")
    chosen, warned = answer("taken/within", tmp_path)
    assert chosen is None
    assert len(warned) == 1
    assert warned[0].startswith(f"The folder '{tmp_path / 'taken' / 'within'}' cannot be made here")
