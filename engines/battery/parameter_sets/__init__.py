"""Published cells: a module per paper, every number with its source."""

from engines.battery.parameter_sets.chen2020 import CHEN2020
from engines.battery.parameter_sets.marquis2019 import MARQUIS2019
from engines.battery.parameter_sets.model import SCALARS, ParameterSet, Sourced
from engines.battery.parameter_sets.okane2022 import OKANE2022
from engines.battery.parameter_sets.prada2013 import PRADA2013

PARAMETER_SETS = {each.id: each for each in (CHEN2020, MARQUIS2019, PRADA2013, OKANE2022)}

__all__ = ["PARAMETER_SETS", "SCALARS", "ParameterSet", "Sourced"]
