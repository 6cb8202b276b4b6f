"""Writes (or, with --check, verifies) the reference numbers of the diagnostics, as ArviZ computes them."""

import json
import math
import pathlib
import sys
import warnings

import numpy as np

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    import arviz as az

TARGET = pathlib.Path(__file__).parent / "reference.json"


def autoregressive(rng, chains, draws, correlation):
    x = np.empty((chains, draws))
    x[:, 0] = rng.normal(size=chains)
    for i in range(1, draws):
        x[:, i] = correlation * x[:, i - 1] + math.sqrt(1 - correlation**2) * rng.normal(size=chains)
    return x


def cases():
    rng = np.random.default_rng(20240501)
    yield "independent", rng.normal(size=(4, 100))
    yield "correlated", autoregressive(rng, 4, 200, 0.8)
    yield "alternating", autoregressive(rng, 2, 150, -0.7)
    yield "odd length", autoregressive(rng, 3, 51, 0.5)
    yield "one chain stands apart", rng.normal(size=(4, 80)) + np.array([[0], [0], [0], [1.5]])
    yield "one chain is wider", rng.normal(size=(4, 80)) * np.array([[1], [1], [1], [4]])
    yield "heavy tails", rng.standard_cauchy(size=(4, 100))
    yield "ties", np.floor(4 * autoregressive(rng, 4, 120, 0.3))
    yield "short", rng.normal(size=(5, 12))
    yield "very short", rng.normal(size=(6, 5))


def reference(name, draws):
    draws = np.round(draws, 6)
    numbers = {
        "rhat": az.rhat(draws),
        "ess_bulk": az.ess(draws, method="bulk"),
        "ess_tail": az.ess(draws, method="tail"),
        "ess_mean": az.ess(draws, method="mean"),
        "ess_median": az.ess(draws, method="quantile", prob=0.5),
        "mcse_mean": az.mcse(draws, method="mean"),
        "mcse_sd": az.mcse(draws, method="sd"),
        "mcse_median": az.mcse(draws, method="quantile", prob=0.5),
        "mcse_q95": az.mcse(draws, method="quantile", prob=0.95),
    }
    return {"name": name, "draws": draws.tolist(), **{key: float(value) for key, value in numbers.items()}}


def agrees(a, b):
    if isinstance(a, float):
        return math.isclose(a, b, rel_tol=1e-9)
    if isinstance(a, list):
        return len(a) == len(b) and all(agrees(x, y) for x, y in zip(a, b))
    if isinstance(a, dict):
        return a.keys() == b.keys() and all(agrees(a[key], b[key]) for key in a)
    return a == b


def main():
    made = {"arviz": az.__version__, "cases": [reference(name, draws) for name, draws in cases()]}
    if "--check" in sys.argv:
        kept = json.loads(TARGET.read_text())
        sys.exit(0 if agrees(made["cases"], kept["cases"]) else "reference.json is not what ArviZ computes")
    TARGET.write_text(json.dumps(made, separators=(",", ":")).replace('{"name"', '\n{"name"') + "\n")


if __name__ == "__main__":
    main()
