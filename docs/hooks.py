"""What mkdocs calls while it builds the manual: pages that the program writes, and pages that stand elsewhere."""

from __future__ import annotations

import posixpath
import re
import sys
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "docs")]

from equations import with_equations  # noqa: E402  # found from wherever mkdocs is called
from reference import commands_page, parameters_page  # noqa: E402

from engines.api import registry  # noqa: E402

LINK = re.compile(r"(!?)\[([^\]]*)\]\(([^)\s]+)\)")
ROLE = re.compile(r":(?:func|meth|class|mod|attr|data):(?=<code>)")
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


def on_files(files: Files, config: Any) -> Files:
    """Adds the pages that no folder holds."""
    taken = dict(TAKEN)
    for name, engine in registry.engines().items():
        files.append(File.generated(config, f"reference/parameters/{name}.md", content=parameters_page(engine)))
    for readme in sorted((ROOT / "engines").glob("*/**/README.md")):
        source = readme.relative_to(ROOT)
        taken[str(source)] = f"theory/{'-'.join(source.parts[1:-1])}.md"
    for source, place in taken.items():
        text = (ROOT / source).read_text("utf-8")
        files.append(File.generated(config, place, content=_deeper(_relinked(text, source, place, taken))))
    files.append(File.generated(config, "reference/commands.md", content=commands_page()))
    for picture in sorted((ROOT / "assets" / "pictures").glob("*.png")):
        files.append(File.generated(config, f"pictures/{picture.name}", abs_src_path=str(picture)))
    return files


def on_page_content(html: str, page: Page, **_: Any) -> str:
    """Names in docstrings stand in code, without the roles that other tools know; equations of READMEs are drawn."""
    html = ROLE.sub("", html)
    return with_equations(html) if page.file.src_uri.startswith("theory/") else html


def _deeper(text: str) -> str:
    """Equations in lists stand four deeper than GitHub asks, as this Markdown wants them."""
    return re.sub(r"(?m)(?<=\n\n) {6}(?=\S)", " " * 8, text)


def _relinked(text: str, source: str, place: str, taken: dict[str, str]) -> str:
    """Links lead to where pages are in the manual; what is not in it keeps its words, with the file's name."""

    def moved(found: re.Match[str]) -> str:
        mark, words, target = found.groups()
        if "://" in target or target.startswith("#"):
            return found[0]
        path, _, part = target.partition("#")
        file = posixpath.normpath(posixpath.join(posixpath.dirname(source), path))
        if (ROOT / file).is_dir() and f"{file}/README.md" in taken:
            file = f"{file}/README.md"
        if file in taken:
            page = posixpath.relpath(taken[file], posixpath.dirname(place))
            return f"[{words}]({page}{'#' + part if part else ''})"
        if file.startswith("assets/pictures/"):
            picture = posixpath.relpath(file.replace("assets/", ""), posixpath.dirname(place))
            return f"{mark}[{words}]({picture})"
        return f"{words} (`{file}`)" if words.strip("`") != file else f"`{file}`"

    return LINK.sub(moved, text)
