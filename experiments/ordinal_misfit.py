#!/usr/bin/env python3
"""Ordinal regression where the cumulative logit does not hold: how often that is told.

    experiments/ordinal_misfit.py SOTTO [--sets 3] [--epsilon 1 10] [--rows 5000 20000]

Three covariates, four categories. `apart`: the effect of x1 grows by so much from one threshold to the next. `skewed`: errors of an
extreme value distribution, effects that make so many standard deviations on the latent scale. Of so many sets: effects told to differ,
the logistic curve told not to fit, anything told.
"""
import argparse
import pathlib
import tempfile

import numpy as np

from ordinal_coverage import fit


def covariates(rng, n):
    return {"x1": rng.uniform(-1, 1, n), "x2": rng.normal(0, 1, n).clip(-5, 5), "x3": rng.integers(0, 2, n).astype(float)}


def apart(step, rng, n):
    x = covariates(rng, n)
    beyond = [1 / (1 + np.exp(cut - (0.8 + step * cut) * x["x1"] + 0.5 * x["x2"] - 0.3 * x["x3"])) for cut in (-1, 0, 1)]
    return x, (rng.uniform(size=n) < np.minimum.accumulate(beyond, axis=0)).sum(axis=0)


def skewed(spread, rng, n):
    x = covariates(rng, n)
    effect = 1.5 * x["x1"] - x["x2"] + 0.3 * x["x3"]
    return x, np.searchsorted((-1, 0.5, 2), spread / 1.33 * effect + rng.gumbel(size=n))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sotto")
    parser.add_argument("--sets", type=int, default=3)
    parser.add_argument("--epsilon", type=float, nargs="+", default=[1, 10])
    parser.add_argument("--rows", type=int, nargs="+", default=[5000, 20000])
    arguments = parser.parse_args()
    bounds = {"x1": (-1, 1), "x2": (-5, 5), "x3": (0, 1)}
    misfits = [(apart, size) for size in (0, 0.2, 0.5, 1)] + [(skewed, size) for size in (0.67, 1.33, 2.67)]
    print(f"{'epsilon':>7} {'rows':>6} {'misfit':>12} {'effects':>7} {'curve':>6} {'any':>4}")
    for epsilon in arguments.epsilon:
        for rows in arguments.rows:
            for misfit, size in misfits:
                said = []
                for seed in range(arguments.sets):
                    x, y = misfit(size, np.random.default_rng(seed), rows)
                    with tempfile.TemporaryDirectory() as folder:
                        _, warned = fit(arguments.sotto, y, x, bounds, {}, 4, epsilon, seed, pathlib.Path(folder))
                    text = " ".join(warned)
                    said.append(["between thresholds" in text, "logistic curve" in text, bool(warned)])
                effects, curve, anything = np.sum(said, axis=0)
                print(f"{epsilon:7g} {rows:6d} {misfit.__name__:>7} {size:4g} {effects:7d} {curve:6d} {anything:4d}", flush=True)


if __name__ == "__main__":
    main()
