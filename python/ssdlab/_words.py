"""Values of Python in the words of configurations and options."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from . import _native
from .errors import ConfigError
from .policies import Policy

Value = bool | int | float | str | Iterable["Value"]
"""A value of a key: a number, a size such as ``"4MiB"``, a name, or a list."""


def literal(value: object) -> str:
    """A value in the syntax of a configuration file."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, float)):
        return repr(value)
    if isinstance(value, str):
        return value
    if isinstance(value, type) and issubclass(value, Policy):
        return value.name
    if isinstance(value, Policy):
        raise TypeError(f"{value!r}: pass the class {type(value).__qualname__}, of which each run makes instances")
    if isinstance(value, Iterable):
        quoted = (f'"{one}"' if isinstance(one, str) else literal(one) for one in value)
        return f"[{', '.join(quoted)}]"
    # numbers of NumPy
    item = getattr(value, "item", None)
    if callable(item):
        return literal(item())
    raise TypeError(f"{value!r}: must be a number, a text, True, False, or a list of them")


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


def size(value: int | str, name: str) -> int:
    """A number of bytes from a number or a text such as ``"4MiB"``."""
    found = _native.parse_bytes(value) if isinstance(value, str) else int(value)
    if found is None or found < 0:
        error = ConfigError(f"{name} = {value!r}: must be a size, such as 4096, '64KiB' or '1GiB'")
        error.key = name
        raise error
    return found
