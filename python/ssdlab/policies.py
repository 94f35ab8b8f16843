"""Policies written in Python: write buffers, cleaning and placement, beside the built-in ones.

A policy is a class. Pass the class itself wherever the name of a built-in policy goes: ``Device(buffer=Mine)``,
``compare(trace, device, buffer=["lru", Mine])``, ``Device(cleaning=Mine)``. A run makes an instance for each buffer, and for
each chip with its own FTL, and calls its methods.

>>> from collections import OrderedDict
>>> import ssdlab as sl
>>> class Recent(sl.BufferPolicy):
...     name = "recent"
...     rule = "evicts the least recently used page"
...     def __init__(self, shape, keys):
...         self.order = OrderedDict()
...     def hit(self, lpn, write):
...         self.order.move_to_end(lpn)
...     def enter(self, lpn, write):
...         self.order[lpn] = None
...     def left(self, lpn):
...         del self.order[lpn]
...     def victim(self):
...         return next(iter(self.order))
>>> trace = sl.generate("zipf", theta=0.9, capacity="16MiB", requests=4000)
>>> device = sl.Device(ftl="page", capacity="auto", buffer_size="1MiB")
>>> mine, built_in = (sl.run(device.with_(buffer=one), trace) for one in (Recent, "lru"))
>>> mine.counters == built_in.counters
True

This one handles more than a million pages a second. A method that a class does not define is not called, which saves its
time; which ones there are is looked up once, when an instance is made. A run calls them in the thread that called
:func:`~ssdlab.run`. In a comparison, runs of built-in policies go on beside one that is written in Python; of the latter, one
at a time has the interpreter. An exception of a method ends the run, which raises it; so does a value that is not allowed, as a
:class:`SimulationError` that names the method, the value and what is allowed.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from inspect import getdoc
from sys import float_info
from types import SimpleNamespace
from typing import Any, ClassVar

from . import _native
from .errors import ConfigError

__all__ = [
    "BufferPolicy",
    "BufferShape",
    "CleaningPolicy",
    "CleaningShape",
    "Key",
    "PlacementPolicy",
    "PlacementShape",
    "Values",
]

INT_HIGH = 1 << 53
"""The largest value of a whole number without a range."""

FLOAT_HIGH = 1e15
"""The largest value of a number without a range."""

MOST_REGIONS = 255
"""The most regions of a placement."""


@dataclass(frozen=True)
class Key:
    """A key of a policy: a number to set and to vary, as those of built-in policies are.

    The key ``window`` of the buffer policy ``mine`` is ``buffer.mine_window`` in a configuration, and the keyword
    ``buffer_mine_window``; keys of cleaning policies and placements begin with ``ftl.``. Dashes and plus signs in a name
    become underscores.

    :param default: ``True`` or ``False``, a whole number, a number, or a name; its type is that of the key.
    :param low: the least number, by default 0.
    :param high: the largest number, by default 2^53, or 10^15 if it is no whole number.
    :param choices: the allowed names, if the default is a name.
    :param doc: what it means, with its unit, in one line.
    """

    default: bool | int | float | str
    low: int | float | None = None
    high: int | float | None = None
    choices: Sequence[str] = ()
    doc: str = ""


class Values(SimpleNamespace):
    """The values of a policy's keys, as attributes by the names that the policy gives them: ``keys.window``."""


@dataclass(frozen=True)
class BufferShape:
    """A write buffer and its device."""

    pages: int
    """The most pages that it holds."""
    page_size: int
    """Bytes of a page."""
    pages_per_block: int
    """Pages of a logical block: page ``lpn`` is in block ``lpn // pages_per_block``."""
    logical_pages: int
    """Pages of the device; they are numbered from 0."""
    logical_blocks: int
    """Blocks of the device; they are numbered from 0."""


@dataclass(frozen=True)
class CleaningShape:
    """The flash of an FTL."""

    blocks: int
    """Physical blocks, numbered from 0."""
    pages_per_block: int
    """Pages of a block."""
    page_size: int
    """Bytes of a page."""
    logical_pages: int
    """Pages that the host can write."""
    trace_time: bool
    """Times are nanoseconds of the trace (the key ``clock`` is ``"trace"``); otherwise pages that the host has written."""


@dataclass(frozen=True)
class PlacementShape:
    """The pages of an FTL, and the regions that they go to."""

    logical_pages: int
    """Pages that the host can write, numbered from 0."""
    page_size: int
    """Bytes of a page."""
    regions: int
    """Regions, numbered from 0."""
    trace_time: bool
    """Times are nanoseconds of the trace (the key ``clock`` is ``"trace"``); otherwise pages that the host has written."""


class Policy:
    """What all policies have. Subclasses are made of :class:`BufferPolicy`, :class:`CleaningPolicy` and
    :class:`PlacementPolicy`."""

    name: ClassVar[str] = ""
    """Its name in configurations and results: lower-case letters, digits, dashes, underscores."""
    rule: ClassVar[str] = ""
    """What it does, in one line; by default the first line of the class's documentation."""
    keys: ClassVar[Mapping[str, Key | bool | int | float | str]] = {}
    """Its own keys with their defaults, perhaps with ranges: ``{"window": Key(0.25, low=0, high=1)}``."""

    _family: ClassVar[str] = ""
    _table: ClassVar[str] = ""
    _selectors: ClassVar[tuple[str, ...]] = ()
    _must: ClassVar[str] = ""
    _shape: ClassVar[Callable[..., object]]


class BufferPolicy(Policy):
    """A write-buffer policy: it sees accesses, and names the page or block that leaves next.

    It keeps orders only; the buffer itself knows which pages are held and which of them are dirty.

    :param shape: the buffer.
    :param keys: the values of its keys.
    """

    evicts_blocks: ClassVar[bool] = False
    """Victims are blocks: all held pages of a block leave together."""
    caches_reads: ClassVar[bool] = False
    """Pages that the host reads enter, and count as uses, unless ``buffer.reads`` says otherwise."""
    pads_blanks: ClassVar[bool] = False
    """A block that :meth:`pads` names is written as a whole: with zeros for pages that were never written."""

    _family = "buffer"
    _table = "buffer"
    _selectors = ("buffer.policy", "read_buffer.policy")
    _must = "victim"
    _shape = BufferShape

    shape: BufferShape

    def __init__(self, shape: BufferShape, keys: Values) -> None:
        self.shape = shape

    def begin_request(self) -> None:
        """A read or a write begins; the next accesses belong to it."""

    def hit(self, lpn: int, write: bool) -> None:
        """The host writes, or reads, a page that is held."""

    def enter(self, lpn: int, write: bool) -> None:
        """The host writes, or reads, a page that now enters."""

    def left(self, lpn: int) -> None:
        """A page has left: it was evicted, alone or with its block, or discarded."""

    def cleaned(self, lpn: int) -> None:
        """A dirty page was written to flash and stays, clean."""

    def victim(self) -> int:
        """The page that leaves next, or with ``evicts_blocks`` the block (lbn). Called only while a page is held.

        :meth:`left` is called for all its pages before the next call.
        """
        raise NotImplementedError

    def pads(self, lbn: int) -> bool:
        """Whether this block, a victim with a dirty page, is filled up from flash and written with that; by default not.

        Only with ``evicts_blocks``. With ``pads_blanks``, it is written as a whole.
        """
        return False


class CleaningPolicy(Policy):
    """A cleaning policy of page mapping: it sees blocks fill and pages become invalid, and picks the block to clean.

    Times (``now``) are pages that the host has written, or nanoseconds of the trace: see ``shape.trace_time``.

    :param shape: the flash of an FTL.
    :param keys: the values of its keys.
    """

    _family = "cleaning"
    _table = "ftl"
    _selectors = ("ftl.cleaning",)
    _must = "pick"
    _shape = CleaningShape

    shape: CleaningShape

    def __init__(self, shape: CleaningShape, keys: Values) -> None:
        self.shape = shape

    def filled(self, block: int, valid: int, now: int) -> None:
        """A block is full, with so many valid pages: from now on it can be picked."""

    def invalidated(self, block: int, now: int) -> None:
        """A page of a full block became invalid."""

    def erased(self, block: int) -> None:
        """A full block was erased."""

    def pick(self, now: int) -> int:
        """The full block that is cleaned next. Called only while some full block has an invalid page.

        It may pick a block without an invalid page, but not so often in a row that nothing is ever gained.
        """
        raise NotImplementedError


class PlacementPolicy(Policy):
    """A placement of page mapping: it chooses the region of each page. Each region has an open block of its own.

    Times (``now``) are pages that the host has written, or nanoseconds of the trace: see ``shape.trace_time``.

    :param shape: the pages of an FTL, and the regions.
    :param keys: the values of its keys.
    """

    regions: ClassVar[int] = 2
    """Regions, 1 to 255, unless it has a key of this name, whose value then counts."""

    _family = "placement"
    _table = "ftl"
    _selectors = ("ftl.placement",)
    _must = "of_write"
    _shape = PlacementShape

    shape: PlacementShape

    def __init__(self, shape: PlacementShape, keys: Values) -> None:
        self.shape = shape

    def of_write(self, lpn: int, region: int | None, now: int, stream: int) -> int:
        """The region of a page that the host writes now.

        :param region: where its current version is; ``None``: it has none.
        :param stream: the hint of the request, 0 if there is none.
        """
        raise NotImplementedError

    def of_copies(self, region: int) -> int:
        """The region of the pages that cleaning copies out of a block of this region; by default the same."""
        return region


FAMILIES: tuple[type[Policy], ...] = (BufferPolicy, CleaningPolicy, PlacementPolicy)


def is_policy(value: object) -> bool:
    """Whether a value is a class of a policy."""
    return isinstance(value, type) and issubclass(value, Policy)


def classes_in(path: str, values: Iterable[object]) -> list[type[Policy]]:
    """The classes of policies among the values of a key.

    :raises ConfigError: they are of another family, or the key takes no policy.
    """
    found = [value for value in values if isinstance(value, type) and issubclass(value, Policy)]
    for policy in found:
        if path not in policy._selectors:
            takes = " or ".join(policy._selectors) or "no key: it is no BufferPolicy, CleaningPolicy or PlacementPolicy"
            raise _wrong(path, f"{path} = {policy.__qualname__}: a class for {takes}")
    return found


def paths(policy: type[Policy]) -> dict[str, str]:
    """The paths of a policy's own keys by the names that it gives them."""
    prefix = re.sub(r"[-+]", "_", str(policy.name))
    return {name: f"{policy._table}.{prefix}_{name}" for name in policy.keys}


def lab(policies: Iterable[type[Policy]]) -> _native.Lab | None:
    """All systems with these policies; ``None``: those that are built in.

    :raises ConfigError: a class that says something impossible, or two of one name.
    """
    classes = list(dict.fromkeys(policies))
    if not classes:
        return None
    built_in = _built_in()
    names: dict[tuple[str, str], type[Policy]] = {}
    owners: dict[str, type[Policy]] = {}
    described = []
    for policy in classes:
        described.append(_described(policy))
        other = names.setdefault((policy._family, policy.name), policy)
        if other is not policy:
            raise _wrong(
                "name",
                f"two classes are named {policy.name!r}: {_full(other)} and {_full(policy)}; "
                "a class that was defined again is another class: make its devices again too",
            )
        for path in paths(policy).values():
            owner = owners.setdefault(path, policy)
            if path in built_in or owner is not policy:
                by = "a built-in system" if path in built_in else _full(owner)
                raise _wrong(path, f"{_full(policy)}: its key {path} is one of {by} already; choose another name")
    return _native.Lab(described)


@cache
def _built_in() -> frozenset[str]:
    """The paths of all built-in keys."""
    return frozenset(path for path, *_ in _native.keys())


def _full(policy: type[Policy]) -> str:
    return f"{policy.__module__}.{policy.__qualname__}"


def _wrong(key: str, message: str) -> ConfigError:
    error = ConfigError(message)
    error.key = key
    return error


def _described(policy: type[Policy]) -> SimpleNamespace:
    """What the engine must know of a class."""
    which = _full(policy)
    base = next((family for family in FAMILIES if issubclass(policy, family)), None)
    if base is None or policy is base:
        names = ", ".join(family.__name__ for family in FAMILIES)
        raise _wrong("name", f"{which}: must be a subclass of one of {names}")
    name = policy.name
    if not isinstance(name, str) or not re.fullmatch(r"[a-z0-9][a-z0-9+_-]*", name):
        raise _wrong("name", f"{which}.name = {name!r}: must be lower-case letters, digits, '-', '_' or '+', such as 'my-lru'")
    if any(name == known for known, *_ in _native.systems(policy._family) or ()):
        raise _wrong("name", f"{which}.name = {name!r}: a built-in {policy._family} policy has this name; choose another")
    if getattr(policy, policy._must) is getattr(base, policy._must):
        raise _wrong("name", f"{which}: must define {policy._must}()")
    blocks, reads = (_switch(policy, attribute) for attribute in ("evicts_blocks", "caches_reads"))
    blanks = _switch(policy, "pads_blanks")
    pads = issubclass(policy, BufferPolicy) and policy.pads is not BufferPolicy.pads
    if pads and not blocks:
        raise _wrong("pads", f"{which}: pads() is for policies with evicts_blocks = True")
    keys = {known: of if isinstance(of, Key) else Key(of) for known, of in policy.keys.items()}
    own = [_key(policy, known, of) for known, of in keys.items()]
    regions = _regions(policy, keys) if issubclass(policy, PlacementPolicy) else 0
    rule = policy.rule or (getdoc(policy) or "").partition("\n")[0] or "a policy in Python"
    return SimpleNamespace(
        family=policy._family,
        **{"class": policy},
        class_name=policy.__qualname__,
        name=name,
        rule=" ".join(str(rule).split()),
        own=own,
        evicts_blocks=blocks,
        caches_reads=reads,
        pads=pads,
        pads_blanks=blanks,
        regions=regions,
    )


def _switch(policy: type[Policy], attribute: str) -> bool:
    value = getattr(policy, attribute, False)
    if not isinstance(value, bool):
        raise _wrong(attribute, f"{_full(policy)}.{attribute} = {value!r}: must be True or False")
    return value


def _regions(policy: type[PlacementPolicy], keys: Mapping[str, Key]) -> int:
    """The number of regions; that of a key is known later."""
    key = keys.get("regions")
    bounds = [policy.regions] if key is None else [key.default, key.low, key.high]
    for value in bounds:
        if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= MOST_REGIONS:
            what = "regions" if key is None else "keys['regions'] with its low and high"
            raise _wrong("regions", f"{_full(policy)}: {what} must be whole numbers from 1 to {MOST_REGIONS}; found {value!r}")
    return int(bounds[0] or 0)


def _key(policy: type[Policy], name: str, key: Key) -> SimpleNamespace:
    """A key for the engine."""
    which = f"{_full(policy)}.keys[{name!r}]"

    def wrong(found: object, allowed: str) -> ConfigError:
        return _wrong(name, f"{which}: {found!r}: must be {allowed}")

    if not isinstance(name, str) or not re.fullmatch(r"[a-z][a-z0-9_]*", name):
        raise _wrong(str(name), f"{which}: a key must be lower-case letters, digits and underscores")
    default, low, high = key.default, key.low, key.high
    choices = list(key.choices)
    if isinstance(default, bool):
        low = high = 0
    elif isinstance(default, int):
        low, high = 0 if low is None else low, INT_HIGH if high is None else high
        for bound in (low, high):
            if isinstance(bound, bool) or not isinstance(bound, int) or abs(bound) > INT_HIGH:
                raise wrong(bound, "a whole number, as the default is; write the default as 1.0 for others")
    elif isinstance(default, float):
        low, high = 0.0 if low is None else low, FLOAT_HIGH if high is None else high
        for bound in (low, high):
            if isinstance(bound, bool) or not isinstance(bound, (int, float)) or not abs(bound) <= float_info.max:
                raise wrong(bound, "a finite number, as the default is")
        low, high = float(low), float(high)
    elif isinstance(default, str):
        low = high = 0
        if default not in choices or not all(isinstance(one, str) for one in choices):
            raise wrong(default, "one of its choices, all of them texts")
    else:
        raise wrong(default, "True, False, a number or a text")
    if not isinstance(default, (bool, str)) and not low <= default <= high:
        raise wrong(default, f"{low} to {high}")
    return SimpleNamespace(
        name=name,
        path=paths(policy)[name],
        default=default,
        low=low,
        high=high,
        choices=choices,
        doc=" ".join(key.doc.split()) or f"{name} of {policy.name}",
    )


def made(
    policy: type[Policy], names: Sequence[str], shape: Mapping[str, int], keys: Mapping[str, object]
) -> list[Callable[..., object] | None]:
    """Make an instance, and look up its methods; ``None`` for those that it does not define."""
    base = next(family for family in FAMILIES if issubclass(policy, family))
    facts = {name: bool(value) if name == "trace_time" else value for name, value in shape.items()}
    instance: Any = policy(base._shape(**facts), Values(**keys))  # type: ignore[call-arg]
    own = getattr(instance, "__dict__", {})
    defined = (name in own or getattr(policy, name) is not getattr(base, name) for name in names)
    return [getattr(instance, name) if is_there else None for name, is_there in zip(names, defined, strict=True)]
