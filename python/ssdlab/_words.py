"""Values of Python in the words of configurations and options."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from operator import index
from os import PathLike, fspath
from typing import SupportsIndex, cast

from . import _native
from .errors import ConfigError
from .policies import Policy

Value = bool | int | float | str | Iterable["Value"]
"""A value of a key: a number, a size such as ``"4MiB"``, a name, or a list."""


MOST = (1 << 64) - 1
"""The largest number of the engine."""

MOST_JOBS = (1 << 16) - 1
"""The most threads."""


def literal(value: object) -> str:
    """A value in the syntax of a configuration file."""
    # numbers of NumPy
    item = getattr(value, "item", None)
    if callable(item) and getattr(value, "ndim", None) == 0:
        return literal(item())
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, float)):
        return repr(value)
    if isinstance(value, str):
        return value
    if isinstance(value, PathLike):
        return str(fspath(value))
    if isinstance(value, type) and issubclass(value, Policy):
        return str(value.name)
    if isinstance(value, Policy):
        raise TypeError(f"{value!r}: pass the class {type(value).__qualname__}, of which each run makes instances")
    if isinstance(value, Iterable):
        return f"[{', '.join(quoted(one) if isinstance(one, str) else literal(one) for one in value)}]"
    raise TypeError(f"{value!r}: must be a number, a text, True, False, or a list of them")


def quoted(value: object) -> str:
    """A text of TOML."""
    return json.dumps(str(value), ensure_ascii=False)


def several(value: object) -> list[object]:
    """A value, or each of several."""
    if isinstance(value, str) or not isinstance(value, Iterable):
        return [value]
    return list(value)


def options(given: Mapping[str, object]) -> list[str]:
    """Named arguments as words of a command line: ``skip_malformed=3`` is ``--skip-malformed=3``."""
    words = []
    for name, value in given.items():
        if value is None or value is False:
            continue
        option = f"--{name.replace('_', '-')}"
        if value is True:
            words.append(option)
        elif isinstance(value, Mapping):
            pairs = ",".join(f"{key}={of}" for key, of in value.items())
            words.append(f"{option}={pairs}")
        else:
            words.append(f"{option}={literal(value)}")
    return words


def refused(name: str, value: object, allowed: str) -> ConfigError:
    """The error of an argument that must be something else."""
    error = ConfigError(f"{name} = {value!r}: must be {allowed}")
    error.key = name
    return error


def size(value: int | str, name: str) -> int:
    """A number of bytes from a number or a text such as ``"4MiB"``."""
    found = _native.parse_bytes(value) if isinstance(value, str) else int(value)
    if found is None or found < 0:
        raise refused(name, value, "a size, such as 4096, '64KiB' or '1GiB'")
    return found


def whole(value: object, name: str, low: int = 0, high: int = MOST) -> int:
    """A whole number from ``low`` to ``high``."""
    is_whole = hasattr(value, "__index__")
    if not is_whole or not low <= index(cast(SupportsIndex, value)) <= high:
        raise refused(name, value, f"a whole number from {low} to {'2^64 - 1' if high == MOST else high}")
    return index(cast(SupportsIndex, value))


def threads(jobs: int | None) -> int:
    """A number of threads; 0: one for each core."""
    return 0 if jobs is None else whole(jobs, "jobs", 1, MOST_JOBS)
