"""Processes that begin warm: forked from one that has the modules loaded already, instead of started from
nothing. Everything else is as it is in the service: a pid, a session, an environment, limits and a death of
their own. Every so often one is started from nothing after all, so that this too is soaked.
"""

from __future__ import annotations

import gc
import importlib
import json
import logging
import os
import random
import runpy
import signal
import subprocess
import sys
import tempfile
import time
import traceback
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

COLD_EVERY = 40
# Importing them starts something, or they are this program.
_NOT_BEFOREHAND = ("twisted.internet.reactor", "__main__", "suanjia.__main__", "benchmarks")
OWNER = os.getpid()
started = {"warm": 0, "cold": 0}
around_fork: list[tuple[Callable[[], None], Callable[[], None]]] = []
"""(before, after) of whatever may not be open while a process divides, such as SQLite connections."""


class Popen(subprocess.Popen[Any]):
    """`subprocess.Popen` for `[python, "-m", MODULE, …]`. `learnt`: a file of module names that grows by what
    the processes had to import."""

    learnt: Path | None = None

    def _execute_child(self, args: Any, executable: Any, preexec_fn: Any, *rest: Any) -> None:
        number = sum(started.values())
        if args[1] != "-m" or number % COLD_EVERY == COLD_EVERY - 1:
            started["cold"] += 1
            return super()._execute_child(args, executable, preexec_fn, *rest)  # type: ignore[misc]
        started["warm"] += 1
        env, ends = rest[3], rest[7:13]
        if _import_beforehand(self.learnt):
            gc.collect()
            gc.freeze()  # or the collector of every child would touch, and so copy, all of it
        for before, _ in around_fork:
            before()
        sys.stdout.flush()
        sys.stderr.flush()
        self.pid = os.fork()
        if self.pid == 0:
            _become(list(args[2:]), env, ends, preexec_fn, self.learnt)
        for _, after in around_fork:
            after()
        self._child_created = True
        for ours, theirs in ((ends[1], ends[0]), (ends[2], ends[3]), (ends[4], ends[5])):
            if ours != -1 and theirs != -1:
                os.close(theirs)
        if (null := getattr(self, "_devnull", None)) is not None:
            os.close(null)
        self._closed_child_pipe_fds = True
        return None


def _become(command: list[str], env: Any, ends: Any, preexec_fn: Any, learnt: Path | None) -> None:
    """The rest of a forked process' life."""
    code = 1
    try:
        child_ends = (ends[0], ends[3], ends[5])
        for number, end in enumerate(child_ends):
            if end != -1:
                os.dup2(end, number, inheritable=True)
        os.closerange(3, 256)
        around_fork.clear()
        os.setsid()
        if env is not None:
            os.environ.clear()
            os.environ.update(env)
        time.tzset()
        tempfile.tempdir = None
        random.seed()
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGALRM):
            signal.signal(number, signal.SIG_DFL if number != signal.SIGINT else signal.default_int_handler)
        if preexec_fn is not None:
            preexec_fn()
        logging.getLogger().handlers.clear()
        sys.stdin = open(0, closefd=False)  # noqa: SIM115 - for the rest of the process' life
        sys.stdout, sys.stderr = open(1, "w", closefd=False), open(2, "w", closefd=False)  # noqa: SIM115
        sys.argv = list(command)
        known = set(sys.modules)
        try:
            runpy.run_module(command[0], run_name="__main__", alter_sys=False)
            code = 0
        except SystemExit as end_of_it:
            code = end_of_it.code if isinstance(end_of_it.code, int) else int(end_of_it.code is not None)
        _learn(learnt, set(sys.modules) - known)
    except BaseException:  # noqa: BLE001 - as the interpreter does at the end of a program
        traceback.print_exc()
    finally:
        with suppress(OSError, ValueError):
            sys.stdout.flush()
            sys.stderr.flush()
        os._exit(code)


def _learn(learnt: Path | None, names: set[str]) -> None:
    new = sorted(name for name in names if not name.startswith(_NOT_BEFOREHAND))
    if learnt is not None and new:
        with learnt.open("a", encoding="utf-8") as file, suppress(OSError):
            file.write(json.dumps(new) + "\n")


def _import_beforehand(learnt: Path | None) -> bool:
    """Import what children had to; True when there was something."""
    if learnt is None or os.getpid() != OWNER or not learnt.is_file():
        return False
    before = len(sys.modules)
    for line in learnt.read_text(encoding="utf-8").splitlines():
        for name in json.loads(line):
            if name not in sys.modules:
                with suppress(Exception):  # one that cannot be imported alone is imported by its command
                    importlib.import_module(name)
    return len(sys.modules) > before
