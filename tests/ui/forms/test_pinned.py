"""Of which item of a list a field is, where the item's title is scrolled away."""

from typing import Literal

from pydantic import BaseModel, Field
from PySide6.QtCore import QCoreApplication, QEvent, QPoint, QRect, Qt

from engines.api.parameters import quantity
from tests.ui.forms.holder import Holder
from ui.forms.section import PINNED, unfold_to


class Cell(BaseModel):
    name: str = ""
    first: float = quantity(1.0, "mV", "The first of many")
    second: float = quantity(1.0, "mV", "In the middle")
    third: float = quantity(1.0, "mV", "Further down")
    fourth: float = quantity(1.0, "mV", "The last")


class Tissue(BaseModel):
    length: float = quantity(1.0, "mm", "Of all")
    cells: list[Cell] = Field(default_factory=list)


def held(qtbot):
    holder = Holder(qtbot, Tissue, Tissue(cells=[Cell(name=name) for name in ("Inner", "Outer", "Last")]))
    holder.form.resize(360, 150)
    holder.form.show()
    qtbot.waitExposed(holder.form)
    return holder


def test_a_field_that_is_led_to_stands_below_the_title_of_its_item(qtbot):
    holder = held(qtbot)
    form, pinned = holder.form, holder.form.pinned
    assert not pinned.isVisible(), "nothing is scrolled away"
    for place, name in enumerate(("Inner", "Outer", "Last")):
        field = holder.editor("cells", place, "third")
        unfold_to(field)
        assert pinned.isVisible()
        assert pinned.text() == f"Cells › {name}"
        shown = QRect(field.mapTo(form.viewport(), QPoint()), field.size())
        assert form.viewport().rect().contains(shown)
        assert not pinned.geometry().intersects(shown)
        assert pinned.width() == form.viewport().width()


def rows_of(form, widget):
    """Pixels of the viewport, of the first and behind the last."""
    top = widget.mapTo(form.viewport(), QPoint()).y()
    return top, top + widget.height()


def test_a_field_of_a_long_list_is_led_to_with_the_title_of_its_item_in_view(qtbot):
    """Where there is room for both, from wherever the form was scrolled to."""
    names = [f"Cell {number}" for number in range(40)]
    holder = Holder(qtbot, Tissue, Tissue(cells=[Cell(name=name) for name in names]))
    form = holder.form
    form.resize(360, 300)
    form.show()
    qtbot.waitExposed(form)
    for place in (17, 30, 3, 4, 39, 0):
        field, title = holder.editor("cells", place, "fourth"), holder.editor("cells").sections[place].header
        unfold_to(field)
        assert title.text() == names[place]
        begins, ends = rows_of(form, title)[0], rows_of(form, field)[1]
        assert PINNED <= begins < ends <= form.viewport().height()
        assert form.pinned.text() in ("", "Cells"), "no other item is meant"


def test_a_field_far_below_the_title_of_its_item_stands_a_third_of_the_way_down(qtbot):
    """What comes before it is seen, too, and the line on top says whose it is."""
    holder = held(qtbot)
    form = holder.form
    field = holder.editor("cells", 1, "fourth")
    unfold_to(field)
    third = form.viewport().height() // 3
    assert rows_of(form, field)[0] == third > PINNED
    assert form.pinned.text() == "Cells › Outer"


def test_a_click_goes_to_the_item_and_its_own_title_takes_the_place(qtbot):
    holder = held(qtbot)
    form, pinned = holder.form, holder.form.pinned
    unfold_to(holder.editor("cells", 1, "third"))
    qtbot.mouseClick(pinned, Qt.MouseButton.LeftButton)
    section = holder.editor("cells").sections[1]
    place = section.header.mapTo(form.viewport(), QPoint()).y()
    assert 0 <= place < 60
    assert not pinned.isVisible()
    form.verticalScrollBar().setValue(0)
    assert not pinned.isVisible()


class Other(BaseModel):
    groups: list[Cell] = Field(default_factory=list)


def test_a_form_that_is_built_anew_has_the_titles_of_what_stands_in_it(qtbot):
    """Scrolled and resized at any time in between."""
    holder = held(qtbot)
    form, pinned = holder.form, holder.form.pinned
    for _ in range(3):
        for model, values in ((Other, Other(groups=[Cell(name="Alone")])), (Tissue, Tissue(cells=[Cell(name="One")]))):
            unfold_to(holder.editor(next(iter(form.root.children_by_key.keys() & {"cells", "groups"})), 0, "fourth"))
            assert pinned.isVisible()
            form.set_model(model)
            form.resize(360 + form.width() % 2 + 1, 150)
            assert not pinned.isVisible()
            qtbot.mouseClick(pinned, Qt.MouseButton.LeftButton)
            QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
            form.set_values(values.model_dump())
            bar = form.verticalScrollBar()
            qtbot.waitUntil(lambda bar=bar: bar.maximum() > 50)
            for place in range(0, bar.maximum() + 7, 7):
                bar.setValue(place)
            assert pinned.isVisible()
            assert pinned.text() in ("Groups › Alone", "Cells › One")
            assert pinned.text().startswith(next(section.header.text() for section in form.root.sections()))
    form.set_model(None)
    assert not pinned.isVisible()
    qtbot.mouseClick(pinned, Qt.MouseButton.LeftButton)


def test_the_line_is_as_wide_as_the_form(qtbot):
    holder = held(qtbot)
    form, pinned = holder.form, holder.form.pinned
    unfold_to(holder.editor("cells", 1, "third"))
    form.resize(420, 150)
    assert pinned.isVisible()
    assert pinned.width() == form.viewport().width()


class Law(BaseModel):
    kind: Literal["law"] = "law"
    strength: float = quantity(1.0, "mV", "Of the law")
    parts: list[Cell] = Field(default_factory=lambda: [Cell(name="Part")])
    hidden: float = quantity(1.0, "mV", "Folded away", advanced=True)
    apart: float = quantity(1.0, "mV", "Folded away", advanced=True)
    beyond: float = quantity(1.0, "mV", "Folded away", advanced=True)
    far: float = quantity(1.0, "mV", "Folded away", advanced=True)


class Nothing(BaseModel):
    kind: Literal["nothing"] = "nothing"


class Place(BaseModel):
    name: str = ""
    law: Law | Nothing = Field(default_factory=Law, discriminator="kind")


class Places(BaseModel):
    places: list[Place] = Field(default_factory=lambda: [Place(name="Here"), Place(name="There")])


def test_what_stands_in_one_of_several_kinds_and_what_is_advanced_has_its_titles(qtbot):
    holder = Holder(qtbot, Places, Places())
    form = holder.form
    form.resize(360, 120)
    form.show()
    qtbot.waitExposed(form)
    for place, name in enumerate(("Here", "There")):
        unfold_to(holder.editor("places", place, "law", "parts", 0, "fourth"))
        assert form.pinned.text() == f"Places › {name} › Parts › Part"
        unfold_to(holder.editor("places", place, "law", "far"))
        assert form.pinned.text() == f"Places › {name} › Advanced"
