"""Writes what follows from the engine: ``ssdlab/_keys.py``, the keys of a configuration as keywords.

Run it with the package installed: ``python python/generate.py``; with ``--check`` it writes nothing and fails if the file
is not current.
"""

from __future__ import annotations

import sys
from pathlib import Path

from ssdlab import _native

POLICIES = {
    "buffer.policy": "BufferPolicy",
    "read_buffer.policy": "BufferPolicy",
    "ftl.cleaning": "CleaningPolicy",
    "ftl.placement": "PlacementPolicy",
}
TYPES = {"bool": "bool", "int": "int", "size": "int | str", "float": "float", "str": "str", "list": "list[int] | list[str] | str"}
KEYS = Path(__file__).parent / "ssdlab" / "_keys.py"

HEAD = '''"""The keys of a configuration as keywords. Made by ``python/generate.py``."""

from __future__ import annotations

from typing import TypedDict

from .policies import BufferPolicy, CleaningPolicy, PlacementPolicy


class Keys(TypedDict, total=False):
    """Every key of a configuration, and the short names of some."""

    buffer: str | type[BufferPolicy]
    """The policy of the write buffer, and perhaps its size: ``lru:4MiB``."""
    capacity: int | str
    """``flash.capacity``; ``"auto"``: what the trace needs."""
    cleaning: str | type[CleaningPolicy]
    """``ftl.cleaning``."""
    ftl: str
    """``ftl.kind``."""
    over_provisioning: float
    """``ftl.over_provisioning``."""
    placement: str | type[PlacementPolicy]
    """``ftl.placement``."""
'''


def keys() -> str:
    """The text of the file."""
    text = HEAD
    for key in _native.keys():
        name = key["path"].replace(".", "_")
        default = "" if key["default"] is None else f" Default: {key['default']}."
        doc = " ".join(f"{key['doc']}; {key['allowed']}.{default}".split())
        doc = doc.replace("\\", "\\\\").replace('"', '\\"')
        kind = TYPES[key["kind"]]
        if key["path"] in POLICIES:
            kind += f" | type[{POLICIES[key['path']]}]"
        text += f'    {name}: {kind}\n    """``{key["path"]}``: {doc}"""\n'
    return text


def main() -> None:
    """Write the file, or check it."""
    made = keys()
    if "--check" not in sys.argv[1:]:
        KEYS.write_text(made)
    elif KEYS.read_text() != made:
        sys.exit(f"{KEYS.name} is not current; run: python python/generate.py")


if __name__ == "__main__":
    main()
