"""Writes what follows from the engine, with maturin and the package installed (``pip install -e .``).

- ``ssdlab/_keys.py``: the keys of a configuration as keywords;
- ``ssdlab/_native.pyi``: the types of the native part, as maturin reads them in the library.

``python python/generate.py`` writes them; with ``--check`` it writes nothing and fails if one of them is not current. With
``--keys``, only the keys, without maturin.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

from ssdlab import _native

PACKAGE = Path(__file__).parent / "ssdlab"
STUB = PACKAGE / "_native.pyi"
KEYS = PACKAGE / "_keys.py"

TYPES = {
    "bool": "bool",
    "int": "int",
    "size": "int | str",
    "float": "float",
    "str": "str",
    "switch": "str | bool",
    "list": "list[int] | list[str] | str",
}

POLICIES = {
    "buffer.policy": "BufferPolicy",
    "read_buffer.policy": "BufferPolicy",
    "ftl.cleaning": "CleaningPolicy",
    "ftl.placement": "PlacementPolicy",
}

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
    """The text of ``_keys.py``."""
    text = HEAD
    for path, about, kind, allowed, default in _native.keys():
        # an argument of its own
        if path == "preset":
            continue
        of_default = "" if default is None else f" Default: {default}."
        doc = " ".join(f"{about}; {allowed}.{of_default}".split())
        doc = doc.replace("\\", "\\\\").replace('"', '\\"')
        of_key = TYPES[kind] + (f" | type[{POLICIES[path]}]" if path in POLICIES else "")
        text += f'    {path.replace(".", "_")}: {of_key}\n    """``{path}``: {doc}"""\n'
    return text


def stub() -> str:
    """The text of ``_native.pyi``. maturin makes none where there is one, so it is away meanwhile."""
    before = STUB.read_bytes() if STUB.exists() else None
    STUB.unlink(missing_ok=True)
    try:
        with tempfile.TemporaryDirectory() as folder:
            # of the build that develops, which is there already
            build = ["maturin", "build", "--quiet", "--profile=dev", "--generate-stubs", "--out", folder]
            subprocess.run([sys.executable, "-m", *build], check=True)
            [wheel] = Path(folder).glob("*.whl")
            return zipfile.ZipFile(wheel).read("ssdlab/_native.pyi").decode()
    finally:
        if before is not None:
            STUB.write_bytes(before)


def main() -> None:
    """Write the files, or check them."""
    stale = []
    files = {KEYS: keys} if "--keys" in sys.argv[1:] else {KEYS: keys, STUB: stub}
    for file, made in files.items():
        text = made()
        if file.exists() and file.read_text() == text:
            continue
        stale.append(file.name)
        if "--check" not in sys.argv[1:]:
            file.write_text(text)
    if stale and "--check" in sys.argv[1:]:
        sys.exit(f"not current: {', '.join(stale)}; run: python python/generate.py")


if __name__ == "__main__":
    main()
