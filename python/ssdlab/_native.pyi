"""
The native part of the package.
"""

from _typeshed import Incomplete, SupportsGetItem, SupportsLenAndGetItem
from os import PathLike
from pathlib import Path
from typing import Any, SupportsFloat, SupportsIndex, final
from typing_extensions import Buffer

__all__ = ["Cliff", "Comparison", "Device", "Drive", "Lab", "Lfss", "Outcome", "Results", "Stream", "Sweep", "Trace", "after_fork", "before_fork", "cliff", "command", "events", "figures", "hot_and_cold", "keys", "life", "parse_bytes", "pools", "recommend", "spare_of", "systems", "uniform", "version", "write_file"]

@final
class Cliff:
    """
    A sequential fill of a drive with an SLC cache.
    """
    def json(self, /) -> str:
        """
        The object `cliff` that `ssdlab cliff --json` prints.
        """
    def picture(self, /, format: str, width: SupportsFloat | SupportsIndex) -> bytes:
        """
        The picture of `ssdlab cliff --picture`: a file of this format, `width` mm wide.
        """
    def sentence(self, /) -> str:
        """
        The fill in a sentence.
        """

@final
class Comparison:
    """
    Many runs on one trace, and who wins.
    """
    def cells(self, /, columns: SupportsGetItem[int, str]) -> tuple[list[str], list[list[tuple[str, str]]]]:
        """
        The table that `ssdlab compare` prints: titles, and rows of texts, each with its look (`plain`, `winner`, `loss`).
        `columns` are the figures; empty: the usual ones.
        """
    def csv(self, /) -> str:
        """
        The table that `ssdlab compare --csv` writes.
        """
    @property
    def device(self, /) -> str:
        """
        The device in words, as `ssdlab compare` has it in its first line.
        """
    def html(self, /, columns: SupportsGetItem[int, str]) -> str:
        """
        The page that `ssdlab compare` writes.
        """
    def json(self, /) -> str:
        """
        The object that `ssdlab compare --json` writes.
        """
    def results(self, /) -> Results:
        """
        The competitors as rows of results; bounds are left out.
        """
    @staticmethod
    def run(device: Device, trace: Trace, asked: Incomplete, command: str | None, progress: Any | None) -> Comparison:
        """
        Runs a comparison; `command` does the same. `progress` takes the runs that are done and their number.
        """
    def says(self, /) -> list[str]:
        """
        What `ssdlab compare` says below its table, one line each.
        """
    @property
    def sentence(self, /) -> str:
        """
        The closing sentence.
        """
    def warnings(self, /) -> list[str]:
        """
        What to know about all runs, one sentence each.
        """

@final
class Device:
    """
    A description of a device: layers of a configuration that go together.
    """
    def __new__(cls, /, preset: str | None, files: SupportsGetItem[int, tuple[str, SupportsGetItem[int, SupportsIndex]]], assignments: SupportsGetItem[int, str], scale_to: tuple[SupportsIndex, str] | None, lab: Lab | None = None) -> Device:
        """
        Layers from weak to strong: a preset, files (name and bytes), assignments `key=value`; then a smaller drive that
        behaves alike (bytes, and the text that gave them). `lab` has the policies in Python.
        """
    def changed(self, /) -> list[tuple[str, str]]:
        """
        The keys that this device reads and that differ from their defaults, with values as in a file.
        """
    def effective(self, /) -> list[tuple[str, str]]:
        """
        The keys that this device reads, with their values as JSON.
        """
    def has_capacity(self, /) -> bool:
        """
        Whether a preset, a file, a key or a scale gives the capacity.
        """
    def json(self, /) -> str:
        """
        The resolved configuration: all keys as JSON, nested as in a file, sizes in bytes.
        """
    def toml(self, /) -> str:
        """
        The resolved configuration as a file with comments.
        """
    def warnings(self, /) -> list[str]:
        """
        What to know about the configuration, one sentence each.
        """

@final
class Drive:
    """
    A virtual SSD. Its calls take turns, and wait without the lock of the interpreter.
    """
    @property
    def capacity(self, /) -> int: ...
    def close(self, /, why: str | None = None) -> None:
        """
        Closes the drive; `why` is what later calls say.
        """
    @staticmethod
    def create(path: str | PathLike[str] | None, device: Device) -> Drive:
        """
        Makes an image in a file, or in memory, and opens it.
        """
    def cut_power(self, /, seed: SupportsIndex | None) -> None:
        """
        Power fails now.
        """
    def cut_power_at(self, /, operation: SupportsIndex, seed: SupportsIndex | None) -> None:
        """
        Power fails instead of the operation with this number from now on.
        """
    @property
    def device(self, /) -> list[tuple[str, str]]:
        """
        The keys that differ from their defaults, with values as in a file.
        """
    def erase_counts(self, /) -> list[int]:
        """
        The erases of each block over the life of the drive.
        """
    def flush(self, /) -> None: ...
    def is_open(self, /) -> bool:
        """
        Whether it is open.
        """
    @staticmethod
    def open(path: str | PathLike[str], read_only: bool) -> Drive:
        """
        Opens an image in a file.
        """
    def opened(self, /) -> str:
        """
        How the image was found, as JSON.
        """
    def operations(self, /) -> int:
        """
        Programs and erases since the drive was opened.
        """
    @property
    def page_size(self, /) -> int: ...
    @property
    def path(self, /) -> Path | None:
        """
        The file of the image, if it is in one.
        """
    def read(self, /, offset: SupportsIndex, length: SupportsIndex) -> bytes:
        """
        The bytes of a range.
        """
    def readinto(self, /, offset: SupportsIndex, buffer: Buffer) -> None:
        """
        Reads into a buffer of bytes.
        """
    def reopen(self, /) -> str:
        """
        Opens the drive again, and says how its image was found, as JSON.
        """
    def status(self, /) -> str:
        """
        What the status page has, as JSON.
        """
    def trim(self, /, offset: SupportsIndex, length: SupportsIndex) -> None: ...
    def write(self, /, offset: SupportsIndex, data: bytes | bytearray) -> None: ...

@final
class Lab:
    """
    The built-in systems and policies written in Python.
    """
    def __new__(cls, /, policies: SupportsGetItem[int, Incomplete]) -> Lab:
        """
        With these policies, whose names and keys Python has checked.
        """

@final
class Lfss:
    """
    The LFSS of the DEB paper over a drive, which others may use beside it.
    """
    def __new__(cls, /, drive: Drive) -> Lfss:
        """
        The store in a drive that suits it.
        """
    def block_size(self, /) -> int:
        """
        The bytes of a data block.
        """
    def blocks(self, /) -> int:
        """
        The data blocks that fit.
        """
    def erase(self, /, block: SupportsIndex) -> None: ...
    def erases(self, /) -> int:
        """
        The segments erased over the life of the drive.
        """
    def existing(self, /) -> list[int]:
        """
        Those that exist.
        """
    def home(self, /, block: SupportsIndex) -> str | None:
        """
        Where a data block is: `ebr`, `flash`, or nowhere.
        """
    def in_ebr(self, /) -> list[int]:
        """
        Those in the EBR.
        """
    def read(self, /, block: SupportsIndex) -> bytes: ...
    def update(self, /, block: SupportsIndex, data: bytes | bytearray) -> None: ...
    def write(self, /, block: SupportsIndex, data: bytes | bytearray) -> None: ...

@final
class Outcome:
    """
    The results of a run.
    """
    def figure(self, /, name: str) -> float | None:
        """
        The value of a figure in the base of its unit; `None` where it has no meaning. A `KeyError` if there is no such figure.
        """
    def json(self, /) -> str:
        """
        The object that `ssdlab run --json` prints.
        """
    def results(self, /) -> Results:
        """
        One row, with the columns of results.
        """
    @staticmethod
    def run(device: Device, trace: Trace, wrap: bool, compact: bool, loops: SupportsIndex, steady: bool, progress: Any | None) -> Outcome:
        """
        Replays a trace on a device.
        """
    def summary(self, /) -> str:
        """
        What `ssdlab run` prints.
        """

@final
class Results:
    """
    Rows of results, and what they say together.
    """
    def __len__(self, /) -> int: ...
    def axes(self, /) -> list[str]:
        """
        What varies: names of keys and other columns.
        """
    def figures(self, /, figures: SupportsGetItem[int, str], rows: SupportsGetItem[int, str], columns: SupportsGetItem[int, str], best: str, format: str) -> tuple[str, list[str]]:
        """
        A table of figures for papers in `tex`, `md` or `csv`, and what to know of it.
        """
    def html(self, /, figures: SupportsGetItem[int, str], command: str) -> str:
        """
        The page of all rows.
        """
    def picture(self, /, wanted: Incomplete, format: str, width: SupportsFloat | SupportsIndex) -> tuple[bytes, list[str]]:
        """
        A picture: its bytes, and what to know of it.
        """
    @staticmethod
    def read(paths: SupportsGetItem[int, str | PathLike[str]]) -> Results:
        """
        Reads what `ssdlab report` reads: folders of parts, tables in Parquet and CSV, files of `compare` and `run`.
        """
    def stream(self, /) -> Stream:
        """
        The rows as a table of Arrow.
        """

@final
class Stream:
    """
    A table: anything that reads Arrow's streams takes it, as often as it likes.
    """
    def __arrow_c_stream__(self, /, requested_schema: Any | None = None) -> Any:
        """
        A capsule with a stream of all batches. The wanted schema is a wish that this table does not grant, as the interface
        allows.
        """
    def __len__(self, /) -> int:
        """
        The number of rows.
        """
    @property
    def columns(self, /) -> list[str]:
        """
        The names of the columns.
        """

@final
class Sweep:
    """
    A plan with the facts of its traces.
    """
    def __len__(self, /) -> int:
        """
        The number of shards.
        """
    def explain(self, /) -> str:
        """
        Checks every run, and says what the sweep is, as JSON.
        """
    def freeze(self, /, out: str | PathLike[str]) -> None:
        """
        Keeps the facts of the traces in a folder, for workers.
        """
    @staticmethod
    def frozen(name: str, text: str, folder: str | PathLike[str], out: str | PathLike[str]) -> Sweep:
        """
        The same plan as it was kept in the folder `out`; no trace is read.
        """
    def merge(self, /, out: str | PathLike[str], partial: bool) -> Results:
        """
        All rows, in the order of the plan.
        """
    def missing(self, /, out: str | PathLike[str]) -> list[tuple[int, float]]:
        """
        The numbers of the shards without a part, those that take long first, each with its estimated seconds.
        """
    @staticmethod
    def plan(name: str, text: str, folder: str | PathLike[str], out: str | PathLike[str] | None, jobs: SupportsIndex, progress: Any | None) -> Sweep:
        """
        Takes the text of a plan, whose paths begin in `folder`, and reads its traces, but for those whose facts the folder
        `out` has. `name` is for messages.
        """
    def runs(self, /, number: SupportsIndex) -> int:
        """
        The number of runs of a shard.
        """
    def status(self, /, out: str | PathLike[str]) -> str:
        """
        How far the sweep is, as JSON.
        """
    def work(self, /, out: str | PathLike[str], jobs: SupportsIndex, memory: SupportsIndex | None, progress: Any | None) -> None:
        """
        Runs all that is missing on some threads. `progress` takes runs that are done and their number.
        """
    def write(self, /, number: SupportsIndex, out: str | PathLike[str]) -> bool:
        """
        Runs one shard and writes its part; false: it was there.
        """

@final
class Trace:
    """
    Requests of a host, in memory or read from their file for each pass.
    """
    @property
    def duration(self, /) -> int:
        """
        The time from the first request to the last, ns.
        """
    @property
    def end(self, /) -> int:
        """
        The first byte behind all requests.
        """
    @staticmethod
    def generate(words: str) -> Trace:
        """
        Makes a workload that words describe, as `trace generate` takes them.
        """
    def info(self, /, page_size: SupportsIndex, erase_block: SupportsIndex) -> str:
        """
        What the workload is for flash, as JSON.
        """
    @property
    def is_streamed(self, /) -> bool:
        """
        Whether the file is read for each pass.
        """
    @staticmethod
    def of_columns(table: Any | None, columns: SupportsGetItem[int, tuple[str, Any]], names: SupportsLenAndGetItem[str], time_ns: SupportsFloat | SupportsIndex, offset_unit: SupportsIndex, size_unit: SupportsIndex, ops: str | None, name: str) -> Trace:
        """
        Takes a table with `__arrow_c_stream__`, or columns by role (`time`, `op`, `offset`, `size`, perhaps `stream`).
        """
    @staticmethod
    def open(path: str | PathLike[str], words: SupportsGetItem[int, str], memory: SupportsIndex | None, progress: Any | None) -> Trace:
        """
        Reads a file, in any format; `words` are options such as `--format=msr`. It is kept in memory (24 bytes a request)
        if it takes at most `memory` bytes, by default a quarter of what is free.
        """
    @property
    def requests(self, /) -> int:
        """
        The number of requests.
        """
    def sample(self, /, rate: str, seed: SupportsIndex, group: SupportsIndex) -> tuple[Trace, tuple[int, int, int]]:
        """
        A spatial sample: a share such as `1/16` of the groups of addresses. Returns the trace and the groups there are,
        kept, and their size in bytes.
        """
    def summary(self, /) -> str:
        """
        The summary as JSON.
        """
    def table(self, /) -> Stream:
        """
        All requests as a table: `time` (ns), `op` (R, W, F, D), `offset` and `size` (bytes), `stream`.
        """
    def warnings(self, /) -> list[str]:
        """
        What to know about it, one sentence each.
        """
    def words(self, /) -> list[str]:
        """
        The words with which a command reads it: options and its path. What has no file has its name alone.
        """

def after_fork(in_child: bool) -> None:
    """
    This thread has forked.
    """

def before_fork() -> None:
    """
    This thread is about to fork: waits for devices that other threads allocate, and lets none begin.
    """

def cliff(device: Device, filled: SupportsFloat | SupportsIndex, after: SupportsFloat | SupportsIndex, run_on: SupportsIndex | None) -> Cliff:
    """
    How a device with an SLC cache takes a sequential fill, of which a share is full before; `run_on`: the bytes of the drive that
    runs, `None`: none does.
    """

def command(arguments: SupportsGetItem[int, str], folder: str | PathLike[str]) -> int:
    """
    Runs the command line in this process, which should do nothing else: it catches signals, and some of them end the
    process. `arguments` begin with the name of the program; the plugin of nbdkit lies in `folder`. Returns the exit code.
    """

def events(device: Device, trace: Trace, wrap: bool, compact: bool, most: SupportsIndex) -> Stream:
    """
    What a device did on a trace, event by event: the first `most` of them, after which the run ends.
    """

def figures() -> list[tuple[str, str, str, bool | None]]:
    """
    Every figure: its name, its title, its unit, and whether more (`True`), less (`False`) or neither (`None`) is better.
    """

def hot_and_cold(spare_share: SupportsFloat | SupportsIndex, writes: SupportsFloat | SupportsIndex, data: SupportsFloat | SupportsIndex) -> float:
    """
    Write amplification of fifo cleaning, where a share of the writes goes to a share of the data.
    """

def keys() -> list[tuple[str, str, str, str, str | None]]:
    """
    Every key of a configuration: its path, what it means, its type (`bool`, `int`, `float`, `size`, `str`,
    `switch`: a name, or true or false for the first and the last one, `list`), the
    allowed values, the default.
    """

def life(known: Incomplete, trace: Trace | None) -> tuple[str, str]:
    """
    The object that `ssdlab life --json` prints, and the text that it prints without.
    """

def parse_bytes(text: str) -> int | None:
    """
    The bytes of a size such as `4MiB`; `None`: it is none.
    """

def pools(cleaning: str, spare_share: SupportsFloat | SupportsIndex, pages_per_block: SupportsIndex, pools: SupportsGetItem[int, tuple[SupportsFloat | SupportsIndex, SupportsFloat | SupportsIndex, bool]], split: SupportsGetItem[int, SupportsFloat | SupportsIndex] | None, optimal: bool) -> tuple[list[float], list[float], float]:
    """
    The share of the physical pages and the write amplification of each pool, and that of all: `cleaning` within pools of
    writes, data and whether they are in order. Without a split, in proportion to the data, or the best one.
    """

def recommend(device: Device, traces: SupportsGetItem[int, Trace], asked: Incomplete, progress: Any | None) -> tuple[str, list[str]]:
    """
    Searches for what serves some traces best; the answer as JSON, and the options of the drive of today that was taken if
    nothing names a device. `progress` takes the runs that are done, and those of the
    levels that have begun.
    """

def spare_of(over_provisioning: SupportsFloat | SupportsIndex) -> float:
    """
    The share of spare pages of an over-provisioning.
    """

def systems(family: str) -> list[tuple[str, str, str]] | None:
    """
    The names of the systems of a family (`buffer`, `ftl`, `cleaning`, `placement`) or of the presets (`preset`), each with
    what it does and its source.
    """

def uniform(policy: str, spare_share: SupportsFloat | SupportsIndex, pages_per_block: SupportsIndex, d: SupportsIndex) -> float:
    """
    Write amplification of uniform random writes: of `greedy` or `fifo` cleaning, or of `d` random blocks.
    """

def version() -> str:
    """
    The version of the program.
    """

def write_file(path: str | PathLike[str], data: bytes) -> None:
    """
    Writes a file, which has its name when it is complete. Links of others in a folder that all can write are not followed.
    """
