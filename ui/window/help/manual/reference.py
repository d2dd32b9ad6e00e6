"""The manual's reference pages, made of what the program says of itself: its forms' texts and its commands' help."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel

from engines.api import Engine
from engines.api.parameters import NAMED, units_of
from engines.explained import explained
from ui.forms.schema import FieldSpec, Kind, default_value, fields_of, plain
from workbench.cli.arguments import parser

DEEPEST = 6
"""Level of a heading below which Markdown has none."""


@dataclass(frozen=True)
class Group:
    """Fields that stand together: of a group, of an item of a list or of one kind of a choice."""

    path: str
    title: str
    level: int
    about: str
    model: type[BaseModel]


def parameters_page(engine: Engine) -> str:
    """Markdown: every parameter of an engine: path, default, unit or the parameter that holds it, bounds, help."""
    lines = [
        f"# Parameters: {engine.title}",
        "",
        "Names are those that `--set`, a sweep and Python take; `0` stands for the number of an item of a list. "
        "**Live** ones may change while a run goes on.",
        "",
    ]
    for group in _groups(Group("", "", 1, "", engine.Parameters)):
        if group.title:
            lines += [f"{'#' * min(group.level, DEEPEST)} {group.title}", ""]
        if group.about:
            lines += [group.about, ""]
        rows = [_row(spec, group) for spec in fields_of(group.model) if not _only_names_kind(spec)]
        told = [explained(group.model, spec.key) for spec in fields_of(group.model)]
        lines += [f"`{each.equation}` ({each.source})\n" for each in told[:1] if each.equation]
        if rows:
            lines += ["| Name | Default | Unit | Bounds | Meaning |", "|---|---|---|---|---|", *rows, ""]
    return "\n".join(lines)


def _groups(group: Group) -> Iterator[Group]:
    """The group and those in it, each before its own."""
    yield group
    for spec in fields_of(group.model):
        path = f"{group.path}{spec.key}"
        yield from _below(spec, path, group.level + 1)


def _below(spec: FieldSpec, path: str, level: int) -> Iterator[Group]:
    if spec.kind is Kind.GROUP and spec.model is not None:
        yield from _groups(Group(f"{path}.", spec.title, level, spec.help, spec.model))
    elif spec.kind is Kind.LIST and spec.item is not None:
        yield from _below(_named(spec.item, spec.title, spec.help), f"{path}.0", level)
    elif spec.kind is Kind.UNION:
        for tag, model in spec.variants.items():
            title = f"{spec.title}: {spec.labels.get(tag, tag)}"
            yield from _groups(Group(f"{path}.", title, level, spec.help, model))


def _named(item: FieldSpec, title: str, help: str) -> FieldSpec:
    """An item of a list, told of as the list is."""
    return FieldSpec(
        item.key, title, item.kind, help, model=item.model, variants=item.variants, labels=item.labels, item=item.item
    )


def _only_names_kind(spec: FieldSpec) -> bool:
    return spec.kind is Kind.CHOICE and len(spec.choices) == 1


def _row(spec: FieldSpec, group: Group) -> str:
    info = group.model.model_fields[spec.key]
    value = default_value(spec) if info.is_required() else plain(info.get_default(call_default_factory=True))
    default = "" if info.is_required() else _value(value, spec)
    typical = explained(group.model, spec.key).typical
    meaning = ". ".join(part for part in (spec.title, spec.help, f"Typical: {typical}" if typical else "") if part)
    if spec.kind is Kind.CHOICE:
        bounds = ", ".join(f"`{choice}`" for choice in spec.choices)
    elif spec.kind is Kind.UNION:
        bounds = ", ".join(f"`{tag}`" for tag in spec.variants)
    else:
        bounds = spec.bounds.sentence()
    live = " **Live**" if spec.live else ""
    unit = " or ".join(NAMED.sub(r"`\1`", text) for text in units_of(spec.unit))
    return f"| `{group.path}{spec.key}` | {default} | {unit} | {bounds} | {_cell(meaning)}{live} |"


def _value(value: Any, spec: FieldSpec) -> str:
    """A default as it is typed; a group's own fields have theirs in its table."""
    if isinstance(value, dict):
        return f"`{value[spec.discriminator]}`" if spec.discriminator in value else ""
    if isinstance(value, list) and (not value or isinstance(value[0], (dict, str))):
        return f"{len(value)} item{'s' * (len(value) > 1)}" if value else "none"
    if value is None or value == "":
        return "none"
    if isinstance(value, float):
        value = f"{value:g}"
    return f"`{value}`"


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("<", "&lt;").replace("\n", " ")


def commands_page() -> str:
    """Markdown: the commands with their arguments, as ``--help`` says them."""
    lines = ["# The command line", "", "`./workbench.sh COMMAND` where it was cloned, `workbench COMMAND` where it was"]
    lines += ["installed. Exit codes: 0 done, 1 a figure is wrong, 2 bad input, 3 the run failed.", ""]
    top = parser()
    commands = next(action for action in top._actions if isinstance(action, argparse._SubParsersAction))
    about = {action.dest: action.help for action in commands._choices_actions}
    for name, command in commands.choices.items():
        command.prog = f"workbench {name}"
        lines += [f"## {name}", "", _sentence(about.get(name) or ""), "", "| Argument | Meaning |", "|---|---|"]
        for action in command._actions:
            if action.help is argparse.SUPPRESS or isinstance(action, argparse._HelpAction):
                continue
            lines.append(f"| `{_written(action)}` | {_cell(action.help or '')} |")
        lines.append("")
    return "\n".join(lines)


def _written(action: argparse.Action) -> str:
    shown = action.metavar or (action.dest.upper() if action.nargs != 0 else "")
    value = " ".join(shown) if isinstance(shown, tuple) else str(shown)
    if not action.option_strings:
        return value or action.dest
    return ", ".join(action.option_strings) + (f" {value}" if action.nargs != 0 else "")


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:] + ("" if not text or text.endswith(".") else ".")
