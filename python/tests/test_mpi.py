"""Owners on the ranks of an MPI job."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from test_serve import Consortium

MPIRUN = [str(Path(sys.executable).with_name("mpirun")), "--allow-run-as-root", "--oversubscribe", "--bind-to", "none"]


@pytest.fixture
def consortium(program, table, schema):
    return Consortium(program, table, schema)


def run(ranks, text, *arguments):
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([os.environ.get("PYTHONPATH", ""), str(Path(__file__).parent)])}
    Path("job.py").write_text(text)
    return subprocess.run(
        [*MPIRUN, "-n", str(ranks), sys.executable, "-m", "mpi4py", "job.py", *arguments],
        env=environment, capture_output=True, text=True, timeout=300,
    )


def closed(consortium, name):
    return "closed" in (consortium.folder / f"books-{name}/charges.jsonl").read_text().splitlines()[-1]


def test_a_fit_asks_owners_on_ranks(consortium):
    told = run(3, """
import sys
from pathlib import Path
import sotto, sotto.mpi
from test_serve import USUAL, write_owners
with sotto.mpi.serve(sys.argv[1:], new_books=True) as ranks:
    if ranks.rank == 0:
        write_owners(ranks.addresses, Path("owners.toml"))
        fit = sotto.fit(owners="owners.toml", schema="schema.toml", **USUAL)
        print(list(ranks.addresses), fit.privacy["private"], [owner["name"] for owner in fit.privacy["owners"]])
""", "north.toml", "south.toml")
    assert told.returncode == 0, told.stderr
    assert told.stdout == "['north', 'south'] True ['north', 'south']\n"
    assert closed(consortium, "north") and closed(consortium, "south")


def test_where_one_fails_none_goes_on(consortium):
    consortium.write_owner("south", file="none.csv")
    told = run(3, """
import sys
import sotto, sotto.mpi
try:
    sotto.mpi.serve(sys.argv[1:], new_books=True)
except sotto.NoInputError as error:
    assert "none.csv" in str(error)
    print("none goes on")
""", "north.toml", "south.toml")
    assert told.returncode == 0, told.stderr
    assert told.stdout == "none goes on\n" * 3
    assert closed(consortium, "north")


def test_an_error_of_the_analyst_ends_the_owners(consortium):
    told = run(2, """
import sys
import sotto, sotto.mpi
with sotto.mpi.serve(sys.argv[1:], new_books=True) as ranks:
    if ranks.rank == 0:
        sotto.fit(owners="nowhere.toml", schema="schema.toml", formula="ill ~ age", epsilon=1)
""", "north.toml")
    assert told.returncode != 0 and "nowhere.toml" in told.stderr
    assert closed(consortium, "north")


def test_ranks_are_an_analyst_and_the_owners(consortium):
    told = run(2, """
import sys
import sotto, sotto.mpi
try:
    sotto.mpi.serve(sys.argv[1:])
except sotto.UsageError as error:
    print(error)
""", "north.toml", "south.toml")
    assert told.stdout == "2 owners and an analyst want 3 ranks, and there are 2\n" * 2, told.stderr
