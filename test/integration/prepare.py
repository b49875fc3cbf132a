"""Makes the stores with which the planes of most tests begin, once for all of them: `prepare.py DIRECTORY`."""

import sys
from pathlib import Path

from support import prepare_stores

if __name__ == "__main__":
    prepare_stores(Path(sys.argv[1]))
