"""Which kernels a problem is expected to ask for: those of the preset that it began as, all of which are there."""

import json
from functools import cache
from importlib import resources
from types import SimpleNamespace

import pytest

from engines.backend.compile import listed as listing
from engines.backend.compile.expecting import taken
from engines.backend.compile.kinds import kind_of
from engines.backend.compile.listed import Listed
from workbench.project.kernels.expected import most_like, traits
from workbench.project.presets import open_preset, presets

FILES = [file for file in resources.files("workbench.project.kernels").iterdir() if file.name.endswith(".json")]
MADE = {file.name.removesuffix(".json"): json.loads(file.read_text("utf-8")) for file in FILES}
PRESETS = {preset.id: preset for preset in presets()}


@pytest.mark.parametrize("engine", sorted(MADE))
def test_each_kernel_is_where_the_list_says(engine):
    made = MADE[engine]
    for module, name, key, function, kinds in made["kernels"]:
        kernel = Listed(module, name, key, function, ()).kernel()
        assert kernel.py_func.__qualname__ == function
        assert kernel.py_func.__code__.co_argcount == len(kinds)
    for kind in made["kinds"]:
        kind_of(kind)


def test_each_preset_has_a_list():
    listed = {name for made in MADE.values() for name in made["presets"]}
    assert listed == set(PRESETS), "run python docs/make_kernels.py"


@pytest.mark.parametrize(
    "name", ["heat_on_a_plate", "poisson_two_charges", "fdtd_sphere", "cuba_4000", "thousand_cells"]
)
def test_a_preset_has_its_own(name):
    document = open_preset(PRESETS[name])
    made = MADE[document.engine.id]
    asked = [made["kernels"][at][:4] for at in made["presets"][name]["kernels"]]
    assert [list(kernel[:4]) for kernel in most_like(made, document.parameters)] == asked
    assert {made["traits"][at] for at in made["presets"][name]["traits"]} == set(traits(document.parameters))
    expected = taken()
    assert expected is not None
    assert {kernel[:4] for kernel in expected()} == set(map(tuple, asked))
    assert taken() is None


def test_a_cached_function_of_another_module_is_not_tried_as_what_makes_a_kernel():
    """``roots(digest)`` of a module of batteries looked for as many roots without end."""
    function = SimpleNamespace(__module__="here", __closure__=[SimpleNamespace(cell_contents=7)])
    kernel, tried = SimpleNamespace(py_func=function), []

    @cache
    def other(number):
        tried.append(number)

    assert not list(listing._places(kernel, {"other": other}))
    assert not tried
    other.__module__ = "here"
    assert not list(listing._places(kernel, {"other": other}))
    assert tried == [7], "one of its own is"
