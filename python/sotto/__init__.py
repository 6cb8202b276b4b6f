"""Bayesian inference under differential privacy.

>>> import sotto
>>> schema = sotto.Schema({"age": sotto.real(18, 90), "smoker": sotto.binary()})

Then ``sotto.fit(table, "smoker ~ age", schema=schema, epsilon=1, delta=1e-6)`` is a posterior with a proven promise of privacy.
"""

from sotto._sotto import version as __version__
from sotto.accounting import Cost, account, largest_count, smallest_noise
from sotto.densities import Density, density
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
from sotto.events import (
    Event,
    approximate,
    composition,
    discrete_gaussian,
    dp_barker,
    dp_sgd,
    exponential_mechanism,
    gaussian,
    gdp,
    laplace,
    matrix,
    pure,
    random_allocation,
    randomized_response,
    renyi,
    report_noisy_max,
    shuffled,
    sparse_vector,
    subsampled_gaussian,
    subsampled_laplace,
    subsampled_penalty,
    tree,
    truncated_poisson,
    variance_completed_barker,
    zcdp,
)
from sotto.fitting import fit
from sotto.ledger import Ledger, RecordedRun
from sotto.model import Model
from sotto.planning import Plan, plan
from sotto.privatising import Release, privatize
from sotto.result import Fit
from sotto.schema import Column, Schema, Unit, binary, category, count, real
from sotto.serving import Server, serve

__all__ = [
    "BudgetError",
    "CannotCreateError",
    "Column",
    "ConfigurationError",
    "Cost",
    "DataError",
    "Density",
    "Error",
    "Event",
    "Fit",
    "InternalError",
    "IoError",
    "Ledger",
    "Model",
    "NoInputError",
    "Plan",
    "RecordedRun",
    "Release",
    "Schema",
    "Server",
    "SottoWarning",
    "UnavailableError",
    "Unit",
    "UsageError",
    "__version__",
    "account",
    "approximate",
    "binary",
    "category",
    "composition",
    "count",
    "density",
    "discrete_gaussian",
    "dp_barker",
    "dp_sgd",
    "exponential_mechanism",
    "fit",
    "gaussian",
    "gdp",
    "laplace",
    "largest_count",
    "matrix",
    "plan",
    "privatize",
    "pure",
    "random_allocation",
    "randomized_response",
    "real",
    "renyi",
    "report_noisy_max",
    "serve",
    "shuffled",
    "smallest_noise",
    "sparse_vector",
    "subsampled_gaussian",
    "subsampled_laplace",
    "subsampled_penalty",
    "tree",
    "truncated_poisson",
    "variance_completed_barker",
    "zcdp",
]
