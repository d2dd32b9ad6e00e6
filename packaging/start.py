"""What the bundle starts: ``workbench``, with processes of its own where Numba or a sweep wants them."""

import multiprocessing
import sys

from workbench.cli import main

if __name__ == "__main__":
    multiprocessing.freeze_support()
    sys.exit(main())
