"""What a privacy budget buys, before any row is read."""

import json
import numbers
import os
from collections.abc import Iterable, Mapping
from typing import Any

from sotto import _sotto
from sotto.configuration import assignments, configuration, declaration
from sotto.errors import UsageError
from sotto.model import Model
from sotto.records import name_of, records_of
from sotto.schema import Schema


class Plan:
    """What fits of simulated rows showed; :func:`plan` returns one. Nothing in it comes from private rows."""

    def __init__(self, told: str, shown: str) -> None:
        self._told: dict[str, Any] = json.loads(told)
        self._shown = shown
        self.caveat: str = self._told["caveat"]
        """What the simulated rows leave out."""
        self.model: str = self._told["model"]
        self.method: str = self._told["method"]
        self.rows: int = self._told["rows"]
        self.repeats: int = self._told["repeats"]

    @property
    def verdicts(self) -> dict[float, str]:
        """"good", "poor" or "hopeless" by epsilon (``docs/plan.md`` says when)."""
        return {budget["epsilon"]: budget["verdict"] for budget in self._told["budgets"]}

    @property
    def reasons(self) -> dict[float, str]:
        """Why, by epsilon."""
        return {budget["epsilon"]: budget["why"] for budget in self._told["budgets"]}

    @property
    def table(self) -> list[dict[str, Any]]:
        """A line per budget and parameter, for ``pandas.DataFrame``; none of a budget that bought no draw.

        ``sd`` of the posterior, ``sd_without_noise``, ``sd_inflation`` and ``ess``, bulk effective draws, are medians over the
        repeats, and ``covered`` is the share of repeats whose 90 % interval held what the rows were made from.
        """
        without_noise = self._told["sd_without_noise"]
        return [
            {"epsilon": budget["epsilon"], "parameter": name, "sd_without_noise": without_noise[name], **one}
            for budget in self._told["budgets"]
            for name, one in budget["parameters"].items()
        ]

    def __repr__(self) -> str:
        head = f"{self.model}, {self.method}: {self.rows} simulated rows, {self.repeats} repeats; no private row was read"
        return f"{head}\n\n{self._shown.rstrip()}"


def plan(
    formula: str | None = None,
    *,
    model: Model | None = None,
    schema: Schema | str | os.PathLike[str],
    family: str | None = None,
    rows: int | None = None,
    epsilon: float | Iterable[float] | None = None,
    delta: float | None = None,
    method: str = "auto",
    chains: int | None = None,
    draws: int | None = None,
    warmup: int | None = None,
    seed: int | None = None,
    threads: int | None = None,
    cuts: Iterable[float] | None = None,
    prior: Mapping[str, Any] | None = None,
    settings: Mapping[str, Any] | None = None,
    repeats: int = 3,
    response_mean: float | None = None,
    like: Any = None,
) -> Plan:
    """Fits simulated rows under several budgets, as :func:`sotto.fit` would the private ones, which it does not see.

    Parameters
    ----------
    model
        refused, as a plan simulates responses: a model of one's own says how likely a row is, and not how to draw one. Simulate a table by what
        is meant, and give it to :func:`sotto.fit` with the budget to come
    rows
        their number, or a public guess (default: that of ``like``)
    epsilon
        budgets to compare; of a single one also half and twice of it
    repeats
        simulated tables; from 20 on, how often intervals held the truth is told
    response_mean
        a public guess: share of ones or of events, mean count, mean (default: a half, one, the middle)
    like
        a PUBLIC table whose columns the simulated rows are drawn from, as :func:`sotto.fit` takes tables; nothing protects it

    Notes
    -----
    The rest is as for :func:`sotto.fit`, whose privacy budget none of it touches.

    Examples
    --------
    >>> import sotto
    >>> schema = sotto.Schema({"ill": sotto.binary(), "age": sotto.real(18, 90)})
    >>> plan = sotto.plan("ill ~ age", schema=schema, rows=5000, epsilon=[0.01, 20], delta=1e-6, draws=500)
    >>> plan.verdicts
    {0.01: 'hopeless', 20.0: 'good'}
    """
    if model is not None:
        raise UsageError(
            "a plan simulates responses, and a model of one's own says how likely a row is, not how to draw one: simulate a table, and fit "
            "that with the budget to come"
        )
    if rows is not None and (isinstance(rows, bool) or not isinstance(rows, numbers.Real) or rows != int(rows)):
        raise UsageError(f"rows are how many, as 20000, not {name_of(rows)}: a public table is the argument like")
    epsilons = [float(one) for one in epsilon] if isinstance(epsilon, Iterable) and not isinstance(epsilon, str) else []
    given = configuration(
        formula=formula,
        family=family,
        epsilon=epsilons[0] if epsilons else epsilon,  # type: ignore[arg-type]
        delta=delta,
        method=method,
        chains=chains,
        draws=draws,
        warmup=warmup,
        seed=seed,
        threads=threads,
        cuts=cuts,
        prior=prior,
        settings=settings,
    )
    declared, files = declaration(schema)
    given["data.schema"] = files[0] if files else "<sotto.Schema>"
    records = None if like is None else records_of(like, "like")
    told, shown = _sotto.plan(declared, assignments(given), epsilons, int(rows or 0), repeats, response_mean, records)
    return Plan(told, shown)
