#!/usr/bin/env python3
"""Puts one fault after the other into a copy of the sources and asks whether a test notices.

Usage: hack/mutants.py [--only PATTERN] [--list] [-j N] [-v] [--quick] [--equivalent] [--fresh]

There are two kinds of faults. tests/mutants/*.yaml has some for each rule of DESIGN, as a text and what takes its place;
the text must be there exactly once, else the run fails. And every comparison and boolean of reconcile/ is flipped in turn.
The detectors run in order of cost until one fails; a crash, a hang and a failed build count. What survives without being
named in tests/mutants/equivalent.yaml, with the reason why it changes nothing, is a hole in the tests: the exit code is 1.

Every result is kept in build/mutants.jsonl. A fault that survived runs again when anything has changed; one that was
caught, when the operator's own sources have. So after a new test only the survivors run. --fresh forgets all of it.

PATTERN is a regular expression; it is looked for in a fault's name, rule, file and function.
"""
import argparse
import collections
import hashlib
import json
import os
import queue
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import yaml

from mutants_flips import Mutant, flips

ROOT = Path(__file__).resolve().parent.parent
LISTS = "tests/mutants"
FLIPPED = "reconcile"
OUT = "build/gcc"
MEMORY = ROOT / "build/mutants.jsonl"
RULES = [f"N{n}" for n in range(1, 9)] + [f"U{n}" for n in range(1, 5)]  # each has faults in the lists

Detector = collections.namedtuple("Detector", "name target command cpu_s")


class ListError(Exception):
    """A list of faults that does not fit the sources."""


# Lists.

def load(path):
    entries = yaml.safe_load(path.read_text())
    if not isinstance(entries, list):
        raise ListError(f"{path.name}: not a list")
    return entries


def listed_faults(sources):
    problems = []
    for path in sorted((sources / LISTS).glob("*.yaml")):
        for e in load(path) if path.name != "equivalent.yaml" else []:
            if set(e) != {"name", "rule", "file", "from", "to"}:
                raise ListError(f"{path.name}: {e.get('name')}: has not exactly name, rule, file, from and to")
            text = (sources / e["file"]).read_text()
            at = text.find(e["from"])
            if text.count(e["from"]) != 1:
                problems.append(f"{path.name}: {e['name']}: is {text.count(e['from'])} times in {e['file']}: {e['from']}")
            yield Mutant(e["name"], e["rule"], e["file"], "", text.count("\n", 0, at) + 1, e["from"], e["to"],
                         text[:at] + e["to"] + text[at + len(e["from"]):])
    if problems:
        raise ListError("\n".join(problems))


def all_flips(sources):
    for path in sorted((sources / FLIPPED).rglob("*.c")):
        yield from flips(str(path.relative_to(sources)), path.read_text())


def split_equivalent(sources, mutants):
    """Takes out what equivalent.yaml names; each of its entries must name exactly one flip."""
    path = sources / LISTS / "equivalent.yaml"
    rest = list(mutants)
    equivalent = []
    for e in load(path) if path.exists() else []:
        for now in e["now"] if isinstance(e["now"], list) else [e["now"]]:
            found = [m for m in rest if (m.file, m.function, m.was, m.now) == (e["file"], e["in"], e["was"], now)]
            nth = e.get("nth")
            if not found or (len(found) > 1 and not nth) or not e.get("why"):
                raise ListError(f"equivalent.yaml: {e['file']}: {e['in']}: {now}: names {len(found)} flips, or has no why")
            chosen = found[nth - 1 if nth else 0]
            equivalent.append(chosen)
            rest.remove(chosen)
    return rest, equivalent


# Detectors.

QUICK_S = 30
MAKE = ["make", "-s", "CFLAGS=-O1"]  # of the quickest to build; the simulation is not much slower for it


def unit_tests(sources, file):
    """The unit tests of FILE's layer that include a header of FILE's folder, or a fixture."""
    layer, folder = file.split("/")[0], str(Path(file).parent)
    for path in sorted((sources / "tests/unit" / layer).glob("*_test.c")):
        text = path.read_text()
        if f'"{folder}/' in text or "_fixture.h" in text:
            yield str(path.relative_to(sources).with_suffix(""))


def detectors_of(sources, file):
    """In order of cost. The limits are several times what a run takes, in seconds of processor time."""
    if file.endswith("launcher.sh"):
        return [Detector("launcher", None, ["sh", "tests/launcher/launcher_test.sh", "dash"], QUICK_S)]
    sim = f"{OUT}/sim"
    steps = []
    if file.startswith("reconcile/"):
        steps.append(Detector("cases", f"{OUT}/cases", [f"{OUT}/cases"], 2))
    if file.startswith(("reconcile/", "controller/")):
        steps += [Detector("unit", f"{OUT}/{t}", [f"{OUT}/{t}"], 10) for t in unit_tests(sources, file)]
    return steps + [Detector("seeds", sim, [sim, "-j", "1", "--seeds", "200", "--no-crash"], 40),
                    Detector("crashes", sim, [sim, "-j", "1", "--crash-all"], 60)]


FAILURE = re.compile(r"^(FAIL|VIOLATION|\[  FAILED  \]|FAILED|.*NEVER AROSE)")
MEMORY_KIB = 4 << 20
WALL_FACTOR = 10  # other work on the machine is no hang


def end_all(mark):
    """Ends what a detector has left behind: the launcher's tests detach handlers on purpose."""
    for path in Path("/proc").glob("[0-9]*/environ"):
        try:
            if mark in path.read_bytes():
                os.kill(int(path.parent.name), signal.SIGKILL)
        except OSError:
            pass  # it has ended, or is somebody else's


def run(command, folder, cpu_s):
    """None when it succeeds, else in a few words why not."""
    limits = f"ulimit -c 0; ulimit -t {cpu_s}; ulimit -v {MEMORY_KIB}; exec \"$@\""
    with tempfile.TemporaryDirectory(dir=folder.parent, ignore_cleanup_errors=True) as scratch:
        process = subprocess.Popen(["sh", "-c", limits, "sh", *command], cwd=folder, stdin=subprocess.DEVNULL,
                                   stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True,
                                   env={**os.environ, "TMPDIR": scratch})
        timer = threading.Timer(cpu_s * WALL_FACTOR, os.killpg, (process.pid, signal.SIGKILL))
        timer.start()
        why, last = None, ""
        for line in process.stdout:
            last = line.decode(errors="replace").rstrip()
            if FAILURE.match(last):
                why = last
                os.killpg(process.pid, signal.SIGKILL)
                break
        process.stdout.close()
        code = process.wait()
        timer.cancel()
        end_all(scratch.encode())
    if why or code == 0:
        return why
    if code in (-signal.SIGXCPU, -signal.SIGKILL):
        return "ran past its limit"
    return f"ended with {code}: {last}"


class World:
    """A built copy of the sources, in which one file is faulty at a time."""

    def __init__(self, folder, base):
        self.folder, self.base = folder, base

    def make(self, target):
        return run([*MAKE, target], self.folder, 120)

    def restore(self):
        """Everything that was changed is again what it was, with its time: make must not see a difference."""
        for path in self.base.rglob("*"):
            here = self.folder / path.relative_to(self.base)
            if path.is_file() and (not here.exists() or here.stat().st_mtime_ns != path.stat().st_mtime_ns):
                here.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(path, here)

    def judge(self, mutant, quick):
        """(detector, why) of what noticed, or None."""
        detectors = detectors_of(self.base, mutant.file)
        try:
            (self.folder / mutant.file).write_text(mutant.text)
            for d in [d for d in detectors if d.cpu_s <= QUICK_S] if quick else detectors:
                broken = self.make(d.target) if d.target else None
                if broken:
                    return "build", broken
                why = run(d.command, self.folder, d.cpu_s)
                if why:
                    return d.name, why
            return None
        finally:
            self.restore()


def copy_sources(folder):
    """What .gitignore leaves out is left out here. There may be no git, and no repository."""
    ignored = shutil.ignore_patterns(".git", "build", "__pycache__", "*.swp")
    shutil.copytree(ROOT, folder, ignore=ignored, symlinks=True, dirs_exist_ok=True)


def build_base(folder, mutants, jobs):
    """Builds all, and sees to it that nothing fails before there is a fault."""
    steps = {(d.target, *d.command): d for m in mutants for d in detectors_of(folder, m.file)}
    targets = sorted({d.target for d in steps.values() if d.target})
    why = run([*MAKE, f"-j{jobs}", *targets], folder, 600) if targets else None
    for d in [] if why else steps.values():
        why = why or run(d.command, folder, d.cpu_s)
    if why:
        sys.exit(f"mutants: without a fault: {why}")


# What earlier runs have found.

class Memory:
    """Results by the hash of the fault and of what they depend on; a line of JSON each, so that a kill loses none."""

    def __init__(self, sources, is_fresh):
        self.decisions = hash_of(sources, ("crd", "reconcile"))
        self.operator = hash_of(sources, ("crd", "reconcile", "controller"))
        self.everything = hash_of(sources, (".",))
        self.lock = threading.Lock()
        MEMORY.parent.mkdir(exist_ok=True)
        if is_fresh:
            MEMORY.unlink(missing_ok=True)
        lines = MEMORY.read_text().splitlines() if MEMORY.exists() else []
        self.known = dict(json.loads(line) for line in lines)

    def needed(self, mutant, caught):
        """The hash of the sources with which CAUGHT stays true."""
        if not caught or mutant.file.startswith("tests/"):
            return self.everything
        # The tests of decisions are linked with nothing above them.
        is_decided = mutant.file.startswith("reconcile/") and caught[0] in ("cases", "unit")
        return self.decisions if is_decided else self.operator

    def recall(self, mutant):
        """(is it known, (detector, why) or None)."""
        for sources in (self.decisions, self.operator, self.everything):
            key = key_of(sources, mutant)
            if key in self.known and self.needed(mutant, self.known[key]) == sources:
                return True, self.known[key]
        return False, None

    def keep(self, mutant, caught):
        with self.lock, MEMORY.open("a") as file:
            file.write(json.dumps([key_of(self.needed(mutant, caught), mutant), caught]) + "\n")


def key_of(sources, mutant):
    return hashlib.sha256("\0".join((sources, mutant.file, mutant.text)).encode()).hexdigest()


def hash_of(sources, folders):
    digest = hashlib.sha256()
    for path in sorted(p for f in folders for p in (sources / f).rglob("*")):
        if path.is_file() and path.suffix not in (".md", ".py"):
            digest.update(f"{path.relative_to(sources)}\0{path.stat().st_size}\0".encode() + path.read_bytes())
    return digest.hexdigest()


# The run.

def describe(m):
    if m.rule == "flip":
        return f"{m.file}:{m.line}: {m.function}: {m.name}: {m.now}"
    return f"{m.file}:{m.line}: {m.rule}: {m.name}"


def work(world, todo, results, memory, args):
    while True:
        try:
            mutant = todo.get_nowait()
        except queue.Empty:
            return
        caught = world.judge(mutant, args.quick)
        results.append((mutant, caught))
        if caught or not args.quick:
            memory.keep(mutant, caught)
        if not caught:
            print(f"SURVIVED {describe(mutant)}", flush=True)
        elif args.v:
            print(f"{caught[0]:8} {describe(mutant)}\n         {caught[1][:150]}", flush=True)


def run_all(base, mutants, args):
    memory = Memory(base, args.fresh)
    results, fresh = [], []
    for m in mutants:
        is_known, caught = memory.recall(m)
        if is_known:
            results.append((m, caught))
        else:
            fresh.append(m)
    print(f"{len(mutants)} faults, of which {len(results)} are known from earlier runs", flush=True)
    if not fresh:
        return results
    build_base(base, fresh, args.j)
    todo = queue.Queue()
    for m in fresh:
        todo.put(m)
    threads = []
    for i in range(args.j):
        folder = base.parent / f"world{i}"
        shutil.copytree(base, folder)
        threads.append(threading.Thread(target=work, args=(World(folder, base), todo, results, memory, args),
                                        daemon=True))
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    return results


def report(results, equivalent, seconds):
    by = collections.Counter(caught[0] for _, caught in results if caught)
    survivors = sorted((m for m, caught in results if not caught), key=lambda m: (m.rule == "flip", m.file, m.line))
    # A fault of the list that cannot be compiled is no fault.
    unbuilt = [m for m, caught in results if caught and caught[0] == "build" and m.rule != "flip"]
    print(f"\n{len(results)} faults in {seconds:.0f} s, caught by: "
          + ", ".join(f"{name} {n}" for name, n in by.most_common()))
    rules = collections.Counter(m.rule for m, _ in results)
    lost = collections.Counter(m.rule for m in survivors + unbuilt)
    print("of each rule: " + ", ".join(f"{r} {n - lost[r]} of {n}" for r, n in sorted(rules.items())))
    for m in unbuilt:
        print(f"does not compile: {describe(m)}")
    for m in survivors:
        print(f"survived: {describe(m)}")
    if equivalent:
        print(f"change nothing, see {LISTS}/equivalent.yaml: {len(equivalent)}")
    good = len(results) - len(survivors) - len(unbuilt)
    print(f"caught {good} of {len(results)}")
    print(f"{good} passed, {len(survivors) + len(unbuilt)} failed, {len(equivalent)} skipped")
    return not survivors and not unbuilt


def report_equivalent(results):
    wrong = [(m, caught) for m, caught in results if caught]
    for m, caught in wrong:
        print(f"changes something: {describe(m)}: {caught[1]}")
    print(f"{len(results) - len(wrong)} passed, {len(wrong)} failed, 0 skipped")
    return not wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--only", metavar="PATTERN", default="", help="only these faults")
    parser.add_argument("--list", action="store_true", help="print them, run nothing")
    parser.add_argument("-j", type=int, default=2, metavar="N", help="how many at a time (2)")
    parser.add_argument("-v", action="store_true", help="say of each what caught it")
    parser.add_argument("--quick", action="store_true", help="without the long simulations: more survive")
    parser.add_argument("--equivalent", action="store_true", help="run what equivalent.yaml names, to see whether it is right")
    parser.add_argument("--fresh", action="store_true", help="forget what earlier runs have found")
    args = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that the folder goes
    with tempfile.TemporaryDirectory(prefix="mutants-", ignore_cleanup_errors=True) as scratch:
        return check(Path(scratch) / "base", args)


def check(base, args):
    """BASE becomes a copy of the sources: from here on it does not matter who edits them."""
    copy_sources(base)
    try:
        flipped, equivalent = split_equivalent(base, all_flips(base))
        listed = list(listed_faults(base))
        bare = set(RULES) - {m.rule for m in listed}
        if bare:
            raise ListError(f"no fault against {', '.join(sorted(bare))}")
        mutants = equivalent if args.equivalent else listed + flipped
    except (ListError, OSError, yaml.YAMLError) as problem:
        sys.exit(f"mutants: {problem}")
    mutants, equivalent = ([m for m in some if re.search(args.only, describe(m))] for some in (mutants, equivalent))
    if args.list or not mutants:
        print("\n".join(describe(m) for m in mutants) or "mutants: none is called that")
        return 0 if args.list else 2
    start = time.monotonic()
    results = run_all(base, mutants, args)
    if args.equivalent:
        return 0 if report_equivalent(results) else 1
    return 0 if report(results, equivalent, time.monotonic() - start) else 1


if __name__ == "__main__":
    sys.exit(main())
