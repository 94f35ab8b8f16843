"""LFSS, the log flash storage system of the DEB paper: data blocks without a file system, over a virtual SSD.

Li, Chang: Improving flash storage system performance by using an extra RAM buffer, section 3.2. Its terms: a *data block* is a
page of the drive, a *segment* one of its erase blocks, the *extra buffer region* (EBR) the region in RAM of the placement
``deb``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

from . import _native
from ._words import whole
from .drive import Drive

if TYPE_CHECKING:
    from typing_extensions import Buffer

__all__ = ["Lfss"]


class Lfss:
    """Data blocks over an open drive, numbered from 0. A block exists from its write until it is erased.

    >>> from ssdlab import Device
    >>> with Lfss(Drive.in_memory(Device(preset="deb", precondition="empty"))) as lfss:
    ...     lfss.write(7, bytes(lfss.block_size))
    ...     lfss.update(7, b"x" * lfss.block_size)
    ...     print(lfss.read(7)[:1], lfss.home(7), lfss.existing())
    b'x' ebr [7]

    What survives a power cut is what survives in the drive, which :attr:`drive` is: its ``flush``, ``cut_power`` and ``reopen``
    are those of the store.

    :param drive: one with page mapping (``ftl.kind``) and without a write buffer (``buffer.policy = "none"``), which alone
        knows exactly which blocks exist. The end of ``with`` closes it.
    :raises ConfigError: another drive.
    :raises DriveError: the drive is closed.
    """

    def __init__(self, drive: Drive) -> None:
        self._native = _native.Lfss(drive._native)
        self._drive = drive

    @property
    def drive(self) -> Drive:
        """The drive below."""
        return self._drive

    @property
    def block_size(self) -> int:
        """The bytes of a data block."""
        size: int = self._native.block_size()
        return size

    @property
    def blocks(self) -> int:
        """The number of data blocks that fit."""
        blocks: int = self._native.blocks()
        return blocks

    @property
    def erases(self) -> int:
        """The segments erased over the life of the drive, the figure of the paper (section 4)."""
        erases: int = self._native.erases()
        return erases

    def existing(self) -> list[int]:
        """The data blocks that exist, in ascending order."""
        blocks: list[int] = self._native.existing()
        return blocks

    def in_ebr(self) -> list[int]:
        """The data blocks in the EBR, in ascending order."""
        blocks: list[int] = self._native.in_ebr()
        return blocks

    def home(self, block: int) -> str | None:
        """Where a data block is: ``"ebr"`` or ``"flash"``; ``None`` if it does not exist.

        :raises DriveError: a number beyond :attr:`blocks`.
        """
        home: str | None = self._native.home(whole(block, "block"))
        return home

    def read(self, block: int) -> bytes:
        """The bytes of a data block, which does not move.

        :raises DriveError: no such block; data that are lost.
        """
        read: bytes = self._native.read(whole(block, "block"))
        return read

    def write(self, block: int, data: Buffer) -> None:
        """Creates a data block, which enters the EBR (section 3.1, rule 1).

        :raises DriveError: a block that exists, or a number beyond :attr:`blocks`; as for :meth:`Drive.write`.
        :raises ConfigError: data of another length than :attr:`block_size`.
        """
        self._native.write(whole(block, "block"), memoryview(data).tobytes())

    def update(self, block: int, data: Buffer) -> None:
        """Replaces a data block. Where it goes depends on how long ago it was updated (section 3.1, rules 2 to 6).

        :raises DriveError: a block that does not exist; otherwise as for :meth:`write`.
        :raises ConfigError: data of another length than :attr:`block_size`.
        """
        self._native.update(whole(block, "block"), memoryview(data).tobytes())

    def erase(self, block: int) -> None:
        """Deletes a data block. What it had in flash becomes garbage, which cleaning reclaims.

        :raises DriveError: a block that does not exist; as for :meth:`Drive.trim`.
        """
        self._native.erase(whole(block, "block"))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._drive.close()

    def __repr__(self) -> str:
        return f"<Lfss over {self._drive!r}>"
