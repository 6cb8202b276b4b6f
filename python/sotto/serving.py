"""An owner of a table, which answers analysts in other processes."""

import json
import os
import subprocess
import tempfile
import weakref
from collections.abc import Iterable
from types import TracebackType
from typing import IO, Any, Self

from sotto.errors import CannotCreateError, Error, UsageError
from sotto.program import end, failure, sentences, start
from sotto.records import path_of


class Running:
    """What goes on until ``stop``, at the latest to the end of a ``with`` block."""

    def stop(self) -> None:
        raise NotImplementedError

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        try:
            self.stop()
        except Error as failed:
            if error is None:
                raise
            error.add_note(str(failed))


class Server(Running):
    """An owner that answers at an address, until it is stopped; :func:`sotto.serve` returns one.

    Leaving a ``with`` block stops it, and so does the end of Python, however it comes. The program reads the rows; none is here.
    """

    def __init__(
        self, owner: str | os.PathLike[str], *, new_books: bool = False, log: str | os.PathLike[str] | None = None
    ) -> None:
        self._said = _log_file(log)
        weakref.finalize(self, self._said.close)
        self._begin = os.fstat(self._said.fileno()).st_size
        words = ["serve", "--json", *(["--new-books"] if new_books else []), "--", path_of(owner)]
        self._process = start(words, subprocess.PIPE, self._said)
        self._finalizer = weakref.finalize(self, end, self._process)
        self._told = self._listening()

    def _listening(self) -> dict[str, Any]:
        """What the program tells as soon as it listens."""
        assert self._process.stdout is not None
        try:
            line = self._process.stdout.readline()
        except BaseException:
            self._finalizer()
            raise
        if not line:
            raise failure(self._ended(), self.log)
        told: dict[str, Any] = json.loads(line)
        return told

    def _ended(self) -> int:
        """Its exit status."""
        self._finalizer.detach()
        return end(self._process)

    @property
    def name(self) -> str:
        """The owner's, as in its certificate."""
        return str(self._told["name"])

    @property
    def address(self) -> str:
        """Where it answers, ``HOST:PORT``; the host is the one that ``listen`` in the owner's file names."""
        return str(self._told["address"])

    @property
    def public_key(self) -> str:
        """The public half of the key that signs its answers, as it stands in ``NAME.public``."""
        return str(self._told["public_key"])

    @property
    def epsilon(self) -> float:
        """What all who ever ask may learn together."""
        return float(self._told["epsilon"])

    @property
    def delta(self) -> float:
        """What all who ever ask may learn together."""
        return float(self._told["delta"])

    @property
    def log(self) -> list[str]:
        """What it has said so far of who asked and what it booked, a sentence each; nothing of rows."""
        return sentences(self._said, self._begin)

    def stop(self) -> None:
        """Ends it, and waits until its books are closed; does nothing the second time. Errors: :class:`sotto.Error`, where it failed."""
        if not self._finalizer.alive:
            return
        status = self._ended()
        if status != 0:
            raise failure(status, self.log)

    def __repr__(self) -> str:
        said = f"{self.name} answers at {self.address}" if self._process.poll() is None else f"{self.name} answers no more"
        return f"<sotto.Server: {said}>"


def address_at(machine: str, address: str) -> str:
    """Where an owner on a machine answers, also one that listens at all of its addresses."""
    host, _, port = address.rpartition(":")
    if host not in ("0.0.0.0", "[::]"):
        return address
    return f"[{machine}]:{port}" if ":" in machine else f"{machine}:{port}"


def addresses_of(told: Iterable[tuple[str, str]]) -> dict[str, str]:
    """Names of owners and their addresses. Errors: UsageError where two have the same name."""
    owners = list(told)
    addresses = dict(owners)
    if len(addresses) < len(owners):
        raise UsageError("two owners have the same name: no analyst could tell them apart")
    return addresses


def _log_file(log: str | os.PathLike[str] | None) -> IO[bytes]:
    if log is None:
        return tempfile.TemporaryFile()
    try:
        return open(path_of(log), "ab+", buffering=0)
    except OSError as error:
        raise CannotCreateError(f"cannot write the log {path_of(log)}: {error.strerror}") from None


def serve(owner: str | os.PathLike[str], *, new_books: bool = False, log: str | os.PathLike[str] | None = None) -> Server:
    """Answers analysts' questions about a table, with noise, until it is stopped: the program's ``sotto serve``.

    Parameters
    ----------
    owner
        the path of the owner's configuration (``docs/reference/configuration.md``, "Owners in other processes"): name, table, schema,
        address, books, certificate, keys, and what all who ask may learn together
    new_books
        begin the books: for rows that nobody was answered from before, from no books at all
    log
        a file to which it appends who asked and what it booked; without it ``.log`` of the server has that alone

    Returns
    -------
    Server
        which listens at its ``.address``; a context manager

    Notes
    -----
    It is the program that reads the rows and answers: the variable ``SOTTO_PROGRAM`` of the environment says where it is, else it is
    looked for on the PATH. Ctrl-C within the ``with`` block ends the block, and so the server. Errors are :class:`sotto.Error`:
    UnavailableError where there is no program, or the address cannot be listened at; else the program's.

    Examples
    --------
    ::

        with sotto.serve("north.toml", new_books=True) as north:
            print(north.address)
            input("Enter ends it")
    """
    return Server(owner, new_books=new_books, log=log)
