"""Fits of tables in which cells of a column are missing: a table of docs/release-once.md.

    python3 experiments/missing_cells.py SOTTO [--sets N] [--epsilon E ...] [--family F ...]

Simulates regressions on a column in [0, 1] and a category of three levels, 20,000 rows, and runs SOTTO (the program) on the whole
table, on the table with 10 % and with 40 % of the first column's cells missing, and on the table without the latter rows. Per family
and epsilon: coverage of 90 % intervals over all tables and parameters (normal: sigma too), mean posterior standard deviation of the
column's coefficient, and the share of fits with a warning that is no note. Needs numpy.
"""

import argparse
import pathlib
import tempfile

import numpy as np

from fit_summary import fit_summary

ROWS = 20_000
TABLES = {"whole": (0, False), "10 % missing": (0.1, False), "40 % missing": (0.4, False), "40 % taken out": (0.4, True)}
TRUTH = {"x": 0.8, "k[b]": 0.4, "k[c]": -0.3}
SCHEMA = """[[column]]
name = "x"
kind = "real"
lower = 0
upper = 1
[[column]]
name = "k"
kind = "category"
levels = ["a", "b", "c"]
"""


def column(name, kind, more=""):
    return f'[[column]]\nname = "{name}"\nkind = "{kind}"\n{more}\n'


def counts(eta, rng):
    return {"y": rng.poisson(np.exp(0.7 + eta))}


def varied_counts(eta, rng):
    return {"y": rng.poisson(np.exp(0.7 + eta) * rng.gamma(2, 0.5, ROWS))}


def costs(eta, rng):
    return {"y": np.exp(3 + eta) * rng.gamma(2, 0.5, ROWS)}


def survival(eta, rng):
    times = rng.exponential(1, ROWS) / np.exp(eta - 4)
    return {"t": np.minimum(times, 100), "dead": (times < 100).astype(int)}


FAMILIES = {
    "normal": ("normal", "y", lambda eta, rng: {"y": 2 + eta + rng.standard_normal(ROWS)}, column("y", "real", "lower = -4\nupper = 8")),
    "logistic": ("bernoulli", "y", lambda eta, rng: {"y": (rng.random(ROWS) < 1 / (1 + np.exp(-eta))).astype(int)}, column("y", "binary")),
    "Poisson": ("poisson", "y", counts, column("y", "count", "lower = 0\nupper = 60")),
    "negative binomial": ("poisson", "y", varied_counts, column("y", "count", "lower = 0\nupper = 60")),
    "gamma": ("gamma", "y", costs, column("y", "real", "lower = 0\nupper = 500")),
    "ordinal": ("ordinal", "y", lambda eta, rng: {"y": np.array(list("pqrs"))[np.digitize(eta + rng.logistic(size=ROWS), [-1, 0, 1])]},
                column("y", "category", 'levels = ["p", "q", "r", "s"]')),
    "survival": ("survival", "Surv(t, dead)", survival, column("t", "real", "lower = 0\nupper = 100") + column("dead", "binary")),
}


def fitted(program, folder, family, response, columns, epsilon, seed):
    names = list(columns)
    (folder / "table.csv").write_text(
        ",".join(names) + "\n" + "".join(",".join(str(cell) for cell in row) + "\n" for row in zip(*columns.values())))
    return fit_summary(program, folder, family, f"{response} ~ x + k", epsilon, seed)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--sets", type=int, default=10)
    parser.add_argument("--epsilon", type=float, nargs="+", default=[1.0])
    parser.add_argument("--family", nargs="+", choices=FAMILIES, default=list(FAMILIES))
    arguments = parser.parse_args()
    print("| family | epsilon | table | coverage of 90 % intervals | sd of x | warned |\n|---|---|---|---|---|---|")
    for name in arguments.family:
        family, response, draw, declared = FAMILIES[name]
        truth = TRUTH | ({"sigma": 1.0} if name == "normal" else {})
        for epsilon in arguments.epsilon:
            held = {kind: [] for kind in TABLES}
            spread = {kind: [] for kind in TABLES}
            warned = {kind: [] for kind in TABLES}
            for seed in range(1, arguments.sets + 1):
                rng = np.random.default_rng(seed)
                x = rng.uniform(size=ROWS)
                k = rng.choice(list("abc"), ROWS, p=[0.5, 0.3, 0.2])
                eta = 0.8 * (x - 0.5) + 0.4 * (k == "b") - 0.3 * (k == "c")
                columns = {"x": x.round(6), "k": k, **draw(eta, rng)}
                places = rng.random(ROWS)
                for kind, (share, out) in TABLES.items():
                    lost = places < share
                    table = {one: values[~lost] if out else values for one, values in columns.items()}
                    if not out:
                        table["x"] = np.where(lost, "", table["x"].astype(str))
                    with tempfile.TemporaryDirectory() as folder:
                        (pathlib.Path(folder) / "schema.toml").write_text(SCHEMA + declared)
                        summary = fitted(arguments.program, pathlib.Path(folder), family, response, table, epsilon, seed)
                    lines = {line["parameter"]: line for line in summary["parameters"]}
                    held[kind] += [lines[one]["q05"] <= value <= lines[one]["q95"] for one, value in truth.items()]
                    spread[kind].append(lines["x"]["sd"])
                    warned[kind].append(any(not one.startswith("Note") for one in summary["warnings"]))
            for kind in TABLES:
                print(f"| {name} | {epsilon:g} | {kind} | {np.mean(held[kind]):.2f} | {np.mean(spread[kind]):.4f} | {np.mean(warned[kind]):.1f} |",
                      flush=True)


if __name__ == "__main__":
    main()
