"""What fits of the same rows have promised and spent, as their directories record it."""

import decimal
import json
import math
import numbers
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sotto import _sotto
from sotto.errors import BudgetError, NoInputError, UsageError
from sotto.records import path_of, shown

# Of sums of promises, which are rounded up.
_ROUNDING = 1e-9


def at_most(epsilon: float) -> str:
    """Four digits of what was spent, rounded up: what is said of a promise is no less than it.

    >>> at_most(0.123401)
    '0.1235'
    """
    rounded = decimal.Context(prec=4, rounding=decimal.ROUND_CEILING).create_decimal(decimal.Decimal(epsilon))
    return f"{float(rounded):.4g}"


@dataclass(frozen=True)
class RecordedRun:
    """A run in a record of charges: what it promised, and what it says that it spent of that."""

    title: str
    data: str
    """The table, by its name."""
    started: str
    epsilon: float
    """Promised: no more than that was spent, whatever happened. It is this that counts, not what was spent of it."""
    delta: float
    adjacency: str
    privacy_unit: str
    person: str | None
    """The column that tells persons apart; None where rows are protected, or the record does not say."""
    maximum_rows: int | None
    """Of one person; None as above."""
    spent_epsilon: float | None
    """At ``delta``; None where the record does not say how the run ended, because it was killed or ran beside another."""
    ending: str | None
    """"finished", "budget_spent", "interrupted", "diverged", "failed"; None as above."""
    releases: list[dict[str, Any]]
    """Every kind of release: the charges of ``privacy.json`` where the end is known, else what was booked at most (``docs/output.md``)."""


class Ledger:
    """The record of charges in the directories of fits **of the same rows**, all runs of it: ``charges.jsonl``.

    Promises add up: k runs of (epsilon, delta) are (k epsilon, k delta) together (basic composition), whatever each has spent of its own,
    since when a run ends early follows from what it saw. Each directory counts once. Errors: NoInputError for a directory without a record, as that of
    a fit without privacy.

    Examples
    --------
    >>> import tempfile, numpy, pandas, sotto
    >>> table = pandas.DataFrame({"x": numpy.random.default_rng(1).uniform(-1, 1, 5000)}).assign(y=lambda t: t.x > 0.2)
    >>> schema = sotto.Schema({"x": sotto.real(-1, 1), "y": sotto.binary()})
    >>> with tempfile.TemporaryDirectory() as out:
    ...     fit = sotto.fit(table, "y ~ x", schema=schema, epsilon=0.5, delta=1e-6, out=out, draws=100)
    ...     ledger = sotto.Ledger(out)
    >>> [(run.epsilon, run.ending) for run in ledger.runs]
    [(0.5, 'finished')]
    >>> epsilon, delta = ledger.left(epsilon=2, delta=3e-6)
    >>> round(epsilon, 6), round(delta * 1e6, 6)
    (1.5, 2.0)
    """

    def __init__(self, *directories: str | os.PathLike[str]) -> None:
        if not directories:
            raise UsageError("name the directories of fits of the same rows")
        files = {os.path.realpath(path_of(directory)): self._file(path_of(directory)) for directory in directories}
        for file in files.values():
            if not json.loads(_sotto.ledger([file]))["runs"]:
                raise NoInputError(f"no run is recorded in {file}: what was released there is not known")
        told = json.loads(_sotto.ledger(list(files.values())))
        self.runs: list[RecordedRun] = [_run(run["opened"], run["booked"], run["closed"]) for run in told["runs"]]
        self.epsilon: float = math.inf if told["epsilon"] is None else told["epsilon"]
        """What the runs promise together; infinite where they do not protect the same unit (rows, or persons told apart by the same column) from the same adjacency, or one does not say, or a record was damaged."""
        self.delta: float = math.inf if told["delta"] is None else told["delta"]
        """Likewise."""

    @staticmethod
    def _file(directory: str) -> str:
        file = Path(directory, "charges.jsonl")
        if not file.is_file():
            raise NoInputError(f"there is no record of charges {file}: no fit has released anything there under a promise")
        return str(file)

    def left(self, *, epsilon: float, delta: float) -> tuple[float, float]:
        """What a budget of (``epsilon``, ``delta``) for all fits of these rows leaves for the next.

        Errors: BudgetError where the runs promise less than that already.
        """
        for name, number in (("epsilon", epsilon), ("delta", delta)):
            if isinstance(number, bool) or not isinstance(number, numbers.Real) or math.isnan(number):
                raise UsageError(f"{name} is a number, not {shown(number)}")
        left = epsilon - self.epsilon, delta - self.delta
        if not (left[0] >= -_ROUNDING * epsilon and left[1] >= -_ROUNDING * delta):
            raise BudgetError(f"the runs so far are {self._together()}, beyond ({epsilon:g}, {delta:g})")
        return max(left[0], 0.0), max(left[1], 0.0)

    def _together(self) -> str:
        if any(math.isinf(run.epsilon) for run in self.runs):
            return "no (epsilon, delta) together: a record was damaged, and does not say what one of them promised"
        if math.isinf(self.epsilon):
            return "no (epsilon, delta) together: they do not protect the same unit from the same adjacency"
        return f"({self.epsilon:.6g}, {self.delta:.6g}) together"

    def __repr__(self) -> str:
        lines = [["started", "title", "epsilon", "delta", "spent", "ending"]]
        for run in self.runs:
            spent = "unknown" if run.spent_epsilon is None else at_most(run.spent_epsilon)
            lines.append([run.started, run.title, f"{run.epsilon:g}", f"{run.delta:g}", spent, run.ending or "unknown"])
        widths = [max(len(line[i]) for line in lines) for i in range(len(lines[0]))]
        table = ["  ".join(cell.ljust(width) for cell, width in zip(line, widths)).rstrip() for line in lines]
        units = sorted({f"{run.privacy_unit}, {run.adjacency}" for run in self.runs})
        return "\n".join([*table, "", f"(epsilon, delta) = {self._together()}; protected: {'; '.join(units)}"])


def _run(opened: Any, booked: list[dict[str, Any]], closed: dict[str, Any] | None) -> RecordedRun:
    """What does not stand there as it should is not known."""
    promise = opened if isinstance(opened, dict) else {}
    person, rows = promise.get("person"), promise.get("maximum_rows")

    def text(key: str) -> str:
        return str(promise.get(key, "unknown"))

    def number(told: dict[str, Any], key: str) -> float | None:
        value = told.get(key)
        return float(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else None

    def promised(key: str) -> float:
        value = number(promise, key)
        return math.inf if value is None or not value >= 0 else value

    return RecordedRun(
        title=text("title"),
        data=text("data"),
        started=text("started"),
        epsilon=promised("epsilon"),
        delta=promised("delta"),
        adjacency=text("adjacency"),
        privacy_unit=text("privacy_unit"),
        person=person if isinstance(person, str) else None,
        maximum_rows=rows if isinstance(rows, int) else None,
        spent_epsilon=None if closed is None else number(closed, "spent_epsilon"),
        ending=None if closed is None else str(closed.get("ending", "unknown")),
        releases=booked if closed is None else closed.get("releases", booked),
    )
