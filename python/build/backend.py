"""Builds the Python package: the extension with maturin, and beside it the plugin of nbdkit, which ``ssdlab serve`` needs.

A backend as PEP 517 has it. ``python python/build/backend.py --profile dev`` puts the plugin alone into ``python/ssdlab``,
for an extension of ``maturin develop``.
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import maturin  # type: ignore[import-untyped]
from maturin import (
    build_sdist,
    get_requires_for_build_editable,
    get_requires_for_build_sdist,
    get_requires_for_build_wheel,
    prepare_metadata_for_build_editable,
    prepare_metadata_for_build_wheel,
)

__all__ = [
    "build_editable",
    "build_sdist",
    "build_wheel",
    "get_requires_for_build_editable",
    "get_requires_for_build_sdist",
    "get_requires_for_build_wheel",
    "prepare_metadata_for_build_editable",
    "prepare_metadata_for_build_wheel",
]

ROOT = Path(__file__).resolve().parents[2]
PLUGIN = ROOT / "python" / "ssdlab" / "nbdkit-ssdlab-plugin.so"

Settings = Mapping[str, Any] | None


def build_plugin(words: list[str]) -> None:
    """Builds the plugin with those of maturin's options that cargo has, too."""
    options = argparse.ArgumentParser(allow_abbrev=False)
    options.add_argument("--profile", default="release")
    options.add_argument("--target")
    options.add_argument("--target-dir")
    given, _ = options.parse_known_args(words)
    # with the program, as the extension has it: alone, the plugin has other features, and all below it is compiled again
    command = ["cargo", "build", "--package=ssdlab-plugin", "--package=ssdlab", "--features=ssdlab/full", "--lib"]
    command += [f"--{name.replace('_', '-')}={value}" for name, value in vars(given).items() if value]
    command += [word for word in words if word in ("--locked", "--offline", "--frozen")]
    command += [f"--config=profile.{given.profile}.package.ssdlab-plugin.strip='symbols'"]
    command += ["--message-format=json-render-diagnostics"]
    built = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, check=False)
    if built.returncode != 0:
        sys.exit(built.returncode)
    for message in map(json.loads, built.stdout.splitlines()):
        files = [file for file in message.get("filenames", []) if file.endswith(".so")]
        if message.get("target", {}).get("name") == "nbdkit_ssdlab_plugin" and files:
            # another program may have the old one open
            PLUGIN.unlink(missing_ok=True)
            shutil.copy2(files[0], PLUGIN)


def build_wheel(folder: str, config_settings: Settings = None, metadata: str | None = None) -> str:
    build_plugin(maturin.get_maturin_pep517_args(config_settings))
    name: str = maturin.build_wheel(folder, config_settings, metadata)
    return name


def build_editable(folder: str, config_settings: Settings = None, metadata: str | None = None) -> str:
    build_plugin(maturin.get_maturin_pep517_args(config_settings))
    name: str = maturin.build_editable(folder, config_settings, metadata)
    return name


if __name__ == "__main__":
    build_plugin(sys.argv[1:])
