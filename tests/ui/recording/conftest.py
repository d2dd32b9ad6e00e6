"""What tests of kept frames share."""

import pytest

from ui.recording.playback import Playback
from ui.recording.reel import Reel
from ui.widgets.background import Background


@pytest.fixture
def reel():
    reel = Reel(seconds=0.0)
    yield reel
    reel.clear()


@pytest.fixture
def playback(qtbot, reel):
    background = Background()
    yield Playback(background, None, reel)
    background.close()
