"""Live parameters that were set during a run: they stay as they are when it goes back to an earlier state."""

from __future__ import annotations

from typing import Any

from engines.api import Simulation
from engines.api.errors import NotLiveError, ProblemError
from engines.api.simulation.contract import FOR_THE_AUTHOR


class RefusedChange(ProblemError):
    """A live parameter that this run cannot take: a run that begins anew with it can, so that whoever asked decides."""


class Controls:
    """Belongs to a runner, and to its thread."""

    def __init__(self) -> None:
        self._values: dict[str, Any] = {}

    def change(self, simulation: Simulation, name: str, value: Any) -> None:
        """Set one. Raises RefusedChange where this run cannot take it, and ProblemError that names who can mend it
        where the simulation does not know it as live."""
        try:
            simulation.set_control(name, value)
        except NotLiveError as error:
            raise ProblemError(f"'{name}' is declared live and cannot change during a run. {FOR_THE_AUTHOR}") from error
        except ProblemError as error:
            raise RefusedChange(str(error), error.place, error.remedy) from error
        except (LookupError, AttributeError, TypeError, NotImplementedError) as error:
            told = f"{type(error).__name__}: {error}"
            raise ProblemError(
                f"'{name}' is declared live and set_control() fails ({told}). {FOR_THE_AUTHOR}"
            ) from error
        self._values.pop(name, None)  # the order counts: a group may come before or after one of its parts
        self._values[name] = value

    def set_again(self, simulation: Simulation) -> None:
        """A state holds the live parameters of its own moment; those that were set since stay."""
        for name, value in self._values.items():
            simulation.set_control(name, value)
