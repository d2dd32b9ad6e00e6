"""Lists in a form: items that come, go, move and are unfolded, with fields that are made when they are seen."""

from __future__ import annotations

import gc

import pytest
from PySide6.QtCore import QCoreApplication, QEvent, Qt
from PySide6.QtWidgets import QToolButton

from engines.api import Finding
from tests.ui.forms.holder import type_in
from ui.forms.group import FieldLine


def test_lists_add_duplicate_move_and_remove(qtbot, heart):
    regions, stimuli = heart.editor("regions"), heart.editor("stimuli")
    qtbot.mouseClick(regions.add_button, Qt.MouseButton.LeftButton)
    assert [item["region"] for item in heart.values["regions"]] == ["left", "right"]  # the first one not taken
    regions.add()
    heart.form.set_suggestions({"region": []})
    regions.add()
    assert [item["region"] for item in heart.values["regions"]][2:] == ["left", ""]  # all are taken; there are none
    stimuli.duplicate(0)
    assert [item["name"] for item in heart.values["stimuli"]] == ["S1", "S2"]
    type_in(qtbot, heart.editor("stimuli", 1, "start").box, "300")
    stimuli.move_item(1, -1)
    assert [(item["name"], item["start"]) for item in heart.values["stimuli"]] == [("S2", 300), ("S1", 0)]
    assert stimuli.sections[0].header.text() == "S2"

    def press(place, tip):
        tools = [tool for tool in stimuli.sections[place].findChildren(QToolButton) if tool.toolTip() == tip]
        qtbot.mouseClick(tools[0], Qt.MouseButton.LeftButton)
        return [item["name"] for item in heart.values["stimuli"]]

    assert press(1, "Duplicate") == ["S2", "S1", "S3"]
    assert press(0, "Move down") == ["S1", "S2", "S3"]
    assert press(2, "Move up") == ["S1", "S3", "S2"]
    assert press(2, "Remove") == ["S1", "S3"]
    assert press(1, "Remove") == ["S1"]
    assert len(stimuli.editors) == 1


def test_an_item_that_was_removed_is_gone_with_its_fields(qapp, heart):
    """Fields that only lost their parent stayed for ever: a thousand widgets after forty problems."""
    stimuli = list(heart.values["stimuli"])

    def widgets_after(items: list) -> int:
        heart.edit(("stimuli",), items)
        gc.collect()
        QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
        return len(qapp.allWidgets())

    few = widgets_after(stimuli)
    assert widgets_after(stimuli * 3) > few
    assert widgets_after(stimuli) == few


def test_an_item_that_was_added_stands_open(qtbot, heart):
    stimuli = heart.editor("stimuli")
    for _ in range(5):
        stimuli.add()
    assert stimuli.sections[-1].header.isChecked()
    stimuli.sections[1].set_expanded(False)
    stimuli.duplicate(0)
    assert stimuli.sections[1].header.isChecked()


@pytest.mark.parametrize(("count", "open_"), [(3, True), (4, False)])
def test_items_of_a_list_stand_open_where_they_are_few(qtbot, heart, count, open_):
    stimuli = heart.editor("stimuli")
    stimuli.set_value(count * heart.values["stimuli"][:1])
    assert [section.header.isChecked() for section in stimuli.sections[1:]] == [open_] * (count - 1)


def test_fields_of_an_item_are_made_when_it_is_unfolded_first_and_know_all_that_was_said_meanwhile(heart):
    """A thousand items stood in the way of opening a problem for a second."""
    regions, place = heart.editor("regions"), ("regions", 999)
    before = len(heart.form.findChildren(FieldLine))
    heart.edit(("regions",), [heart.values["regions"][0] | {"region": f"r{each}"} for each in range(1000)])
    assert len(heart.form.findChildren(FieldLine)) == before
    section = regions.sections[999]
    assert section.header.text() == "r999"
    heart.form.set_suggestions({"region": ["apex", "base"]})
    heart.form.set_findings([Finding("Of none.", place=(*place, "region")), Finding("Of the whole.", place=place)])
    heart.form.set_locked(True)
    assert section.header.property("noted")
    assert section.findings.text() == "Of the whole."
    section.set_expanded(True)
    assert len(heart.form.findChildren(FieldLine)) > before
    region = regions.editors[999].children_by_key["region"]
    assert (region.combo.currentText(), region.names[-2:]) == ("r999 (missing)", ["apex", "base"])
    assert region.parentWidget().note.text() == "Of none."
    assert not region.isEnabled()


def test_an_item_that_is_folded_and_wrong_unfolds(heart):
    stimuli = heart.editor("stimuli")
    items = [heart.values["stimuli"][0] | {"name": f"T{place}"} for place in range(9)]
    items[7]["duration"] = -1
    heart.edit(("stimuli",), items)
    assert [section.header.isChecked() for section in stimuli.sections[1:]] == [place == 7 for place in range(1, 9)]
    assert "above 0" in stimuli.editors[7].children_by_key["duration"].parentWidget().sentence.text()


def test_what_is_unfolded_stays_so_where_it_goes(heart):
    """It was of the place: with the first item gone, the next number went into another one's field."""
    stimuli = heart.editor("stimuli")
    items = [heart.values["stimuli"][0] | {"name": name} for name in "ABCDEF"]
    heart.edit(("stimuli",), items)
    for section in stimuli.sections:
        section.set_expanded(False)
    stimuli.sections[3].set_expanded(True)

    def unfolded():
        return [
            item["name"]
            for item, section in zip(heart.values["stimuli"], stimuli.sections, strict=True)
            if section.header.isChecked()
        ]

    stimuli.move_item(3, -1)
    assert unfolded() == ["D"]
    stimuli.remove(0)
    assert unfolded() == ["D"]
    heart.edit(("stimuli",), items)  # undone
    assert unfolded() == ["D"]
    heart.edit(("stimuli", 3, "name"), "Z")
    assert unfolded() == ["Z"]
    stimuli.sections[0].set_expanded(True)
    stimuli.remove(0)
    assert unfolded() == ["Z"]
    assert heart.editor("stimuli", 2, "name").line.text() == "Z"
