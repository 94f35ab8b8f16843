"""The program ``ssdlab``: the command line inside the extension."""

from __future__ import annotations

import signal
import sys
from pathlib import Path

from . import _native


def main() -> None:
    """Run the command line with the arguments of this process, and exit."""
    # the program handles Ctrl-C itself
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    sys.exit(_native.command(["ssdlab", *sys.argv[1:]], Path(__file__).parent))
