"""What mkdocs calls while it builds the manual: pages that the program writes, and pages that stand elsewhere."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any

from mkdocs.exceptions import PluginError
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "docs")]

from equations import with_equations  # noqa: E402  # found from wherever mkdocs is called
from make_figures import stale  # noqa: E402

from engines.api import registry  # noqa: E402
from ui.window.help.manual.pages import COMMANDS, PARAMETERS, relinked, taken, text_of  # noqa: E402

ROLE = re.compile(r":(?:func|meth|class|mod|attr|data):(?=<code>)")


def on_pre_build(config: Any) -> None:
    """A figure that its example would draw otherwise is no figure."""
    if told := stale():
        raise PluginError("\n".join(told))


def on_files(files: Files, config: Any) -> Files:
    """Adds the pages that no folder holds."""
    for name in registry.engines():
        files.append(File.generated(config, f"{PARAMETERS}{name}.md", content=text_of(f"{PARAMETERS}{name}.md")))
    for source, place in taken().items():
        text = relinked((ROOT / source).read_text("utf-8"), source, place, taken())
        files.append(File.generated(config, place, content=_deeper(text)))
    files.append(File.generated(config, COMMANDS, content=text_of(COMMANDS)))
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
