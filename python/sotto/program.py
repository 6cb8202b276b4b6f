"""Runs the program ``sotto``, to which the extension module leaves owners over a network."""

import contextlib
import os
import shutil
import signal
import subprocess
import tempfile
import weakref
from collections.abc import Sequence
from typing import IO

from sotto.errors import Error, UnavailableError, error_of
from sotto.progress import Overheard, line_here

_INSTALL = (
    "install the Debian package sotto, or build the program where gRPC is (docs/packages.md), and put it on the PATH, or say where it "
    "is by SOTTO_PROGRAM"
)
_BUDGET, _INTERRUPTED = 75, 130

# The program is told to end by a line on standard input, or by its end, which comes also where Python was killed.
_UNTIL_TOLD = """
exec 3<&0 4>&2 2>/dev/null
"$@" </dev/null 2>&4 3<&- 4>&- &
program=$!
{ read -r line; kill "$program"; } <&3 >/dev/null 4>&- &
told=$!
wait "$program"
status=$?
kill "$told"
exit "$status"
"""


def program() -> str:
    """Where it is. Errors: UnavailableError where it is not."""
    named = os.environ.get("SOTTO_PROGRAM") or "sotto"
    found = shutil.which(os.path.expanduser(named))
    if found is None:
        raise UnavailableError(f"there is no program {named}, which speaks with owners elsewhere: {_INSTALL}")
    return found


def start(words: Sequence[str], told: int | IO[bytes], said: IO[bytes]) -> "subprocess.Popen[bytes]":
    """The program with these words, in a process group of its own, so that Ctrl-C is ours to pass on.

    ``told`` is its standard output, ``said`` a file for its standard error. It ends by :func:`end`, or when Python does.
    """
    shell = ["/bin/sh", "-c", _UNTIL_TOLD, "sh", program(), *words]
    process = subprocess.Popen(shell, stdin=subprocess.PIPE, stdout=told, stderr=said, process_group=0)
    _parents[process] = os.getpid()
    return process


_parents: "weakref.WeakKeyDictionary[subprocess.Popen[bytes], int]" = weakref.WeakKeyDictionary()


def _let_go() -> None:
    """A fork of this process neither ends a program nor keeps it running."""
    for process in _parents:
        if process.stdin is not None and not process.stdin.closed:
            nothing = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nothing, process.stdin.fileno(), inheritable=False)
            os.close(nothing)


os.register_at_fork(after_in_child=_let_go)


def _wait(process: "subprocess.Popen[bytes]", heard: Overheard | None = None) -> int:
    """Its exit status. Python looks for Ctrl-C now and then: a signal that another library's thread took interrupts no wait."""
    while True:
        with contextlib.suppress(subprocess.TimeoutExpired):
            return process.wait(timeout=1 if heard is None else 0.2)
        if heard is not None:
            heard.show()


def end(process: "subprocess.Popen[bytes]") -> int:
    """Tells it to end with what it has, waits, and returns its exit status. Ctrl-C meanwhile ends it at once."""
    assert process.stdin is not None
    if _parents.get(process) != os.getpid():
        return 0
    with contextlib.suppress(OSError):
        process.stdin.write(b"\n")
        process.stdin.flush()
    try:
        return _wait(process)
    except BaseException:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        raise
    finally:
        for pipe in (process.stdin, process.stdout):
            with contextlib.suppress(OSError):
                if pipe is not None:
                    pipe.close()


def sentences(said: IO[bytes], begin: int = 0) -> list[str]:
    """What the program has said into this file, from the byte ``begin`` on."""
    text = os.pread(said.fileno(), max(os.fstat(said.fileno()).st_size - begin, 0), begin)
    return [line.removeprefix("sotto: ") for line in text.decode(errors="backslashreplace").splitlines()]


def failure(status: int, lines: Sequence[str]) -> Error:
    """The error that the program ended with, which it says last."""
    if status < 0 or status > 128 or not lines:
        return error_of(status, f"sotto ended with status {status}, and without a reason")
    sentence = lines[-1]
    if sentence.startswith(("there is no serve", "this program was built without owners over a network")):
        return UnavailableError(f"{program()} was built without owners over a network: {_INSTALL}")
    return error_of(status, sentence)


def run(words: Sequence[str]) -> None:
    """Runs it until there are results, which a run that was stopped or ran away can have too.

    Ctrl-C ends it with what it has. Errors: the program's; KeyboardInterrupt where it was stopped without results.
    """
    heard = None
    with tempfile.TemporaryFile() as told, tempfile.TemporaryFile() as said:
        with contextlib.suppress(OSError):  # without a terminal to be had nothing is shown
            line = line_here()
            heard = None if line is None else Overheard(said, line)
        process = start(words, told, said if heard is None else heard.end)
        stopped = False
        try:
            status = _wait(process, heard)
        except KeyboardInterrupt:
            stopped = True
            status = end(process)
        except BaseException:
            end(process)
            raise
        finally:
            if heard is not None:
                heard.finish()
        assert process.stdin is not None
        process.stdin.close()
        has_results = os.fstat(told.fileno()).st_size > 0
        if status == 0 or has_results and status in (_BUDGET, _INTERRUPTED):
            return
        lines = sentences(said)
    if stopped or status == _INTERRUPTED:
        raise KeyboardInterrupt(*lines[-1:])
    raise failure(status, lines)
