"""The pages of the manual, from their files or made of what the program says of itself; ``docs/`` builds the same ones.

A page is known by its place, such as ``theory/battery.md``; links and pictures stand relative to it.
"""

from __future__ import annotations

import importlib
import inspect
import posixpath
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path

from engines.api import registry
from engines.api.errors import ProblemError
from ui.window.help.manual.reference import commands_page, parameters_page

TAKEN: dict[str, str] = {
    "docs/window.md": "window.md",
    "docs/command_line.md": "command_line.md",
    "docs/capabilities.md": "capabilities.md",
    "docs/python.md": "howto/python.md",
    "docs/verification.md": "reference/verification.md",
    "docs/architecture.md": "contribute/architecture.md",
    "CONTRIBUTING.md": "contribute/index.md",
    "CHANGELOG.md": "contribute/changes.md",
    "engines/README.md": "contribute/engine.md",
}
"""Files of the repository that are pages of the manual as they are, by their place in it; READMEs of engines beside."""
PARAMETERS = "reference/parameters/"
COMMANDS = "reference/commands.md"
LINK = re.compile(r"(!?)\[([^\]]*)\]\(([^)\s]+)\)")
SNIPPET = re.compile(r'--8<-- "([^"]+)"')
FENCE = re.compile(r"^``` \{\.(\w+)\}", re.MULTILINE)
OBJECT = re.compile(r"^::: ([\w.]+)\n(?: +\S.*\n?)*", re.MULTILINE)
ENTRY = re.compile(r"^( +)- ([^:]+):(?: (\S+\.md))?$", re.MULTILINE)
ROLE = re.compile(r":(?:func|meth|class|mod|attr|data):(?=`)")


@dataclass(frozen=True)
class Page:
    """``section``: the headings that it stands below, from the outermost."""

    place: str
    title: str
    section: tuple[str, ...]


@cache
def root() -> Path:
    """The folder that names of files are relative to: the repository's, or what an installed copy has of it."""
    packed = Path(str(files("assets") / "manual"))
    return packed if packed.is_dir() else Path(str(files("assets"))).parent


@cache
def taken() -> dict[str, str]:
    """:data:`TAKEN` with the READMEs of engines: places by names of files."""
    base = _engines()
    readmes = {
        f"engines/{path.relative_to(base).as_posix()}": f"theory/{'-'.join(path.relative_to(base).parts[:-1])}.md"
        for path in sorted(base.glob("*/**/README.md"))
    }
    return TAKEN | readmes


@cache
def contents() -> tuple[Page, ...]:
    """In the order of the navigation. Raises ProblemError where an installation has no manual."""
    found: list[Page] = []
    above: dict[int, str] = {}
    for indent, title, place in ENTRY.findall(_read("docs/mkdocs.yml").partition("\nnav:\n")[2]):
        above = {depth: name for depth, name in above.items() if depth < len(indent)}
        if place:
            found.append(Page(place, title, tuple(above.values())))
        else:
            above[len(indent)] = title
    return tuple(found)


@cache
def text_of(place: str) -> str:
    """Markdown without what only the builder of ``docs/`` knows. Raises ProblemError where there is no such page."""
    if place.startswith(PARAMETERS):
        return parameters_page(registry.engine(posixpath.basename(place).removesuffix(".md")))
    if place == COMMANDS:
        return commands_page()
    sources = {page: source for source, page in taken().items()}
    if place in sources:
        return relinked(_read(sources[place]), sources[place], place, taken())
    text = SNIPPET.sub(lambda found: _snippet(found[1]), _read(f"docs/manual/{place}"))
    return OBJECT.sub(lambda found: _documented(found[1]), FENCE.sub(r"```\1", text))


def picture(place: str) -> bytes:
    """Of a picture beside the pages; nothing where there is none."""
    path = Path(str(files("assets"))) / place if place.startswith("pictures/") else root() / "docs" / "manual" / place
    try:
        return path.read_bytes()
    except OSError:
        return b""


def found_in(words: str) -> Iterator[tuple[Page, str]]:
    """Pages that have all ``words``, with the line where the first stands; those that have them in the title first."""
    wanted = words.lower().split()
    hits = []
    for page in contents() if wanted else ():
        text = f"{page.title}\n{text_of(page.place)}"
        lower = text.lower()
        if all(word in lower for word in wanted):
            line = next(line for line in text.splitlines() if wanted[0] in line.lower())
            hits.append((wanted[0] not in page.title.lower(), page, line.strip("#|*` ")))
    yield from ((page, line) for _, page, line in sorted(hits, key=lambda hit: hit[0]))


def relinked(text: str, source: str, place: str, taken: dict[str, str]) -> str:
    """Links lead to where pages are in the manual; what is not in it keeps its words, with the file's name."""

    def moved(found: re.Match[str]) -> str:
        mark, words, target = found.groups()
        if "://" in target or target.startswith("#"):
            return found[0]
        path, _, part = target.partition("#")
        file = posixpath.normpath(posixpath.join(posixpath.dirname(source), path))
        file = f"{file}/README.md" if f"{file}/README.md" in taken else file
        if file in taken:
            page = posixpath.relpath(taken[file], posixpath.dirname(place))
            return f"[{words}]({page}{'#' + part if part else ''})"
        if file.startswith("assets/pictures/"):
            return f"{mark}[{words}]({posixpath.relpath(file.removeprefix('assets/'), posixpath.dirname(place))})"
        if file.startswith("docs/manual/"):
            return f"[{words}]({posixpath.relpath(file.removeprefix('docs/manual/'), posixpath.dirname(place))})"
        return f"{words} (`{file}`)" if words.strip("`") != file else f"`{file}`"

    return LINK.sub(moved, text)


def _engines() -> Path:
    return Path(str(files("engines")))


def _read(name: str) -> str:
    path = _engines().parent / name if name.startswith("engines/") else root() / name
    try:
        return path.read_text("utf-8")
    except OSError as error:
        raise ProblemError(f"The manual's page '{name}' is not in this copy: {error.strerror or error}.") from error


def _snippet(name: str) -> str:
    try:
        return _read(name).rstrip()
    except ProblemError:
        return f"# {name}, in the repository"


def _documented(path: str) -> str:
    """What a public object of Python says of itself, with the members of a class."""
    module, _, name = path.rpartition(".")
    thing = getattr(importlib.import_module(module), name)
    lines = [f"### {name}", "", *_signed(name, thing)]
    for key, member in inspect.getmembers(thing) if inspect.isclass(thing) else ():
        if not key.startswith("_") and (isinstance(member, property) or inspect.isfunction(member)):
            lines += [f"#### {key}", "", *_signed(key, member)]
    return "\n".join(lines) + "\n"


def _signed(name: str, thing: object) -> list[str]:
    call = [f"`{name}{inspect.signature(thing)}`", ""] if inspect.isroutine(thing) else []
    return [*call, ROLE.sub("", inspect.getdoc(thing) or ""), ""]
