"""Devices: what a configuration describes."""

from __future__ import annotations

import inspect
import json
from collections.abc import Iterable, Mapping
from os import PathLike, fspath
from pathlib import Path
from typing import Any, Unpack

from . import _native
from ._keys import Keys
from ._words import literal, several, size
from .errors import ConfigError
from .policies import Policy, classes_in, lab, paths

__all__ = ["Device", "presets"]

SHORT = {
    "capacity": "flash.capacity",
    "cleaning": "ftl.cleaning",
    "ftl": "ftl.kind",
    "over_provisioning": "ftl.over_provisioning",
    "placement": "ftl.placement",
}
"""Short names of keys that users often give."""

PATHS: dict[str, str] = {key[0].replace(".", "_"): key[0] for key in _native.keys()}
"""The path of each key by its name as a keyword."""


def path_of(name: str, policies: Iterable[type[Policy]] = ()) -> str:
    """The path of a key: ``buffer_size`` and ``buffer.size`` are ``buffer.size``. Policies may have keys of their own."""
    own = {path.replace(".", "_"): path for path in _own(policies)}
    return SHORT.get(name) or PATHS.get(name) or own.get(name, name)


def _path(name: str) -> str:
    """The same for ``buffer`` as the name of a policy."""
    return "buffer.policy" if name == "buffer" else path_of(name)


def settings(given: Mapping[str, object], policies: Iterable[type[Policy]] = ()) -> dict[str, str]:
    """Keys as keywords, or by path, as assignments of a configuration."""
    found: dict[str, str] = {}
    names: dict[str, str] = {}
    for name, value in given.items():
        if value is None:
            continue
        if name == "buffer":
            policy, _, of_size = literal(value).partition(":")
            new = {"buffer.policy": policy, **({"buffer.size": of_size} if of_size else {})}
        else:
            new = {path_of(name, policies): literal(value)}
        _once(names, new, name)
        found.update(new)
    return found


def _once(names: dict[str, str], paths: Iterable[str], name: str) -> None:
    """Notes that a key has been given by this name; it must be the only one."""
    for path in paths:
        if path in names:
            error = ConfigError(f"{path}: must be given once; found {names[path]} and {name}")
            error.key = path
            raise error
        names[path] = name


def varied(
    device: Device, chosen: Mapping[str, object], given: Mapping[str, object]
) -> tuple[dict[str, list[str]], dict[str, list[str]], list[type[Policy]]]:
    """What varies: the values of the keys with an argument of their own (``chosen``), those of others, and the classes of
    policies among them; both by path.

    :param chosen: values by argument; what is empty may be among the others.
    :raises ConfigError: a key that is given twice, or a class of a policy for a key that takes none.
    """
    own: dict[str, list[str]] = {}
    axes: dict[str, list[str]] = {}
    all_values = [(into, name, several(of)) for into, by_name in ((own, chosen), (axes, given)) for name, of in by_name.items()]
    policies = [policy for _, name, values in all_values for policy in classes_in(_path(name), values)]
    names: dict[str, str] = {}
    for into, name, values in all_values:
        path = path_of(_path(name), [*device.policies, *policies])
        into[path] = [literal(one) for one in values]
        if values:
            _once(names, [path], name)
    for path in own:
        own[path] = own[path] or axes.pop(path, [])
    return own, axes, policies


def chosen(given: Mapping[str, object]) -> dict[str, type[Policy] | None]:
    """The class of each policy that is chosen by these keys; ``None``: a name is given."""
    paths = {_path(name): value for name, value in given.items()}
    found = {path: classes_in(path, [value]) for path, value in paths.items() if value is not None}
    return {path: classes[0] if classes else None for path, classes in found.items()}


def _own(policies: Iterable[type[Policy]]) -> set[str]:
    """The paths of the keys of policies in Python."""
    return {path for policy in policies for path in paths(policy).values()}


class Device:
    """A device: flash, FTL, write buffer and clocks.

    Keys are keywords, with underscores instead of points: ``buffer_size="4MiB"`` is the key ``buffer.size``. Sizes are
    bytes or texts such as ``"64KiB"``. Further names: ``buffer="lru:4MiB"`` (policy and size), ``ftl``, ``cleaning``,
    ``placement``, ``capacity`` and ``over_provisioning``.

    >>> device = Device(preset="bplru-2008", buffer="lru:4MiB")
    >>> device["buffer.size"]
    4194304
    >>> device.with_(buffer_policy="fab")["buffer.policy"]
    'fab'

    :param preset: the name of a preset; :func:`presets` lists them.
    :param file: a configuration file (TOML), or several, over the preset.
    :param scale_to: a smaller drive that behaves like the one described, of about so many bytes. Wear, life and RAM are given for
        the one described.
    :param policies: classes of policies in Python that a file, or a text, may name; a class that a key chooses
        (``buffer=Mine``) need not be here.
    :param keys: any key of a configuration; a mapping in ``set`` takes paths with points.
    :raises ConfigError: a key that does not exist, or a value that is not allowed.
    """

    def __init__(
        self,
        preset: str | None = None,
        *,
        file: str | PathLike[str] | list[str | PathLike[str]] | None = None,
        scale_to: int | str | None = None,
        policies: Iterable[type[Policy]] = (),
        set: Mapping[str, object] | None = None,
        **keys: Unpack[Keys],
    ) -> None:
        files = [] if file is None else file if isinstance(file, list) else [file]
        self._preset = preset
        self._files = [fspath(one) for one in files]
        self._scale_to = scale_to
        self._policies = tuple(policies)
        self._settings: dict[str, str] = {}
        self._chosen: dict[str, type[Policy]] = {}
        self._give({**(set or {}), **keys})
        self._native = self._made()

    def _give(self, given: Mapping[str, object]) -> None:
        """Take keys, and the classes that they choose."""
        of_path = chosen(given)
        kept = {path: policy for path, policy in self._chosen.items() if path not in of_path}
        before = _own(self.policies)
        self._chosen = {**kept, **{path: policy for path, policy in of_path.items() if policy is not None}}
        # no system knows the keys of a class that is not there any more
        gone = before - _own(self.policies)
        left = {path: value for path, value in self._settings.items() if path not in gone}
        self._settings = {**left, **settings(given, self.policies)}

    @property
    def policies(self) -> list[type[Policy]]:
        """The classes of policies in Python that this device may have."""
        return list(dict.fromkeys([*self._policies, *self._chosen.values()]))

    def _made(self, further: Iterable[type[Policy]] = ()) -> _native.Device:
        """The device for the engine, with further policies that it may get."""
        files = []
        for name in self._files:
            try:
                files.append((name, Path(name).read_bytes()))
            except OSError as error:
                raised = ConfigError(f"{name}: cannot be read: {error.strerror}")
                raised.file = name
                raise raised from None
        scaled = None
        if self._scale_to is not None:
            scaled = (size(self._scale_to, "scale_to"), str(self._scale_to))
        assignments = [f"{path}={value}" for path, value in self._settings.items()]
        return _native.Device(self._preset, files, assignments, scaled, lab([*self.policies, *further]))

    def with_(self, *, set: Mapping[str, object] | None = None, **keys: Unpack[Keys]) -> Device:
        """The same device with other values of some keys.

        :raises ConfigError: as for a new device.
        """
        other = object.__new__(Device)
        other._preset, other._files, other._scale_to = self._preset, self._files, self._scale_to
        other._policies, other._settings, other._chosen = self._policies, self._settings, self._chosen
        other._give({**(set or {}), **keys})
        other._native = other._made()
        return other

    @property
    def config(self) -> dict[str, Any]:
        """All keys with their values, nested as in a file; sizes in bytes, a capacity may be ``"auto"``."""
        config: dict[str, Any] = json.loads(self._native.json())
        return config

    def __getitem__(self, path: str) -> Any:
        """The value of a key that this device reads, by its path or as a keyword.

        :raises KeyError: there is no such key, or it has no effect on this device.
        """
        for known, value in self._native.effective():
            if known == path_of(path, self.policies):
                return json.loads(value)
        raise KeyError(path)

    def keys(self) -> list[str]:
        """The paths of the keys that this device reads."""
        return [path for path, _ in self._native.effective()]

    def to_toml(self) -> str:
        """The resolved configuration as a file with comments; loading it gives an equal device."""
        return self._native.toml()

    def explain(self) -> str:
        """The keys that differ from their defaults, and what to know about them, one line each."""
        lines = [f"{path} = {value}" for path, value in self._native.changed()]
        return "\n".join(lines + self.warnings)

    @property
    def warnings(self) -> list[str]:
        """What to know about the configuration, one sentence each."""
        return self._native.warnings()

    def words(self) -> list[str]:
        """The options of the command line that describe this device."""
        words = ["--preset", self._preset] if self._preset else []
        for name in self._files:
            words += ["--config", name]
        if self._scale_to is not None:
            words += ["--scale-to", str(self._scale_to)]
        for path, value in self._settings.items():
            words += ["--set", f"{path}={value}"]
        return words

    def __repr__(self) -> str:
        given = [] if self._preset is None else [f"preset={self._preset!r}"]
        given += [f"file={name!r}" for name in self._files]
        if self._scale_to is not None:
            given.append(f"scale_to={self._scale_to!r}")
        given += [f"{path.replace('.', '_')}={value!r}" for path, value in self._settings.items()]
        return f"Device({', '.join(given)})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Device) and self.config == other.config and {*self.policies} == {*other.policies}

    __hash__ = None  # type: ignore[assignment]

    def __getstate__(self) -> dict[str, Any]:
        return {name: of for name, of in self.__dict__.items() if name != "_native"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._native = self._made()


def _signature() -> inspect.Signature:
    """The signature with all keys, which notebooks complete."""
    own = inspect.signature(Device.__init__, eval_str=False).parameters.values()
    named = [one for one in own if one.kind is not inspect.Parameter.VAR_KEYWORD]
    keys = ["buffer", *SHORT, *PATHS]
    keyword = inspect.Parameter.KEYWORD_ONLY
    more = [inspect.Parameter(key, keyword, default=None) for key in dict.fromkeys(keys)]
    taken = {one.name for one in named}
    return inspect.Signature([*named[1:], *(one for one in more if one.name not in taken)])


Device.__signature__ = _signature()  # type: ignore[attr-defined]


def presets() -> dict[str, str]:
    """The presets: their names, and what each one is."""
    return {name: about for name, about, _ in _native.systems("preset") or []}
