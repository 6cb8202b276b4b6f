"""Draws from the priors that a run states, for figures that show them beside the posterior."""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

_FAMILY = re.compile(r"(normal|student_t|laplace)\(([^,)]*)")
_REFERENCE = 100_000  # draws of a standard distribution, whose 95 % quantile gives the scale


def prior_draws(priors: Sequence[Mapping[str, Any]], chains: int, draws: int) -> dict[str, np.ndarray]:
    """By parameter, shape (chains, draws), the same in every call: of each marginal prior, as ``manifest.json`` states it.

    Normal, Student t and Laplace priors, and normal ones of a logarithm, are drawn, by their family, median and 5 % and 95 %
    quantiles. Those of another family, skewed ones, and those without quantiles are left out.
    """
    generator = np.random.default_rng(1)
    found = {}
    for prior in priors:
        family = _FAMILY.match(prior["distribution"])
        low, middle, high = (prior[name] for name in ("q05", "q50", "q95"))
        if family is None or None in (low, middle, high) or not low < middle < high:
            continue
        positive = low > 0 and high - middle > 2 * (middle - low)  # the spread of residuals, whose logarithm is normal
        if positive:
            low, middle, high = np.log([low, middle, high])
        if abs(high + low - 2 * middle) > 0.1 * (high - low):
            continue
        draw: dict[str, Callable[[int], NDArray[np.float64]]] = {
            "normal": generator.standard_normal,
            "laplace": lambda size: generator.laplace(size=size),
            "student_t": lambda size: generator.standard_t(float(family[2]), size),
        }
        standard = draw[family[1]](_REFERENCE)
        scale = (high - low) / 2 / np.quantile(np.abs(standard), 0.9)
        values = middle + scale * generator.choice(standard, (chains, draws))
        found[prior["parameter"]] = np.exp(values) if positive else values
    return found
