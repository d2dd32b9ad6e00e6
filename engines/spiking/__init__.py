"""Spiking networks, and the event-driven product that they are made of."""

from engines.spiking.events.given import EventList
from engines.spiking.events.matrix import EventMatrix

__all__ = ["EventList", "EventMatrix"]
