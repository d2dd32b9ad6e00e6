"""What a Brian2 text makes: groups, parts of them, synapses, inputs, each with its line."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from engines.api import Array
from engines.api.errors import ProblemError
from engines.spiking.brian2.quantities import Numbers, Quantity


class Text(str):
    """A string of the file; ``line``: where it begins, from 1."""

    line: int = 0

    @classmethod
    def at(cls, text: str, line: int) -> Text:
        found = cls(text)
        found.line = line
        return found


@dataclass(frozen=True)
class Setting:
    """``G.v = 'formula'``"""

    line: int
    name: str
    formula: str


@dataclass(eq=False)
class Group:
    """Neurons; ``rate``: of sources that have no equations. own: names of a ``namespace=``; regular: what
    ``run_regularly`` does each step; title: what a comment calls it"""

    line: int
    name: str
    number: int
    model: Text = field(default_factory=Text)
    threshold: str = ""
    reset: str = ""
    refractory: str = ""
    method: str = ""
    own: Mapping[str, Quantity] = field(default_factory=dict)
    rate: Quantity | None = None
    settings: list[Setting] = field(default_factory=list)
    regular: list[tuple[int, str]] = field(default_factory=list)
    title: str = ""


@dataclass(frozen=True)
class Part:
    """Neurons first … stop − 1 of a group."""

    group: Group
    first: int
    stop: int


@dataclass(frozen=True, eq=False)
class Connect:
    """``rule``: probability, all to all, one to one, or pairs; pairs: (2, k) neurons of both groups, where these are
    listed"""

    line: int
    source: Part
    target: Part
    rule: Mapping[str, object]
    pairs: Array | None = None


@dataclass(eq=False)
class Joint:
    """Synapses. delay: a time, or the formula of each; values: by name, ``delay`` too, the line and what each synapse
    has, in the order of the pairs"""

    line: int
    name: str
    source: Part
    target: Part
    model: Text = field(default_factory=Text)
    on_pre: str = ""
    on_post: str = ""
    method: str = ""
    own: Mapping[str, Quantity] = field(default_factory=dict)
    delay: Quantity | Setting | None = None
    values: dict[str, tuple[int, Numbers]] = field(default_factory=dict)
    post_delay: Quantity | None = None
    connects: list[Connect] = field(default_factory=list)
    settings: list[Setting] = field(default_factory=list)

    def set(self, line: int, name: str, value: Numbers | Quantity | str) -> None:
        """What synapses have from this line on."""
        self.values.pop(name, None)
        if isinstance(value, Numbers):
            self.settings = [each for each in self.settings if each.name != name]
            self.values[name] = line, value
        elif name == "delay":
            self.delay = value if isinstance(value, Quantity) else Setting(line, name, value)
        else:
            self.settings.append(Setting(line, name, str(value)))


@dataclass(frozen=True)
class Input:
    """``PoissonInput``: that many sources of this rate, whose spikes add ``weight`` to a variable."""

    line: int
    target: Part
    variable: str
    rate: float
    weight: Quantity


@dataclass
class Script:
    """All of it. names: numbers as they are when it runs; until [ms]; told: what of it is left out; parts: names of
    subgroups"""

    groups: list[Group] = field(default_factory=list)
    joints: list[Joint] = field(default_factory=list)
    inputs: list[Input] = field(default_factory=list)
    parts: dict[str, Part] = field(default_factory=dict)
    names: dict[str, Quantity] = field(default_factory=dict)
    step: float = 0.1
    seed: int = 1
    until: float | None = None
    told: list[tuple[int, str, bool]] = field(default_factory=list)
    """(line, sentence that goes on after "Line n", whether the network is another one by it)"""

    def tell(self, line: int, sentence: str, matters: bool = True) -> None:
        if (line, sentence, matters) not in self.told:
            self.told.append((line, sentence, matters))


def at_line(line: int, error: ProblemError) -> ProblemError:
    """With the line of the file in front."""
    text = str(error)
    return ProblemError(f"Line {line}: {text}" if not text.startswith("Line ") else text)
