"""What the tests share: the program beside the package, and a table."""

import os
import signal
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest

import sotto


def pytest_configure(config):
    # What a fit says of itself follows from its noise; a test that is about warnings asks for them.
    config.addinivalue_line("filterwarnings", "ignore::sotto.SottoWarning")
    config.addinivalue_line("markers", "long: takes three seconds or more, and waits for ./test --exhaustive")


# A shell's background job has it ignored, and so would all that is started here.
signal.signal(signal.SIGINT, signal.default_int_handler)

PROGRAM = os.path.abspath(os.environ["SOTTO_PROGRAM"])


@pytest.fixture(autouse=True)
def draws_are_trees(request, monkeypatch):
    """But where ArviZ is what is tested: it takes seconds to come."""
    if request.module.__name__ not in ("test_arviz", "test_documentation"):
        monkeypatch.setitem(sys.modules, "arviz", None)


class Program:
    """The command line program, run in a folder of its own."""

    def __init__(self, folder):
        self.folder = folder

    def __call__(self, *arguments):
        return subprocess.run(
            [PROGRAM, *map(str, arguments)], cwd=self.folder, capture_output=True, text=True, timeout=120
        )


@pytest.fixture
def program(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # the same relative paths for both
    return Program(tmp_path)


def declared():
    return sotto.Schema(
        {
            "ill": sotto.count(0, 30),
            "age": sotto.real(18, 90),
            "smoker": sotto.binary(),
            "clinic": sotto.category(["north", "south", "west"]),
        }
    )


def people():
    generator = np.random.default_rng(1)
    age = generator.uniform(18, 90, 3000)
    return pd.DataFrame(
        {
            "ill": generator.poisson(np.exp(0.02 * (age - 50))),
            "age": age,
            "smoker": generator.uniform(size=3000) < 0.3,
            "clinic": generator.choice(["north", "south", "west"], 3000),
        }
    )


@pytest.fixture
def schema():
    return declared()


@pytest.fixture
def table():
    return people()


@pytest.fixture(scope="session")
def fitted(tmp_path_factory):
    """The directory of a fit, for tests that read one: copy it before it is changed."""
    out = tmp_path_factory.mktemp("fitted") / "out"
    sotto.fit(people(), "ill ~ age * clinic", schema=declared(), family="poisson", epsilon=20, delta=1e-6, draws=200, out=out)
    return out
