"""A posterior from private data."""

import contextlib
import os
import warnings
from collections.abc import Iterable, Mapping
from typing import Any

from sotto import _sotto
from sotto.configuration import assignments, configuration, declaration
from sotto.errors import SottoWarning, UsageError
from sotto.model import Declared, Model, unheard
from sotto.output import folder, remove_with
from sotto.records import name_of, records_of
from sotto.result import Fit
from sotto.schema import Schema
from sotto.trial import try_out


def fit(
    data: Any,
    formula: str | None = None,
    *,
    model: Model | None = None,
    schema: Schema | str | os.PathLike[str],
    family: str | None = None,
    epsilon: float | None = None,
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
    out: str | os.PathLike[str] | None = None,
    overwrite: bool = False,
    not_private: bool = False,
) -> Fit:
    """Draws from the posterior of a model, within a privacy budget.

    Parameters
    ----------
    data
        the path of a CSV or Parquet file, or a table with an Arrow stream: pandas (2.2 or later), polars, pyarrow
    formula
        R's, e.g. ``"ill > 0 ~ age * sex + C(region)"``
    model
        a model of one's own in the place of a formula: an instance of a subclass of :class:`sotto.Model`
    schema
        what is declared of the table: a :class:`Schema`, or the path of a schema file
    family
        "bernoulli", "poisson", "gamma" (costs: not negative), "normal" or "ordinal" (default "bernoulli"; of ``"Surv(days, died) ~ age"`` "survival")
    epsilon
        the privacy budget; 1 is one that can be defended in public
    delta
        the privacy budget; well below one over the number of rows
    method
        "auto", or one of ``docs/methods.md``
    chains
        which share the budget (default 4)
    draws
        per chain (default: what suits the method)
    warmup
        steps per chain (default: as many as draws)
    seed
        of the chains, never of the noise (default 1)
    threads
        for passes over the rows (default: all cores)
    cuts
        of survival: where the hazard may change, e.g. ``[30, 365]`` (default: nowhere)
    prior
        ``{"default": {"family": "normal", "scale": 1}, "parameter": {"age": {...}}}``
    settings
        any other key of a configuration, e.g. ``{"method.step_size": 0.1}``
    out
        directory of the results; without it they live as long as the returned object
    overwrite
        replace a release in ``out`` that was paid for; its charges stay in charges.jsonl
    not_private
        for study only: no privacy at all

    Notes
    -----
    What the fit says of itself is raised as :class:`SottoWarning`. Ctrl-C ends the run with the draws made so far; before the first
    draw it raises KeyboardInterrupt. Errors are :class:`sotto.Error`.

    Examples
    --------
    >>> import warnings, numpy, pandas, sotto
    >>> generator = numpy.random.default_rng(1)
    >>> age = generator.uniform(18, 90, 20000)
    >>> smokes = generator.uniform(size=20000) < 1 / (1 + numpy.exp(0.05 * (age - 40)))
    >>> schema = sotto.Schema({"age": sotto.real(18, 90), "smoker": sotto.binary()})
    >>> fit = sotto.fit(pandas.DataFrame({"age": age, "smoker": smokes}), "smoker ~ age",
    ...                 schema=schema, family="bernoulli", epsilon=1, delta=1e-6)
    >>> bool(-0.07 < fit.summary().loc["age", "mean"] < -0.03)
    True
    """
    own = None
    if model is not None:
        own = Declared(model)
        prior = model.prior if prior is None else prior
        for name, argument in (("formula", formula), ("family", family), ("cuts", cuts)):
            if argument is not None:
                raise UsageError(f"a model of one's own has no {name}: drop it")
    given = {"privacy.not_private": not_private} | configuration(
        formula=formula,
        family=family,
        epsilon=epsilon,
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
    if own is not None:
        try_out(own, schema if isinstance(schema, Schema) else Schema.read(schema), prior)
    inputs = files + ([name_of(data)] if isinstance(data, (str, os.PathLike)) else [])
    with folder(out, "charges.jsonl") as directory:
        given |= {
            "data.file": name_of(data),
            "data.schema": files[0] if files else "<sotto.Schema>",
            "output.directory": str(directory),
        }
        with unheard() if own is not None else contextlib.nullcontext():
            _sotto.fit(records_of(data), declared, assignments(given), inputs, overwrite, own)
        result = Fit(directory)
        for sentence in result.warnings:
            warnings.warn(sentence, SottoWarning, stacklevel=2)
    if out is None:
        remove_with(result, directory)
    return result
