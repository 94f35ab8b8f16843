"""Runs the notebooks and writes them with their results into ``docs/gallery``.

``python python/gallery.py`` writes the pages; with ``--check`` it writes nothing and fails if one of them is not current.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any

import jupytext
import nbformat
from nbclient import NotebookClient

ROOT = Path(__file__).parents[1]
NOTEBOOKS = ROOT / "python" / "notebooks"
GALLERY = ROOT / "docs" / "gallery"

HEAD = """# Gallery

Notebooks with their results. Each is a file in [`python/notebooks`](../../python/notebooks), which jupytext opens in Jupyter:
`jupytext --to ipynb python/notebooks/NAME.py`. `python python/gallery.py` runs them and writes these pages.

"""


def executed(file: Path) -> Any:
    """The notebook with its outputs."""
    notebook = jupytext.read(file)
    NotebookClient(notebook, timeout=300, kernel_name="python3", resources={"metadata": {"path": str(ROOT)}}).execute()
    return notebook


def page(name: str, notebook: Any) -> dict[Path, str]:
    """The page of a notebook, and its pictures."""
    files: dict[Path, str] = {}
    text = []
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            text.append(cell.source)
            continue
        text.append(f"```python\n{cell.source}\n```")
        for output in cell.outputs:
            shown = output.get("data", {})
            if "image/svg+xml" in shown:
                picture = f"{name}-{len(files) + 1}.svg"
                files[GALLERY / picture] = shown["image/svg+xml"]
                text.append(f"![a picture of the results]({picture})")
            else:
                printed = output.get("text") or shown["text/plain"]
                lines = "\n".join(line.rstrip() for line in printed.rstrip("\n").splitlines())
                text.append(f"```text\n{lines}\n```")
    files[GALLERY / f"{name}.md"] = "\n\n".join(text) + "\n"
    return files


def made() -> dict[Path, str]:
    """All files of the gallery."""
    files: dict[Path, str] = {}
    contents = HEAD
    for file in sorted(NOTEBOOKS.glob("*.py")):
        notebook = executed(file)
        nbformat.validate(notebook)
        files |= page(file.stem, notebook)
        [title] = re.findall(r"^# (.*)", notebook.cells[0].source)[:1]
        contents += f"- [{title}]({file.stem}.md)\n"
    return {**files, GALLERY / "README.md": contents}


def main() -> None:
    """Write the pages, or check them."""
    files = made()
    stale = [file for file, text in files.items() if not file.exists() or file.read_text() != text]
    others = [file for file in GALLERY.glob("*") if file not in files]
    if "--check" in sys.argv[1:]:
        if stale or others:
            names = ", ".join(str(file.relative_to(ROOT)) for file in stale + others)
            sys.exit(f"not current: {names}; run: python python/gallery.py")
        return
    GALLERY.mkdir(exist_ok=True)
    for file in stale:
        file.write_text(files[file])
    for file in others:
        file.unlink()


if __name__ == "__main__":
    main()
