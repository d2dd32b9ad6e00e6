"""All of them."""

from tests.ui.journeys import sessions

JOURNEYS = sessions.JOURNEYS
