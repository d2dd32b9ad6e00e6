"""The figures of the presets of typed equations (tests/engines/stencil/equations/test_figures.py), on a device."""

import pytest

from tests.engines.stencil.equations import test_figures

pytestmark = pytest.mark.gpu

FIGURES = [each for name, each in vars(test_figures).items() if name.startswith("test_")]


@pytest.mark.parametrize("figure", FIGURES, ids=lambda figure: figure.__name__[5:])
def test_figure(gpu, figure):
    assert len(FIGURES) >= 16
    figure(gpu)
