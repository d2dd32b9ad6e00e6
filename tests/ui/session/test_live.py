"""Parameters that change during a run: which ones, and what happens if the run cannot take them."""

from concurrent.futures import Future

import numpy as np
import pytest
from PySide6.QtCore import Qt

from engines.api import Selection
from engines.api.errors import ProblemError
from engines.spiking.engine import SpikingEngine
from engines.spiking.parameters.equations import OwnNeuron
from engines.stencil.engine import StencilEngine
from ui.session.model import DocumentModel
from ui.session.running.phase import Phase
from ui.window.centre.workspaces import LAB, SIMULATE
from workbench.project.document import new_document
from workbench.run.frames import FrameRequest

EQUATION = ("parameters", "equation")
GRAY_SCOTT = {"kind": "Gray-Scott", "diffusion_u": 0.16, "diffusion_v": 0.08}
SEEDS = {"kind": "seeds", "count": 2, "width": 10.0, "noise": 0.0, "seed": 1}


@pytest.fixture
def model(qapp):
    model = DocumentModel()
    model.open(new_document(StencilEngine()))
    return model


def with_reaction(model, **reaction):
    model.edit(EQUATION, {**GRAY_SCOTT, "reaction": reaction, "start": SEEDS})
    assert model.valid


def test_live_fields_inside_of_choices_are_live(model):
    assert model.is_live((*EQUATION, "diffusivity_scale"))
    assert not model.is_live((*EQUATION, "diffusivity"))
    assert not model.is_live(EQUATION)
    assert not model.is_live(("parameters", "grid", "cells_x"))
    with_reaction(model, kind="own rates", feed=0.03, kill=0.06)
    assert model.is_live((*EQUATION, "reaction"))
    assert model.is_live((*EQUATION, "reaction", "feed"))
    assert model.is_live((*EQUATION, "reaction", "kill"))
    assert not model.is_live((*EQUATION, "diffusivity_scale"))
    assert not model.is_live((*EQUATION, "start", "count"))
    with_reaction(model, kind="named", pattern="mitosis")
    assert model.is_live((*EQUATION, "reaction", "pattern"))


def test_live_fields_inside_of_lists_are_live(qapp):
    model = DocumentModel()
    model.open(new_document(SpikingEngine()))
    neuron = ("parameters", "populations", 0, "neuron")
    model.edit(neuron, OwnNeuron().model_dump(mode="json"))
    assert model.is_live((*neuron, "parameters", 0, "value"))
    assert not model.is_live((*neuron, "lines"))
    assert not model.is_live(("parameters", "populations", 0, "number"))
    assert not model.is_live(("parameters", "populations"))


def test_a_live_change_that_the_run_refuses_is_told_and_waits_for_reset(opened, qtbot, monkeypatch):
    window, refused = opened, Future()
    refused.set_exception(ProblemError("Use at most 2."))
    window.controller.run()
    qtbot.waitUntil(lambda: window.controller.phase == Phase.RUNNING, timeout=5000)
    first = window.controller.runner
    monkeypatch.setattr(first, "set_control", lambda name, value: refused)
    window.model.edit(("parameters", "conductivity_scale"), 3.0)
    told = "Use at most 2. The run goes on with Conductivity scale 1"
    qtbot.waitUntil(lambda: window.banner.text == f"{told}; Reset begins anew with what stands there.", timeout=2000)
    assert said_of_scale(window) == f"{told}.", "at the field, as long as the run has not what stands there"
    window.controller.reset()
    assert window.controller.runner is not first
    assert not window.banner.isVisible()


def said_of_scale(window):
    """What stands below the field of the scale."""
    sentence = window.problem.form.editor_at(("conductivity_scale",)).parentWidget().sentence
    return sentence.text() if not sentence.isHidden() else ""


def type_scale(window, qtbot, text):
    box = window.problem.form.editor_at(("conductivity_scale",)).box
    box.setText(text)
    box.setModified(True)
    qtbot.keyClick(box, Qt.Key.Key_Return)


def test_what_is_no_value_of_a_live_field_is_said_with_what_the_run_goes_on_with(opened, qtbot):
    window = opened
    window.controller.run()
    qtbot.waitUntil(lambda: window.controller.phase == Phase.RUNNING, timeout=5000)
    on = "The run goes on with Conductivity scale"
    type_scale(window, qtbot, "abc")
    assert said_of_scale(window) == f"'abc' is not a number. {on} 1."
    type_scale(window, qtbot, "2")
    qtbot.waitUntil(lambda: window.controller.live.value(("parameters", "conductivity_scale")) == 2, timeout=5000)
    assert said_of_scale(window) == ""
    type_scale(window, qtbot, "700")
    assert said_of_scale(window) == f"Must be at most 100. {on} 2."
    type_scale(window, qtbot, "abc")
    assert said_of_scale(window) == f"'abc' is not a number. {on} 2.", "not with 700, which it never had"
    window.controller.reset()
    assert said_of_scale(window) == "'abc' is not a number.", "none goes on"
    type_scale(window, qtbot, "700")
    assert said_of_scale(window) == "Must be at most 100."


def test_a_live_change_beside_a_mistake_is_told_to_wait_and_taken_when_that_is_mended(opened, qtbot):
    window, model = opened, opened.model
    window.controller.run()
    qtbot.waitUntil(lambda: window.controller.phase == Phase.RUNNING, timeout=5000)
    live, scale = window.controller.live, ("parameters", "conductivity_scale")
    model.errors[("parameters", "tissue")] = "Is wrong."
    assert live.change(scale) == "Tissue: is wrong. The run goes on with Conductivity scale 1 until that is mended."
    model.errors.clear()
    sent = []
    live.send = lambda *paths: sent.append(paths)
    assert live.change(("parameters", "other")) == ""
    assert sent == [(scale, ("parameters", "other"))]


def test_a_live_change_that_the_run_refuses_before_its_first_step_waits_for_run_without_a_word(
    opened, qtbot, monkeypatch
):
    """Such as another name of a number of typed equations: Run builds it anew."""
    window, refused, asked, told = opened, Future(), [], []
    refused.set_exception(ProblemError("Not while it runs."))
    first = window.controller.runner
    monkeypatch.setattr(first, "set_control", lambda name, value: asked.append(value) or refused)
    window.controller.problem.connect(told.append)
    window.model.edit(("parameters", "conductivity_scale"), 3.0)
    qtbot.waitUntil(lambda: window.controller.stale, timeout=2000)
    window.model.edit(("parameters", "conductivity_scale"), 2.0)
    assert (asked, told) == ([3.0], [])
    window.controller.run()
    qtbot.waitUntil(lambda: window.controller.phase == Phase.RUNNING, timeout=5000)
    assert window.controller.runner is not first


def test_a_run_on_another_geometry_is_not_asked_for_the_elements_of_the_last_one(opened, qtbot):
    """A smaller grid has not all of them: the run would end."""
    window = opened
    window.controller.viewers.watch(FrameRequest(99, {"all": ("voltage", Selection(np.array([10**6], np.int32)))}))
    window.controller.build(autostart=True)
    qtbot.waitUntil(lambda: window.controller.phase == Phase.RUNNING, timeout=5000)
    qtbot.wait(100)
    assert window.controller.phase == Phase.RUNNING


def test_the_brush_is_off_in_the_lab(opened, qtbot):
    window, brush = opened, opened.actions_["brush"]
    window.workspaces.show(LAB)
    brush.setEnabled(True)
    assert not brush.isEnabled()
    window.workspaces.show(SIMULATE)
    assert brush.isEnabled()
