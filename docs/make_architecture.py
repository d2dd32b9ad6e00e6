"""Draws the rooms of the house from the first sentence of each folder: writes the drawing into docs/architecture.md.

python docs/make_architecture.py            writes it
python docs/make_architecture.py --check    exit code 1 where it is out of date
"""

from __future__ import annotations

import ast
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "architecture.md"
BEGIN, END = "<!-- rooms: made by docs/make_architecture.py -->", "<!-- end of rooms -->"
PACKAGES = ("engines", "workbench", "ui")
COLUMN = 30


def first_sentence(folder: Path) -> str:
    """Of the docstring of the folder's ``__init__``, on one line."""
    text = ast.get_docstring(ast.parse((folder / "__init__.py").read_text(encoding="utf-8"))) or ""
    return " ".join(text.split("\n\n")[0].split())


def rooms(folder: Path) -> list[Path]:
    """The packages in a folder, those of the contract and the devices first."""
    inside = [path for path in folder.iterdir() if (path / "__init__.py").is_file()]
    order = ["api", "backend", "formulas", "geometry"]
    return sorted(inside, key=lambda path: (order.index(path.name) if path.name in order else len(order), path.name))


def lines_of(folder: Path, depth: int) -> list[str]:
    """A line for the folder and for each room in it."""
    name = "    " * depth + folder.name + "/"
    found = [f"{name:<{COLUMN}} {first_sentence(folder)}"]
    for room in rooms(folder):
        found += lines_of(room, depth + 1)
    return found


def drawing() -> str:
    """The rooms of all packages."""
    parts = ["\n".join(lines_of(ROOT / package, 0)) for package in PACKAGES]
    return "\n\n".join(f"```text\n{part}\n```" for part in parts)


def page() -> str:
    """The page with today's rooms."""
    before, _, rest = PAGE.read_text(encoding="utf-8").partition(BEGIN)
    _, _, after = rest.partition(END)
    return f"{before}{BEGIN}\n\n{drawing()}\n\n{END}{after}"


def main(arguments: list[str]) -> int:
    new = page()
    if arguments == ["--check"]:
        return int(new != PAGE.read_text(encoding="utf-8"))
    PAGE.write_text(new, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
