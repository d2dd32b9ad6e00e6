"""What an estimate tells of a problem on several ranks."""

from __future__ import annotations

from engines.api.charts import Fact


def memory_facts(memory: float, parts: int) -> tuple[Fact, ...]:
    """``memory`` [B] of all ``parts`` together, which have about as much each; nothing of one alone."""
    return (Fact(f"Memory on each of {parts} ranks", memory / parts / 1e9, "GB"),) if parts > 1 else ()
