"""What each journey takes, as a table; with a folder, pictures of where each ends:

xvfb-run -a -s "-screen 0 1600x1000x24 -noreset +extension GLX" python -m tests.ui.journeys [FOLDER [WORD …]]
"""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path

_home = tempfile.TemporaryDirectory(prefix="workbench-journeys-")
for _name in ("XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME"):
    os.environ[_name] = os.path.join(_home.name, _name)

from tests.ui.journeys.all import JOURNEYS  # noqa: E402  # after the folders are said
from tests.ui.journeys.desk import walk  # noqa: E402
from ui.app import create_application  # noqa: E402


def main(pictures: Path | None, words: list[str]) -> None:
    application = create_application([])
    print("| Journey | clicks | entries | seconds | of processors |\n|---|---|---|---|---|", flush=True)
    for place, journey in enumerate(JOURNEYS):
        if words and not all(word in journey.title for word in words):
            continue
        folder = Path(_home.name) / str(place)
        folder.mkdir()
        if pictures is not None:
            pictures.mkdir(parents=True, exist_ok=True)
        taken = walk(journey, application, folder, None if pictures is None else pictures / f"{place:02}.png")
        figures = (taken.clicks, taken.entries, f"{taken.seconds:.1f}", f"{taken.cpu:.1f}")
        print(f"| {journey.title} | {' | '.join(map(str, figures))} |", flush=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else None, sys.argv[2:])
