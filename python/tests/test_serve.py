"""Owners over a network: served from Python, and asked from there."""

import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

import sotto

USUAL = {"formula": "ill > 0 ~ age", "epsilon": 1, "delta": 1e-6, "draws": 100, "force": True}


class Consortium:
    """Two owners, north and south, whose files lie in the folder, and an analyst, ada."""

    def __init__(self, program, table, schema):
        self.folder = program.folder
        assert program("keys", "keys", "--owners", "north,south", "--analysts", "ada").returncode == 0
        (self.folder / "schema.toml").write_text(schema.to_toml())
        for name, rows in (("north", table[:1400]), ("south", table[1400:])):
            rows.to_csv(f"{name}.csv", index=False)
            self.write_owner(name)

    def write_owner(self, owner, **changed):
        told = {"name": owner, "file": f"{owner}.csv", "schema": "schema.toml", "listen": "localhost:0", "books": f"books-{owner}"}
        told |= {"authority": "keys/authority.pem", "certificate": f"keys/{owner}.pem", "key": f"keys/{owner}.key"}
        told |= {"signing": f"keys/{owner}.signing", "threads": 1, "privacy": {"epsilon": 3, "delta": 1e-6}, **changed}
        (self.folder / f"{owner}.toml").write_text("".join(f"{key} = {sotto.toml.text_of(value)}\n" for key, value in told.items()))

    def write_owners(self, addresses, name="owners.toml"):
        return write_owners(addresses, self.folder / name).name


def write_owners(addresses, path):
    """What an analyst says of owners at these addresses."""
    lines = ['authority = "keys/authority.pem"', 'certificate = "keys/ada.pem"', 'key = "keys/ada.key"']
    for owner, address in addresses.items():
        lines += ["[[owner]]", f'name = "{owner}"', f'address = "{address}"', f'public_key = "keys/{owner}.public"']
    path.write_text("\n".join(lines))
    return path


@pytest.fixture
def consortium(program, table, schema):
    return Consortium(program, table, schema)


@pytest.fixture
def served(consortium):
    with sotto.serve("north.toml", new_books=True) as north, sotto.serve("south.toml", new_books=True) as south:
        consortium.write_owners({server.name: server.address for server in (north, south)})
        yield north, south


def said(name):
    return json.loads((name / "privacy.json").read_text()), json.loads((name / "manifest.json").read_text())


def test_a_fit_is_the_programs(served, program, schema):
    told = program("fit", "--owners", "owners.toml", "--schema", "schema.toml", "--formula", USUAL["formula"], "--epsilon", 1, "--delta", 1e-6,
                   "--draws", 100, "--force", "--out", "theirs")
    assert told.returncode in (0, 75), told.stderr  # 75: draws that are no answer, by chance
    fit = sotto.fit(owners="owners.toml", schema="schema.toml", **USUAL, out="ours")
    (ours, our_run), (theirs, their_run) = said(program.folder / "ours"), said(program.folder / "theirs")
    assert fit.privacy == ours and ours["private"] and fit.draws.posterior.attrs["private"] == 1
    assert ours["owners"] == theirs["owners"] and [owner["name"] for owner in ours["owners"]] == ["north", "south"]
    for key in ("epsilon", "delta", "privacy_unit", "trust_model"):
        assert ours[key] == theirs[key]
    assert 0 < ours["spent_epsilon"] <= 1
    # How often each query is asked follows from the answers before; what each is, and costs, does not.
    first, its = ({key: run["releases"][0][key] for key in run["releases"][0] if key != "count"} for run in (ours, theirs))
    assert first == its
    assert (our_run["parameters"], our_run["method"]) == (their_run["parameters"], their_run["method"])
    for key in ("data", "model", "privacy", "method"):
        assert our_run["configuration"][key] == their_run["configuration"][key]
    assert fit.draws.posterior.sizes["draw"] == 100 and list(fit.summary().index) == our_run["parameters"]


def test_a_schema_that_is_no_file_leaves_no_file(served, schema, tmp_path, monkeypatch):
    (tmp_path / "temporary").mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "temporary"))
    fit = sotto.fit(owners=tmp_path / "owners.toml", schema=schema, **USUAL, settings={"method.chains": 2})
    assert list((tmp_path / "temporary").iterdir()) == [fit.directory]
    privacy, manifest = said(fit.directory)
    assert manifest["configuration"]["data"]["schema"] == "<sotto.Schema>" and fit.draws.posterior.sizes["chain"] == 2
    more = sotto.fit(owners="owners.toml", schema=schema, **USUAL | {"draws": 300}, settings={"method.chains": 2}, resume=fit.directory)
    assert more.draws.posterior.sizes["draw"] == 300 and more.privacy == privacy
    del fit, more
    assert list((tmp_path / "temporary").iterdir()) == []


def test_what_a_fit_says_is_raised(served, schema):
    with pytest.warns(sotto.SottoWarning) as raised:
        fit = sotto.fit(owners="owners.toml", schema=schema, **USUAL | {"draws": 10})
    assert [str(warning.message) for warning in raised] == fit.warnings
    assert {warning.filename for warning in raised} == {__file__}


def test_books_outlive_a_server(consortium, schema):
    with sotto.serve("north.toml", new_books=True, log="north.log") as north:
        assert (north.name, north.epsilon, north.delta) == ("north", 3, 1e-6)
        assert north.public_key == (consortium.folder / "keys/north.public").read_text().strip()
        assert repr(north) == f"<sotto.Server: north answers at {north.address}>"
        consortium.write_owners({"north": north.address})
        sotto.fit(owners="owners.toml", schema=schema, **USUAL | {"epsilon": 2.9})
        assert any("ada begins: bernoulli, ill > 0 ~ age" in sentence for sentence in north.log)
    assert "answers no more" in north.log[-1] and repr(north) == "<sotto.Server: north answers no more>"
    north.stop()
    with sotto.serve("north.toml", log="north.log") as north:
        consortium.write_owners({"north": north.address})
        with pytest.raises(sotto.BudgetError, match=r"what is left of it does not cover epsilon 2.9.*nothing was spent"):
            sotto.fit(owners="owners.toml", schema=schema, **USUAL | {"epsilon": 2.9}, out="out")
        assert not (consortium.folder / "out").exists() and not any("charged" in sentence for sentence in north.log)
    assert (consortium.folder / "north.log").read_text().count("answers no more") == 2


def test_what_is_wrong_is_said_before_it_listens(consortium):
    for changed, error, sentence in (
        ({}, sotto.NoInputError, "books"),
        ({"file": "none.csv"}, sotto.NoInputError, "none.csv"),
        ({"listen": ""}, sotto.ConfigurationError, "needs listen"),
        ({"privacy": {"epsilom": 1}}, sotto.ConfigurationError, "epsilom"),
    ):
        consortium.write_owner("north", **changed)
        with pytest.raises(error, match=sentence):
            sotto.serve("north.toml", new_books=bool(changed))
    with pytest.raises(sotto.NoInputError, match="--none.toml"):
        sotto.serve("--none.toml")
    with pytest.raises(sotto.CannotCreateError, match="cannot write the log nowhere/log: No such file"):
        sotto.serve("north.toml", log="nowhere/log")
    with socket.create_server(("localhost", 0)) as taken:
        consortium.write_owner("north", listen=f"localhost:{taken.getsockname()[1]}")
        with pytest.raises(sotto.UnavailableError, match="cannot listen at localhost"):
            sotto.serve("north.toml", new_books=True)


def test_what_does_not_fit_is_refused(served, schema, table):
    for arguments, error, sentence in (
        ({"data": table}, sotto.UsageError, "data and owners both name the rows"),
        ({"owners": "none.toml"}, sotto.NoInputError, "none.toml"),
        ({"owners": "schema.toml"}, sotto.ConfigurationError, "schema.toml"),
        ({"formula": "ill > 0 ~ agee"}, sotto.ConfigurationError, "agee"),
        ({"schema": "none.schema.toml"}, sotto.NoInputError, "none.schema.toml"),
        ({"not_private": True}, sotto.ConfigurationError, "never answer without noise"),
        ({"resume": "nowhere"}, sotto.NoInputError, "nowhere"),
        ({"resume": "nowhere", "out": "out"}, sotto.UsageError, "drop out and overwrite"),
        ({"out": "north.csv"}, sotto.CannotCreateError, "north.csv"),
        ({"settings": {"method.wind": 1}}, sotto.ConfigurationError, "method.wind"),
        ({"settings": {"output.directory": "out"}}, sotto.UsageError, "it is the argument out"),
        ({"owners": ["localhost:7443", "localhost:7444"]}, sotto.UsageError, r'owners="owners.toml" is its path .docs/guides/hospitals.md'),
        ({"owners": [table, "owners.toml"]}, sotto.UsageError, "is no table: owners elsewhere are named in a file"),
        ({"owners": "localhost:7443"}, sotto.UsageError, "or the path of a file OWNERS.toml of owners elsewhere"),
    ):
        with pytest.raises(error, match=sentence):
            sotto.fit(**{"owners": "owners.toml", "schema": schema, **USUAL, **arguments})
    assert not any("charged" in sentence for server in served for sentence in server.log), "nothing was spent"


def test_an_owner_that_went_away_does_not_answer(served, schema):
    served[1].stop()
    with pytest.raises(sotto.UnavailableError, match="the owner south at localhost:.* does not answer"):
        sotto.fit(owners="owners.toml", schema=schema, **USUAL)


def test_an_owner_that_fails_is_told_at_the_end(consortium):
    with pytest.raises(sotto.InternalError, match="sotto ended with status 137"):
        with sotto.serve("north.toml", new_books=True) as north:
            kill_the_program(north)
    with pytest.raises(ZeroDivisionError) as raised, sotto.serve("north.toml") as north:
        kill_the_program(north)
        1 / 0
    assert raised.value.__notes__ == ["sotto ended with status 137, and without a reason"]


def kill_the_program(server):
    """It, and not the shell that waits for it, whose first child it is."""
    shell = server._process.pid
    first = Path(f"/proc/{shell}/task/{shell}/children").read_text().split()[0]
    os.kill(int(first), signal.SIGKILL)


def test_ctrl_c_ends_the_block_and_the_server(consortium):
    with pytest.raises(KeyboardInterrupt), sotto.serve("north.toml", new_books=True) as north:
        signal.raise_signal(signal.SIGINT)
    assert north.log[-1].endswith("is left") and "closed" in (consortium.folder / "books-north/charges.jsonl").read_text()


@pytest.mark.parametrize("ending", ["", "import os, signal; os.kill(os.getpid(), signal.SIGKILL)"])
def test_the_end_of_python_ends_it(consortium, ending):
    begun = f"import sotto; server = sotto.serve('north.toml', new_books=True, log='log'); print(server.address, flush=True); {ending}"
    told = subprocess.run([sys.executable, "-c", begun], capture_output=True, text=True, timeout=60)
    # Its standard output was read to the end, which the program keeps open as long as it runs.
    assert told.stdout.startswith("localhost:") and told.stderr == ""


RUN = """
import sys, sotto
sys.modules["arviz"] = None  # takes seconds to come
try:
    fit = sotto.fit(owners="owners.toml", schema="schema.toml", method="penalty", out="out", **eval(sys.argv[1]))
    print("draws", fit.draws.posterior.sizes["draw"], fit.privacy["private"], fit.warnings)
except KeyboardInterrupt as stopped:
    print("stopped:", stopped)
"""


# A signal may be given to any thread of a process that has several; this one gives it to itself.
OF_ANOTHER_THREAD = """
import signal, threading
def take():
    signal.sigwait([signal.SIGUSR1])
    signal.pthread_kill(threading.get_ident(), signal.SIGINT)
signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGUSR1])
threading.Thread(target=take, daemon=True).start()
"""


def interrupted(folder, arguments, booked, sent=signal.SIGINT, before=""):
    """What a Python of its own says of a fit, with Ctrl-C once so many charges of steps are booked, of twice as many steps each."""
    run = subprocess.Popen([sys.executable, "-c", before + RUN, repr(USUAL | arguments)], stdout=subprocess.PIPE, text=True)
    record, deadline = folder / "out/charges.jsonl", time.monotonic() + 60
    try:
        while not (record.exists() and record.read_text().count('"log-likelihood ratio"') >= booked):
            assert run.poll() is None and time.monotonic() < deadline
            time.sleep(0.02)
        run.send_signal(sent)
        told, _ = run.communicate(timeout=60)
    finally:
        run.kill()
    assert json.loads(record.read_text().splitlines()[-1])["closed"]["ending"] == "interrupted"
    return told


@pytest.mark.long
def test_ctrl_c_ends_a_fit_with_the_draws_so_far(served, program):
    told = interrupted(program.folder, {"warmup": 2, "draws": 500000}, booked=8)
    kept, private, sentences = re.match(r"draws (\d+) (\w+) (.*)", told).groups()
    assert 0 < int(kept) < 500000 and private == "True" and "The run was stopped before its end" in sentences


class Line:
    def __init__(self):
        self.shown = []
        self.show = self.shown.append

    def wipe(self):
        self.show("")


@pytest.mark.long
def test_how_far_a_fit_is_is_shown_and_no_sentence_is_lost(served, program, schema, monkeypatch):
    line = Line()
    monkeypatch.setattr("sotto.program.line_here", lambda: line)
    sotto.fit(owners="owners.toml", schema=schema, **USUAL | {"method": "penalty", "warmup": 2, "draws": 1500})
    assert line.shown[-1] == "" and len(line.shown) > 1
    assert all(re.fullmatch(r"fit \[#*\.*\] +\d+ %  budget \d+ %(  .* left)?", text) for text in line.shown[:-1]), line.shown
    line.shown.clear()
    with pytest.raises(sotto.ConfigurationError, match="did you mean age"):
        sotto.fit(owners="owners.toml", schema=schema, **USUAL | {"formula": "ill > 0 ~ agee"})
    assert line.shown == []


@pytest.mark.long
def test_ctrl_c_that_another_thread_takes_ends_it_too(served, program):
    told = interrupted(program.folder, {"warmup": 400000, "draws": 10}, booked=1, sent=signal.SIGUSR1, before=OF_ANOTHER_THREAD)
    assert told.startswith("stopped: "), told


def test_ctrl_c_before_the_first_draw_is_raised(served, program):
    told = interrupted(program.folder, {"warmup": 400000, "draws": 10}, booked=1)
    assert re.match(r"stopped: stopped before the first draw; epsilon .* is spent", told), told
    assert json.loads((program.folder / "out/privacy.json").read_text())["private"]


def test_where_there_is_no_program(monkeypatch, tmp_path, schema):
    monkeypatch.setenv("SOTTO_PROGRAM", str(tmp_path / "sotto"))
    for ask in (lambda: sotto.serve("north.toml"), lambda: sotto.fit(owners="owners.toml", schema=schema, **USUAL)):
        with pytest.raises(sotto.UnavailableError, match="there is no program .*install the Debian package sotto"):
            ask()
    monkeypatch.delenv("SOTTO_PROGRAM")
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(sotto.UnavailableError, match="there is no program sotto, .* by SOTTO_PROGRAM"):
        sotto.serve("north.toml")


def test_where_the_program_knows_no_network(monkeypatch, tmp_path, schema):
    program = tmp_path / "sotto"
    program.write_text(
        '#!/bin/sh\ncase $1 in serve) echo "sotto: there is no serve (see sotto --help)" >&2; exit 64;; esac\n'
        'echo "sotto: this program was built without owners over a network: install gRPC and build it again" >&2\nexit 78\n'
    )
    program.chmod(0o700)
    monkeypatch.setenv("SOTTO_PROGRAM", str(program))
    for ask in (lambda: sotto.serve("north.toml"), lambda: sotto.fit(owners="owners.toml", schema=schema, **USUAL)):
        with pytest.raises(sotto.UnavailableError, match="was built without owners over a network: .*where gRPC is"):
            ask()


def test_a_fork_neither_ends_a_server_nor_keeps_it(served):
    north, _ = served
    child = os.fork()
    if child == 0:
        north._finalizer()  # as the end of a forked Python does
        os._exit(0)
    assert os.waitpid(child, 0)[1] == 0
    assert north._process.poll() is None and "answers at" in repr(north)
    child = os.fork()
    if child == 0:
        signal.pause()
    try:
        north.stop()
    finally:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
