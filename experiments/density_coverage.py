#!/usr/bin/env python3
"""Densities of privatised columns: coverage of 95 % bands and of quantities' intervals, on simulated truths.

    experiments/density_coverage.py SOTTO [--sets 5] [--rows 200 1000 10000] [--epsilon 1 4 10] [--only NAME] [--at-a-time 2]

A line per truth, rows and epsilon. Pointwise bands: the share of the grid at which they hold (i) the true density and (ii) the posterior
mean given the confidential data (`--not-private`), weighted by the truth. Bands for the whole curve: the share of sets in which they hold
all of the true density. Then the share of intervals that hold the true mean, P(x > c) and q(0.9), the bands' width, and the share of sets
with a warning that chains have not mixed. Noise is the operating system's, so that no two runs are the same.
"""
import argparse
import concurrent.futures
import csv
import json
import pathlib
import subprocess
import tempfile

import numpy as np

LOWER, UPPER = 0, 60
FINE = np.linspace(LOWER, UPPER, 60_001)


def normal(x, mean, sd):
    return np.exp(-0.5 * ((x - mean) / sd) ** 2) / sd


# Densities on the domain, up to a constant, and the c of P(x > c).
TRUTHS = {
    "two normals": (lambda x: 0.6 * normal(x, 20, 4) + 0.4 * normal(x, 40, 4), 30),
    "skewed": (lambda x: x * np.exp(-x / 5), 15),
    "uniform": (lambda x: np.ones_like(x), 45),
    "near point": (lambda x: normal(x, 30, 0.5), 31),
    "beta": (lambda x: (x / 60) * (1 - x / 60) ** 4, 25),
}


class Truth:
    def __init__(self, name):
        density, self.threshold = TRUTHS[name]
        values = density(FINE)
        steps = np.concatenate([[0], np.cumsum((values[1:] + values[:-1]) / 2)])
        self.cumulative = steps / steps[-1]
        self.quantities = {
            "mean": float(np.trapezoid(1 - self.cumulative, FINE)),
            f"P(x > {self.threshold})": 1 - float(np.interp(self.threshold, FINE, self.cumulative)),
            "q(0.9)": float(np.interp(0.9, self.cumulative, FINE)),
        }

    def draw(self, rows, rng):
        return np.interp(rng.uniform(size=rows), self.cumulative, FINE)

    def on(self, grid):
        """Averages over the cells of the grid, as the program shows densities."""
        half = (grid[1] - grid[0]) / 2
        left, right = (grid - half).clip(LOWER, UPPER), (grid + half).clip(LOWER, UPPER)
        return (np.interp(right, FINE, self.cumulative) - np.interp(left, FINE, self.cumulative)) / (right - left)


def run(*words):
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(done.stderr)


def estimate(sotto, data, out, seed, *more):
    run(sotto, "density", data, "--seed", seed, "--threads", 1, "--out", out, *more)
    with open(out / "density.csv") as file:
        lines = [line for line in file if not line.startswith("#")]
    rows = list(csv.DictReader(lines))
    columns = {key: np.array([float(row[key]) for row in rows]) for key in rows[0] if key != "column" and rows[0][key]}
    return columns, json.loads((out / "summary.json").read_text())


def one_set(sotto, name, rows, epsilons, seed, length):
    """One line per epsilon."""
    truth = Truth(name)
    rng = np.random.default_rng([seed, rows])
    asked = [word for quantity in truth.quantities for word in ("--quantity", quantity)]
    found = []
    with tempfile.TemporaryDirectory() as place:
        folder = pathlib.Path(place)
        (folder / "y.csv").write_text("y\n" + "\n".join(f"{y:.6f}" for y in truth.draw(rows, rng)) + "\n")
        bounds = ["--column", "y", "--lower", LOWER, "--upper", UPPER]
        open_density, _ = estimate(sotto, folder / "y.csv", folder / "open", seed, "--not-private", *bounds, *length)
        for epsilon in epsilons:
            release, out = folder / f"z{epsilon}.csv", folder / f"out{epsilon}"
            run(sotto, "privatize", folder / "y.csv", *bounds, "--epsilon", epsilon, "--out", release)
            d, summary = estimate(sotto, release, out, seed, *asked, *length)
            f = truth.on(d["x"])
            weight = f / f.sum()
            held = [q["lower"] <= truth.quantities[q["quantity"]] <= q["upper"] for q in summary["quantities"]]
            step = d["x"][1] - d["x"][0]
            found.append([
                weight @ ((d["lower"] <= f) & (f <= d["upper"])),
                weight @ ((d["lower"] <= open_density["mean"]) & (open_density["mean"] <= d["upper"])),
                np.all((d["simultaneous_lower"] <= f) & (f <= d["simultaneous_upper"])),
                *held,
                step * (d["upper"] - d["lower"]).sum(),
                any("not mixed" in warning for warning in summary["warnings"]),
            ])
    return np.array(found, dtype=float)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sotto")
    parser.add_argument("--sets", type=int, default=5)
    parser.add_argument("--rows", type=int, nargs="+", default=[200, 1000, 10000])
    parser.add_argument("--epsilon", type=float, nargs="+", default=[1, 4, 10])
    parser.add_argument("--only", choices=TRUTHS)
    parser.add_argument("--at-a-time", type=int, default=2)
    parser.add_argument("--length", default="--chains 2 --warmup 500 --draws 500 --thin 5", help="of chains, as sotto density has it")
    arguments = parser.parse_args()
    heads = ["truth", "given data", "whole", "mean", "P(x > c)", "q(0.9)", "width", "not mixed"]
    print("| density | rows | epsilon | " + " | ".join(heads) + " |")
    print("|---" * (3 + len(heads)) + "|", flush=True)
    with concurrent.futures.ThreadPoolExecutor(arguments.at_a_time) as team:
        for rows in arguments.rows:
            for name in [arguments.only] if arguments.only else TRUTHS:
                sets = team.map(lambda seed: one_set(arguments.sotto, name, rows, arguments.epsilon, seed, arguments.length.split()),
                                range(arguments.sets))
                means = np.mean(list(sets), axis=0)
                for epsilon, line in zip(arguments.epsilon, means):
                    print(f"| {name} | {rows} | {epsilon:g} | " + " | ".join(f"{x:.2f}" for x in line) + " |", flush=True)


if __name__ == "__main__":
    main()
