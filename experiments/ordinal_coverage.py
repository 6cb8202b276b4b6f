#!/usr/bin/env python3
"""Ordinal regression by release-once: coverage of 90 % intervals and their width, on simulated designs.

    experiments/ordinal_coverage.py SOTTO [--sets 20] [--epsilon 1] [--only NAME]

A line per design: the share of coefficients' and of thresholds' intervals that hold the truth, the mean ratio of standard
deviations to those of the likelihood at the truth without noise, the largest |mean - truth| in standard deviations averaged over
the sets (bias), and how many sets had a warning.
"""
import argparse
import csv
import json
import pathlib
import subprocess
import tempfile

import numpy as np


def design(name, rng):
    """Covariates (columns by name, with bounds or levels), effects, category probabilities at the mean."""
    n = 20_000
    x = {"x1": rng.uniform(-1, 1, n), "x2": rng.normal(0, 1, n).clip(-5, 5)}
    bounds = {"x1": (-1, 1), "x2": (-5, 5)}
    effects = {"x1": 0.8, "x2": -0.5}
    p = [0.25] * 4
    if name == "three":
        p = [0.2, 0.5, 0.3]
    if name == "seven":
        p = [0.05, 0.1, 0.2, 0.3, 0.2, 0.1, 0.05]
    if name == "eleven":
        p = [1 / 11] * 11
    if name == "skewed":
        p = [0.7, 0.2, 0.07, 0.03]
    if name == "rare top":
        p = [0.5, 0.3, 0.195, 0.005]
    if name == "strong":
        effects = {"x1": 3.0, "x2": -2.0}
    if name == "correlated":
        z = rng.normal(size=n)
        x = {f"x{j}": (0.8 * z + 0.6 * rng.normal(size=n)).clip(-5, 5) for j in range(1, 7)}
        bounds = {c: (-5, 5) for c in x}
        effects = {f"x{j}": e for j, e in zip(range(1, 7), (0.5, -0.5, 0.3, -0.3, 0.2, 0))}
    if name == "wide bounds":
        bounds = {"x1": (-20, 20), "x2": (-100, 100)}
    if name == "units":
        x = {"income": rng.gamma(2, 20_000, n).clip(0, 400_000), "age": rng.uniform(18, 90, n)}
        bounds = {"income": (0, 400_000), "age": (18, 90)}
        effects = {"income": 2e-5, "age": -0.02}
    if name == "small":
        x = {c: v[:2000] for c, v in x.items()}
    if name == "large":
        x = {"x1": rng.uniform(-1, 1, 200_000), "x2": rng.normal(0, 1, 200_000).clip(-5, 5)}
    levels = {}
    if name in ("levels", "rare level"):
        shares = [0.5, 0.3, 0.15, 0.05] if name == "levels" else [0.6, 0.39, 0.01]
        names = "abcd"[: len(shares)]
        x["g"] = rng.choice(list(names), len(x["x1"]), p=shares)
        levels["g"] = list(names)
        effects |= {f"g[{k}]": e for k, e in zip(names[1:], (0.6, -0.8, 1.0))}
    return x, bounds, levels, effects, np.array(p)


NAMES = ["plain", "three", "seven", "eleven", "skewed", "rare top", "strong", "correlated", "wide bounds", "units",
         "levels", "rare level", "small", "large"]


def limit(X, beta, cuts):
    """Standard deviations of thresholds and coefficients by the expected information at the truth."""
    K, d = len(cuts), X.shape[1]
    beyond = 1 / (1 + np.exp(cuts[None, :] - (X @ beta)[:, None]))
    padded = np.hstack([np.ones((len(X), 1)), beyond, np.zeros((len(X), 1))])
    slopes = padded * (1 - padded)
    information = np.zeros((K + d, K + d))
    for k in range(K + 1):
        p = (padded[:, k] - padded[:, k + 1]).clip(1e-12)
        score = np.zeros((len(X), K + d))
        score[:, K:] = ((slopes[:, k] - slopes[:, k + 1]) / p)[:, None] * X
        if k > 0:
            score[:, k - 1] = -slopes[:, k] / p
        if k < K:
            score[:, k] = slopes[:, k + 1] / p
        information += score.T @ (score * p[:, None])
    return np.sqrt(np.diag(np.linalg.inv(information)))


def fit(sotto, y, x, bounds, levels, count, epsilon, seed, folder):
    """`count` categories c0, c1, ...: the posterior's summary by parameter, and the warnings."""
    categories = [f"c{k}" for k in range(count)]
    with open(folder / "data.csv", "w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["y", *x])
        writer.writerows(zip((categories[k] for k in y), *x.values()))
    schema = f'[[column]]\nname = "y"\nkind = "category"\nlevels = {json.dumps(categories)}\n'
    for column in x:
        if column in levels:
            schema += f'[[column]]\nname = "{column}"\nkind = "category"\nlevels = {json.dumps(levels[column])}\n'
        else:
            low, high = bounds[column]
            schema += f'[[column]]\nname = "{column}"\nkind = "real"\nlower = {low}\nupper = {high}\n'
    (folder / "schema.toml").write_text(schema)
    run = subprocess.run(
        [sotto, "fit", "--force", "--data", folder / "data.csv", "--schema", folder / "schema.toml", "--formula",
         "y ~ " + " + ".join(x), "--family", "ordinal", "--epsilon", str(epsilon), "--delta", "1e-6", "--seed", str(seed),
         "--out", folder / "out"], capture_output=True, text=True)
    if run.returncode:
        raise SystemExit(run.stderr)
    with open(folder / "out" / "summary.csv") as file:
        summary = {row["parameter"]: row for row in csv.DictReader(file)}
    return summary, [line for line in run.stderr.splitlines() if line.startswith("sotto:") and "Note" not in line]


def one(sotto, name, seed, epsilon, folder):
    rng = np.random.default_rng(seed)
    x, bounds, levels, effects, p = design(name, rng)
    columns = []
    for effect in effects:
        column, _, level = effect.partition("[")
        columns.append(x[column] == level[:-1] if level else x[column])
    X = np.column_stack(columns).astype(float)
    beta = np.array(list(effects.values()))
    eta = X @ beta
    draws = np.sort(eta + rng.logistic(size=len(eta)))  # thresholds that give about these shares, not those of this sample
    cuts = draws[(np.cumsum(p)[:-1] * len(eta)).astype(int)].round(2)
    y = np.searchsorted(cuts, eta + rng.logistic(size=len(eta)))
    summary, warned = fit(sotto, y, x, bounds, levels, len(p), epsilon, seed, folder)
    truth = {f"c{k}|c{k + 1}": cut for k, cut in enumerate(cuts)} | effects
    values = [[float(summary[name][key]) for name in truth] for key in ("mean", "sd", "q05", "q95")]
    return np.array(values), np.array(list(truth.values())), limit(X, beta, cuts), len(cuts), warned


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sotto")
    parser.add_argument("--sets", type=int, default=20)
    parser.add_argument("--epsilon", type=float, default=1)
    parser.add_argument("--only")
    arguments = parser.parse_args()
    print(f"{'design':12} {'coefficients':>12} {'thresholds':>10} {'sd ratio':>8} {'':>8} {'bias':>5} {'warned':>6}")
    for name in [arguments.only] if arguments.only else NAMES:
        held, ratios, off, warned, said = [], [], [], 0, set()
        for seed in range(arguments.sets):
            with tempfile.TemporaryDirectory() as folder:
                (mean, sd, low, high), truth, least, thresholds, lines = one(
                    arguments.sotto, name, seed, arguments.epsilon, pathlib.Path(folder))
            held.append((low <= truth) & (truth <= high))
            ratios.append(sd / least)
            off.append((mean - truth) / sd)
            warned += bool(lines)
            said |= {line[7:60] for line in lines}
        held, off = np.array(held), np.array(off)
        print(f"{name:12} {held[:, thresholds:].mean():12.2f} {held[:, :thresholds].mean():10.2f} "
              f"{np.mean(np.array(ratios)[:, thresholds:]):8.2f} {np.mean(np.array(ratios)[:, :thresholds]):8.2f} {np.abs(off.mean(axis=0)).max():5.2f} {warned:6d}", flush=True)
        for line in sorted(said):
            print("    " + line)


if __name__ == "__main__":
    main()
