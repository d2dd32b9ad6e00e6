"""Every field of every engine and tool says what it means; every number has a unit, or says that it has none."""

from __future__ import annotations

import pytest

from engines.api import registry
from ui.forms.schema import FieldSpec, Kind, fields_of

ENGINES = registry.engines()
MODELS = {engine.id: engine.Parameters for engine in ENGINES.values()} | {
    f"{engine.id}, {tool.id}": tool.Parameters for engine in ENGINES.values() for tool in engine.tools()
}


def every(spec: FieldSpec, place: str):
    """The field and all that it holds."""
    yield place, spec
    models = [spec.model, *spec.variants.values(), *(() if spec.item is None else (spec.item.model,))]
    if spec.item is not None:
        models += spec.item.variants.values()
    for model in models:
        for child in () if model is None else fields_of(model):
            yield from every(child, f"{place}.{child.key}")


@pytest.mark.parametrize("model", MODELS)
def test_every_field_says_what_it_means(model):
    without = []
    for top in fields_of(MODELS[model]):
        for place, spec in every(top, top.key):
            own = spec.key and not spec.key.isdigit() and spec.kind is not Kind.GROUP
            if own and len(spec.help.split()) < 2 and not (spec.kind is Kind.CHOICE and len(spec.choices) == 1):
                without.append(f"{place}: {spec.help!r}")
            if "_" in spec.title:
                without.append(f"{place}: {spec.title!r} is no title")
    assert not without, "\n".join(without)
