"""Forms show what matters at the present values: rows and sections come and go, and nothing is lost."""

from __future__ import annotations

from typing import Annotated, Literal

import pytest
from pydantic import Field

from engines.api import registry
from engines.api.parameters import ParameterGroup, matters, quantity
from engines.battery.parameters import BatteryParameters
from engines.fdtd.parameters import Material
from engines.spiking.parameters import SpikingParameters
from engines.stencil.parameters import StencilParameters
from tests.ui.forms.holder import Holder
from ui.forms.form import ParameterForm
from ui.forms.group import ElidedLabel, FieldLine
from ui.forms.schema import Kind, default_value, default_values, fields_of, plain
from ui.forms.section import Section
from ui.session.model import DocumentModel
from ui.widgets.theme import theme
from workbench.project.document import new_document


class Lens(ParameterGroup):
    kind: Literal["lens"] = "lens"
    focus: float = quantity(1.0, "mm", "Focus", when={"model": ("wave",)}, gt=0)


class Hole(ParameterGroup):
    kind: Literal["hole"] = "hole"


class Optics(ParameterGroup):
    rays: int = quantity(5, "1", "Rays", when={"model": ("ray",)}, ge=1)
    order: int = quantity(2, "1", "Order", when={"model": ("wave",)}, advanced=True, ge=1)
    parts: list[Annotated[Lens | Hole, Field(discriminator="kind")]] = quantity([Lens()], "", "Parts")


class Bench(ParameterGroup):
    model: Literal["ray", "wave", "none"] = quantity("ray", "", "Model")
    length: float = quantity(1.0, "mm", "Wave length", when={"model": ("wave",), "optics.rays": (5, 6)}, gt=0)
    optics: Optics = quantity(Optics(), "", "Optics", when={"model": ("ray", "wave")})


@pytest.fixture
def bench(qtbot):
    holder = Holder(qtbot, Bench, Bench())
    holder.form.resize(340, 900)
    holder.form.show()
    qtbot.waitExposed(holder.form)
    return holder


def line(holder, *keys):
    return holder.editor(*keys).parentWidget()


def test_rows_and_sections_follow_a_choice_at_once(bench):
    assert line(bench, "optics", "rays").isVisible()
    assert not line(bench, "length").isVisible()
    bench.editor("model").edited.emit((), "wave")
    assert line(bench, "length").isVisible()
    assert not line(bench, "optics", "rays").isVisible()
    bench.editor("model").edited.emit((), "none")
    assert not bench.editor("optics").isVisible()
    assert bench.values["optics"]["rays"] == 5  # hidden values stay


def test_all_named_fields_must_agree(bench):
    bench.editor("model").edited.emit((), "wave")
    bench.edit(("optics", "rays"), 7)
    assert not line(bench, "length").isVisible()
    bench.edit(("optics", "rays"), 6)
    assert line(bench, "length").isVisible()


def test_a_field_of_a_union_in_a_list_follows_a_choice_far_outside(qtbot, bench):
    assert not line(bench, "optics", "parts", 0, "focus").isVisible()
    bench.editor("model").edited.emit((), "wave")
    assert line(bench, "optics", "parts", 0, "focus").isVisible()
    bench.editor("optics", "parts").add()
    qtbot.waitUntil(lambda: line(bench, "optics", "parts", 1, "focus").isVisible())
    bench.editor("model").edited.emit((), "ray")
    assert not line(bench, "optics", "parts", 1, "focus").isVisible()


def test_the_advanced_section_goes_with_its_last_field(bench):
    section = bench.editor("optics").advanced
    assert not section.isVisible()
    bench.editor("model").edited.emit((), "wave")
    assert section.isVisible()


def test_a_hidden_field_with_an_error_is_shown_until_it_is_right(bench):
    bench.edit(("length",), -1.0)
    assert line(bench, "length").isVisible()
    assert line(bench, "length").sentence.text() == "Must be above 0."
    bench.edit(("length",), 2.0)
    assert not line(bench, "length").isVisible()
    bench.editor("model").edited.emit((), "none")
    bench.edit(("optics", "parts", 0, "focus"), -1.0)
    assert line(bench, "optics", "parts", 0, "focus").isVisible()


def test_a_folded_group_opens_for_an_error(qtbot):
    holder = Holder(qtbot, BatteryParameters, BatteryParameters())
    section = holder.editor("numerics").parentWidget().parentWidget()
    assert isinstance(section, Section)
    assert not section.header.isChecked()
    holder.edit(("numerics", "step"), -1.0)
    assert section.header.isChecked()


SHOWN = {
    "SPM": {"thermal", "protocol", "cycles", "current_factor", "ensemble", "ageing", "drive_cycle"},
    "SPMe": {"thermal", "protocol", "cycles", "current_factor", "ensemble", "ageing", "drive_cycle"},
    "MPM": {"protocol", "cycles", "current_factor", "sizes", "drive_cycle"},
    "particles": {"particles"},
    "pack": {"protocol", "cycles", "current_factor", "ensemble", "pack", "drive_cycle"},
}
ALWAYS = {"functions", "parameter_set", "model", "initial_state_of_charge", "changes", "numerics", "recording"}


@pytest.mark.parametrize("model", SHOWN)
def test_the_battery_form_shows_what_its_model_reads(qtbot, model):
    holder = Holder(qtbot, BatteryParameters, BatteryParameters())
    holder.editor("model").edited.emit((), model)
    root = holder.form.root
    assert {key for key in root.children_by_key if root.shows(key)} == SHOWN[model] | ALWAYS
    holder.editor("parameter_set").edited.emit((), "BPX file")
    assert root.shows("bpx_file")
    assert holder.editor("ensemble").shows("cells") == (model in ("SPM", "SPMe"))  # a pack's number is its own
    assert holder.editor("numerics").shows("step") == (model != "particles")


def test_a_grid_of_two_dimensions_has_no_sides_along_z(qtbot):
    holder = Holder(qtbot, StencilParameters, StencilParameters())
    assert not holder.editor("sides").shows("z_low")
    holder.editor("grid").kind.edited.emit((), "3D")
    assert holder.editor("sides").shows("z_low")
    holder.editor("equation").kind.edited.emit((), "Poisson")
    assert not holder.editor("numerics").shows("step")
    assert holder.editor("numerics").shows("precision")


def test_a_network_shows_factors_that_have_something_to_act_on(qtbot):
    holder = Holder(qtbot, SpikingParameters, SpikingParameters())

    def factors():
        synapses = holder.editor("synapses")
        return {key for key in synapses.children_by_key if synapses.shows(key)} - {"excitation", "inhibition"}

    assert not factors()
    holder.edit(("populations", 1, "external", "noise"), 1.0)
    assert factors() == {"noise"}
    holder.edit(("populations", 0, "external", "rate"), 1.0)
    assert factors() == {"noise", "external"}
    holder.edit(("populations", 0, "external", "rate"), 0)
    holder.editor("populations", 0, "neuron").kind.edited.emit((), "poisson")
    assert factors() == {"noise", "external"}


def test_a_network_shows_currents_in_the_units_of_its_neurons(qtbot):
    holder = Holder(qtbot, SpikingParameters, SpikingParameters())

    def currents():
        return {key for key in ("drive", "injected") if holder.form.root.shows(key)}

    assert currents() == {"drive"}
    holder.editor("populations", 0, "neuron").kind.edited.emit((), "hodgkin-huxley")
    assert currents() == {"drive", "injected"}
    holder.editor("populations", 1, "neuron").kind.edited.emit((), "adaptive exponential")
    assert currents() == {"injected"}


def _conditions(model, values, around, found):
    """Each field below ``model`` with the values around it; a member of each union, an item of each list."""
    around = (values, *around)
    for spec in fields_of(model):
        found.append((f"{model.__name__}.{spec.key}", spec, around))
        below = []
        if spec.kind is Kind.GROUP:
            below.append((spec.model, values[spec.key]))
        for member in (spec, spec.item) if spec.item is not None else (spec,):
            below += [(each, default_values(each)) for each in member.variants.values()]
        if spec.item is not None and spec.item.model is not None:
            below.append((spec.item.model, default_value(spec.item)))
        for inner, its in below:
            _conditions(inner, its, around, found)
    return found


@pytest.mark.parametrize("engine", registry.engines().values(), ids=lambda engine: engine.id)
def test_every_condition_names_a_field_and_values_that_it_may_have(engine):
    found = _conditions(engine.Parameters, default_values(engine.Parameters), (), [])
    for where, spec, around in found:
        for name, values in (spec.when | spec.unless).items():
            assert values, where
            group = next((group for group in around if name.split(".")[0] in group), None)
            assert group is not None, f"{where}: there is no '{name}'"
            for key in name.split("."):
                group = group[key]
                group = group[0] if isinstance(group, list) else group
            assert type(group) is type(values[0]), f"{where}: '{name}' is {group!r}"
    known = engine.Parameters.model_json_schema()
    for where, spec, _ in found:
        for name, values in (spec.when | spec.unless).items():
            for value in values:
                assert repr(value).strip("'") in str(known), f"{where}: '{name}' is never {value!r}"


def test_a_material_by_formulas_shows_the_numbers_that_no_line_says(qtbot):
    holder = Holder(qtbot, Material, Material())

    def shown():
        return {key for key in ("permittivity", "conductivity") if holder.form.root.shows(key)}

    assert shown() == {"permittivity", "conductivity"}
    for lines, left in ((["n = 1.5", "eps=n**2"], {"conductivity"}), (["sigma = 0.1*x"], {"permittivity"}),
                        (["eps = 2", "sigma = 1"], set())):  # fmt: skip
        holder.form.edited.emit(("by_place",), {"by_formulas": True, "lines": lines})
        assert shown() == left
    holder.form.edited.emit(("by_place",), {"by_formulas": False, "lines": ["eps = 2"]})
    assert shown() == {"permittivity", "conductivity"}


def test_conditions_read_models_and_plain_values_alike():
    values = Bench(model="wave")
    for around in ((values,), (plain(values),), ({}, values), (Lens(), values)):
        assert matters({"model": ("wave",), "optics.rays": (5,)}, {}, around)
        assert not matters({"optics.rays": (6,)}, {}, around)
        assert not matters({}, {"model": ("wave",)}, around)
        assert matters({}, {"model": ("wave",), "optics.rays": (6,)}, around)
    assert matters({"nowhere": (1,)}, {"nowhere": (1,)}, (values,))


def test_a_name_leads_to_every_item_of_a_list():
    values = Bench(optics=Optics(parts=[Lens(focus=1.0), Lens(focus=2.0)]))
    for around in ((values,), (plain(values),)):
        assert matters({"optics.parts.focus": (2.0,)}, {"optics.parts.focus": (2.0,)}, around)
        assert not matters({"optics.parts.focus": (3.0,)}, {}, around)
        assert not matters({}, {"optics.parts.focus": (1.0, 2.0)}, around)


def test_the_schema_of_the_parameters_says_the_conditions():
    extra = BatteryParameters.model_json_schema()["properties"]["bpx_file"]
    assert extra["when"] == {"parameter_set": ["BPX file"]}


def test_undo_and_redo_bring_back_what_was_shown(qtbot):
    """Through the document's model: each step shows the form as it was."""
    model = DocumentModel()
    form = ParameterForm()
    qtbot.addWidget(form)
    form.set_model(BatteryParameters)
    model.changed.connect(lambda _: form.set_values(model.draft["parameters"]))
    model.open(new_document(registry.engine("battery")))
    model.edit(("parameters", "ageing", "sei"), "reaction limited")
    model.edit(("parameters", "model"), "MPM")
    assert form.root.shows("sizes")
    assert not form.root.shows("ageing")
    model.undo_stack.undo()
    assert not form.root.shows("sizes")
    assert form.root.shows("ageing")
    model.undo_stack.redo()
    assert form.root.shows("sizes")
    assert model.document.project.parameters["ageing"]["sei"] == "reaction limited"  # hidden, and saved


@pytest.mark.parametrize("engine", registry.engines().values(), ids=lambda engine: engine.id)
def test_no_field_asks_for_more_room_than_the_panel_has_at_least(qtbot, qapp, engine):
    theme().apply("dark", qapp)  # its fonts and margins
    holder = Holder(qtbot, engine.Parameters, engine.Parameters())
    form = holder.form
    form.resize(340, 900)
    form.show()
    qtbot.waitExposed(form)
    for section in form.findChildren(Section):
        section.set_expanded(True)
        inside = [other for other in form.findChildren(Section) if other is not section and other.isAncestorOf(section)]
        assert (section.property("level") > 0) == bool(inside), section.header.text()
    for hidden in (*form.findChildren(Section), *form.findChildren(FieldLine)):
        hidden.show()  # what other choices show
    qtbot.wait(20)
    room = form.width() - form.verticalScrollBar().sizeHint().width()
    for each in form.findChildren(FieldLine):
        right = each.mapTo(form.widget(), each.rect().topLeft()).x() + each.minimumSizeHint().width()
        assert right <= room, each.editor.spec.title
        label = each.findChild(ElidedLabel)
        assert label.text() == label.full_text()


def test_kinds_of_networks_are_called_what_people_call_them(qtbot):
    """Each kind has a name, which is only what is read: projects keep what they hold."""
    holder = Holder(qtbot, SpikingParameters, SpikingParameters())
    for key, first in (("populations", "neuron"), ("connections", "rule"), ("connections", "plasticity")):
        union = holder.editor(key, 0, first)
        assert set(union.spec.labels) == set(union.spec.variants)
        shown = [union.kind.combo.itemText(place) for place in range(union.kind.combo.count())]
        assert shown == list(union.spec.labels.values())
    holder.editor("populations", 0, "neuron").kind.edited.emit((), "lif conductance")
    kind = holder.editor("populations", 0, "neuron").kind
    assert kind.combo.currentText() == "Conductance-based leaky integrate-and-fire"
    assert holder.values["populations"][0]["neuron"]["kind"] == "lif conductance"


def test_connections_are_called_after_what_they_join(qtbot):
    holder = Holder(qtbot, SpikingParameters, SpikingParameters())
    sections = holder.form.root.children_by_key["connections"].sections
    for section, connection in zip(sections, holder.values["connections"], strict=True):
        assert section.header.text() == f"{connection['source']} → {connection['target']}"
