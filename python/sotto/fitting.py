"""A posterior from private data."""

import contextlib
import os
import re
import tempfile
import warnings
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from sotto import _sotto
from sotto.configuration import assignments, configuration, declaration
from sotto.errors import ConfigurationError, SottoWarning, UsageError
from sotto.model import Declared, Model, unheard
from sotto.output import folder, remove_with
from sotto.program import run
from sotto.records import name_of, path_of, records_of
from sotto.result import Fit
from sotto.schema import Schema
from sotto.trial import try_out

# What the call says without being asked, and so does not say in the place of the fit that it goes on from.
_UNSAID = {"method.name": "auto", "privacy.not_private": False, "privacy.force": False}


def fit(
    data: Any = None,
    formula: str | None = None,
    *,
    owners: Iterable[Any] | str | os.PathLike[str] | None = None,
    model: Model | None = None,
    schema: Schema | str | os.PathLike[str] | None = None,
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
    force: bool = False,
    resume: str | os.PathLike[str] | None = None,
) -> Fit:
    """Draws from the posterior of a model, within a privacy budget.

    Parameters
    ----------
    data
        the path of a CSV or Parquet file, or a table with an Arrow stream: pandas (2.2 or later), polars, pyarrow
    formula
        R's, e.g. ``"ill > 0 ~ age * sex + C(region)"``
    owners
        in the place of ``data``, at least two tables of owners who do not trust each other's noise, as ``data`` takes one: each adds noise of
        its own and keeps books of its own. No row may be in two of them. Or the path of a file ``OWNERS.toml`` that names owners elsewhere,
        whom :func:`sotto.serve` serves: their addresses and public keys, and one's own certificate. The program ``sotto`` asks them
    model
        a model of one's own in the place of a formula: an instance of a subclass of :class:`sotto.Model`
    schema
        what is declared of the table: a :class:`Schema`, or the path of a schema file
    family
        "bernoulli", "poisson", "gamma" (costs: not negative), "normal", "ordinal" or "categorical" (shares of levels: ``"region ~ 1"``) (default "bernoulli"; of ``"Surv(days, died) ~ age"`` "survival")
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
        steps per chain (default: a quarter of the steps kept after a look at the rows, else as many)
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
    force
        fit also where made-up rows, or a chain's first look, show that the budget gives no answer; without it that is refused
        before anything is spent but that look or, under "add-remove", a noisy count of the rows
    resume
        in the place of ``out``, the directory of a release-once fit: draws anew from the releases that it paid for, in the place of its draws.
        Model, schema, priors and budget are those of then, whether they are said again or not. No table is read, and nothing is spent

    Notes
    -----
    What the fit says of itself is raised as :class:`SottoWarning`. Ctrl-C ends the run with the draws made so far; before the first
    draw it raises KeyboardInterrupt. Errors are :class:`sotto.Error`; with owners elsewhere UnavailableError where one of them does not
    answer, or there is no program ``sotto`` (:func:`sotto.serve` says where it is looked for).

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
    >>> more = sotto.fit(resume=fit.directory, draws=2000)
    >>> more.draws["posterior"].sizes["draw"], more.privacy == fit.privacy
    (2000, True)
    """
    if resume is not None and data is not None:
        warnings.warn("data is not read: with resume draws are made from the releases of that fit alone", SottoWarning, stacklevel=2)
    own = None
    if formula is not None and not isinstance(formula, str):
        raise UsageError(f"formula must be text, as 'ill ~ age', not {name_of(formula)}: the table comes first, then the formula")
    if model is not None:
        own = Declared(model)
        prior = model.prior if prior is None else prior
        for name, argument in (("formula", formula), ("family", family), ("cuts", cuts), ("owners", owners), ("resume", resume)):
            if argument is not None:
                raise UsageError(f"a model of one's own has no {name}: drop it")
    given = {"privacy.not_private": not_private, "privacy.force": force} | configuration(
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
    if schema is None:
        if resume is None:
            raise UsageError("which schema? give schema: a sotto.Schema, or the path of a schema file")
        _refuse_new_directory(out, overwrite)
        said = {key: value for key, value in given.items() if value != _UNSAID.get(key)}
        _sotto.resume(path_of(resume), None, assignments(said), [])
        return _told(Fit(resume))
    if isinstance(owners, (str, os.PathLike)) and data is None and path_of(owners).endswith(".toml"):
        return _told(_fit_elsewhere(path_of(owners), schema, given, out, overwrite, resume))
    declared, files = declaration(schema)
    tables, named = _tables(data, owners)
    given |= named | {"data.schema": files[0] if files else "<sotto.Schema>"}
    if resume is not None:
        _refuse_new_directory(out, overwrite)
        _sotto.resume(path_of(resume), declared, assignments(given), files)
        return _told(Fit(resume))
    if not tables:
        raise UsageError("which table? give data, or owners, a table of each")
    if own is not None:
        try_out(own, schema if isinstance(schema, Schema) else Schema.read(schema), prior)
    inputs = files + [path_of(table) for table in tables if isinstance(table, (str, os.PathLike))]
    with folder(out, "charges.jsonl") as directory:
        given |= {"output.directory": str(directory)}
        with unheard if own is not None else contextlib.nullcontext():
            _sotto.fit([records_of(table) for table in tables], declared, assignments(given), inputs, overwrite, own)
        result = _told(Fit(directory))
    if out is None:
        remove_with(result, directory)
    return result


def _tables(data: Any, owners: Iterable[Any] | str | os.PathLike[str] | None) -> tuple[list[Any], dict[str, Any]]:
    """All tables, and the settings that name them."""
    if owners is None:
        return ([], {}) if data is None else ([data], {"data.file": name_of(data)})
    if data is not None:
        raise UsageError("data and owners both name the rows: give one of them")
    if isinstance(owners, (str, os.PathLike)) or hasattr(owners, "__arrow_c_stream__"):
        raise UsageError("owners must be a list of tables, one of each owner, or the path of a file OWNERS.toml of owners elsewhere")
    tables = list(owners)
    for table in tables:
        _refuse_elsewhere(table)
    if len({id(table) for table in tables}) < len(tables):
        raise ConfigurationError("two owners have the same table: its rows would count twice")
    # What is no file has no name to tell it from another's.
    names = [
        name_of(table) if isinstance(table, (str, os.PathLike)) else f"{name_of(table)} of owner {number}"
        for number, table in enumerate(tables, 1)
    ]
    return tables, {"owner": [{"file": name} for name in names]}


def _refuse_elsewhere(table: Any) -> None:
    """An address, or a file of addresses, where a table must stand."""
    if not isinstance(table, (str, os.PathLike)):
        return
    path = path_of(table)
    if path.endswith(".toml") or (re.fullmatch(r"[^/]+:\d+", path) and not os.path.exists(path)):
        raise UsageError(
            f"{path} is no table: owners elsewhere are named in a file, with their addresses and public keys, and "
            'owners="owners.toml" is its path (docs/guides/hospitals.md)'
        )


def _fit_elsewhere(
    owners: str,
    schema: Schema | str | os.PathLike[str],
    given: Mapping[str, Any],
    out: str | os.PathLike[str] | None,
    overwrite: bool,
    resume: str | os.PathLike[str] | None,
) -> Fit:
    """By the program, which asks the owners whom the file names."""
    if resume is not None:
        _refuse_new_directory(out, overwrite)
        out = resume
    words = ["fit", f"--owners={owners}", *(f"--set={assignment}" for assignment in assignments(given))]
    words += ["--overwrite"] if overwrite else []
    with tempfile.TemporaryDirectory(prefix="sotto-") as declared, folder(out, "charges.jsonl") as directory:
        words += _schema_words(schema, Path(declared))
        run([*words, f"--{'out' if resume is None else 'resume'}={directory}"])
        result = Fit(directory)
    if out is None:
        remove_with(result, directory)
    return result


def _schema_words(schema: Schema | str | os.PathLike[str], place: Path) -> list[str]:
    """How the program is told of it. One that is no file becomes one, beside a configuration, so that no result tells of the place."""
    _, files = declaration(schema)
    if files:
        return [f"--schema={files[0]}"]
    assert isinstance(schema, Schema)
    (place / "<sotto.Schema>").write_text(schema.to_toml(), encoding="utf-8")
    (place / "fit.toml").write_text("[data]\nschema = \"<sotto.Schema>\"\n", encoding="utf-8")
    return [str(place / "fit.toml")]


def _refuse_new_directory(out: str | os.PathLike[str] | None, overwrite: bool) -> None:
    if out is not None or overwrite:
        raise UsageError("resume puts draws in the place of those that stand there: drop out and overwrite")


def _told(result: Fit) -> Fit:
    """What it says of itself is raised, as of the caller's caller."""
    for sentence in result.warnings:
        warnings.warn(sentence, SottoWarning, stacklevel=3)
    return result
