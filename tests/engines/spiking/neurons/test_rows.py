"""Rows of constants: one declaration of their names for both twins."""

import numpy as np
import pytest

from engines.spiking.events import kinds
from engines.spiking.lif import constants as lif
from engines.spiking.neurons.rows import HEADER, MODELS, OWN, RISING, Common, header, record, row


@pytest.mark.parametrize(("file", "text"), [(HEADER, header), (lif.HEADER, lif.text), (kinds.HEADER, kinds.text)])
def test_a_header_is_that_of_the_declared_names(file, text):
    """``python -m engines.spiking.neurons.rows``, ``….lif.constants`` and ``….events.kinds`` write them."""
    assert file.read_text(encoding="utf-8") == text()


def test_records_and_rows_have_the_same_places():
    common = Common(*np.arange(1.0, OWN + 1))
    for model in MODELS:
        own = model(*np.arange(101.0, 101 + len(model._fields)))
        assert OWN + len(own) <= RISING
        seen = row(common, own).astype(np.float32).view(record(model))[0]
        assert [seen[name] for name in Common._fields] == list(common)
        assert [seen[name] for name in model._fields] == list(own)
        assert seen["rising"] == 0
