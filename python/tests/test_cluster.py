"""Owners on the workers of a Dask cluster."""

import socket

import pytest
from distributed import Client, LocalCluster
from test_serve import USUAL, Consortium

import sotto
import sotto.cluster


@pytest.fixture
def consortium(program, table, schema):
    return Consortium(program, table, schema)


@pytest.fixture(scope="module")
def client():
    with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0") as cluster, Client(cluster) as client:
        yield client


def paths(consortium):
    return [consortium.folder / f"{name}.toml" for name in ("north", "south")]


def closed(consortium, name):
    return "closed" in (consortium.folder / f"books-{name}/charges.jsonl").read_text().splitlines()[-1]


def test_a_fit_asks_owners_on_workers(client, consortium, schema):
    with sotto.cluster.serve(client, paths(consortium), new_books=True) as servers:
        assert list(servers.addresses) == ["north", "south"]
        consortium.write_owners(servers.addresses)
        fit = sotto.fit(owners="owners.toml", schema=schema, **USUAL)
        assert fit.privacy["private"] and [owner["name"] for owner in fit.privacy["owners"]] == ["north", "south"]
        assert not closed(consortium, "north")
    assert closed(consortium, "north") and closed(consortium, "south")
    servers.stop()


def test_workers_can_be_named(client, consortium):
    first, second = sorted(client.scheduler_info(n_workers=-1)["workers"])
    consortium.write_owner("south", listen="0.0.0.0:0")
    with sotto.cluster.serve(client, dict(zip((second, first), paths(consortium))), new_books=True) as servers:
        host, port = servers.addresses["south"].split(":")
        assert host == first.removeprefix("tcp://").split(":")[0]
        socket.create_connection((host, int(port))).close()
        assert servers.addresses["north"].startswith("localhost:")


def test_where_one_fails_none_goes_on(client, consortium):
    with pytest.raises(sotto.NoInputError, match="nowhere.toml on the machine of any worker"):
        sotto.cluster.serve(client, [*paths(consortium), "nowhere.toml"], new_books=True)
    assert not (consortium.folder / "books-north").exists()
    consortium.write_owner("south", file="none.csv")
    with pytest.raises(sotto.NoInputError, match="none.csv"):
        sotto.cluster.serve(client, paths(consortium), new_books=True)
    assert closed(consortium, "north")
    consortium.write_owner("south", name="north")
    sotto.serve("south.toml", new_books=True).stop()
    with pytest.raises(sotto.UsageError, match="two owners have the same name"):
        sotto.cluster.serve(client, paths(consortium))
    assert closed(consortium, "north") and closed(consortium, "south")


def test_a_file_on_several_machines_is_refused(client, consortium, monkeypatch):
    monkeypatch.setattr(client, "run", lambda function, path: {"tcp://10.0.0.7:1": "one", "tcp://10.0.0.9:1": "other", "tcp://10.0.0.5:1": None})
    with pytest.raises(sotto.UsageError, match="lies on several machines: .* tcp://10.0.0.7:1, tcp://10.0.0.9:1"):
        sotto.cluster.serve(client, paths(consortium))


def test_the_end_of_the_cluster_ends_the_owners(consortium):
    with LocalCluster(n_workers=1, processes=False, dashboard_address=":0") as cluster, Client(cluster) as client:
        servers = sotto.cluster.serve(client, paths(consortium), new_books=True)
        host, port = servers.addresses["north"].split(":")
        socket.create_connection((host, int(port))).close()
    del servers
    assert closed(consortium, "north") and closed(consortium, "south")
