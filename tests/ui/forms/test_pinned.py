"""Of which item of a list a field is, where the item's title is scrolled away."""

from pydantic import BaseModel, Field
from PySide6.QtCore import QPoint, QRect, Qt

from engines.api.parameters import quantity
from tests.ui.forms.holder import Holder
from ui.forms.section import unfold_to


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
