"""Writes ``rows.cuh``."""

from engines.peridynamics.contact import rows

rows.HEADER.write_text(rows.text(), encoding="utf-8")
