#!/usr/bin/env python3
"""Curves by `poly(x, k)` and `bs(x, k)`: coverage of 90 % intervals of f(x) and their width, the table of docs/release-once.md.

    experiments/curve_coverage.py SOTTO [--sets 10] [--epsilon 1] [--rows 20000 100000] [--family normal ...] [--law uniform ...]

One covariate, uniform in its bounds or normal within bounds of five standard deviations, and a truth that is a line or a sine:
f(x) at nine points, from the fifth to the 95th hundredth of the covariate's law. By design and term: the share of these intervals that
hold the truth, that of the fit without privacy (likelihood) in parentheses, the mean ratio of standard deviations, how many sets had a
warning, and, with --said, which. Needs numpy and scipy.
"""
import argparse
import csv
import itertools
import json
import pathlib
import subprocess
import tempfile

import numpy as np
from scipy import interpolate, special

LAWS = {  # draws, bounds, quantiles
    "uniform": (lambda rng, n: rng.uniform(0, 10, n), (0, 10), lambda p: 10 * p),
    "normal": (lambda rng, n: rng.normal(5, 1, n).clip(0, 10), (0, 10), lambda p: 5 + special.ndtri(p)),
}
TRUTHS = {  # of the covariate's place in what it mostly takes, from -1 to 1
    "line": lambda place: 0.8 * place,
    "sine": lambda place: 0.8 * np.sin(np.pi * place),
}
FAMILIES = {  # response's declaration, its law, mean and its slope
    "bernoulli": ('kind = "binary"', lambda rng, f: rng.binomial(1, special.expit(f)), special.expit, lambda m: m * (1 - m)),
    "normal": ('kind = "real"\nlower = -10\nupper = 10', lambda rng, f: f + rng.normal(0, 1, len(f)), lambda f: f, np.ones_like),
    "poisson": ('kind = "count"\nlower = 0\nupper = 50', lambda rng, f: rng.poisson(np.exp(f)), np.exp, lambda m: m),
}
POINTS = np.linspace(0.05, 0.95, 9)


def columns(basis, k, x, bounds):
    """The basis at x, the intercept first."""
    place = (x - bounds[0]) / (bounds[1] - bounds[0])
    if basis == "poly":
        return np.polynomial.legendre.legvander(2 * place - 1, k)
    knots = np.r_[[0.0] * 4, np.arange(1, k - 2) / (k - 2), [1.0] * 4]
    splines = interpolate.BSpline.design_matrix(place.clip(0, 1), knots, 3).toarray()
    return np.column_stack([np.ones(len(x)), splines[:, 1:]])


def without_privacy(family, X, y):
    """Likelihood's estimates and their covariance."""
    _, _, mean, slope = FAMILIES[family]
    Q, R = np.linalg.qr(X)
    at = np.zeros(X.shape[1])
    for _ in range(50):
        m = mean(Q @ at)
        information = Q.T @ (Q * slope(m)[:, None])
        step = np.linalg.solve(information, Q.T @ (y - m))
        at += step
        if np.abs(step).max() < 1e-6:
            break
    spread = np.mean((y - mean(Q @ at)) ** 2) if family == "normal" else 1
    back = np.linalg.inv(R)
    return back @ at, back @ np.linalg.inv(information) @ back.T * spread


def private(sotto, family, formula, x, y, bounds, epsilon, seed, folder):
    """Draws of the coefficients, the intercept first, and the warnings."""
    with open(folder / "data.csv", "w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["y", "x"])
        writer.writerows(zip(y.tolist(), x.tolist()))
    (folder / "schema.toml").write_text(
        f'[[column]]\nname = "y"\n{FAMILIES[family][0]}\n'
        f'[[column]]\nname = "x"\nkind = "real"\nlower = {bounds[0]}\nupper = {bounds[1]}\n')
    run = subprocess.run(
        [sotto, "fit", "--force", "--data", folder / "data.csv", "--schema", folder / "schema.toml", "--formula", formula,
         "--family", family, "--epsilon", str(epsilon), "--delta", "1e-6", "--seed", str(seed), "--out", folder / "out"],
        capture_output=True, text=True)
    if run.returncode:
        raise SystemExit(run.stderr)
    summary = json.loads((folder / "out" / "summary.json").read_text())
    names = [line["parameter"] for line in summary["parameters"] if line["parameter"] != "sigma"]
    draws = []
    for chain in sorted((folder / "out").glob("chain_*.csv")):
        lines = [line for line in chain.read_text().splitlines() if not line.startswith("#")]
        header = lines[0].split(",")
        at = [header.index(name) for name in names]
        draws.append(np.array([[float(line.split(",")[j]) for j in at] for line in lines[1:]]))
    return np.vstack(draws), [sentence for sentence in summary["warnings"] if not sentence.startswith("Note:")]


def one(sotto, family, basis, k, law, truth, rows, epsilon, seed):
    rng = np.random.default_rng(seed)
    draw, bounds, quantile = LAWS[law]
    low, high = quantile(0.01), quantile(0.99)
    f = lambda at: TRUTHS[truth]((2 * at - low - high) / (high - low))
    x = draw(rng, rows)
    y = FAMILIES[family][1](rng, f(x))
    at = quantile(POINTS)
    rows_of_points = columns(basis, k, at, bounds)
    beta, covariance = without_privacy(family, columns(basis, k, x, bounds), y)
    open_sd = np.sqrt(np.einsum("ij,jk,ik->i", rows_of_points, covariance, rows_of_points))
    with tempfile.TemporaryDirectory() as folder:
        draws, warned = private(sotto, family, f"y ~ {basis}(x, {k})", x, y, bounds, epsilon, seed, pathlib.Path(folder))
    curve = draws @ rows_of_points.T
    lower, upper = np.quantile(curve, [0.05, 0.95], axis=0)
    return {"held": (lower <= f(at)) & (f(at) <= upper), "open": np.abs(rows_of_points @ beta - f(at)) < 1.645 * open_sd,
            "ratio": curve.std(axis=0) / open_sd, "warned": warned}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sotto")
    parser.add_argument("--sets", type=int, default=10)
    parser.add_argument("--epsilon", type=float, default=1)
    parser.add_argument("--rows", type=int, nargs="+", default=[20_000, 100_000])
    parser.add_argument("--family", nargs="+", choices=FAMILIES, default=list(FAMILIES))
    parser.add_argument("--law", nargs="+", choices=LAWS, default=list(LAWS))
    parser.add_argument("--truth", nargs="+", choices=TRUTHS, default=list(TRUTHS))
    parser.add_argument("--said", action="store_true")
    arguments = parser.parse_args()
    terms = [(basis, k) for basis in ("poly", "bs") for k in (3, 5)]
    print("| family | rows | x | truth |" + "".join(f" {basis}(x, {k}) |" for basis, k in terms))
    print("|---" * (4 + len(terms)) + "|")
    for family, rows, law, truth in itertools.product(arguments.family, arguments.rows, arguments.law, arguments.truth):
        cells, said = [], set()
        for basis, k in terms:
            sets = [one(arguments.sotto, family, basis, k, law, truth, rows, arguments.epsilon, seed) for seed in range(arguments.sets)]
            held, without, ratio = (np.mean([s[key] for s in sets]) for key in ("held", "open", "ratio"))
            cells.append(f" {held:.2f} ({without:.2f}), {ratio:.2f}, {sum(bool(s['warned']) for s in sets)} |")
            said |= {f"{basis}(x, {k}): {sentence[:100]}" for s in sets for sentence in s["warned"]}
        print(f"| {family} | {rows} | {law} | {truth} |" + "".join(cells), flush=True)
        if arguments.said:
            print("".join(f"    {sentence}\n" for sentence in sorted(said)), end="", flush=True)


if __name__ == "__main__":
    main()
