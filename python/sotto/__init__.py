"""Bayesian inference under differential privacy.

>>> import sotto
>>> schema = sotto.Schema({"age": sotto.real(18, 90), "smoker": sotto.binary()})

Then ``sotto.fit(table, "smoker ~ age", schema=schema, epsilon=1, delta=1e-6)`` is a posterior with a proven promise of privacy.
"""

from sotto._sotto import version as __version__
from sotto.errors import (
    BudgetError,
    CannotCreateError,
    ConfigurationError,
    DataError,
    Error,
    InternalError,
    IoError,
    NoInputError,
    SottoWarning,
    UnavailableError,
    UsageError,
)
from sotto.fitting import fit
from sotto.result import Fit
from sotto.schema import Column, Schema, Unit, binary, category, count, real

__all__ = [
    "BudgetError",
    "CannotCreateError",
    "Column",
    "ConfigurationError",
    "DataError",
    "Error",
    "Fit",
    "InternalError",
    "IoError",
    "NoInputError",
    "Schema",
    "SottoWarning",
    "UnavailableError",
    "Unit",
    "UsageError",
    "__version__",
    "binary",
    "category",
    "count",
    "fit",
    "real",
]
