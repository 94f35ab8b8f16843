"""The blocks of Python in the documents run in their order; the notebooks give what the gallery shows.

Planned bug that this catches: a document that uses a name or an argument that is gone.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
DOCUMENTS = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
BLOCK = re.compile(r"^```python\n(.*?)^```$", re.DOTALL | re.MULTILINE)


@pytest.mark.parametrize("document", [file for file in DOCUMENTS if BLOCK.search(file.read_text())], ids=lambda file: file.name)
def test_blocks_run(document: Path, tmp_path: Path) -> None:
    text = document.read_text()
    lines = [""] * len(text.splitlines())
    for block in BLOCK.finditer(text):
        first = text.count("\n", 0, block.start(1))
        for number, line in enumerate(block[1].splitlines()):
            lines[first + number] = line
    program = "\n".join(lines)
    # each line keeps its number in the document
    (tmp_path / document.name).write_text(program)
    for shared in ("traces", "examples"):
        (tmp_path / shared).symlink_to(ROOT / shared)
    ran = subprocess.run([sys.executable, document.name], cwd=tmp_path, capture_output=True, text=True, env={**os.environ})
    assert ran.returncode == 0, ran.stderr


def test_the_gallery_is_current() -> None:
    ran = subprocess.run([sys.executable, str(ROOT / "python/gallery.py"), "--check"], capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr[-2000:]
