"""From the text of a Brian2 script to what it makes. Statements are looked at one after the other, as
:mod:`ast` has them; none is run. What is not understood is told by its line, and only where something needs it refused.
"""

from __future__ import annotations

import ast
import copy
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from engines.api.errors import ProblemError
from engines.formulas.typed.units import NONE, UNITS, unit
from engines.spiking.brian2 import arguments, connects
from engines.spiking.brian2.arrays import numbers_of
from engines.spiking.brian2.objects import Group, Input, Joint, Part, Script, Setting, Text, at_line
from engines.spiking.brian2.quantities import Quantity, WithoutModules, brief, evaluated

MAKING = ("NeuronGroup", "PoissonGroup", "Synapses", "PoissonInput")
WATCHING = ("SpikeMonitor", "StateMonitor", "PopulationRateMonitor", "EventMonitor", "SpikeRaster")
OTHERS = ("SpikeGeneratorGroup", "TimedArray", "SpatialNeuron", "Function", "Clock", "BinomialFunction")
"""Objects of Brian2 that have no like here."""
QUIET = ("start_scope", "set_device", "device", "collect", "Network", "magic_network", "defaultclock")
MOST_STATEMENTS = 5_000


class Unread:
    """A value that is not read, and why; that matters where something needs it."""

    def __init__(self, line: int, why: str) -> None:
        self.line, self.why = line, why


class Chosen:
    """A ``Network``: the objects that it names; None where they cannot be told."""

    def __init__(self, objects: list[Any] | None) -> None:
        self.objects = objects

    def add(self, objects: list[Any] | None) -> None:
        self.objects = None if self.objects is None or objects is None else [*self.objects, *objects]


class Walker:
    """Reads statements into ``script``. ``titles``: what comments before groups call these, by line."""

    def __init__(self, titles: Mapping[int, str]) -> None:
        self.script, self._titles = Script(), titles
        self._values: dict[str, Any] = {}
        self._ran = False
        self._aside: list[int] = []

    def read(self, statements: Sequence[ast.stmt]) -> Script:
        """Raises ProblemError with the line."""
        if sum(1 for each in statements for _ in ast.walk(each)) > 60 * MOST_STATEMENTS:
            raise ProblemError(
                "The file has more statements than a script of a network: take out what is no part of it."
            )
        self._all(statements)
        if not self._ran:
            self._names_hold()
        if self._aside:
            shown = ", ".join(map(str, self._aside[:12])) + (" …" if len(self._aside) > 12 else "")
            lines = f"Line{'s' if len(self._aside) > 1 else ''} {shown}"
            self.script.tell(0, f"{lines}: what draws, prints or computes besides is left out", False)
        return self.script

    def _all(self, statements: Sequence[ast.stmt]) -> None:
        for each in statements:
            try:
                self._statement(each)
            except ProblemError as error:
                raise at_line(each.lineno, error) from None

    def _statement(self, node: ast.stmt) -> None:
        if isinstance(node, ast.Import | ast.ImportFrom | ast.Pass):
            return
        if isinstance(node, ast.Assign):
            for target in node.targets:
                self._assign(target, node.value, node.lineno)
        elif isinstance(node, ast.AnnAssign) and node.value is not None:
            self._assign(node.target, node.value, node.lineno)
        elif isinstance(node, ast.AugAssign):
            self._change(node)
        elif isinstance(node, ast.Expr):
            self._expression(node.value)
        elif isinstance(node, ast.If) and "__main__" in ast.unparse(node.test):
            self._all(node.body)
        else:
            self._left_out(node)

    # --- what has a name ---------------------------------------------------------------------------------------------

    def _assign(self, target: ast.expr, value: ast.expr, line: int) -> None:
        if isinstance(target, ast.Tuple | ast.List):
            values = value.elts if isinstance(value, ast.Tuple | ast.List) else []
            for k, each in enumerate(target.elts):
                alone = len(values) == len(target.elts)
                self._assign(each, values[k] if alone else ast.Tuple([], ast.Load()), line)
        elif isinstance(target, ast.Name):
            self._name(target.id, value, line)
        elif isinstance(target, ast.Subscript) and isinstance(target.slice, ast.Slice) and not any(
            (target.slice.lower, target.slice.upper, target.slice.step)
        ):  # fmt: skip
            self._assign(target.value, value, line)
        elif isinstance(target, ast.Attribute):
            self._set(target, value, line)
        elif self._touches(target):
            self.script.tell(line, f": '{brief(target)}' sets some of them: it is left out")
        else:
            self._aside.append(line)

    def _name(self, name: str, value: ast.expr, line: int) -> None:
        if name in UNITS:
            self.script.tell(line, f": '{name}' is a unit here, and stays one")
            return
        try:
            found = self.value(value, name)
        except ProblemError as error:
            found = Unread(line, str(error))
            if self._has(value, (*MAKING, *OTHERS)):
                if self._has(value, MAKING[:2]):
                    raise
                self.script.tell(line, f": {error}")
        self._values[name] = found
        if isinstance(found, Part) and not isinstance(value, ast.Name):
            self.script.parts[name] = found

    def _set(self, target: ast.Attribute, value: ast.expr, line: int) -> None:
        whole = ast.unparse(target)
        if whole.split(".")[-2:] == ["defaultclock", "dt"]:
            self.script.step = self._time(value)
            return
        owner: Any = target.value
        late = isinstance(owner, ast.Attribute) and owner.attr == "post" and target.attr == "delay"
        if isinstance(owner, ast.Attribute) and (late or owner.attr == "pre"):
            owner = owner.value
        held = self._values.get(owner.id) if isinstance(owner, ast.Name) else None
        if not isinstance(held, Group | Joint | Part):
            if not whole.startswith(("prefs.", "BrianLogger.")):
                self._aside.append(line)
            return
        if self._ran:
            moved = self._instead(held.group if isinstance(held, Part) else held, target.attr, value)
            self.script.tell(line, f": {whole} is set after the first run, and left out: {moved}")
            return
        if isinstance(held, Part):
            whole_group = (held.first, held.stop) == (0, held.group.number)
            if not whole_group:
                self.script.tell(line, f": '{whole}' sets a part of a group: it is left out")
                return
            held = held.group
        try:
            if isinstance(held, Joint) and late:
                held.post_delay = connects.mean_delay_of(self, value, line)
            elif isinstance(held, Joint):
                delay = target.attr == "delay"
                found = connects.delay_of(self, value) if delay else numbers_of(self, value)
                held.set(line, target.attr, arguments.formula_of(self, value) if found is None else found)
            else:
                held.settings.append(Setting(line, target.attr, arguments.formula_of(self, value)))
        except ProblemError as error:
            self.script.tell(line, f": {whole} is not set: {error}")

    def _instead(self, held: Group | Joint, name: str, value: ast.expr) -> str:
        """What to write where something is set between two runs, which here are one."""
        if isinstance(held, Group) and held.rate is not None:
            return "pause the run there and change it in the form"
        if isinstance(held, Joint) or re.search(rf"\bd{name}\s*/\s*dt\b", held.model):
            return "set it above run, or make what changes it a part of the equations"
        switched = f"{name} = ({brief(value)})*int(t >= {self.script.until or 0.0:g}*ms)"
        return f"have it switch in the equations, as {switched}, or pause the run there and change it in the form"

    def _change(self, node: ast.AugAssign) -> None:
        if not isinstance(node.target, ast.Name):
            if self._touches(node.target):
                self.script.tell(node.lineno, f": '{brief(node)}' is left out: write it as a formula")
            else:
                self._aside.append(node.lineno)
            return
        read = ast.copy_location(ast.Name(node.target.id, ast.Load()), node.target)
        whole = ast.copy_location(ast.BinOp(read, node.op, node.value), node)
        self._name(node.target.id, whole, node.lineno)

    # --- what is called ----------------------------------------------------------------------------------------------

    def _expression(self, node: ast.expr) -> None:
        if isinstance(node, ast.Constant):
            return  # a text about the script
        if not isinstance(node, ast.Call):
            self._aside.append(node.lineno)
            return
        called = _called(node)
        held = self._owner(node)
        if called == "run" and not isinstance(held, Group | Joint | Part):
            self._run(node)
        elif called == "seed" and node.args:
            self.script.seed = max(0, min(2**31 - 1, int(self.number(node.args[0]))))
        elif called == "connect" and isinstance(held, Joint):
            try:
                held.connects.append(connects.connect_of(self, held, node))
            except ProblemError as error:
                self.script.tell(node.lineno, f": {held.name} is not connected so: {error}")
        elif called == "run_regularly" and isinstance(held, Group):
            held.regular.append((node.lineno, self.text(node.args[0]) if node.args else ""))
        elif called in MAKING:
            self.value(node)
        elif called == "add" and isinstance(held, Chosen):
            held.add(self._named(node))
        elif called in QUIET or called in WATCHING or called == "add":
            return
        elif isinstance(held, Group | Joint | Part) or called in (*OTHERS, "network_operation", "restore"):
            self.script.tell(node.lineno, f": {called} is not carried out")
        else:
            self._aside.append(node.lineno)

    def _named(self, node: ast.Call) -> list[Any] | None:
        """What the arguments of a ``Network`` name; None where that is not plain."""
        if not node.args or not all(isinstance(each, ast.Name) for each in node.args):
            return None
        return [self._values.get(each.id) for each in node.args if isinstance(each, ast.Name)]

    def _run(self, node: ast.Call) -> None:
        held, first = self._owner(node), not self._ran
        self._names_hold()
        if isinstance(held, Chosen) and held.objects is not None:
            made: list[Group | Joint] = [*self.script.groups, *self.script.joints]
            others = [each for each in made if each not in held.objects]
            if others:
                names = ", ".join(each.name for each in others)
                self.script.tell(node.lineno, f": {names} is no part of what is run there, and is here: take it out")
        for each in node.keywords:
            if each.arg == "namespace" and first:
                given = self.value(each.value)
                self.script.names = {name: one for name, one in dict(given or {}).items() if isinstance(one, Quantity)}
        if node.args:
            self.script.until = (self.script.until or 0.0) + self._time(node.args[0])

    def _names_hold(self) -> None:
        """Formulas take names as they are when the run begins."""
        if not self._ran:
            self._ran = True
            self.script.names = {name: each for name, each in self._values.items() if isinstance(each, Quantity)}

    def _left_out(self, node: ast.stmt) -> None:
        what = {
            ast.For: "a loop",
            ast.While: "a loop",
            ast.If: "a choice",
            ast.Try: "a try",
            ast.FunctionDef: "a function",
        }.get(type(node), "such a statement")
        if not isinstance(node, ast.FunctionDef | ast.ClassDef):
            for each in ast.walk(node):  # whose values are not those of before any more
                if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store):
                    self._values[each.id] = Unread(node.lineno, f"{what} that sets it is not carried out")
        inside = [each for each in ast.walk(node) if isinstance(each, ast.Call)]
        works = any(_called(each) in (*MAKING, *OTHERS, "connect", "run", "set_states") for each in inside)
        writes = (
            each
            for each in ast.walk(node)
            if isinstance(each, ast.Attribute | ast.Subscript | ast.Name) and isinstance(each.ctx, ast.Store | ast.Del)
        )
        works = works or any(self._touches(each) for each in writes)
        if works or any("network_operation" in ast.unparse(each) for each in getattr(node, "decorator_list", [])):
            self.script.tell(node.lineno, f": {what} is not carried out: write out what it does")
        elif not isinstance(node, ast.FunctionDef | ast.ClassDef):
            self._aside.append(node.lineno)

    # --- values ------------------------------------------------------------------------------------------------------

    def value(self, node: ast.expr, name: str = "") -> Any:
        """A Quantity, Text, Group, Part, Joint, a mapping of these, or True, False, None. Raises ProblemError."""
        if isinstance(node, ast.Constant) and (node.value is None or isinstance(node.value, bool)):
            return node.value
        if isinstance(node, ast.Name) and node.id in self._values:
            found = self._values[node.id]
            if isinstance(found, Unread):
                raise ProblemError(f"'{node.id}' of line {found.line} is not known: {found.why}")
            return found
        if isinstance(node, ast.Call):
            called = _called(node)
            maker: Mapping[str, Callable[..., Any]] = {
                "NeuronGroup": arguments.neurons_of, "PoissonGroup": arguments.sources_of,
                "Synapses": arguments.synapses_of, "PoissonInput": arguments.input_of,
            }  # fmt: skip
            if called in maker:
                return self._made(maker[called](self, node, name or called))
            if called == "Network":
                return Chosen(self._named(node))
            if called in WATCHING or called == "MagicNetwork":
                return None
            if called in OTHERS:
                raise ProblemError(f"{called} has no like here: it is left out, with all that needs it.")
            if called == "dict":
                return {each.arg or "": self.value(each.value) for each in node.keywords}
        if isinstance(node, ast.Dict):
            keys = [self.text(key) if key is not None else "" for key in node.keys]
            return dict(zip(keys, map(self.value, node.values), strict=True))
        if isinstance(node, ast.Subscript):
            return connects.part_of(self, node)
        if self.is_text(node):
            return self.text(node)
        if any(isinstance(each, ast.List | ast.Tuple) for each in ast.walk(node)):
            found = numbers_of(self, node)
            if found is not None:
                return found
        return evaluated(self.plain(node), self.numbers)

    def _made(self, made: Group | Joint | Input) -> Group | Joint | Input:
        if isinstance(made, Group):
            made.title = self._titles.get(made.line, "")
            self.script.groups.append(made)
        elif isinstance(made, Joint):
            self.script.joints.append(made)
        else:
            self.script.inputs.append(made)
        return made

    def held(self, name: str) -> Any:
        """The value of a name, if it has one."""
        return self._values.get(name)

    @property
    def numbers(self) -> dict[str, Quantity]:
        return {name: each for name, each in self._values.items() if isinstance(each, Quantity)}

    def plain(self, node: ast.expr) -> ast.expr:
        """Without the names of modules."""
        found = WithoutModules(self._values).visit(copy.deepcopy(node))
        assert isinstance(found, ast.expr)
        for each in ast.walk(found):
            if isinstance(each, ast.Name) and isinstance(self._values.get(each.id), Unread):
                unread = self._values[each.id]
                raise ProblemError(f"'{each.id}' of line {unread.line} is not known: {unread.why}")
        return found

    def number(self, node: ast.expr) -> float:
        """A plain number."""
        found = self.value(node)
        if not isinstance(found, Quantity) or found.dimension != NONE:
            raise ProblemError(f"'{brief(node)}' is no plain number.")
        return found.value

    def _time(self, node: ast.expr) -> float:
        found = self.value(node)
        if not isinstance(found, Quantity) or found.dimension != unit("ms")[0] or found.value <= 0:
            raise ProblemError(f"'{brief(node)}' is no time above 0: write it as 100*ms.")
        return found.value

    def is_text(self, node: ast.expr) -> bool:
        if isinstance(node, ast.BinOp):
            return isinstance(node.op, ast.Add | ast.Mod) and self.is_text(node.left)
        if isinstance(node, ast.Call):
            return _called(node) in ("Equations", "dedent", "format", "join") or (
                isinstance(node.func, ast.Attribute) and self.is_text(node.func.value)
            )
        if isinstance(node, ast.Name):
            return isinstance(self._values.get(node.id), str)
        return isinstance(node, ast.JoinedStr) or (isinstance(node, ast.Constant) and isinstance(node.value, str))

    def text(self, node: ast.expr) -> Text:
        """A string, or strings one after the other. Raises ProblemError."""
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            return Text.at(node.value, node.lineno)
        if isinstance(node, ast.Name) and isinstance(self._values.get(node.id), Text):
            found = self._values[node.id]
            assert isinstance(found, Text)
            return found
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
            first, more = self.text(node.left), self.text(node.right)
            joint = "" if first.endswith("\n") or more.startswith("\n") or not _equations(first) else "\n"
            return Text.at(f"{first}{joint}{more}", first.line)
        if isinstance(node, ast.Call) and _called(node) in ("Equations", "dedent") and len(node.args) == 1:
            if node.keywords:
                raise ProblemError("Equations with names put in are not read: write them out.")
            return self.text(node.args[0])
        raise ProblemError(f"'{brief(node)}' is no string that can be read: write it out.")

    def _owner(self, node: ast.Call) -> Any:
        inner = node.func.value if isinstance(node.func, ast.Attribute) else None
        return self._values.get(inner.id) if isinstance(inner, ast.Name) else None

    def _touches(self, node: ast.AST) -> bool:
        """Whether an expression names something of the network."""
        names = (self._values.get(each.id) for each in ast.walk(node) if isinstance(each, ast.Name))
        return any(isinstance(each, Group | Joint | Part) for each in names)

    @staticmethod
    def _has(node: ast.expr, names: Sequence[str]) -> bool:
        return any(isinstance(each, ast.Call) and _called(each) in names for each in ast.walk(node))


def _equations(text: str) -> bool:
    """Whether a string has equations, whose lines end where it ends."""
    return ":" in text or "=" in text


def _called(node: ast.Call) -> str:
    return node.func.id if isinstance(node.func, ast.Name) else getattr(node.func, "attr", "")
