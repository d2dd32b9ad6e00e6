"""What a Brian2 text says of each synapse, its delay first, as connections and tables have it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from engines.api import Array
from engines.api.errors import ProblemError
from engines.spiking.brian2.equations import is_known, renamed, words
from engines.spiking.brian2.objects import Joint, Part, Script
from engines.spiking.brian2.quantities import Quantity
from engines.spiking.connectivity.delays import delay_from, read

ENDS = (("_pre", "i", "N_pre"), ("_post", "j", "N_post"))


def delay_of(script: Script, joint: Joint, ends: tuple[Part, Part]) -> dict[str, Any]:
    """Of synapses between these parts, where no table has it."""
    if isinstance(joint.delay, Quantity):
        late = joint.delay.value
        return {"kind": "constant", "delay": float(f"{late:.12g}")} if late >= script.step else {"kind": "none"}
    if joint.delay is None:
        return {"kind": "none"}
    try:
        text = _formula(script, joint, joint.delay.formula, ends)
        read(text, ())
    except ProblemError as error:
        script.tell(joint.delay.line, f": delays of {joint.name} are left out: {str(error).removesuffix('.')}")
        return {"kind": "none"}
    return delay_from(text, script.step).model_dump()


def _formula(script: Script, joint: Joint, text: str, ends: tuple[Part, Part]) -> str:
    """With the script's numbers in it, and variables of neurons as formulas of their numbers. Raises ProblemError."""
    known, names = {**script.names, **joint.own}, {}
    for word in words(text):
        if word in known:
            names[word] = f"({known[word].text})"
    for (suffix, number, count), whole, part in zip(ENDS, (joint.source, joint.target), ends, strict=True):
        if part.first != whole.first:
            names[number] = f"({number} + {part.first - whole.first})"
        if part != whole:
            names[count] = str(whole.stop - whole.first)
        for word in words(text):
            if word.endswith(suffix) and not is_known(word) and word not in ENDS[0] + ENDS[1]:
                own = _of_neurons(script, word, whole, suffix)
                names[word] = f"({renamed(own, {'i': f'({number} + {part.first})', 'N': str(whole.group.number)})})"
    return renamed(text, names)


def _of_neurons(script: Script, word: str, part: Part, suffix: str) -> str:
    """The formula of ``i`` and ``N`` that a variable of neurons begins with. Raises ProblemError."""
    name, known = word.removesuffix(suffix), {**script.names, **part.group.own}
    found = [each.formula for each in part.group.settings if each.name == name]
    if not found or {"rand", "randn"} & set(words(found[-1])):
        raise ProblemError(f"they hang on '{word}', which is no formula of the neuron's number")
    return renamed(found[-1], {each: f"({known[each].text})" for each in words(found[-1]) if each in known})


def columns_of(script: Script, joint: Joint, weight: str, sign: float, number: int) -> Mapping[str, Array]:
    """(number,) values of each synapse by columns of a table. weight: the variable that begins at what connections
    draw; sign: of what its values count as, or 0"""
    columns = {}
    for name, (line, numbers) in joint.values.items():
        values = numbers.values
        if len(values) == 1:
            values = np.repeat(values, number)
        if len(values) != number:
            script.tell(line, f": {joint.name}.{name} has {len(values):,} values for {number:,} synapses: left out")
        elif name == "delay":
            columns["delay"] = np.rint(values / script.step) * script.step
        elif name == weight:
            columns["weight"] = sign * np.abs(values) if sign else values
        else:
            script.tell(line, f": values of {name} of each synapse are left out: one variable may have some")
    return columns
