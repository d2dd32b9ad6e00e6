"""A problem in a form."""

from __future__ import annotations

import pytest

from engines.cardiac.parameters import CardiacParameters, RegionSetting, Stimulus
from tests.ui.forms.holder import Holder


@pytest.fixture
def heart(qtbot):
    parameters = CardiacParameters(regions=[RegionSetting(region="left")], stimuli=[Stimulus()])
    return Holder(qtbot, CardiacParameters, parameters)
