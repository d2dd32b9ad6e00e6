"""One editor wherever formulas are typed: told what is wrong as one writes, and printed."""

import pytest

from engines.battery.parameter_sets.functions import TypedFunction
from engines.battery.parameters import BatteryParameters
from engines.cardiac.parameters import Tissue
from engines.fdtd.parameters import TypedSignal
from engines.fdtd.parameters.materials import ByPlace
from engines.peridynamics.parameters.laws import Typed
from engines.peridynamics.parameters.loading.histories import TypedHistory
from tests.ui.forms.holder import Holder


@pytest.mark.parametrize(("model", "name", "unknown", "right", "shown"), [
    (TypedSignal, "f", "exp(-x)", "exp(-(t - 4)**2)*sin(2*pi*t)", "<sup>2</sup>"),
    (ByPlace, "eps", "1 + t", "2 - x**2/4", "<sup>2</sup>"),
    (TypedFunction, "f", "exp(-t)", "4.2 - 0.5*x**2", "<sup>2</sup>"),
    (TypedHistory, "f", "rise*t", "min(t/20, 1)", "min(<i>t</i>/20, 1)"),
    (Tissue, "f", "1 + q", "where(x > 2, 0.5, 1)", "2 &lt; <i>x</i>"),
    (Typed, "d", "1 - q/s", "1 - s0/s if s > s0 else 0", "<i>s</i><sub>0</sub>"),
])  # fmt: skip
def test_what_is_typed_is_told_and_printed(qtbot, model, name, unknown, right, shown):
    field = "place_scale" if model is Tissue else "lines"
    holder = Holder(qtbot, model, model(by_formulas=True) if model is ByPlace else model())
    holder.form.show()
    editor = holder.editor(field)
    editor.text.selectAll()
    qtbot.keyClicks(editor.text, f"{name} = {unknown}")
    qtbot.waitUntil(lambda: "which is not known" in editor.sentence.text(), timeout=3000)
    assert editor.sentence.text().startswith("Line 1 uses")
    editor.text.selectAll()
    qtbot.keyClicks(editor.text, f"{name} = {right}")
    qtbot.waitUntil(lambda: holder.values[field] == [f"{name} = {right}"], timeout=3000)
    assert not editor.sentence.isVisible()
    assert shown in editor.printed.text()


def test_a_function_of_a_battery_is_called_by_what_it_is(qtbot):
    typed = [TypedFunction(), TypedFunction(function="electrolyte_conductivity", lines=["f = 1"])]
    holder = Holder(qtbot, BatteryParameters, BatteryParameters(functions=typed))
    titles = [section.header.text() for section in holder.editor("functions").sections]
    assert titles == ["Negative potential", "Electrolyte conductivity"]
