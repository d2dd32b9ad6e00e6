"""All of them."""

from tests.ui.journeys import own, results, sessions

JOURNEYS = (*sessions.JOURNEYS, *results.JOURNEYS, *own.JOURNEYS)
