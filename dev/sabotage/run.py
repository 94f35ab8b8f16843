#!/usr/bin/env python3
"""Plants the bugs of bugs.toml one by one in a copy of the committed tree. The tests named for each bug must fail.

    python3 dev/sabotage/run.py [NAME ...]
    python3 dev/sabotage/run.py --fit        plants nothing: does every replacement still fit the tree as it is, and does
                                         every test program still exist?

A bug is one exact replacement in one file. The exit status is 1 if a bug survives or a replacement no longer fits.
"""
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import tomllib

ROOT = pathlib.Path(__file__).resolve().parents[2]


def cargo(tree, *arguments):
    target = ROOT / "target" / "sabotage"
    command = ["cargo", "test", "--quiet", "--target-dir", str(target), *arguments]
    return subprocess.run(command, cwd=tree, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


def misfit(tree, bug):
    """Why a bug cannot be planted."""
    path = tree / bug["file"]
    count = path.read_text().count(bug["find"]) if path.exists() else 0
    return None if count == 1 else f"does not fit: {bug['file']} contains {bug['find']!r} {count} times"


def test_programs():
    """Each test program of the workspace, as a pair of package and name."""
    command = ["cargo", "metadata", "--format-version=1", "--no-deps", "--offline"]
    printed = subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE).stdout
    packages = json.loads(printed)["packages"]
    return {(package["name"], target["name"]) for package in packages for target in package["targets"]
            if "test" in target["kind"]}


def lost_tests(bug, programs):
    """Why the tests of a bug cannot run."""
    options = dict(zip(bug["tests"], bug["tests"][1:]))
    program = options.get("-p"), options.get("--test")
    return f"no test program {program[1]} of {program[0]}" if program[1] and program not in programs else None


def verdict(tree, bug):
    if why := misfit(tree, bug):
        return why
    path = tree / bug["file"]
    original = path.read_text()
    path.write_text(original.replace(bug["find"], bug["replace"]))
    try:
        built = cargo(tree, "--no-run", *bug["tests"])
        if built.returncode:
            return f"does not build:\n{built.stdout[-2000:]}"
        tested = cargo(tree, *bug["tests"])
        if tested.returncode:
            return None
        ran = any(int(count) for count in re.findall(r"running (\d+) test", tested.stdout))
        return f"{'LIVES through' if ran else 'no test runs in'} {' '.join(bug['tests'])}"
    finally:
        path.write_text(original)


def main():
    bugs = tomllib.loads((ROOT / "dev" / "sabotage" / "bugs.toml").read_text())["bug"]
    if sys.argv[1:] == ["--fit"]:
        programs = test_programs()
        reasons = ((bug, misfit(ROOT, bug) or lost_tests(bug, programs)) for bug in bugs)
        sys.exit("\n".join(f"{bug['name']}: {why}" for bug, why in reasons if why) or None)
    wanted = set(sys.argv[1:])
    if unknown := wanted - {bug["name"] for bug in bugs}:
        sys.exit(f"no such bug: {', '.join(sorted(unknown))}")
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        tree = pathlib.Path(folder) / "tree"
        subprocess.run(["git", "clone", "--quiet", "--shared", str(ROOT), str(tree)], check=True)
        for bug in bugs:
            if wanted and bug["name"] not in wanted:
                continue
            wrong = verdict(tree, bug)
            failed += wrong is not None
            print(f"{'FAILED' if wrong else 'killed'}  {bug['name']}{': ' + wrong if wrong else ''}", flush=True)
    print(f"{len(wanted or bugs) - failed} of {len(wanted or bugs)} bugs killed")
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
