"""What a fit and its plan are told, as the library reads it: keys of a configuration, and a schema."""

import os
from collections.abc import Iterable, Mapping
from typing import Any

from sotto import _sotto
from sotto.errors import UsageError
from sotto.records import name_of, path_of
from sotto.schema import Schema
from sotto.toml import text_of

_ARGUMENTS = {"data.file": "data", "owner": "owners", "data.schema": "schema", "output.directory": "out"}


def configuration(
    *,
    formula: str | None,
    family: str | None,
    epsilon: float | None,
    delta: float | None,
    method: str,
    chains: int | None,
    draws: int | None,
    warmup: int | None,
    seed: int | None,
    threads: int | None,
    cuts: Iterable[float] | None,
    prior: Mapping[str, Any] | None,
    settings: Mapping[str, Any] | None,
) -> dict[str, Any]:
    """Arguments by the keys of a configuration file, and ``settings``, which are such keys too: of one thing only one of them."""
    if settings is not None and not isinstance(settings, Mapping):
        raise UsageError(f'settings are a dict of keys of a configuration, as {{"model.sigma": 2}}, not {name_of(settings)}')
    for key, argument in _ARGUMENTS.items():
        if key in (settings or {}):
            raise UsageError(f"{key} is no setting here: it is the argument {argument}")
    arguments = {
        "model.formula": formula,
        "model.family": family,
        "model.cuts": None if cuts is None else _cuts(cuts),
        "privacy.epsilon": epsilon,
        "privacy.delta": delta,
        "method.name": method,
        "method.chains": chains,
        "method.draws": draws,
        "method.warmup": warmup,
        "method.seed": seed,
        "threads": threads,
        "prior": prior,
    }
    for key, value in (settings or {}).items():
        said = arguments.get(key)
        if said is not None and said != value and (key, said) != ("method.name", "auto"):
            raise UsageError(f"{key} is given twice, by its argument as {said} and by settings as {value}: give it once")
        if undone := [one for one, word in arguments.items() if one.startswith(f"{key}.") and word is not None and word != "auto"]:
            raise UsageError(f"{key} in settings would undo {undone[0]}, which an argument says: put both into one")
    return {**arguments, **(settings or {})}


def _cuts(cuts: Iterable[float]) -> list[float]:
    try:
        return [float(cut) for cut in cuts]
    except (TypeError, ValueError):
        pass  # what is said of one may quote it
    raise UsageError("cuts are numbers, as in cuts=[1, 3, 5]")


def assignments(given: Mapping[str, Any]) -> list[str]:
    """KEY=VALUE, as ``--set`` takes them; what is None is left to its default."""
    return [f"{key}={text_of(value)}" for key, value in given.items() if value is not None]


def declaration(schema: Schema | str | os.PathLike[str]) -> tuple[_sotto.Schema, list[str]]:
    """The schema as the library knows it, and the file that it is read from."""
    if isinstance(schema, Schema):
        return schema._checked, []
    if isinstance(schema, (str, os.PathLike)):
        return _sotto.Schema.read(path_of(schema)), [path_of(schema)]
    raise UsageError(f"schema must be a sotto.Schema or the path of a schema file, not {name_of(schema)}")
