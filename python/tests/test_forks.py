"""A process may fork while other threads simulate."""

from __future__ import annotations

import multiprocessing
import sys
import threading

import pytest
import ssdlab as sl


# planted bug: a lock of another thread that the child inherits, and nobody gives back
@pytest.mark.skipif(sys.platform == "win32", reason="there is no fork")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_children_simulate_what_their_parent_does() -> None:
    trace = sl.generate("uniform", requests=10, capacity="1MiB")
    ended = threading.Event()

    def simulate() -> None:
        # most of the time goes into the tables of a large device
        while not ended.is_set():
            sl.run(sl.Device(capacity="2GiB", ftl="page", precondition="empty"), trace)

    threads = [threading.Thread(target=simulate) for _ in range(2)]
    for thread in threads:
        thread.start()
    codes = []
    for _ in range(20):
        child = multiprocessing.get_context("fork").Process(target=sl.run, args=(sl.Device(), trace))
        child.start()
        child.join(60)
        codes.append(child.exitcode)
        child.kill()
        if child.exitcode != 0:
            break
    ended.set()
    for thread in threads:
        thread.join()
    assert codes == [0] * 20
