"""What the contract says to those who write an engine."""

from __future__ import annotations

import logging

import pytest

import engines.api
from engines.api.parameters import quantity
from engines.api.presets import presets_in


def test_a_preset_that_cannot_be_read_is_named_and_the_others_stay(tmp_path, caplog):
    for name, text in (("good", '{"title": "Good", "engine": "wave"}'), ("torn", '{"title": '), ("list", "[]")):
        (tmp_path / name).mkdir()
        (tmp_path / name / "project.json").write_text(text)
    with caplog.at_level(logging.WARNING):
        (found,) = presets_in(tmp_path)
    assert (found.id, found.title, found.engine) == ("good", "Good", "wave")
    assert [record.args[0] for record in caplog.records] == ["list", "torn"]


def test_a_bound_that_nobody_knows_is_refused():
    with pytest.raises(TypeError, match="min: none of the bounds"):
        quantity(1.0, "1", "A number", min=0)


def test_every_name_of_the_contract_is_there():
    for name in engines.api.__all__:
        assert getattr(engines.api, name) is not None
    with pytest.raises(AttributeError):
        engines.api.nothing  # noqa: B018
