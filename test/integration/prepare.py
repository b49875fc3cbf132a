"""Makes the store with which the globals of most tests begin, once for all of them: `prepare.py FILE`."""

import sys
from pathlib import Path

from support import prepare_store

if __name__ == "__main__":
    prepare_store(Path(sys.argv[1]))
