"""Virtual SSDs as network block devices, for QEMU, fio, libnbd and the kernel's client."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from contextlib import suppress
from os import PathLike, fspath
from typing import Self, TypedDict, Unpack

from ._words import options as words_of
from .errors import DriveError

__all__ = ["Server", "serve"]


class Options(TypedDict, total=False):
    """Options of ``ssdlab serve``."""

    realtime: bool
    """Answer at the speed of the simulated drive."""
    no_sync: bool
    """Do not wait for the disk when a client flushes."""
    threads: int
    """Requests that are handled at a time on each connection."""
    record: str | PathLike[str]
    """Write all requests as a trace to this file."""
    counters: str | PathLike[str]
    """Write all counters as JSON to this file at the end."""
    status: str
    """Show what the drive does at ``http://ADDRESS:PORT``."""
    grace: int
    """Seconds that clients have to disconnect at the end."""
    plugin: str | PathLike[str]
    """The plugin of nbdkit, if it is not that of this package."""


class Server:
    """A drive that is served by a process of its own until :meth:`close`, or the end of ``with``, or of this process."""

    uri: str
    """The address of the drive, as clients of NBD take it."""

    def __init__(self, path: str, words: list[str]) -> None:
        self._path = path
        self._said = tempfile.TemporaryFile()
        self._words = ""
        # the command runs once clients can connect, and until it reads a byte: a process that this one has forked may keep
        # the pipe open
        words = ["--run", 'printf "%s\\n" "$uri"; exec head -c1 >/dev/null', *words, "--", path]
        self._process = subprocess.Popen(
            [sys.executable, "-m", "ssdlab", "serve", *words],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._said,
            # Ctrl-C is for this process
            start_new_session=True,
        )
        assert self._process.stdout is not None
        self.uri = self._process.stdout.readline().decode().strip()
        if not self.uri:
            self._end()
            raise self._error()

    def close(self) -> None:
        """Waits some seconds until clients have disconnected, and closes the image.

        :raises DriveError: the server did not end well.
        """
        if self._process.returncode is None and self._end() != 0:
            raise self._error()

    def _end(self) -> int:
        """Lets the process end, and returns its exit code."""
        assert self._process.stdin is not None and self._process.stdout is not None
        with suppress(BrokenPipeError), self._process.stdin as end:
            end.write(b"\n")
        code = self._process.wait()
        self._process.stdout.close()
        with self._said as said:
            said.seek(0)
            self._words = said.read().decode(errors="replace").strip()
        return code

    def _error(self) -> DriveError:
        code = self._process.returncode
        said = self._words.removeprefix("error: ")
        error = DriveError(said or f"{self._path}: the server has ended with exit code {code}")
        error.file = self._path
        return error

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<Server of {self._path} at {self.uri}>"


def serve(
    path: str | PathLike[str],
    socket: str | PathLike[str] | None = None,
    port: int | None = None,
    **options: Unpack[Options],
) -> Server:
    """Serves the drive in a file with nbdkit, which must be installed.

    .. code:: python

        with ssdlab.serve("drive.img") as server:
            subprocess.run(["nbdinfo", server.uri], check=True)

    :param socket: listen on this Unix socket; by default on one of its own.
    :param port: listen on this port of 127.0.0.1 instead.
    :raises DriveError: no nbdkit; an image that cannot be opened, such as one that a :class:`~ssdlab.Drive` has open; a
        socket or a port in use.
    """
    words = words_of(options)
    if socket is not None:
        words.append(f"--socket={fspath(socket)}")
    if port is not None:
        words.append(f"--listen=127.0.0.1:{port}")
    return Server(fspath(path), words)
