"""Owners on the ranks of an MPI job: ``pip install sotto[cluster]`` brings mpi4py and Open MPI too."""

import os
import socket
import time
from collections.abc import Mapping, Sequence
from typing import Any

from sotto.errors import UsageError
from sotto.records import path_of
from sotto.serving import Running, Server, address_at, addresses_of

# Between two looks whether the others are done; MPI's own waits take a whole processor.
_SECONDS = 0.05


class Ranks(Running):
    """The owners of an MPI job, each on its rank, that answer until all ranks stop; :func:`sotto.mpi.serve` returns it on every rank.

    Leaving a ``with`` block waits for the other ranks, and then ends all owners.
    """

    def __init__(self, comm: Any, server: Server | None, addresses: Mapping[str, str]) -> None:
        self._comm = comm
        self._server = server
        self._stopped = False
        self.addresses = dict(addresses)
        """Where each owner answers, ``HOST:PORT``, by the names in their certificates."""

    @property
    def rank(self) -> int:
        """Its number among them, 0 the analyst's, and k that of the k-th owner."""
        return int(self._comm.Get_rank())

    def stop(self) -> None:
        """Waits until all ranks have come here, ends the owners, and returns once the books of all are closed; the second time it does nothing.

        Errors: :class:`sotto.Error`, where the owner of this rank failed.
        """
        if self._stopped:
            return
        self._stopped = True
        self._await_all()
        try:
            if self._server is not None:
                self._server.stop()
        finally:
            self._await_all()  # the end of one rank may be the end of the job

    def _await_all(self) -> None:
        here = self._comm.Ibarrier()
        while not here.Test():
            time.sleep(_SECONDS)


def serve(owners: Sequence[str | os.PathLike[str]], *, new_books: bool = False, comm: Any = None) -> Ranks:
    """Starts :func:`sotto.serve` on the ranks after the first, one for each owner's file; every rank calls it.

    Parameters
    ----------
    owners
        the paths of the owners' configurations, the same on every rank: rank k serves the k-th, which lies on its machine
    new_books
        begin the books of all of them
    comm
        an ``mpi4py.MPI.Comm`` of one rank more than there are owners; all ranks of the job without it

    Returns
    -------
    Ranks
        whose ``.addresses`` say on every rank where each owner answers, with the rank's host where the owner's file has ``0.0.0.0``

    Notes
    -----
    Names, addresses and errors, with the paths that they name, pass through MPI, and nothing of rows; certificates, keys and books lie
    where the owners' files say. But whoever runs the job can read what its ranks can, rows too, so that owners' promises hold against
    others alone. Errors are those of :func:`sotto.serve`, on every rank: where one owner fails none goes on. UsageError where ranks
    and owners are not as many.

    Examples
    --------
    ::

        # mpirun -n 3 python -m mpi4py hospitals.py
        with sotto.mpi.serve(["/srv/north.toml", "/srv/south.toml"]) as ranks:
            if ranks.rank == 0:
                ranks.addresses                   # {"north": "10.0.0.7:7443", "south": "10.0.0.9:7443"}
    """
    if comm is None:
        from mpi4py import MPI

        comm = MPI.COMM_WORLD
    paths = [path_of(owner) for owner in owners]
    if comm.Get_size() != len(paths) + 1:
        raise UsageError(f"{len(paths)} owners and an analyst want {len(paths) + 1} ranks, and there are {comm.Get_size()}")
    rank = comm.Get_rank()
    server: Server | None = None
    failed: BaseException | None = None
    if rank > 0:
        try:
            server = Server(paths[rank - 1], new_books=new_books)
        except BaseException as error:  # Ctrl-C too: the others wait to be told
            failed = error
    try:
        told = comm.allgather((failed, server and server.name, server and address_at(socket.gethostname(), server.address)))
        for elsewhere, _, _ in told:
            if elsewhere is not None:
                raise elsewhere
        addresses = addresses_of((name, address) for _, name, address in told[1:])
    except BaseException:
        if server is not None:
            server.stop()
        raise
    return Ranks(comm, server, addresses)
