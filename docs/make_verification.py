"""Writes docs/verification.md, how right each engine is, of the records in docs/verification.

python docs/make_verification.py [VERIFY.JSON …]    takes these records over and writes the page
python docs/make_verification.py --check            exit code 1 where the page is out of date

The records are what ``workbench verify --out DIR`` wrote; no figure of the page comes from anywhere else.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from workbench.verify.page import page  # noqa: E402  # found from wherever this is called
from workbench.verify.record import VerificationRecord, from_json  # noqa: E402

PAGE, RECORDS = ROOT / "docs" / "verification.md", ROOT / "docs" / "verification"
HEAD = """# How right is it

Cases whose answer is known from elsewhere: a formula, a published table, another program. Each is solved as a user
would solve it and read beside that answer; the error is ours less the expected one, and a figure is right where it is
within the tolerance. To check an installation, or another device:

    ./workbench.sh verify                          # all engines; two minutes on two cores, once compiled
    ./workbench.sh verify stencil --device cuda:0 --out checked

`python docs/make_verification.py checked/verify.json` makes this page of such records.
"""


def records() -> list[VerificationRecord]:
    """What stands in the folder of records."""
    return [from_json(path.read_text("utf-8"), str(path)) for path in sorted(RECORDS.glob("*.json"))]


def text() -> str:
    """The page of today's records."""
    return f"{HEAD}\n{page(records())}"


def take_over(path: Path) -> None:
    """Keep a record in the place of the one of the same device and engines."""
    content = path.read_text("utf-8")
    record = from_json(content, str(path))
    RECORDS.mkdir(exist_ok=True)
    about = (record.device_name, *dict.fromkeys(outcome.engine for outcome in record.outcomes))
    name = re.sub(r"[^a-z0-9]+", "-", " ".join(about).lower()).strip("-")
    (RECORDS / f"{name}.json").write_text(content, encoding="utf-8")


def main(arguments: list[str]) -> int:
    if arguments == ["--check"]:
        return int(not PAGE.is_file() or text() != PAGE.read_text(encoding="utf-8"))
    for argument in arguments:
        take_over(Path(argument))
    PAGE.write_text(text(), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
