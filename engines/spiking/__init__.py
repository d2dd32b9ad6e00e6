"""Spiking networks, and the event-driven product that they are made of."""

from engines.spiking.events.matrix import EventMatrix
from engines.spiking.events.vectors import EventList

__all__ = ["EventList", "EventMatrix"]
