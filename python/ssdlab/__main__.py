"""``python -m ssdlab``: the program ``ssdlab``."""

from ._command import main

main()
