"""The program ``ssdlab``: the command line inside the extension."""

from __future__ import annotations

import signal
import sys
from pathlib import Path

from . import _native

DASK = "--dask"


def main() -> None:
    """Run the command line with the arguments of this process, and exit."""
    words = sys.argv[1:]
    if words[:2] == ["sweep", "run"] and any(word.split("=")[0] == DASK for word in words):
        sys.exit(_dask(words[2:]))
    # the program handles Ctrl-C itself
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    sys.exit(_native.command(["ssdlab", *words], Path(__file__).parent))


def _dask(words: list[str]) -> int:
    """``ssdlab sweep run PLAN --dask ADDRESS``: the shards run on the workers of a scheduler of Dask."""
    import argparse

    parser = argparse.ArgumentParser(prog="ssdlab sweep run")
    parser.add_argument("plan", metavar="PLAN", help="the plan (TOML)")
    parser.add_argument("--out", metavar="DIR", help="the folder of the parts, which all workers share")
    parser.add_argument(DASK, metavar="ADDRESS", required=True, help="the scheduler, such as tcp://10.0.0.1:8786")
    given = parser.parse_args(words)
    try:
        from distributed import Client  # type: ignore[attr-defined, unused-ignore]
    except ImportError:
        print("error: --dask: distributed is not installed; pip install 'ssdlab[dask]'", file=sys.stderr)
        return 2
    from .errors import Error, PlanError
    from .sweep import Plan

    out = Path(given.out or f"{Path(given.plan).stem}.parts")
    try:
        plan = Plan.open(given.plan)
        with Client(given.dask, set_as_default=False) as client:  # type: ignore[no-untyped-call, unused-ignore]
            plan.run(out, client.get_executor(), progress=True)
        status = plan.status(out)
    except KeyboardInterrupt:
        print("interrupted: the parts that are complete are kept", file=sys.stderr)
        return 130
    except Error as error:
        print(f"error: {error}", file=sys.stderr)
        return 1 if isinstance(error, PlanError) and error.shards_left is not None else 2
    except (OSError, TimeoutError) as error:
        print(f"error: --dask {given.dask}: {error}", file=sys.stderr)
        return 1
    print(f"{status['runs_done']} runs; {out}: {status['shards_done']} of {status['shards']} parts")
    return 0
