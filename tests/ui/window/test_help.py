"""Finding one's way: the palette, the sheet of keys, what a field means, the report of this machine."""

import re
from types import SimpleNamespace

import pytest
from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtGui import QCursor
from PySide6.QtWidgets import QApplication

from engines.api import registry
from engines.api.parameters import units_of
from ui.forms.fields.number import NumberEditor
from ui.forms.schema import Kind, fields_of
from ui.forms.section import Section
from ui.window.help.sheets import FieldEntry, entry_of
from workbench.cli.doctor import Diagnosis
from workbench.words.units import unit_text

CONTROL = Qt.KeyboardModifier.ControlModifier
LEFT = Qt.MouseButton.LeftButton


@pytest.fixture
def palette(opened, qtbot):
    qtbot.keyClick(opened, Qt.Key.Key_P, CONTROL)
    qtbot.waitUntil(opened.help.palette.isVisible)
    return opened.help.palette


def test_a_few_letters_find_a_command_and_return_does_it(opened, qtbot, palette):
    assert len(palette.shown) > 30
    shares = [palette.list.columnWidth(column) / (palette.width() - 40) for column in (0, 1)]
    assert shares == pytest.approx([0.47, 0.37], abs=0.01)
    qtbot.keyClicks(palette.line, "step")
    assert palette.shown[0] == "Step"  # what begins so comes first
    qtbot.keyClick(palette.line, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: opened.controller.time > 0)
    assert not palette.isVisible()


def test_the_palette_says_where_nothing_is_called_so(qtbot, palette):
    qtbot.keyClicks(palette.line, "theme")
    assert palette.shown == ["Dark or light theme"]
    assert palette.nothing.isHidden()
    qtbot.keyClicks(palette.line, "zzz")
    assert palette.nothing.isVisible()
    assert palette.list.isHidden()


def test_arrows_choose_escape_does_nothing_and_what_is_not_possible_stays(opened, qtbot, palette):
    qtbot.keyClicks(palette.line, "gallery")
    titles = palette.shown
    assert titles[0] == "Gallery"
    qtbot.keyClick(palette.line, Qt.Key.Key_Down)
    assert palette.list.currentItem().text(0) == titles[1]
    palette.line.setText("undo")
    qtbot.keyClick(palette.line, Qt.Key.Key_Return)  # there is nothing to undo
    assert palette.isVisible()
    qtbot.keyClick(palette.line, Qt.Key.Key_Escape)
    qtbot.waitUntil(lambda: not palette.isVisible())
    assert opened.stack.currentWidget() is opened.viewport


@pytest.mark.parametrize(
    ("typed", "title", "place", "path"),
    [
        ("conduct scale", "Conductivity scale", "Problem", ("conductivity_scale",)),
        ("numer step", "Time step", "Numerics", ("numerics", "step")),
    ],
)
def test_a_field_of_the_form_is_found_and_led_to(opened, qtbot, palette, typed, title, place, path):
    """From the gallery too, with its sections folded."""
    form = opened.problem.form
    for section in form.findChildren(Section):
        section.set_expanded(False)
    opened.show_dock("view")
    qtbot.keyClicks(palette.line, typed)
    item = palette.list.topLevelItem(0)
    assert (item.text(0), item.text(1)) == (title, place)
    qtbot.keyClick(palette.line, Qt.Key.Key_Return)
    editor = form.editor_at(path)
    qtbot.waitUntil(lambda: editor.isVisible() and editor.isAncestorOf(QApplication.focusWidget() or opened))
    assert not form.widget().visibleRegion().isEmpty()
    assert form.viewport().rect().intersects(QRect(editor.mapTo(form.viewport(), QPoint()), editor.size()))


def test_a_ready_problem_is_opened_by_its_name(opened, qtbot, palette):
    qtbot.keyClicks(palette.line, "cube")
    assert palette.shown == ["Cube"]
    item = palette.list.topLevelItem(0)
    qtbot.mouseClick(palette.list.viewport(), LEFT, pos=palette.list.visualItemRect(item).center())
    qtbot.waitUntil(lambda: opened.model.document.project.title == "Cube", timeout=10_000)


def test_f1_says_what_a_field_means_and_elsewhere_shows_the_keys(opened, qtbot):
    editors = opened.problem.form.findChildren(NumberEditor)
    editor = next(each for each in editors if each.spec.key == "sigma_il")
    opened.problem.form.reveal(("tissue", "sigma_il"))
    opened.activateWindow()
    editor.box.setFocus()
    qtbot.waitUntil(editor.box.hasFocus)
    qtbot.keyClick(editor.box, Qt.Key.Key_F1)
    entry = opened.help.entry
    assert isinstance(entry, FieldEntry)
    told = entry.text.text()
    for part in (
        editor.spec.title,
        editor.spec.help,
        "S/m",
        ">tissue.sigma_il<",
        "∇·(σ∇v)",
        "0.17 in the benchmark",
        "Niederer",
    ):
        assert part in told
    entry.close()
    QCursor.setPos(opened.viewport.mapToGlobal(opened.viewport.rect().center()))  # over no field
    opened.viewport.setFocus()
    qtbot.keyClick(opened, Qt.Key.Key_F1)
    sheet = opened.help.dialog
    qtbot.waitUntil(sheet.isVisible)
    for action in opened.actions_.by_name.values():  # none is left out
        if not action.shortcut().isEmpty() and action.text() and action.isVisible():
            assert action.shortcut().toString() in sheet.text.text(), action.text()
    sheet.close()


def test_f1_says_where_a_field_stands(opened, qtbot):
    """Of two stimuli each has an amplitude."""
    stimuli = opened.problem.form.editor_at(("stimuli",))
    stimuli.duplicate(0)
    opened.model.edit(("parameters", "stimuli", 1, "name"), "Base & apex")
    for item, title in zip(stimuli.editors, ("S1", "Base &amp; apex"), strict=True):
        editor = item.children_by_key["amplitude"]
        text = FieldEntry(editor).text.text()
        assert re.sub("<.*?>", "", text).startswith(f"Stimuli › {title} › {editor.spec.title}")


def test_f1_says_the_place_of_a_field_in_files(opened):
    """Of a kind, and of what stands in lists and kinds, too."""
    form = opened.problem.form
    places = {form.place_of(editor): editor for _, editor in form.fields()}
    assert () not in places
    assert ("stimuli", 0, "site", "kind") in places
    values = opened.model.draft["parameters"]
    for place, editor in places.items():
        there = values
        for key in place:
            there = there[key]
        assert FieldEntry(editor, place).text.text().count(f">{'.'.join(map(str, place))}<") == 1


def test_a_field_of_an_item_that_is_not_there_is_found_and_its_item_added(opened, qtbot, palette):
    """Of lists that are empty."""
    opened.model.edit(("parameters", "stimuli"), [])
    opened.help.open_palette()
    qtbot.keyClicks(palette.line, "stimulus amplitude")
    assert palette.shown == ["Amplitude"]
    assert palette.list.topLevelItem(0).text(1).endswith("Add a stimulus")
    qtbot.keyClick(palette.line, Qt.Key.Key_Return)
    assert len(opened.model.document.project.parameters["stimuli"]) == 1
    qtbot.waitUntil(lambda: QApplication.focusWidget() is not None)
    editor = opened.problem.form.editor_at(("stimuli",)).editors[0].children_by_key["amplitude"]
    assert editor.isAncestorOf(QApplication.focusWidget())
    opened.help.open_palette()
    qtbot.keyClicks(palette.line, "stim amplitude")
    assert palette.shown == ["Amplitude"]
    assert "Add a stimulus" not in palette.list.topLevelItem(0).text(1)


def test_f1_over_a_field_that_a_run_locks_says_what_it_means(opened, qtbot):
    opened.problem.form.set_locked(True)
    opened.problem.form.reveal(("tissue", "sigma_il"))
    editor = next(each for each in opened.problem.form.findChildren(NumberEditor) if each.spec.key == "sigma_il")
    opened.activateWindow()
    opened.viewport.setFocus()
    QCursor.setPos(editor.mapToGlobal(editor.rect().center()))
    qtbot.waitUntil(lambda: editor.rect().contains(editor.mapFromGlobal(QCursor.pos())))
    qtbot.keyClick(opened, Qt.Key.Key_F1)
    assert editor.spec.help in opened.help.entry.text.text()
    opened.help.entry.close()
    opened.problem.form.set_locked(False)
    qtbot.keyClick(opened, Qt.Key.Key_F1)  # the mouse merely rests there: the focus is in the view
    qtbot.waitUntil(opened.help.dialog.isVisible)
    opened.help.dialog.close()
    QCursor.setPos(opened.mapToGlobal(opened.rect().center()))


def test_the_report_of_this_machine_is_copied(opened, qtbot, monkeypatch, qapp):
    monkeypatch.setattr("ui.window.help.sheets.examine", lambda: [Diagnosis("Qt", "missing", "install it")])
    opened.actions_["about"].trigger()
    dialog = opened.help.dialog
    qtbot.waitUntil(dialog.copy.isEnabled)
    qtbot.mouseClick(dialog.copy, LEFT)
    lines = qapp.clipboard().text().splitlines()
    assert [line.split() for line in lines] == [["Qt", "missing"], ["→", "install", "it"]]
    dialog.close()


PLAIN = str.maketrans("−⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "--0123456789", "\u202f")
LIMITS = {"ge": "at least", "gt": "above", "le": "at most", "lt": "below"}
ROW = r"<span[^>]*>(.*?)</span></td><td>(.*?)</td>"


def declared(model):
    """(specification, field) of all below a model that are one number."""
    for spec in fields_of(model):
        if spec.kind in (Kind.NUMBER, Kind.INTEGER) and spec.owner is not None:
            yield spec, spec.owner.model_fields[spec.key]
        for inner in filter(None, (spec.model, *spec.variants.values(), spec.item and spec.item.model)):
            yield from declared(inner)


def numbers(words, text):
    """Those that stand behind these words."""
    found = re.findall(rf"{words}([−.\d\u202f]+)(?: × 10([⁻⁰¹²³⁴-⁹]+))?", text)
    return [float(f"{number}e{power or 0}".translate(PLAIN)) for number, power in found]


@pytest.mark.parametrize("engine", sorted(registry.engines()))
def test_an_entry_says_of_each_number_what_its_declaration_does(engine):
    found = list(declared(registry.engines()[engine].Parameters))
    assert len(found) > 3
    for spec, field in found:
        rows = dict(re.findall(ROW, entry_of(SimpleNamespace(spec=spec))))
        extra = field.json_schema_extra or {}
        assert rows["During a run"] == ("changes at once" if extra.get("live") else "waits for Reset"), spec.key
        assert rows["In files and scripts"] == spec.key
        units = " or ".join(map(unit_text, units_of(extra["unit"])))
        assert rows.get("Unit", "") == units or "{" in extra["unit"], spec.key
        if isinstance(field.default, (int, float)):
            assert numbers("^", rows["Default"]) == pytest.approx([field.default], rel=1e-5, abs=0), spec.key
        for name, words in LIMITS.items():
            limits = [getattr(each, name) for each in field.metadata if hasattr(each, name)]
            assert numbers(f"{words} ", rows.get("Allowed", "")) == pytest.approx(limits, rel=1e-5, abs=0), spec.key
