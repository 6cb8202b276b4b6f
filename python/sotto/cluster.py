"""Owners on the workers of a Dask cluster: ``pip install sotto[cluster]``."""

import contextlib
import os
import socket
from collections.abc import Iterable, Mapping
from typing import Any
from urllib.parse import urlsplit

from sotto.errors import NoInputError, UsageError
from sotto.records import path_of
from sotto.serving import Running, Server, address_at, addresses_of

_Path = str | os.PathLike[str]


class Servers(Running):
    """Owners that answer, each on a worker, until they are stopped; :func:`sotto.cluster.serve` returns them.

    Leaving a ``with`` block stops them, and so does the end of the client or of a worker.
    """

    def __init__(self, actors: Iterable[Any], addresses: Mapping[str, str]) -> None:
        self._actors = contextlib.ExitStack()
        for actor in actors:
            self._actors.callback(_stop, actor)
        self.addresses = dict(addresses)
        """Where each owner answers, ``HOST:PORT``, by the names in their certificates."""

    def stop(self) -> None:
        """Ends all, and waits until their books are closed. Errors: :class:`sotto.Error`, where one of them failed."""
        self._actors.close()


def serve(client: Any, owners: Iterable[_Path] | Mapping[str, _Path], *, new_books: bool = False) -> Servers:
    """Starts :func:`sotto.serve` on workers, one for each owner's file.

    Parameters
    ----------
    client
        a ``distributed.Client``
    owners
        the paths of the owners' configurations, each on the machine of a worker; or ``{"tcp://10.0.0.7:40331": path}``, by the
        addresses of workers
    new_books
        begin the books of all of them

    Returns
    -------
    Servers
        whose ``.addresses`` say where each answers, with the worker's host where the owner's file has ``0.0.0.0``

    Notes
    -----
    Paths, addresses and errors pass through Dask, and nothing of rows; certificates, keys and books lie where the owners' files say. But
    whoever may send tasks to the cluster can read what its workers can, rows too, so that owners' promises hold against others alone.
    Errors are those of :func:`sotto.serve`, and where one owner fails none goes on; NoInputError also for a file that lies on no
    worker's machine, UsageError for one that lies on several.

    Examples
    --------
    ::

        with sotto.cluster.serve(client, ["/srv/north.toml", "/srv/south.toml"]) as servers:
            servers.addresses                     # {"north": "10.0.0.7:7443", "south": "10.0.0.9:7443"}
    """
    placed = list(owners.items()) if isinstance(owners, Mapping) else [(_worker_with(client, path), path) for path in owners]
    begun = [
        client.submit(Server, path_of(path), new_books=new_books, actor=True, workers=[worker], pure=False) for worker, path in placed
    ]
    try:
        actors = client.gather(begun)
        addresses = addresses_of(
            (actor.name, address_at(urlsplit(worker).hostname or "", actor.address)) for actor, (worker, _) in zip(actors, placed)
        )
    except BaseException:
        Servers(client.gather(begun, errors="skip"), {}).stop()
        raise
    return Servers(actors, addresses)


def _stop(actor: Any) -> None:
    actor.stop().result()


def _machine_with(path: str) -> str | None:
    return socket.gethostname() if os.path.isfile(path) else None


def _worker_with(client: Any, path: _Path) -> str:
    """A worker on the one machine where the file lies."""
    told: dict[str, str | None] = client.run(_machine_with, path_of(path))
    found = {worker: machine for worker, machine in sorted(told.items()) if machine is not None}
    if not found:
        raise NoInputError(f"no file {path_of(path)} on the machine of any worker")
    if len(set(found.values())) > 1:
        raise UsageError(f"{path_of(path)} lies on several machines: say by the addresses of workers which are meant, {', '.join(found)}")
    return next(iter(found))
